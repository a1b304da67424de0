// Locks between processes (and between threads of one): a file held with flock.
#ifndef SOTTO_STORE_LOCK_H_
#define SOTTO_STORE_LOCK_H_

#include <functional>
#include <string>

#include "base/cancel.h"
#include "base/status.h"
#include "store/fd.h"

namespace sotto {

// Held until destroyed; the kernel lets go when the process ends, however it ends. Move-only.
class FileLock {
 public:
  FileLock() = default;  // holds nothing

  // Waits for `path` (created if absent, never removed: removing one that somebody waits for
  // would split the lock). `on_wait`, when given, is called about ten times a second meanwhile.
  static Result<FileLock> Acquire(const std::string& path, const CancelToken& cancel,
                                  const std::function<void()>& on_wait);
  // As Acquire() without waiting; held() is false when somebody else has it.
  static Result<FileLock> Try(const std::string& path);

  bool held() const { return fd_.valid(); }
  void Release() { fd_.Reset(); }

 private:
  explicit FileLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace sotto

#endif  // SOTTO_STORE_LOCK_H_
