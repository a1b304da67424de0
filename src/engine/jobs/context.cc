#include "engine/jobs/context.h"

#include <utility>

namespace sotto {

std::string_view ModelRoleName(ModelRole role) {
  switch (role) {
    case ModelRole::kText:
      return "text";
    case ModelRole::kAsr:
      return "asr";
    case ModelRole::kVad:
      return "vad";
    case ModelRole::kTurn:
      return "turn";
    case ModelRole::kTts:
      return "tts";
    case ModelRole::kEmbedding:
      return "embedding";
    case ModelRole::kSpeaker:
      return "speaker";
  }
  return "unknown";
}

void EngineContext::Retire(std::unique_ptr<Job> job) {
  job->Cancel(CancelReason::kShutdown);
  std::vector<std::unique_ptr<Job>> done;  // destroyed without the lock
  MutexLock lock(mutex_);
  retired_.push_back(std::move(job));
  for (std::unique_ptr<Job>& retired : retired_) {
    if (retired->finished()) {
      done.push_back(std::move(retired));
    }
  }
  std::erase(retired_, nullptr);
}

}  // namespace sotto
