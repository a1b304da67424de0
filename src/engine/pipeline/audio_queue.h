// AudioQueue: mono samples on their way to the host.
//
// A producer waits while more than `capacity_samples` are unread, so that synthesis does not
// outrun its reader by more than the queue holds.
#ifndef SOTTO_ENGINE_PIPELINE_AUDIO_QUEUE_H_
#define SOTTO_ENGINE_PIPELINE_AUDIO_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"

namespace sotto {

// One producer, one consumer; Interrupt() from any thread.
class AudioQueue {
 public:
  explicit AudioQueue(size_t capacity_samples) : capacity_samples_(capacity_samples) {}

  // Appends a block; waits for room. False once the queue is closed or interrupted.
  bool Push(std::vector<float> block);

  // No block follows; what is queued can still be read.
  void Close(Status end);
  // Drops what is queued and closes.
  void Interrupt(Status end);

  struct ReadResult {
    size_t num_samples = 0;
    bool is_end = false;  // no sample follows these
    Status end;           // how it ended, with is_end
  };
  // Fills `out` from the front. Waits up to `timeout_ms` (0: not at all, negative: without limit)
  // for the first sample or the end.
  ReadResult Read(std::span<float> out, int64_t timeout_ms);

 private:
  const size_t capacity_samples_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<std::vector<float>> blocks_ SOTTO_GUARDED_BY(mutex_);
  size_t front_offset_ SOTTO_GUARDED_BY(mutex_) = 0;  // samples of the front block already read
  size_t queued_samples_ SOTTO_GUARDED_BY(mutex_) = 0;
  bool closed_ SOTTO_GUARDED_BY(mutex_) = false;
  Status end_ SOTTO_GUARDED_BY(mutex_);
};

}  // namespace sotto

#endif  // SOTTO_ENGINE_PIPELINE_AUDIO_QUEUE_H_
