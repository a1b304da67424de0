#include "engine/pipeline/audio_queue.h"

#include <algorithm>
#include <chrono>

namespace sotto {

bool AudioQueue::Push(std::vector<float> block) {
  MutexLock lock(mutex_);
  while (!closed_ && queued_samples_ > 0 && queued_samples_ + block.size() > capacity_samples_) {
    changed_.Wait(mutex_);
  }
  if (closed_) {
    return false;
  }
  if (!block.empty()) {
    queued_samples_ += block.size();
    blocks_.push_back(std::move(block));
    changed_.NotifyAll();
  }
  return true;
}

void AudioQueue::Close(Status end) {
  MutexLock lock(mutex_);
  if (!closed_) {
    closed_ = true;
    end_ = std::move(end);
  }
  changed_.NotifyAll();
}

void AudioQueue::Interrupt(Status end) {
  MutexLock lock(mutex_);
  blocks_.clear();
  front_offset_ = 0;
  queued_samples_ = 0;
  if (!closed_) {
    closed_ = true;
    end_ = std::move(end);
  }
  changed_.NotifyAll();
}

AudioQueue::ReadResult AudioQueue::Read(std::span<float> out, int64_t timeout_ms) {
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::milliseconds(std::max<int64_t>(timeout_ms, 0));
  MutexLock lock(mutex_);
  while (blocks_.empty() && !closed_ && timeout_ms != 0) {
    if (timeout_ms < 0) {
      changed_.Wait(mutex_);
    } else if (!changed_.WaitUntil(mutex_, deadline)) {
      break;
    }
  }
  ReadResult result;
  while (!blocks_.empty() && result.num_samples < out.size()) {
    const std::vector<float>& block = blocks_.front();
    const size_t n = std::min(out.size() - result.num_samples, block.size() - front_offset_);
    std::copy_n(block.begin() + static_cast<ptrdiff_t>(front_offset_), n,
                out.begin() + static_cast<ptrdiff_t>(result.num_samples));
    result.num_samples += n;
    front_offset_ += n;
    queued_samples_ -= n;
    if (front_offset_ == block.size()) {
      blocks_.pop_front();
      front_offset_ = 0;
    }
  }
  if (blocks_.empty() && closed_) {
    result.is_end = true;
    result.end = end_;
  }
  changed_.NotifyAll();
  return result;
}

}  // namespace sotto
