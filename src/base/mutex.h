// Mutex, MutexLock and CondVar with clang's thread-safety annotations, which do not know
// std::mutex under libstdc++. GCC ignores the annotations.
#ifndef SOTTO_BASE_MUTEX_H_
#define SOTTO_BASE_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define SOTTO_TSA(x) __attribute__((x))
#else
#define SOTTO_TSA(x)
#endif
#define SOTTO_GUARDED_BY(x) SOTTO_TSA(guarded_by(x))
#define SOTTO_REQUIRES(...) SOTTO_TSA(requires_capability(__VA_ARGS__))
#define SOTTO_ACQUIRE(...) SOTTO_TSA(acquire_capability(__VA_ARGS__))
#define SOTTO_RELEASE(...) SOTTO_TSA(release_capability(__VA_ARGS__))
#define SOTTO_EXCLUDES(...) SOTTO_TSA(locks_excluded(__VA_ARGS__))
#define SOTTO_ACQUIRED_BEFORE(...) SOTTO_TSA(acquired_before(__VA_ARGS__))

namespace sotto {

class SOTTO_TSA(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() SOTTO_TSA(acquire_capability()) { mutex_.lock(); }
  void Unlock() SOTTO_TSA(release_capability()) { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class SOTTO_TSA(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) SOTTO_TSA(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_.Lock();
  }
  ~MutexLock() SOTTO_TSA(release_capability()) { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waits give up the mutex and take it again before they return. Spurious wake-ups happen: wait
// in a loop on the condition itself.
class CondVar {
 public:
  void Wait(Mutex& mutex) SOTTO_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    cv_.wait(lock);
    lock.release();
  }

  // False when `deadline` passed without a notification.
  bool WaitUntil(Mutex& mutex, std::chrono::steady_clock::time_point deadline)
      SOTTO_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool notified = cv_.wait_until(lock, deadline) == std::cv_status::no_timeout;
    lock.release();
    return notified;
  }

  void NotifyOne() { cv_.notify_one(); }
  void NotifyAll() { cv_.notify_all(); }

 private:
  std::condition_variable cv_;
};

}  // namespace sotto

#endif  // SOTTO_BASE_MUTEX_H_
