// ComputeGate: one model of an engine computes at a time, with all of the engine's cores.
//
// Two models that each bring a pool of the machine's size slow each other down two to ten times;
// one after the other costs nothing. A stage enters for one step (a decode step, a block of
// speech, one recognition) and the most urgent of those who wait goes next.
#ifndef SOTTO_ENGINE_PIPELINE_COMPUTE_GATE_H_
#define SOTTO_ENGINE_PIPELINE_COMPUTE_GATE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/cancel.h"
#include "base/mutex.h"
#include "base/status.h"

namespace sotto {

// Who is heard first: the ears, then the mouth, then the mind.
enum class ComputePriority : int32_t { kEars = 0, kMouth = 1, kMind = 2, kBackground = 3 };

// Any thread.
class ComputeGate {
 public:
  // Inside the gate until destroyed.
  class Pass {
   public:
    explicit Pass(ComputeGate* gate) : gate_(gate) {}
    Pass(Pass&& other) noexcept : gate_(other.gate_) { other.gate_ = nullptr; }
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (gate_ != nullptr) {
        gate_->Leave();
      }
    }

   private:
    ComputeGate* gate_;
  };

  // Waits for the gate. CANCELLED if `cancel` was cancelled by the time it opens.
  Result<Pass> Enter(ComputePriority priority, const CancelToken& cancel);

  // Nobody enters any more: whoever waits or comes gets CANCELLED. Returns when nobody is inside.
  // For the end of the process, when what models compute with is about to go.
  void Close();

 private:
  void Leave();
  bool IsNext(ComputePriority priority, uint64_t ticket) const SOTTO_REQUIRES(mutex_);

  static constexpr size_t kNumPriorities = 4;
  Mutex mutex_;
  CondVar changed_;
  bool busy_ SOTTO_GUARDED_BY(mutex_) = false;
  bool closed_ SOTTO_GUARDED_BY(mutex_) = false;
  std::array<uint64_t, kNumPriorities> next_ticket_ SOTTO_GUARDED_BY(mutex_) = {};
  std::array<uint64_t, kNumPriorities> now_serving_ SOTTO_GUARDED_BY(mutex_) = {};
};

}  // namespace sotto

#endif  // SOTTO_ENGINE_PIPELINE_COMPUTE_GATE_H_
