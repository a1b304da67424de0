#include "cli/interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "cli/exit_code.h"

namespace sotto::cli {
namespace {

// A cancelled job ends within one step of its model; this is the limit of patience.
constexpr int kGraceMs = 1800;
// Between two jobs there is only a file to rename.
constexpr int kIdleGraceMs = 300;

struct State {
  int pipe_fds[2] = {-1, -1};
  std::atomic<int> signals{0};
  std::mutex mutex;
  std::function<void()> cancel;  // under `mutex`
};

// Never destroyed: the watcher outlives main().
State& Shared() {
  static State* state = new State();
  return *state;
}

void OnSignal(int) {
  State& state = Shared();
  if (state.signals.fetch_add(1) >= 1) {
    ::_exit(kInterrupted);
  }
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = ::write(state.pipe_fds[1], &byte, 1);
}

void Watch() {
  State& state = Shared();
  int timeout_ms = -1;
  for (;;) {
    pollfd wanted = {state.pipe_fds[0], POLLIN, 0};
    const int ready = ::poll(&wanted, 1, timeout_ms);
    if (ready == 0) {
      if (InterruptRequested()) {
        static constexpr std::string_view kMessage = "sotto: interrupted\n";
        [[maybe_unused]] const ssize_t written =
            ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
        ::_exit(kInterrupted);
      }
      timeout_ms = -1;
      continue;
    }
    char byte = 0;
    if (ready < 0 || ::read(state.pipe_fds[0], &byte, 1) != 1) {
      continue;
    }
    const std::lock_guard<std::mutex> lock(state.mutex);
    timeout_ms = state.cancel ? kGraceMs : kIdleGraceMs;
    if (state.cancel) {
      state.cancel();
    }
  }
}

}  // namespace

void InstallInterrupt() {
  State& state = Shared();
  if (::pipe2(state.pipe_fds, O_CLOEXEC | O_NONBLOCK) != 0) {
    return;  // Signals end the process, as they do by default.
  }
  std::thread(Watch).detach();
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool InterruptRequested() { return Shared().signals.load() > 0; }

void ResetInterrupt() { Shared().signals.store(0); }

InterruptScope::InterruptScope(std::function<void()> cancel) {
  State& state = Shared();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (InterruptRequested()) {
    throw CliError(kInterrupted, "interrupted");
  }
  state.cancel = std::move(cancel);
}

InterruptScope::~InterruptScope() {
  State& state = Shared();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.cancel = nullptr;
}

}  // namespace sotto::cli
