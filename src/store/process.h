// Runs a package client: arguments as a list, output captured, cancellable.
#ifndef SOTTO_STORE_PROCESS_H_
#define SOTTO_STORE_PROCESS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

struct ProcessResult {
  int exit_code = -1;  // -1 when a signal ended it
  std::string output;  // the last kOutputBytes of stdout and stderr together
};
constexpr size_t kOutputBytes = 4096;

// Runs `arguments[0]` (found on PATH) to its end, in a process group of its own, with stdin
// closed and `environment` added to this process's. `on_tick` is called about ten times a second.
// UNAVAILABLE when there is no such program; CANCELLED after the group was killed.
Result<ProcessResult> RunProcess(
    const std::vector<std::string>& arguments,
    const std::vector<std::pair<std::string, std::string>>& environment, const CancelToken& cancel,
    const std::function<void()>& on_tick);

}  // namespace sotto

#endif  // SOTTO_STORE_PROCESS_H_
