// EngineContext: what every job of one engine shares, and where jobs go to end.
#ifndef SOTTO_ENGINE_JOBS_CONTEXT_H_
#define SOTTO_ENGINE_JOBS_CONTEXT_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "audio/resampler.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "engine/jobs/models.h"
#include "engine/memory/arbiter.h"
#include "engine/pipeline/compute_gate.h"
#include "engine/trace/waterfall.h"

namespace sotto {

// Something with a thread of its own. Its destructor waits for that thread.
class Job {
 public:
  virtual ~Job() = default;

  // Asks the job to stop within one step of its model. Any thread; at once.
  virtual void Cancel(CancelReason reason) = 0;
  // True when the destructor would not wait. Any thread.
  virtual bool finished() const = 0;
};

struct EngineOptions {
  const Clock* clock = &SystemClock();
  LogSink log;
  int32_t num_threads = 1;  // cores that models may keep busy
  uint64_t memory_limit_bytes = 0;
  MemoryArbiter::Probe memory_probe;
  size_t trace_turns = 64;
  ResamplerFactory make_resampler = nullptr;
};

// Any thread. Outlives its jobs: a handle retires its job here instead of waiting for it, and the
// context's destructor waits for all that are left.
class EngineContext {
 public:
  explicit EngineContext(EngineOptions options)
      : options_(std::move(options)),
        arbiter_(options_.memory_limit_bytes, options_.memory_probe),
        traces_(options_.trace_turns) {}
  EngineContext(const EngineContext&) = delete;
  EngineContext& operator=(const EngineContext&) = delete;

  int64_t NowUs() const { return options_.clock->NowUs(); }
  const LogSink& log() const { return options_.log; }
  int32_t num_threads() const { return options_.num_threads; }
  Result<std::unique_ptr<Resampler>> MakeResampler(int32_t in_rate_hz, int32_t out_rate_hz) const {
    return options_.make_resampler(in_rate_hz, out_rate_hz);
  }
  ComputeGate& gate() { return gate_; }
  MemoryArbiter& arbiter() { return arbiter_; }
  TraceRing& traces() { return traces_; }
  uint64_t NextTurnId() { return next_turn_id_.fetch_add(1) + 1; }

  // Cancels `job` and destroys it once it can be done without waiting, or at the end.
  void Retire(std::unique_ptr<Job> job);

 private:
  const EngineOptions options_;
  ComputeGate gate_;
  MemoryArbiter arbiter_;
  TraceRing traces_;
  std::atomic<uint64_t> next_turn_id_{0};
  Mutex mutex_;
  // Last: destroyed, and so waited for, while everything above still lives.
  std::vector<std::unique_ptr<Job>> retired_ SOTTO_GUARDED_BY(mutex_);
};

}  // namespace sotto

#endif  // SOTTO_ENGINE_JOBS_CONTEXT_H_
