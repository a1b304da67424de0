// The last touch on synthesised speech: peaks below full scale, no clicks at the ends, silence of
// a set length before and after.
//
// What comes out depends on the samples alone and not on how they are cut into pushes.
#ifndef SOTTO_BACKENDS_ONNX_SPEECH_SHAPER_H_
#define SOTTO_BACKENDS_ONNX_SPEECH_SHAPER_H_

#include <cstdint>
#include <span>
#include <vector>

namespace sotto {

struct SpeechShape {
  int32_t rate_hz = 0;
  // Silence kept before the first sound, at most.
  int32_t max_lead_ms = 30;
  // Silence after the last sound: more is cut, less is filled up with zeros, so that a player
  // which drops its last buffer drops no speech.
  int32_t min_tail_ms = 60;
  int32_t max_tail_ms = 120;
};

// One stretch of speech. Used from one thread at a time.
class SpeechShaper {
 public:
  explicit SpeechShaper(const SpeechShape& shape);

  // Appends to `out` what is certain after `samples`; holds back silence that may be the end.
  void Push(std::span<const float> samples, std::vector<float>& out);

  // Appends the end. Nothing if no sound was ever pushed.
  void Finish(std::vector<float>& out);

  // Samples of leading silence that were cut; final once any sample came out.
  int64_t dropped_lead_samples() const { return dropped_; }

 private:
  void Emit(float sample, std::vector<float>& out);
  int64_t Samples(int32_t ms) const;

  SpeechShape shape_;
  int64_t fade_samples_;
  std::vector<float> held_;  // samples that may yet be cut or faded
  int64_t silent_held_ = 0;  // of held_, the silent ones at its end
  bool heard_ = false;
  int64_t emitted_ = 0;
  int64_t dropped_ = 0;
};

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_SPEECH_SHAPER_H_
