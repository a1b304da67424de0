// Cancellation: one source per piece of work, tokens for whoever does it.
//
// The first reason wins; cancelling again changes nothing. A token is cheap to copy and to ask,
// and stays valid after its source is gone.
#ifndef SOTTO_BASE_CANCEL_H_
#define SOTTO_BASE_CANCEL_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/status.h"

namespace sotto {

enum class CancelReason : int32_t {
  kNone = 0,
  kUserCancel,
  kBargeIn,
  kResumed,
  kTimeout,
  kSuperseded,
  kShutdown,
  kError,
};

std::string_view CancelReasonName(CancelReason reason);

class CancelToken {
 public:
  // Never cancelled.
  CancelToken() = default;

  bool cancelled() const { return reason() != CancelReason::kNone; }
  CancelReason reason() const {
    return state_ ? state_->load(std::memory_order_acquire) : CancelReason::kNone;
  }

  // OK, or CANCELLED with the reason's name.
  Status Check() const;

 private:
  friend class CancelSource;
  explicit CancelToken(std::shared_ptr<const std::atomic<CancelReason>> state)
      : state_(std::move(state)) {}
  std::shared_ptr<const std::atomic<CancelReason>> state_;
};

class CancelSource {
 public:
  CancelSource() : state_(std::make_shared<std::atomic<CancelReason>>(CancelReason::kNone)) {}

  // Any thread. True if this call was the first.
  bool Cancel(CancelReason reason) {
    CancelReason expected = CancelReason::kNone;
    return state_->compare_exchange_strong(expected, reason, std::memory_order_acq_rel);
  }
  CancelToken token() const { return CancelToken(state_); }

 private:
  std::shared_ptr<std::atomic<CancelReason>> state_;
};

}  // namespace sotto

#endif  // SOTTO_BASE_CANCEL_H_
