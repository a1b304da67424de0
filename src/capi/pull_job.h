// PullJob: a pull of models on a thread of its own, its events taken one by one.
#ifndef SOTTO_CAPI_PULL_JOB_H_
#define SOTTO_CAPI_PULL_JOB_H_

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/jobs/context.h"
#include "engine/pipeline/edge.h"
#include "store/store.h"

namespace sotto::capi {

// Any thread; Next() from one at a time. `store` outlives the job.
class PullJob final : public Job {
 public:
  PullJob(const Store& store, std::vector<std::string> ids);
  ~PullJob() override;

  // The oldest event; an empty one without `closed` is nothing yet. Progress of one file is merged.
  Popped<PullEvent> Next(int64_t timeout_ms) { return events_.Pop(timeout_ms); }

  void Cancel(CancelReason reason) override { cancel_.Cancel(reason); }
  bool finished() const override { return done_.load(std::memory_order_acquire); }

 private:
  void Run();

  const Store& store_;
  const std::vector<std::string> ids_;
  CancelSource cancel_;
  Edge<PullEvent> events_;
  std::atomic<bool> done_{false};
  std::thread worker_;
};

}  // namespace sotto::capi

#endif  // SOTTO_CAPI_PULL_JOB_H_
