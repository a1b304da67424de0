// The spectrogram that Whisper's encoder hears.
#ifndef SOTTO_BACKENDS_WHISPER_WHISPER_MEL_H_
#define SOTTO_BACKENDS_WHISPER_WHISPER_MEL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/mel/mel.h"

namespace sotto::whisper {

// Frames of the whole window of 30 s; one is 10 ms.
inline constexpr int32_t kWindowFrames = 3000;

// Immutable; any thread.
class WhisperMel {
 public:
  // REQUIRES: num_mels is 80 or 128, as of all published models.
  explicit WhisperMel(int32_t num_mels);

  int32_t num_mels() const { return mel_.shape().num_mels; }

  // [num_mels, kWindowFrames] of a clip at 16 kHz and the silence behind it, as of the published
  // pipeline: the clip's beginning is mirrored, zeros follow its end, and the range of the values
  // is that of the whole window. Samples beyond 30 s are left out. About 5 us a frame of sound.
  std::vector<float> Window(std::span<const float> samples) const;

 private:
  MelSpectrogram mel_;
};

}  // namespace sotto::whisper

#endif  // SOTTO_BACKENDS_WHISPER_WHISPER_MEL_H_
