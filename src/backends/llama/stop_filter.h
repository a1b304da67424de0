// Ends a stream of text before the first of some strings, wherever the stream is cut.
#ifndef SOTTO_BACKENDS_LLAMA_STOP_FILTER_H_
#define SOTTO_BACKENDS_LLAMA_STOP_FILTER_H_

#include <string>
#include <string_view>
#include <vector>

namespace sotto::llama {

// The output depends on the text alone, not on how it was cut. Of several stops the one that is
// complete first counts, the longest among those.
class StopFilter {
 public:
  StopFilter() = default;
  // `stops` are not empty.
  explicit StopFilter(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  // What of the text so far can no longer be part of a stop. Nothing after stopped().
  std::string Feed(std::string_view text);

  // What is held back, at the end of a stream that did not stop.
  std::string Finish();

  bool stopped() const { return stopped_; }

 private:
  size_t HeldBytes() const;

  std::vector<std::string> stops_;
  std::string held_;  // may be the beginning of a stop
  bool stopped_ = false;
};

}  // namespace sotto::llama

#endif  // SOTTO_BACKENDS_LLAMA_STOP_FILTER_H_
