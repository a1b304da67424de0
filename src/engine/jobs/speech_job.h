// SpeechJob: text that grows, spoken phrase by phrase while it grows.
#ifndef SOTTO_ENGINE_JOBS_SPEECH_JOB_H_
#define SOTTO_ENGINE_JOBS_SPEECH_JOB_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/jobs/context.h"
#include "engine/pipeline/audio_queue.h"
#include "engine/pipeline/edge.h"
#include "text/phrase_chunker.h"
#include "text/speech_filter.h"
#include "text/utf8.h"

namespace sotto {

struct SpeechOptions {
  int32_t rate_hz = 0;  // of the samples read; 0: the voice's own
  std::string voice;    // empty: the model's first
  float speed = 1.0f;
  uint32_t seed = 0;
  int32_t queue_ms = 30'000;  // audio made ahead of the reader
  // A phrase that the voice cannot read (another script) is left out and told in the log, instead
  // of ending the speech.
  bool skip_unreadable = false;
  // Called on the worker's thread, once each; may be empty.
  std::function<void()> on_first_phrase;
  std::function<void()> on_first_audio;
};

// Any thread; Read() from one at a time.
class SpeechJob final : public Job {
 public:
  // NOT_FOUND for an unknown voice, INVALID_ARGUMENT for a rate or speed out of range.
  static Result<std::unique_ptr<SpeechJob>> Create(EngineContext& context,
                                                   std::shared_ptr<LoadedModel> model,
                                                   SpeechOptions options);
  ~SpeechJob() override;

  int32_t rate_hz() const { return rate_hz_; }

  // Appends text, cut anywhere. INVALID_ARGUMENT for bytes that cannot be UTF-8: nothing of the
  // call is taken. FAILED_PRECONDITION after Finish().
  Status PushText(std::string_view text);
  // No text follows. FAILED_PRECONDITION if the text ends inside a character; it is finished then
  // all the same, without those bytes.
  Status Finish();

  AudioQueue::ReadResult Read(std::span<float> out, int64_t timeout_ms);

  // Bytes of the text said by the time `num_samples` had been read.
  uint64_t SpokenBytes(uint64_t num_samples) const;

  void Cancel(CancelReason reason) override;
  bool finished() const override { return done_.load(std::memory_order_acquire); }

 private:
  // One phrase on its way to the voice, with where it stands in the pushed text.
  struct SourcePhrase {
    std::string text;
    uint64_t begin_bytes = 0;
    uint64_t end_bytes = 0;
  };
  struct SpokenPhrase {
    uint64_t begin_bytes = 0;
    uint64_t end_bytes = 0;
    uint64_t begin_samples = 0;  // at rate_hz_
    uint64_t end_samples = 0;    // 0 while it is being said
    // (samples from its begin, share of the phrase said from there on), as far as the voice tells.
    std::vector<std::pair<uint64_t, double>> marks;
  };

  SpeechJob(EngineContext& context, std::shared_ptr<LoadedModel> model, SpeechOptions options,
            int32_t rate_hz, std::unique_ptr<Resampler> resampler);
  void Queue(const std::vector<Phrase>& phrases) SOTTO_REQUIRES(mutex_);
  void Run();
  Status SpeakAll();
  Status SpeakOne(const SourcePhrase& phrase);
  Result<std::unique_ptr<TtsStream>> BeginPhrase(const TtsRequest& request);
  Result<TtsBlock> NextBlock(TtsStream& stream);
  void TakeMarks(const TtsStream& stream, size_t text_bytes);
  Status Deliver(std::vector<float> samples);

  EngineContext& context_;
  const std::shared_ptr<LoadedModel> model_;
  const SpeechOptions options_;
  const int32_t rate_hz_;
  CancelSource cancel_;
  Edge<SourcePhrase> phrases_;
  AudioQueue audio_;

  mutable Mutex mutex_;
  std::string unfinished_ SOTTO_GUARDED_BY(mutex_);  // bytes of a character cut by the caller
  SpeechFilter filter_ SOTTO_GUARDED_BY(mutex_);
  PhraseChunker chunker_ SOTTO_GUARDED_BY(mutex_);
  bool text_finished_ SOTTO_GUARDED_BY(mutex_) = false;
  std::vector<SpokenPhrase> spoken_ SOTTO_GUARDED_BY(mutex_);

  // Of the worker.
  const std::unique_ptr<Resampler> resampler_;  // NULL when the voice's rate is wanted
  uint64_t delivered_samples_ = 0;

  std::atomic<bool> done_{false};
  std::thread worker_;
};

}  // namespace sotto

#endif  // SOTTO_ENGINE_JOBS_SPEECH_JOB_H_
