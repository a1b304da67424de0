// The opaque types of the C ABI. Each handle keeps its engine's runtime alive, so they may be
// released in any order; a job is retired to the runtime instead of waited for.
#ifndef SOTTO_CAPI_HANDLES_H_
#define SOTTO_CAPI_HANDLES_H_

#include <memory>
#include <utility>

#include "capi/runtime.h"

struct sotto_engine {
  std::shared_ptr<sotto::capi::Runtime> runtime;
};

namespace sotto::capi {

// A job and the runtime that ends it.
template <typename JobType>
class JobHandle {
 public:
  JobHandle(std::shared_ptr<Runtime> runtime, std::unique_ptr<JobType> job)
      : runtime_(std::move(runtime)), job_(std::move(job)) {}
  JobHandle(const JobHandle&) = delete;
  JobHandle& operator=(const JobHandle&) = delete;
  ~JobHandle() { runtime_->context().Retire(std::move(job_)); }

  Runtime& runtime() const { return *runtime_; }
  JobType* operator->() const { return job_.get(); }
  JobType& get() const { return *job_; }

 private:
  std::shared_ptr<Runtime> runtime_;
  std::unique_ptr<JobType> job_;
};

}  // namespace sotto::capi

#endif  // SOTTO_CAPI_HANDLES_H_
