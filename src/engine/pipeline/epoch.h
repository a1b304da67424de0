// Epoch: an interrupt is a number going up, and every stage compares it.
#ifndef SOTTO_ENGINE_PIPELINE_EPOCH_H_
#define SOTTO_ENGINE_PIPELINE_EPOCH_H_

#include <atomic>
#include <cstdint>

namespace sotto {

// Each frame carries the epoch that made it; a stage drops a frame of an older one. Any thread,
// wait-free.
class Epoch {
 public:
  uint64_t now() const { return value_.load(std::memory_order_acquire); }
  bool IsStale(uint64_t epoch) const { return epoch != now(); }
  // Makes everything that was made before stale. Returns the new epoch.
  uint64_t Interrupt() { return value_.fetch_add(1, std::memory_order_acq_rel) + 1; }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace sotto

#endif  // SOTTO_ENGINE_PIPELINE_EPOCH_H_
