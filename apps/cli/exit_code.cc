#include "cli/exit_code.h"

namespace sotto::cli {

ExitCode ExitCodeOf(sotto_status status) {
  switch (status) {
    case SOTTO_OK:
      return kDone;
    case SOTTO_CANCELLED:
      return kInterrupted;
    case SOTTO_INVALID_ARGUMENT:
    case SOTTO_NOT_FOUND:
    case SOTTO_ALREADY_EXISTS:
    case SOTTO_PERMISSION_DENIED:
    case SOTTO_FAILED_PRECONDITION:
    case SOTTO_DATA_LOSS:
      return kBadInput;
    case SOTTO_UNAVAILABLE:
    case SOTTO_UNIMPLEMENTED:
    case SOTTO_DEADLINE_EXCEEDED:
      return kNotAvailable;
    case SOTTO_RESOURCE_EXHAUSTED:
      return kNoResources;
    default:
      return kInternal;
  }
}

void CheckEnd(sotto_status status, const std::string& message) {
  if (status == SOTTO_CANCELLED) {
    throw CliError(kInterrupted, "interrupted");
  }
  if (status != SOTTO_OK) {
    throw CliError(ExitCodeOf(status), message.empty() ? sotto_status_name(status) : message);
  }
}

}  // namespace sotto::cli
