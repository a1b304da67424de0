// TranscribeJob: speech to text of a stream, cut at its pauses.
//
// What is fed becomes mono at the recogniser's rate, a voice detector finds the speech in it, and
// clips of speech go to the recogniser. Silence and noise never reach it.
#ifndef SOTTO_ENGINE_JOBS_TRANSCRIBE_JOB_H_
#define SOTTO_ENGINE_JOBS_TRANSCRIBE_JOB_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/jobs/clip_cutter.h"
#include "engine/jobs/context.h"
#include "engine/pipeline/audio_queue.h"
#include "engine/pipeline/edge.h"

namespace sotto {

struct TranscribeOptions {
  int32_t rate_hz = 16000;  // of what is fed
  int32_t channels = 1;     // of what is fed, interleaved
  AsrProfile profile = AsrProfile::kAccurate;
  bool partials = false;
  std::string language;
  std::string prompt;
};

struct TranscriptEvent {
  enum class Type : int32_t {
    kNone = 0,
    kSpeechStarted = 1,
    kSpeechEnded = 2,
    kPartial = 3,
    kSegment = 4,
    kDone = 5,
  };
  Type type = Type::kNone;
  int64_t start_ms = 0;  // from the first sample fed
  int64_t end_ms = 0;
  int64_t heard_us = 0;  // engine time at which the sample at the event's end was fed
  int64_t time_us = 0;   // engine time at which the event was found
  std::string text;
  Status status;  // kDone
};

// Feed() and Next() from one thread at a time each; the rest from any.
class TranscribeJob final : public Job {
 public:
  static Result<std::unique_ptr<TranscribeJob>> Create(EngineContext& context,
                                                       std::shared_ptr<LoadedModel> asr,
                                                       std::shared_ptr<LoadedModel> vad,
                                                       TranscribeOptions options);
  ~TranscribeJob() override;

  // [num_frames x channels]. Waits while more than 30 s are unheard.
  Status Feed(std::span<const float> interleaved);
  Status Finish();
  TranscriptEvent Next(int64_t timeout_ms);

  void Cancel(CancelReason reason) override;
  bool finished() const override { return done_.load(std::memory_order_acquire); }

 private:
  TranscribeJob(EngineContext& context, std::shared_ptr<LoadedModel> asr,
                std::shared_ptr<LoadedModel> vad, TranscribeOptions options,
                std::unique_ptr<Resampler> resampler, std::unique_ptr<ClipCutter> cutter);
  void Run();
  Status Listen();
  Status Handle(const std::vector<ClipEvent>& events);
  Status Recognise(const SpeechClip& clip, bool is_final);
  Status RecogniseHalves(const SpeechClip& clip);
  int64_t ToMs(int64_t sample) const;
  int64_t HeardUs(int64_t sample) const;
  void Emit(TranscriptEvent event);

  EngineContext& context_;
  const std::shared_ptr<LoadedModel> asr_;
  const std::shared_ptr<LoadedModel> vad_;
  const TranscribeOptions options_;
  const int32_t asr_rate_hz_;
  CancelSource cancel_;
  AudioQueue heard_;
  Edge<TranscriptEvent> events_;

  // Of the feeding thread.
  std::unique_ptr<Resampler> resampler_;  // NULL when the rates are equal
  std::vector<float> mono_;
  int64_t fed_frames_ = 0;

  mutable Mutex mutex_;
  bool input_finished_ SOTTO_GUARDED_BY(mutex_) = false;
  // (samples fed so far at the recogniser's rate, when), of each Feed().
  std::vector<std::pair<int64_t, int64_t>> arrivals_ SOTTO_GUARDED_BY(mutex_);

  // Of the worker.
  std::unique_ptr<ClipCutter> cutter_;

  std::atomic<bool> done_{false};
  std::thread worker_;
};

}  // namespace sotto

#endif  // SOTTO_ENGINE_JOBS_TRANSCRIBE_JOB_H_
