#include "kernels/mel/mel.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sotto {
namespace {

constexpr int32_t kLanes = RealFft::kLanes;

// Slaney's scale (Auditory Toolbox, 1998): linear under 1 kHz, logarithmic above.
constexpr double kLinearHzPerMel = 200.0 / 3.0;
constexpr double kLogStartHz = 1000.0;
constexpr double kLogStartMel = kLogStartHz / kLinearHzPerMel;

double LogStep() { return std::log(6.4) / 27.0; }

double HzToMel(double hz) {
  return hz < kLogStartHz ? hz / kLinearHzPerMel
                          : kLogStartMel + std::log(hz / kLogStartHz) / LogStep();
}

double MelToHz(double mel) {
  return mel < kLogStartMel ? mel * kLinearHzPerMel
                            : kLogStartHz * std::exp(LogStep() * (mel - kLogStartMel));
}

// Position of sample `at` after mirroring at both ends.
int64_t Reflect(int64_t at, int64_t num_samples) {
  const int64_t period = 2 * (num_samples - 1);
  at = ((at % period) + period) % period;
  return at < num_samples ? at : period - at;
}

}  // namespace

MelSpectrogram::MelSpectrogram(const MelShape& shape) : shape_(shape), fft_(shape.fft_size) {
  for (int32_t i = 0; i < shape.fft_size; ++i) {
    window_.push_back(0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * i / shape.fft_size));
  }
  const double top_mel = HzToMel(shape.rate_hz / 2.0);
  std::vector<double> edges_hz;
  for (int32_t i = 0; i < shape.num_mels + 2; ++i) {
    edges_hz.push_back(MelToHz(top_mel * i / (shape.num_mels + 1)));
  }
  for (size_t m = 0; m < static_cast<size_t>(shape.num_mels); ++m) {
    Triangle triangle;
    const double area = 2.0 / (edges_hz[m + 2] - edges_hz[m]);
    for (int32_t bin = 0; bin < fft_.num_bins(); ++bin) {
      const double hz = static_cast<double>(bin) * shape.rate_hz / shape.fft_size;
      const double up = (hz - edges_hz[m]) / (edges_hz[m + 1] - edges_hz[m]);
      const double down = (edges_hz[m + 2] - hz) / (edges_hz[m + 2] - edges_hz[m + 1]);
      const double weight = std::min(up, down) * area;
      if (weight > 0.0) {
        if (triangle.weights.empty()) {
          triangle.first_bin = bin;
        }
        triangle.weights.push_back(weight);
      }
    }
    triangles_.push_back(std::move(triangle));
  }
}

size_t MelSpectrogram::scratch_values() const {
  return fft_.scratch_values() +
         static_cast<size_t>(shape_.fft_size + fft_.num_bins()) * size_t{kLanes};
}

void MelSpectrogram::LoadFrame(std::span<const float> samples, int64_t frame, int32_t lane,
                               std::span<double> frames) const {
  const int64_t num_samples = std::ssize(samples);
  const int64_t start = frame * shape_.hop_samples - shape_.fft_size / 2;
  double* out = frames.data() + lane;
  if (start >= 0 && start + shape_.fft_size <= num_samples) {
    const float* in = samples.data() + start;
    for (int64_t i = 0; i < shape_.fft_size; ++i) {
      out[i * kLanes] = static_cast<double>(in[i]) * window_[static_cast<size_t>(i)];
    }
    return;
  }
  for (int64_t i = 0; i < shape_.fft_size; ++i) {
    int64_t at = start + i;
    if (shape_.padding == MelPadding::kReflect) {
      at = Reflect(at, num_samples);
    }
    const bool inside = at >= 0 && at < num_samples;
    out[i * kLanes] = inside ? static_cast<double>(samples[static_cast<size_t>(at)]) *
                                   window_[static_cast<size_t>(i)]
                             : 0.0;
  }
}

void MelSpectrogram::Power(std::span<const float> samples, int64_t first_frame, int64_t num_frames,
                           std::span<double> out, std::span<double> scratch) const {
  const auto frame_values = static_cast<size_t>(shape_.fft_size) * size_t{kLanes};
  const auto power_values = static_cast<size_t>(fft_.num_bins()) * size_t{kLanes};
  const std::span<double> frames = scratch.first(frame_values);
  const std::span<double> power = scratch.subspan(frame_values, power_values);
  const std::span<double> rest = scratch.subspan(frame_values + power_values);
  for (int64_t begin = 0; begin < num_frames; begin += kLanes) {
    const auto lanes = static_cast<int32_t>(std::min<int64_t>(kLanes, num_frames - begin));
    for (int32_t lane = 0; lane < kLanes; ++lane) {
      // Idle lanes repeat the last frame.
      LoadFrame(samples, first_frame + begin + std::min(lane, lanes - 1), lane, frames);
    }
    fft_.Power(frames, power, rest);
    for (size_t m = 0; m < triangles_.size(); ++m) {
      double sums[kLanes] = {};
      const double* bins = power.data() + static_cast<int64_t>(triangles_[m].first_bin) * kLanes;
      for (const double weight : triangles_[m].weights) {
        for (int32_t l = 0; l < kLanes; ++l) {
          sums[l] += weight * bins[l];
        }
        bins += kLanes;
      }
      std::copy_n(sums, lanes, out.begin() + static_cast<int64_t>(m) * num_frames + begin);
    }
  }
}

void WhisperLog(std::span<double> mel, std::span<float> out) {
  double top = -10.0;
  for (double& value : mel) {
    value = std::log10(std::max(value, 1e-10));
    top = std::max(top, value);
  }
  for (size_t i = 0; i < mel.size(); ++i) {
    out[i] = static_cast<float>((std::max(mel[i], top - 8.0) + 4.0) / 4.0);
  }
}

}  // namespace sotto
