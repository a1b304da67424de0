#include "engine/pipeline/compute_gate.h"

namespace sotto {

bool ComputeGate::IsNext(ComputePriority priority, uint64_t ticket) const {
  const auto mine = static_cast<size_t>(priority);
  for (size_t other = 0; other < mine; ++other) {
    if (next_ticket_[other] != now_serving_[other]) {
      return false;  // somebody more urgent waits
    }
  }
  return !busy_ && now_serving_[mine] == ticket;
}

Result<ComputeGate::Pass> ComputeGate::Enter(ComputePriority priority, const CancelToken& cancel) {
  const auto mine = static_cast<size_t>(priority);
  {
    MutexLock lock(mutex_);
    const uint64_t ticket = next_ticket_[mine]++;
    while (!closed_ && !IsNext(priority, ticket)) {
      changed_.Wait(mutex_);
    }
    if (closed_) {
      return CancelledError("cancelled: the process ends");
    }
    ++now_serving_[mine];
    busy_ = true;
  }
  Pass pass(this);
  SOTTO_RETURN_IF_ERROR(cancel.Check());
  return pass;
}

void ComputeGate::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  changed_.NotifyAll();
  while (busy_) {
    changed_.Wait(mutex_);
  }
}

void ComputeGate::Leave() {
  MutexLock lock(mutex_);
  busy_ = false;
  changed_.NotifyAll();
}

}  // namespace sotto
