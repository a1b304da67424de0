#include "backends/whisper/whisper_mel.h"

#include <algorithm>
#include <cstddef>

namespace sotto::whisper {
namespace {

MelShape ShapeOf(int32_t num_mels) {
  MelShape shape;
  shape.num_mels = num_mels;
  return shape;
}

}  // namespace

WhisperMel::WhisperMel(int32_t num_mels) : mel_(ShapeOf(num_mels)) {}

std::vector<float> WhisperMel::Window(std::span<const float> samples) const {
  const auto hop = static_cast<size_t>(mel_.shape().hop_samples);
  const auto fft_size = static_cast<size_t>(mel_.shape().fft_size);
  constexpr auto kFrames = static_cast<size_t>(kWindowFrames);
  samples = samples.first(std::min(samples.size(), kFrames * hop));
  // The last computed frame hears nothing but the zeros: every frame behind it is the same.
  const size_t silent = (samples.size() + fft_size / 2 + hop - 1) / hop;
  const size_t computed = std::min(silent + 1, kFrames);
  std::vector<float> padded(samples.begin(), samples.end());
  padded.resize(silent * hop + fft_size, 0.0f);

  const auto rows = static_cast<size_t>(num_mels());
  std::vector<double> powers(rows * computed);
  std::vector<double> scratch(mel_.scratch_values());
  mel_.Power(padded, 0, static_cast<int64_t>(computed), powers, scratch);
  std::vector<float> logs(powers.size());
  WhisperLog(powers, logs);

  std::vector<float> window(rows * kFrames);
  for (size_t row = 0; row < rows; ++row) {
    const auto from = logs.begin() + static_cast<ptrdiff_t>(row * computed);
    const auto to = window.begin() + static_cast<ptrdiff_t>(row * kFrames);
    const auto end = std::copy_n(from, computed, to);
    std::fill(end, to + static_cast<ptrdiff_t>(kFrames), *(end - 1));
  }
  return window;
}

}  // namespace sotto::whisper
