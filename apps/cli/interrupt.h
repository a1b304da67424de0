// Ctrl-C and SIGTERM: the first cancels what runs, the second ends the process at once.
#ifndef SOTTO_APPS_CLI_INTERRUPT_H_
#define SOTTO_APPS_CLI_INTERRUPT_H_

#include <functional>

namespace sotto::cli {

// Starts to watch. Once, before any other thread is made.
void InstallInterrupt();

// True from the first signal on.
bool InterruptRequested();

// Forgets a signal that has been dealt with: a REPL goes on.
void ResetInterrupt();

// While one lives, the first signal calls `cancel` on the watcher's thread; what that cancels has
// two seconds to end. With none alive the process ends at the signal. One at a time.
class InterruptScope {
 public:
  // Throws CliError(kInterrupted) if a signal has come before.
  explicit InterruptScope(std::function<void()> cancel);
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  ~InterruptScope();
};

}  // namespace sotto::cli

#endif  // SOTTO_APPS_CLI_INTERRUPT_H_
