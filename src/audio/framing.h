// Cutting a stream into windows, and keeping its recent past.
#ifndef SOTTO_AUDIO_FRAMING_H_
#define SOTTO_AUDIO_FRAMING_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "audio/block.h"

namespace sotto {

// Cuts pieces of any length into windows of one length: the same windows for any cutting of the
// same stream. One thread; allocates in the constructor only.
//
//   cutter.Begin(piece);
//   for (auto window = cutter.Next(); !window.empty(); window = cutter.Next()) Use(window);
class WindowCutter {
 public:
  // REQUIRES: window_samples > 0.
  explicit WindowCutter(size_t window_samples);

  size_t window_samples() const { return window_.size(); }

  // The next piece of the stream. It must stay valid, and Next() be called until it is empty,
  // before the next Begin().
  void Begin(std::span<const float> piece);

  // The next whole window, valid until the next call; empty when the piece is used up.
  std::span<const float> Next();

  // Samples that wait for a whole window.
  size_t pending_samples() const { return filled_; }
  // The last window, filled up with zeros; empty if nothing waits. Ends the stream.
  std::span<const float> Flush();
  void Reset();

 private:
  std::vector<float> window_;
  size_t filled_ = 0;
  std::span<const float> piece_;
};

// The last so many samples of a stream, addressed by their position in it: what was said just
// before a detector noticed. One thread; allocates in the constructor only.
class PreRollRing {
 public:
  // REQUIRES: capacity_samples > 0.
  explicit PreRollRing(size_t capacity_samples);

  void Push(std::span<const float> piece);

  // Positions held: [begin_sample(), end_sample()).
  int64_t begin_sample() const;
  int64_t end_sample() const { return end_sample_; }

  // Appends the samples of [start_sample, end_sample()) to `out` and returns the position of the
  // first one appended: later than asked for if the ring has forgotten it.
  int64_t CopyFrom(int64_t start_sample, std::vector<float>* out) const;

  void Reset();

 private:
  std::vector<float> samples_;
  int64_t end_sample_ = 0;
};

}  // namespace sotto

#endif  // SOTTO_AUDIO_FRAMING_H_
