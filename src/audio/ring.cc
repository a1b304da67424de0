#include "audio/ring.h"

#include <algorithm>
#include <bit>

namespace sotto {

SampleRing::SampleRing(size_t capacity_samples)
    : samples_(std::bit_ceil(std::max<size_t>(capacity_samples, 1))), mask_(samples_.size() - 1) {}

size_t SampleRing::Free() const {
  const uint64_t used =
      written_.load(std::memory_order_relaxed) - read_.load(std::memory_order_acquire);
  return samples_.size() - static_cast<size_t>(used);
}

size_t SampleRing::Push(std::span<const float> block) {
  const size_t count = std::min(block.size(), Free());
  const uint64_t written = written_.load(std::memory_order_relaxed);
  const size_t begin = static_cast<size_t>(written) & mask_;
  const size_t first = std::min(count, samples_.size() - begin);
  std::copy_n(block.begin(), first, samples_.begin() + static_cast<ptrdiff_t>(begin));
  std::copy_n(block.begin() + static_cast<ptrdiff_t>(first), count - first, samples_.begin());
  // Release: the samples are written before the consumer sees the new count.
  written_.store(written + count, std::memory_order_release);
  return count;
}

size_t SampleRing::Size() const {
  return static_cast<size_t>(written_.load(std::memory_order_acquire) -
                             read_.load(std::memory_order_relaxed));
}

size_t SampleRing::Pop(std::span<float> out) {
  const size_t count = std::min(out.size(), Size());
  const uint64_t read = read_.load(std::memory_order_relaxed);
  const size_t begin = static_cast<size_t>(read) & mask_;
  const size_t first = std::min(count, samples_.size() - begin);
  std::copy_n(samples_.begin() + static_cast<ptrdiff_t>(begin), first, out.begin());
  std::copy_n(samples_.begin(), count - first, out.begin() + static_cast<ptrdiff_t>(first));
  // Release: the samples are read before the producer may write over them.
  read_.store(read + count, std::memory_order_release);
  return count;
}

size_t SampleRing::Discard(size_t count) {
  count = std::min(count, Size());
  read_.store(read_.load(std::memory_order_relaxed) + count, std::memory_order_release);
  return count;
}

}  // namespace sotto
