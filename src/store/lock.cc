#include "store/lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/file.h"

namespace sotto {

Result<FileLock> FileLock::Try(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd.valid()) {
    return ErrnoError(errno, "lock", path);
  }
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return FileLock();
    }
    if (errno != EINTR) {
      return ErrnoError(errno, "lock", path);
    }
  }
  return FileLock(std::move(fd));
}

Result<FileLock> FileLock::Acquire(const std::string& path, const CancelToken& cancel,
                                   const std::function<void()>& on_wait) {
  // flock has no timed wait, and a blocked one would not notice a cancel.
  while (true) {
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    SOTTO_ASSIGN_OR_RETURN(FileLock lock, Try(path));
    if (lock.held()) {
      return lock;
    }
    if (on_wait) {
      on_wait();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace sotto
