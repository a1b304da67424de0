// Runs a piece of third-party code in a process of its own, to see whether it survives.
#ifndef SOTTO_MODELFILES_TRUTH_CHILD_H_
#define SOTTO_MODELFILES_TRUTH_CHILD_H_

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace sotto {

struct ChildResult {
  int signal = 0;          // that ended it; 0 when it ended by itself
  bool succeeded = false;  // `work` returned true
};

// `work` in a child with 4 GiB of memory and 60 s; what it throws counts as false. Its messages
// go nowhere unless SOTTO_TRUTH_LOUD is set.
template <typename Work>
ChildResult RunInChild(const Work& work) {
  std::fflush(nullptr);  // or the child writes it again
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const rlimit memory{rlim_t{4} << 30, rlim_t{4} << 30};
    ::setrlimit(RLIMIT_AS, &memory);
    ::alarm(60);
    if (std::getenv("SOTTO_TRUTH_LOUD") == nullptr) {
      ::dup2(::open("/dev/null", O_WRONLY), 2);
    }
    bool succeeded = false;
    try {
      succeeded = work();
    } catch (...) {
      // The backends translate these at the call.
    }
    ::_exit(succeeded ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

inline void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// Keeps a file that crashed, if SOTTO_TRUTH_KEEP names a folder.
inline void KeepBytes(const std::string& name, const std::string& bytes) {
  if (const char* folder = std::getenv("SOTTO_TRUTH_KEEP")) {
    WriteBytes(std::string(folder) + "/" + name, bytes);
  }
}

// An environment variable as a number.
inline int EnvironmentNumber(const char* name, int fallback) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : fallback;
}

}  // namespace sotto

#endif  // SOTTO_MODELFILES_TRUTH_CHILD_H_
