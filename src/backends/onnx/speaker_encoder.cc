// The GE2E voice encoder (Wan et al., 2018) as Resemblyzer feeds it: mel powers in windows of
// 1.6 s, the windows' embeddings averaged.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "backends/onnx/cancellable_run.h"
#include "backends/onnx/model_file.h"
#include "backends/onnx/onnx_backend.h"
#include "kernels/mel/mel.h"

namespace sotto {
namespace {

constexpr int32_t kRateHz = 16000;
constexpr int32_t kNumMels = 40;
constexpr int64_t kWindowFrames = 160;
constexpr int64_t kStepFrames = 77;    // 1.3 windows per second
constexpr double kMinCoverage = 0.75;  // of a last window, to count
constexpr int64_t kHopSamples = 160;
constexpr int64_t kMinSamples = kRateHz / 2;
constexpr int32_t kDimensions = 256;
constexpr int64_t kWindowsPerRun = 8;
constexpr double kTargetDbfs = -30.0;  // quieter recordings are brought up to it

// Starts of the windows over `num_samples`, in frames.
std::vector<int64_t> WindowStarts(int64_t num_samples) {
  const int64_t num_frames = (num_samples + kHopSamples) / kHopSamples;
  std::vector<int64_t> starts;
  const int64_t steps = std::max<int64_t>(1, num_frames - kWindowFrames + kStepFrames + 1);
  for (int64_t start = 0; start < steps; start += kStepFrames) {
    starts.push_back(start);
  }
  const int64_t covered = num_samples - starts.back() * kHopSamples;
  if (starts.size() > 1 && static_cast<double>(covered) <
                               kMinCoverage * static_cast<double>(kWindowFrames * kHopSamples)) {
    starts.pop_back();
  }
  return starts;
}

float LevelGain(std::span<const float> samples) {
  double squares = 0.0;
  for (const float sample : samples) {
    squares += static_cast<double>(sample) * static_cast<double>(sample);
  }
  const double rms = std::sqrt(squares / static_cast<double>(samples.size()));
  const double gain = std::pow(10.0, kTargetDbfs / 20.0) / std::max(rms, 1e-9);
  return static_cast<float>(std::max(1.0, gain));
}

class Ge2eEncoder final : public SpeakerEncoder {
 public:
  explicit Ge2eEncoder(std::unique_ptr<Session> session)
      : session_(std::move(session)),
        mel_({.rate_hz = kRateHz, .num_mels = kNumMels, .padding = MelPadding::kZero}),
        scratch_(mel_.scratch_values()) {}

  int32_t rate_hz() const override { return kRateHz; }
  int32_t dimensions() const override { return kDimensions; }

  Result<std::vector<float>> Encode(std::span<const float> samples,
                                    const CancelToken& cancel) override {
    if (std::ssize(samples) < kMinSamples) {
      return InvalidArgumentError("speaker: " + std::to_string(samples.size()) +
                                  " samples: at least 0.5 s of speech are needed");
    }
    std::vector<float> clean(samples.begin(), samples.end());
    for (float& sample : clean) {
      sample = std::isfinite(sample) ? sample : 0.0f;
    }
    const std::vector<int64_t> starts = WindowStarts(std::ssize(clean));
    const float gain = LevelGain(clean);
    for (float& sample : clean) {
      sample *= gain;
    }
    std::vector<float> mean(kDimensions);
    for (size_t first = 0; first < starts.size(); first += kWindowsPerRun) {
      const size_t count = std::min<size_t>(kWindowsPerRun, starts.size() - first);
      SOTTO_RETURN_IF_ERROR(
          AddWindows(clean, std::span(starts).subspan(first, count), cancel, mean));
    }
    return Normalised(std::move(mean));
  }

 private:
  Status AddWindows(std::span<const float> samples, std::span<const int64_t> starts,
                    const CancelToken& cancel, std::vector<float>& sum) {
    const auto num_windows = std::ssize(starts);
    std::vector<float> features;
    std::vector<double> mel(kNumMels * kWindowFrames);
    for (const int64_t start : starts) {
      mel_.Power(samples, start, kWindowFrames, mel, scratch_);
      for (int64_t t = 0; t < kWindowFrames; ++t) {
        for (int64_t m = 0; m < kNumMels; ++m) {
          features.push_back(static_cast<float>(mel[static_cast<size_t>(m * kWindowFrames + t)]));
        }
      }
    }
    const std::vector<TensorView> inputs{
        TensorView(std::span<const float>(features), {num_windows, kWindowFrames, kNumMels})};
    SOTTO_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs,
                           RunCancellable(*session_, inputs, cancel));
    const std::span<const float> values = outputs[0].values();
    if (std::ssize(values) != num_windows * kDimensions) {
      return InternalError("speaker: the model gave " + std::to_string(values.size()) + " values");
    }
    for (size_t i = 0; i < values.size(); ++i) {
      sum[i % kDimensions] += values[i];
    }
    return OkStatus();
  }

  static Result<std::vector<float>> Normalised(std::vector<float> values) {
    double squares = 0.0;
    for (const float value : values) {
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
    const double length = std::sqrt(squares);
    if (!(length > 0.0)) {
      return InternalError("speaker: the model gave a vector without a direction");
    }
    for (float& value : values) {
      value = static_cast<float>(static_cast<double>(value) / length);
    }
    return values;
  }

  std::unique_ptr<Session> session_;
  MelSpectrogram mel_;
  std::vector<double> scratch_;
};

}  // namespace

Result<std::unique_ptr<SpeakerEncoder>> MakeSpeakerEncoder(const std::string& model_path,
                                                           const OnnxOptions& options) {
  SOTTO_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                         LoadModelFile(model_path, {{"", OnnxType::kFloat, {-1, -1, kNumMels}}},
                                       {{"", OnnxType::kFloat, {-1, kDimensions}}}, options));
  return std::unique_ptr<SpeakerEncoder>(std::make_unique<Ge2eEncoder>(std::move(session)));
}

}  // namespace sotto
