// Mel spectra as librosa and Whisper compute them: Slaney scale and area normalisation, periodic
// Hann window, frames centred on multiples of the hop.
#ifndef SOTTO_KERNELS_MEL_MEL_H_
#define SOTTO_KERNELS_MEL_MEL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/mel/real_fft.h"

namespace sotto {

enum class MelPadding : int32_t {
  kReflect = 0,  // Whisper
  kZero = 1,     // librosa
};

struct MelShape {
  int32_t rate_hz = 16000;
  int32_t fft_size = 400;  // also the window's length
  int32_t hop_samples = 160;
  int32_t num_mels = 80;
  MelPadding padding = MelPadding::kReflect;
};

// Immutable; any thread.
class MelSpectrogram {
 public:
  // REQUIRES: RealFft::IsSupported(shape.fft_size), positive sizes.
  explicit MelSpectrogram(const MelShape& shape);

  const MelShape& shape() const { return shape_; }
  // Frames whose centre lies in 0..num_samples.
  int64_t NumFrames(int64_t num_samples) const { return 1 + num_samples / shape_.hop_samples; }
  size_t scratch_values() const;

  // Mel powers of frames first_frame .. first_frame + num_frames, each a function of the samples
  // around its centre alone. out: [num_mels, num_frames]; scratch: scratch_values(). Any
  // frames, also beyond the ends; with kReflect `samples` holds more than half a window.
  void Power(std::span<const float> samples, int64_t first_frame, int64_t num_frames,
             std::span<double> out, std::span<double> scratch) const;

 private:
  struct Triangle {
    int32_t first_bin = 0;
    std::vector<double> weights;
  };

  void LoadFrame(std::span<const float> samples, int64_t frame, int32_t lane,
                 std::span<double> frames) const;

  MelShape shape_;
  RealFft fft_;
  std::vector<double> window_;
  std::vector<Triangle> triangles_;
};

// Whisper's compression of mel powers: log10 with a floor of 1e-10, at most 8 under the largest,
// then (x + 4) / 4. out: as many as mel; mel is overwritten with the logarithms.
void WhisperLog(std::span<double> mel, std::span<float> out);

}  // namespace sotto

#endif  // SOTTO_KERNELS_MEL_MEL_H_
