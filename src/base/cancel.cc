#include "base/cancel.h"

namespace sotto {

std::string_view CancelReasonName(CancelReason reason) {
  switch (reason) {
    case CancelReason::kNone:
      return "none";
    case CancelReason::kUserCancel:
      return "user_cancel";
    case CancelReason::kBargeIn:
      return "barge_in";
    case CancelReason::kResumed:
      return "resumed";
    case CancelReason::kTimeout:
      return "timeout";
    case CancelReason::kSuperseded:
      return "superseded";
    case CancelReason::kShutdown:
      return "shutdown";
    case CancelReason::kError:
      return "error";
  }
  return "unknown";
}

Status CancelToken::Check() const {
  const CancelReason now = reason();
  if (now == CancelReason::kNone) {
    return OkStatus();
  }
  return CancelledError("cancelled: " + std::string(CancelReasonName(now)));
}

}  // namespace sotto
