// Edge<T>: a typed, bounded queue between two stages.
//
// Items leave in the order they came in. A full edge makes the producer wait (Push) or tells it
// so (TryPush); an empty one never means the end: the end is the status given to Close(), which
// the consumer gets after the last item. Interrupt() drops what is queued.
#ifndef SOTTO_ENGINE_PIPELINE_EDGE_H_
#define SOTTO_ENGINE_PIPELINE_EDGE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"

namespace sotto {

// What a Pop() found.
template <typename T>
struct Popped {
  std::optional<T> item;
  bool closed = false;  // nothing follows; `end` says how it ended
  Status end;
};

// Any number of producers and consumers.
template <typename T>
class Edge {
 public:
  explicit Edge(size_t capacity) : capacity_(capacity) {}
  Edge(const Edge&) = delete;
  Edge& operator=(const Edge&) = delete;

  // Waits for room. False if the edge is closed: the item is dropped.
  bool Push(T item) {
    MutexLock lock(mutex_);
    while (!closed_ && items_.size() >= capacity_) {
      changed_.Wait(mutex_);
    }
    return PushLocked(std::move(item));
  }

  // False if there is no room or the edge is closed; `item` is then untouched.
  bool TryPush(T& item) {
    MutexLock lock(mutex_);
    if (closed_ || items_.size() >= capacity_) {
      return false;
    }
    return PushLocked(std::move(item));
  }

  // Adds beyond the capacity: for what must not be lost and has a bound of its own.
  bool PushAlways(T item) {
    MutexLock lock(mutex_);
    return PushLocked(std::move(item));
  }

  // Runs `merge(back)` under the lock on the newest item, if there is one and it returns true the
  // new item is taken as merged; else pushes beyond the capacity. For partial results, of which
  // only the newest counts.
  template <typename Merge>
  bool PushMerged(T item, Merge&& merge) {
    MutexLock lock(mutex_);
    if (!closed_ && !items_.empty() && merge(items_.back(), item)) {
      return true;
    }
    return PushLocked(std::move(item));
  }

  // The oldest item. Waits up to `timeout_ms` (0: not at all, negative: without limit).
  Popped<T> Pop(int64_t timeout_ms) {
    const auto deadline = std::chrono::steady_clock::now() +
                          std::chrono::milliseconds(timeout_ms > 0 ? timeout_ms : 0);
    MutexLock lock(mutex_);
    while (items_.empty() && !closed_ && timeout_ms != 0) {
      if (timeout_ms < 0) {
        changed_.Wait(mutex_);
      } else if (!changed_.WaitUntil(mutex_, deadline)) {
        break;
      }
    }
    Popped<T> popped;
    if (!items_.empty()) {
      popped.item = std::move(items_.front());
      items_.pop_front();
      changed_.NotifyAll();
    } else if (closed_) {
      popped.closed = true;
      popped.end = end_;
    }
    return popped;
  }

  // No item can be added after this; what is queued can still be taken. The first call's status
  // counts.
  void Close(Status end) {
    MutexLock lock(mutex_);
    if (!closed_) {
      closed_ = true;
      end_ = std::move(end);
      changed_.NotifyAll();
    }
  }

  // Drops what is queued and closes.
  void Interrupt(Status end) {
    MutexLock lock(mutex_);
    items_.clear();
    if (!closed_) {
      closed_ = true;
      end_ = std::move(end);
    }
    changed_.NotifyAll();
  }

  bool closed() const {
    MutexLock lock(mutex_);
    return closed_;
  }
  size_t size() const {
    MutexLock lock(mutex_);
    return items_.size();
  }

 private:
  bool PushLocked(T item) SOTTO_REQUIRES(mutex_) {
    if (closed_) {
      return false;
    }
    items_.push_back(std::move(item));
    changed_.NotifyAll();
    return true;
  }

  const size_t capacity_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<T> items_ SOTTO_GUARDED_BY(mutex_);
  bool closed_ SOTTO_GUARDED_BY(mutex_) = false;
  Status end_ SOTTO_GUARDED_BY(mutex_);
};

}  // namespace sotto

#endif  // SOTTO_ENGINE_PIPELINE_EDGE_H_
