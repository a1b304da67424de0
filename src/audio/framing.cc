#include "audio/framing.h"

#include <algorithm>

#include "base/check.h"

namespace sotto {

WindowCutter::WindowCutter(size_t window_samples) : window_(window_samples) {
  SOTTO_DCHECK(window_samples > 0);
}

void WindowCutter::Begin(std::span<const float> piece) {
  SOTTO_DCHECK(piece_.empty());
  piece_ = piece;
}

std::span<const float> WindowCutter::Next() {
  if (filled_ == 0 && piece_.size() >= window_.size()) {
    const std::span<const float> window = piece_.first(window_.size());
    piece_ = piece_.subspan(window_.size());
    return window;
  }
  const size_t count = std::min(window_.size() - filled_, piece_.size());
  std::copy_n(piece_.begin(), count, window_.begin() + static_cast<ptrdiff_t>(filled_));
  piece_ = piece_.subspan(count);
  filled_ += count;
  if (filled_ < window_.size()) {
    return {};
  }
  filled_ = 0;
  return window_;
}

std::span<const float> WindowCutter::Flush() {
  if (filled_ == 0) {
    return {};
  }
  std::fill(window_.begin() + static_cast<ptrdiff_t>(filled_), window_.end(), 0.0f);
  filled_ = 0;
  return window_;
}

void WindowCutter::Reset() {
  filled_ = 0;
  piece_ = {};
}

PreRollRing::PreRollRing(size_t capacity_samples) : samples_(capacity_samples) {
  SOTTO_DCHECK(capacity_samples > 0);
}

void PreRollRing::Push(std::span<const float> piece) {
  const size_t capacity = samples_.size();
  if (piece.size() > capacity) {
    end_sample_ += static_cast<int64_t>(piece.size() - capacity);
    piece = piece.last(capacity);
  }
  const size_t begin = static_cast<size_t>(end_sample_) % capacity;
  const size_t first = std::min(piece.size(), capacity - begin);
  std::copy_n(piece.begin(), first, samples_.begin() + static_cast<ptrdiff_t>(begin));
  std::copy_n(piece.begin() + static_cast<ptrdiff_t>(first), piece.size() - first,
              samples_.begin());
  end_sample_ += static_cast<int64_t>(piece.size());
}

int64_t PreRollRing::begin_sample() const {
  return std::max<int64_t>(0, end_sample_ - static_cast<int64_t>(samples_.size()));
}

int64_t PreRollRing::CopyFrom(int64_t start_sample, std::vector<float>* out) const {
  const int64_t start = std::clamp(start_sample, begin_sample(), end_sample_);
  const size_t count = static_cast<size_t>(end_sample_ - start);
  const size_t begin = static_cast<size_t>(start) % samples_.size();
  const size_t first = std::min(count, samples_.size() - begin);
  const auto at = samples_.begin() + static_cast<ptrdiff_t>(begin);
  out->insert(out->end(), at, at + static_cast<ptrdiff_t>(first));
  out->insert(out->end(), samples_.begin(),
              samples_.begin() + static_cast<ptrdiff_t>(count - first));
  return start;
}

void PreRollRing::Reset() { end_sample_ = 0; }

}  // namespace sotto
