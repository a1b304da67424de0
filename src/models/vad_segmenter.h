// VadSegmenter: from the probabilities of a voice detector to spans of speech.
//
//   VadSegmenter segmenter(vad->NewStream(), {});
//   std::vector<VadEvent> events;
//   SOTTO_RETURN_IF_ERROR(segmenter.Feed(samples, &events));   // any number of samples
//   ...
//   SOTTO_RETURN_IF_ERROR(segmenter.Finish(&events));
//
// The events depend on the samples alone, not on how they were cut into pieces.
#ifndef SOTTO_MODELS_VAD_SEGMENTER_H_
#define SOTTO_MODELS_VAD_SEGMENTER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "audio/framing.h"
#include "base/status.h"
#include "models/vad.h"

namespace sotto {

struct VadSegmenterOptions {
  float onset = 0.5f;     // probability that counts as speech outside a span (Silero's own)
  float offset = 0.35f;   // and inside one: onset less 0.15, as Silero's own iterator has it
  float confirm = 0.6f;   // a span whose strongest window stays below was no speech
  int32_t min_speech_ms = 64;  // consecutive speech that opens a span: two windows
  int32_t soft_end_ms = 64;    // silence that is told as a soft end
  int32_t hangover_ms = 300;   // silence that closes a span
  int32_t pre_roll_ms = 200;   // a span begins so much before its first window, for soft onsets
  int32_t post_pad_ms = 100;   // and ends so much after its last
  // Windows quieter than this are silence whatever the detector says: measured on the samples as
  // they come, before any gain. Speech recorded 30 dB too low still lies above.
  float min_level_dbfs = -60.0f;
};

// Positions in the stream, at the detector's rate.
struct SpeechSpan {
  int64_t start_sample = 0;
  int64_t end_sample = 0;  // exclusive
};

struct VadEvent {
  enum class Kind : int32_t {
    kSpeechStart = 0,    // span.start_sample is final
    kSoftEnd = 1,        // silence for soft_end_ms; speech may go on
    kSpeechEnd = 2,      // span is final
    kSpeechDropped = 3,  // what kSpeechStart announced was no speech
  };
  Kind kind = Kind::kSpeechStart;
  SpeechSpan span;
  int64_t last_speech_sample = 0;  // end of the last window that was speech
};

// One stream. One thread.
class VadSegmenter {
 public:
  VadSegmenter(std::unique_ptr<Vad> vad, const VadSegmenterOptions& options);

  // Appends samples at the detector's rate, and to `events` what they bring about. Errors of the
  // detector.
  Status Feed(std::span<const float> samples, std::vector<VadEvent>* events);

  // The stream ends: what waits for a whole window is filled up with zeros, an open span closes.
  Status Finish(std::vector<VadEvent>* events);

  // Ready for a new stream.
  void Reset();

  bool in_speech() const { return in_speech_; }
  // Probability of the last window.
  float probability() const { return probability_; }

 private:
  Status TakeWindow(std::span<const float> window, std::vector<VadEvent>* events);
  void OutsideSpeech(bool is_speech, std::vector<VadEvent>* events);
  void InsideSpeech(bool is_speech, std::vector<VadEvent>* events);
  void CloseSpan(std::vector<VadEvent>* events);
  int64_t Samples(int32_t ms) const { return int64_t{ms} * rate_hz_ / 1000; }

  const std::unique_ptr<Vad> vad_;
  const VadSegmenterOptions options_;
  const int32_t rate_hz_;
  const int64_t window_samples_;
  const float min_mean_square_;
  WindowCutter cutter_;
  int64_t position_ = 0;   // samples in whole windows so far
  int64_t stream_end_ = 0;  // samples fed
  float probability_ = 0.0f;

  bool in_speech_ = false;
  int64_t run_windows_ = 0;     // consecutive speech windows outside a span
  float strongest_ = 0.0f;      // probability within the run or span
  int64_t span_start_ = 0;
  int64_t last_speech_ = 0;     // end of the last speech window
  bool soft_end_told_ = false;
  int64_t previous_end_ = 0;    // spans do not overlap
};

}  // namespace sotto

#endif  // SOTTO_MODELS_VAD_SEGMENTER_H_
