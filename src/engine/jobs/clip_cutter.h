// ClipCutter: from a stream of audio to clips of speech that a recogniser takes.
//
// Spans of speech that a detector finds are joined over short pauses, because a recogniser does
// better with a whole sentence, and cut at their quietest place before they grow too long for it.
#ifndef SOTTO_ENGINE_JOBS_CLIP_CUTTER_H_
#define SOTTO_ENGINE_JOBS_CLIP_CUTTER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "models/vad.h"
#include "models/vad_segmenter.h"

namespace sotto {

struct ClipPolicy {
  int64_t join_gap_ms = 1000;    // spans closer than this are one clip
  int64_t max_clip_ms = 28'000;  // under the recogniser's 30 s
  int64_t partial_every_ms = 0;  // of open speech; 0: no partials
};

// Speech and the pauses inside it, at the detector's rate.
struct SpeechClip {
  int64_t start_sample = 0;  // in the stream
  std::vector<float> samples;

  int64_t end_sample() const { return start_sample + static_cast<int64_t>(samples.size()); }
};

struct ClipEvent {
  enum class Type : int32_t {
    kSpeechStarted = 0,  // at `sample`
    kSpeechEnded = 1,    // at `sample`, the last of the speech
    kPartial = 2,        // `clip` as far as it goes
    kClip = 3,           // `clip`, whole
  };
  Type type = Type::kSpeechStarted;
  int64_t sample = 0;
  SpeechClip clip;
};

// The middle of the quietest 60 ms that lie within [from, to) of `samples`; `to` if there are none.
// REQUIRES: from <= to <= samples.size().
size_t QuietestSample(std::span<const float> samples, size_t from, size_t to, int32_t rate_hz);

// One stream. One thread. Holds at most max_clip_ms of audio and what a span may reach back.
class ClipCutter {
 public:
  ClipCutter(std::unique_ptr<Vad> vad, VadSegmenterOptions options, ClipPolicy policy);

  // Appends samples at the detector's rate; any count.
  Result<std::vector<ClipEvent>> Feed(std::span<const float> samples);
  // No sample follows: an open clip is whole.
  Result<std::vector<ClipEvent>> Finish();

 private:
  int64_t Samples(int64_t ms) const { return ms * rate_hz_ / 1000; }
  void Take(const std::vector<VadEvent>& events, std::vector<ClipEvent>* out);
  void OnSpan(int64_t start_sample, int64_t end_sample, std::vector<ClipEvent>* out);
  void Advance(std::vector<ClipEvent>* out);
  void CutLongSpeech(std::vector<ClipEvent>* out);
  void EmitClip(int64_t start_sample, int64_t end_sample, ClipEvent::Type type,
                std::vector<ClipEvent>* out) const;
  void Forget(int64_t before_sample);

  const int32_t rate_hz_;
  const ClipPolicy policy_;
  const int64_t post_pad_samples_;
  // Silence behind a clip after which no span can join it any more.
  const int64_t join_wait_samples_;
  const std::unique_ptr<Vad> vad_;
  VadSegmenter segmenter_;
  std::vector<float> audio_;  // the stream from audio_start_ on
  int64_t audio_start_ = 0;
  int64_t position_ = 0;  // samples fed
  bool in_speech_ = false;
  int64_t speech_start_ = 0;  // of the open span, as it will begin
  bool has_clip_ = false;     // spans are waiting to become a clip
  int64_t clip_start_ = 0;
  int64_t clip_end_ = 0;
  int64_t next_partial_ = 0;
};

}  // namespace sotto

#endif  // SOTTO_ENGINE_JOBS_CLIP_CUTTER_H_
