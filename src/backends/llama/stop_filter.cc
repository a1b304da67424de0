#include "backends/llama/stop_filter.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sotto::llama {

std::string StopFilter::Feed(std::string_view text) {
  if (stopped_) {
    return {};
  }
  if (stops_.empty()) {
    return std::string(text);
  }
  // No stop ends within what was held: it would have been found there.
  size_t end = held_.size() + 1;
  held_ += text;
  for (; end <= held_.size(); ++end) {
    const std::string_view so_far = std::string_view(held_).substr(0, end);
    size_t longest = 0;
    for (const std::string& stop : stops_) {
      if (so_far.ends_with(stop)) {
        longest = std::max(longest, stop.size());
      }
    }
    if (longest > 0) {
      stopped_ = true;
      std::string out = held_.substr(0, end - longest);
      held_.clear();
      return out;
    }
  }
  const size_t free_bytes = held_.size() - HeldBytes();
  std::string out = held_.substr(0, free_bytes);
  held_.erase(0, free_bytes);
  return out;
}

std::string StopFilter::Finish() { return stopped_ ? std::string() : std::exchange(held_, {}); }

// Length of the longest end of `held_` that begins a stop.
size_t StopFilter::HeldBytes() const {
  size_t longest = 0;
  for (const std::string& stop : stops_) {
    for (size_t n = std::min(stop.size() - 1, held_.size()); n > longest; --n) {
      if (std::string_view(held_).ends_with(std::string_view(stop).substr(0, n))) {
        longest = n;
        break;
      }
    }
  }
  return longest;
}

}  // namespace sotto::llama
