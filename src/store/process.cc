#include "store/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "store/fd.h"

extern char** environ;  // NOLINT: POSIX names it

namespace sotto {
namespace {

constexpr int kTickMs = 100;

std::string ErrnoText(int error_number) { return std::generic_category().message(error_number); }

// This process's environment with `extra` in front of what it replaces.
std::vector<std::string> Environment(
    const std::vector<std::pair<std::string, std::string>>& extra) {
  std::vector<std::string> all;
  for (const auto& [name, value] : extra) {
    all.push_back(name + "=" + value);
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : extra) {
      replaced = replaced ||
                 (text.size() > name.size() && text.starts_with(name) && text[name.size()] == '=');
    }
    if (!replaced) {
      all.emplace_back(text);
    }
  }
  return all;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& s : strings) {
    pointers.push_back(s.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

class SpawnSettings {
 public:
  explicit SpawnSettings(int output_fd) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output_fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output_fd, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    // A group of its own, so that a cancel reaches the client's children too. Signals that the
    // host blocks or ignores are none of the client's business.
    sigset_t none;
    sigset_t defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) {
      sigaddset(&defaults, signal);
    }
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

int WaitFor(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void Stop(pid_t pid) {
  ::kill(-pid, SIGTERM);
  // Package clients remove their temporary files on SIGTERM; one that does not end within half a
  // second is killed.
  for (int i = 0; i < 50; ++i) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) {
      ::kill(-pid, SIGKILL);
      return;
    }
    ::poll(nullptr, 0, 10);
  }
  ::kill(-pid, SIGKILL);
  WaitFor(pid);
}

// Reads until the client closes its output; false when cancelled.
bool Drain(int fd, const CancelToken& cancel, const std::function<void()>& on_tick,
           std::string& output) {
  std::array<char, 4096> buffer;
  while (!cancel.cancelled()) {
    pollfd poll_fd{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&poll_fd, 1, kTickMs);
    if (ready <= 0) {
      if (on_tick) {
        on_tick();
      }
      continue;
    }
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n == 0 || (n < 0 && errno != EINTR)) {
      return true;
    }
    if (n > 0) {
      output.append(buffer.data(), static_cast<size_t>(n));
      if (output.size() > 2 * kOutputBytes) {
        output.erase(0, output.size() - kOutputBytes);
      }
    }
  }
  return false;
}

}  // namespace

Result<ProcessResult> RunProcess(
    const std::vector<std::string>& arguments,
    const std::vector<std::pair<std::string, std::string>>& environment, const CancelToken& cancel,
    const std::function<void()>& on_tick) {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return ResourceExhaustedError("run: " + arguments.front() + ": " + ErrnoText(errno));
  }
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  std::vector<std::string> argument_copies = arguments;
  std::vector<std::string> environment_copies = Environment(environment);
  const std::vector<char*> argv = Pointers(argument_copies);
  const std::vector<char*> envp = Pointers(environment_copies);
  const SpawnSettings settings(write_end.get());
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, argv[0], settings.actions(), settings.attributes(),
                                   argv.data(), envp.data());
  if (error != 0) {
    return UnavailableError("run: " + arguments.front() + ": " + ErrnoText(error));
  }
  write_end.Reset();
  ProcessResult result;
  if (!Drain(read_end.get(), cancel, on_tick, result.output)) {
    Stop(pid);
    return cancel.Check();
  }
  result.exit_code = WaitFor(pid);
  if (result.output.size() > kOutputBytes) {
    result.output.erase(0, result.output.size() - kOutputBytes);
  }
  return result;
}

}  // namespace sotto
