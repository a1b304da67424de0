// From probabilities to spans of speech: onset, confirmation, soft end, end.
//
//   VadSegmenter segmenter(vad.get(), {});
//   segmenter.Feed(piece, &events);   // pieces of any length
//   segmenter.Finish(&events);
//
// A span opens at the first window at or above the onset threshold, once enough windows in a row
// stay at or above the offset threshold, convincing together, and one of them is loud enough. It
// closes after the hangover. Positions are samples of the stream, so the holder of the samples cuts
// them.
#ifndef SOTTO_MODELS_VAD_SEGMENTER_H_
#define SOTTO_MODELS_VAD_SEGMENTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "audio/framing.h"
#include "base/cancel.h"
#include "base/status.h"
#include "models/vad.h"

namespace sotto {

struct VadSegmenterOptions {
  // Silero's own choice: 0.5 to begin, 0.15 less to stay.
  float onset_threshold = 0.5f;
  float offset_threshold = 0.35f;
  // Shorter sounds are clicks and notes, not words: 3 windows of 32 ms.
  int32_t min_speech_ms = 96;
  // Sum of (probability - offset_threshold) over the windows of an onset that confirms it. Words
  // reach 0.6 a window and confirm after 128 ms; knocks, dial tones and notes score lower or end
  // before that.
  float min_evidence = 2.2f;
  // Silence that ends a span. 300 ms bridges the pauses within a phrase; a conversation, which
  // decides on turns by other means, may want less.
  int32_t hangover_ms = 300;
  // Silence after which kSoftEnd is told, within the span: two windows.
  int32_t soft_end_ms = 64;
  // Added before the onset and after the last window of speech.
  int32_t pre_pad_ms = 200;
  int32_t post_pad_ms = 100;
  // Consonants are heard as speech late, up to 300 ms for a soft start of a sentence. Windows just
  // before the onset that stand out of the noise belong to it: this many at most.
  int32_t max_lead_ms = 320;
  // The loudest window of a span must reach this level. Measured on the samples as given: feed
  // them before any automatic gain, or amplified silence passes.
  float min_level_dbfs = -55.0f;
};

// Samples [start_sample, end_sample) of the stream.
struct SpeechSpan {
  int64_t start_sample = 0;
  int64_t end_sample = 0;
  float peak_probability = 0.0f;
  float peak_level_dbfs = -120.0f;  // of the loudest window
};

struct VadEvent {
  enum class Kind : int32_t {
    kStarted = 0,  // confirmed speech; span.start_sample is final, the end is so far
    kSoftEnd = 1,  // a pause: the end of a turn, or not
    kResumed = 2,  // speech again after kSoftEnd, in the same span
    kEnded = 3,    // the whole span
  };
  Kind kind = Kind::kStarted;
  SpeechSpan span;
  int64_t at_sample = 0;  // what the decision had heard: the end of the last window
};

// One stream. Used from one thread at a time. Feed() allocates nothing but room for events.
class VadSegmenter {
 public:
  // `vad` outlives this, is used by it alone, and is at the beginning of a stream.
  VadSegmenter(Vad* vad, const VadSegmenterOptions& options);

  // Appends what happened in the next samples to `events`. Errors of the Vad; the stream then
  // needs a Reset().
  Status Feed(std::span<const float> samples, std::vector<VadEvent>* events);

  // The end of the stream: closes an open span. Then Reset() or nothing.
  Status Finish(std::vector<VadEvent>* events);

  void Reset();

  // True between kStarted and kEnded.
  bool in_speech() const { return state_ == State::kSpeech; }
  // Probability of the last window; 0 before the first.
  float probability() const { return probability_; }
  // Samples heard.
  int64_t position() const { return position_; }

 private:
  enum class State : int32_t { kSilence, kOnset, kSpeech };

  Status OnWindow(std::span<const float> window, std::vector<VadEvent>* events);
  void Follow(bool active, std::vector<VadEvent>* events);
  void Open(std::vector<VadEvent>* events);
  void Close(std::vector<VadEvent>* events);
  int64_t LeadSamples() const;
  void Tell(VadEvent::Kind kind, std::vector<VadEvent>* events) const;
  int64_t ToSamples(int32_t ms) const;

  Vad* vad_;
  VadSegmenterOptions options_;
  WindowCutter cutter_;
  State state_ = State::kSilence;
  float probability_ = 0.0f;
  int64_t position_ = 0;       // samples given
  int64_t window_end_ = 0;     // end of the last whole window
  int64_t onset_ = 0;          // begin of the span with its lead, unpadded
  int64_t confirm_from_ = 0;   // begin of the first window of speech
  int64_t active_end_ = 0;     // end of the last window of speech
  int64_t last_span_end_ = 0;  // spans do not overlap
  bool soft_ended_ = false;
  float evidence_ = 0.0f;
  SpeechSpan span_;
  // Levels of the last windows in dBFS, the window w at w % size: a second of them.
  std::array<float, 32> levels_ = {};
  int64_t windows_ = 0;
};

// The spans of a whole recording at the rate of `vad`, which is reset before and after. CANCELLED,
// or errors of the Vad.
Result<std::vector<SpeechSpan>> FindSpeech(Vad* vad, std::span<const float> samples,
                                           const VadSegmenterOptions& options,
                                           const CancelToken& cancel);

}  // namespace sotto

#endif  // SOTTO_MODELS_VAD_SEGMENTER_H_
