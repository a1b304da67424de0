// A wait-free ring of samples between one producer thread and one consumer thread.
//
//   SampleRing ring(8000);
//   size_t taken = ring.Push(block);    // producer: the callback of a microphone
//   size_t got = ring.Pop(out);         // consumer
#ifndef SOTTO_AUDIO_RING_H_
#define SOTTO_AUDIO_RING_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto {

// All memory is allocated by the constructor. Push and Pop copy at most two pieces and never
// block, allocate or call anything. Counters are 64-bit and do not wrap in practice.
class SampleRing {
 public:
  // Holds at least `capacity_samples` (rounded up to a power of two, 1 at least).
  // REQUIRES: capacity_samples <= 2^30.
  explicit SampleRing(size_t capacity_samples);
  SampleRing(const SampleRing&) = delete;
  SampleRing& operator=(const SampleRing&) = delete;

  size_t capacity_samples() const { return samples_.size(); }

  // Appends as many of `block` as fit and returns how many; the first ones are kept, the rest is
  // for the caller to count or retry. The samples are visible to Pop() before this returns.
  // Producer thread only.
  size_t Push(std::span<const float> block);
  // Room for Push(); grows at any moment. Producer thread only.
  size_t Free() const;

  // Moves up to out.size() of the oldest samples to `out` and returns how many. Consumer thread
  // only.
  size_t Pop(std::span<float> out);
  // Drops up to `count` of the oldest samples and returns how many. Consumer thread only.
  size_t Discard(size_t count);
  // Samples that wait; grows at any moment. Consumer thread only.
  size_t Size() const;

 private:
  std::vector<float> samples_;
  size_t mask_;
  // Own cache lines, so that the two threads do not slow each other down.
  alignas(64) std::atomic<uint64_t> written_{0};
  alignas(64) std::atomic<uint64_t> read_{0};
};

}  // namespace sotto

#endif  // SOTTO_AUDIO_RING_H_
