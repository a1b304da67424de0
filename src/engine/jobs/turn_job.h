// TurnJob: one question heard or read, one answer written and spoken, each stage starting on what
// the one before it has so far.
#ifndef SOTTO_ENGINE_JOBS_TURN_JOB_H_
#define SOTTO_ENGINE_JOBS_TURN_JOB_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "engine/jobs/context.h"
#include "engine/jobs/generation_job.h"
#include "engine/jobs/speech_job.h"
#include "engine/jobs/transcribe_job.h"
#include "engine/pipeline/edge.h"

namespace sotto {

struct TurnModels {
  std::shared_ptr<LoadedModel> asr;
  std::shared_ptr<LoadedModel> vad;
  std::shared_ptr<LoadedModel> text;
  std::shared_ptr<LoadedModel> tts;  // NULL: the answer is text only
};

// Loads the voice, which takes longer than the other models.
using VoiceLoader = std::function<Result<std::shared_ptr<LoadedModel>>()>;

struct TurnOptions {
  TranscribeOptions transcribe;
  GenerationOptions generation;
  SpeechOptions speech;
};

struct TurnEvent {
  enum class Type : int32_t {
    kNone = 0,
    kTranscript = 1,
    kReplyText = 2,
    kAudioStarted = 3,
    kEnded = 4,
  };
  Type type = Type::kNone;
  int64_t time_us = 0;
  std::string text;
  Status status;  // kEnded
};

// PushAudio(), Next() and ReadAudio() from one thread at a time each; the rest from any.
class TurnJob final : public Job {
 public:
  // Calls `load_voice`, if there is one, for `models.tts`; the opening of the prompt is computed
  // meanwhile.
  static Result<std::unique_ptr<TurnJob>> Create(EngineContext& context, TurnModels models,
                                                 TurnOptions options,
                                                 const VoiceLoader& load_voice = {});
  ~TurnJob() override;

  // FAILED_PRECONDITION after PushText() or Finish().
  Status PushAudio(std::span<const float> interleaved);
  // The question as text, in place of audio; ends it. `text` is valid UTF-8 and not empty.
  // FAILED_PRECONDITION after audio, text or Finish().
  Status PushText(std::string_view text);
  Status Finish();

  TurnEvent Next(int64_t timeout_ms);
  int32_t reply_rate_hz() const { return speech_ == nullptr ? 0 : speech_->rate_hz(); }
  AudioQueue::ReadResult ReadAudio(std::span<float> out, int64_t timeout_ms);
  void MarkPlayed() { Mark(Checkpoint::kAudioFirstPlayed); }
  WaterfallView Trace() const;

  void Cancel(CancelReason reason) override;
  bool finished() const override { return done_.load(std::memory_order_acquire); }

 private:
  TurnJob(EngineContext& context, TurnModels models, TurnOptions options,
          std::unique_ptr<TranscribeJob> transcribe, std::unique_ptr<GenerationJob> generation);
  Status MakeSpeech();
  void Run();
  Status Answer();
  Result<std::string> Question();
  Result<std::string> Listen();
  void OnTranscriptEvent(const TranscriptEvent& event, std::string* transcript);
  Status Reply(std::string question);
  void Emit(TurnEvent::Type type, std::string text, Status status = {});
  void Mark(Checkpoint checkpoint);
  void MarkAt(Checkpoint checkpoint, int64_t time_us);

  EngineContext& context_;
  TurnModels models_;
  TurnOptions options_;
  const uint64_t turn_id_;
  CancelSource cancel_;
  const std::unique_ptr<TranscribeJob> transcribe_;
  const std::unique_ptr<GenerationJob> generation_;
  Edge<bool> created_;                 // true when Create() is done, false when it failed
  std::unique_ptr<SpeechJob> speech_;  // touched by the worker behind `created_` alone
  Edge<TurnEvent> events_;
  Edge<std::string> question_;  // a question that came as text; closed when audio came

  mutable Mutex mutex_;
  bool has_audio_ SOTTO_GUARDED_BY(mutex_) = false;
  bool input_finished_ SOTTO_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Waterfall> waterfall_ SOTTO_GUARDED_BY(mutex_);  // from the first input on

  // Of the worker.
  std::optional<int64_t> speech_end_us_;
  std::optional<int64_t> soft_end_us_;
  std::optional<int64_t> asr_final_us_;

  std::atomic<bool> done_{false};
  std::thread worker_;
};

}  // namespace sotto

#endif  // SOTTO_ENGINE_JOBS_TURN_JOB_H_
