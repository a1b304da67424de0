// Smart Turn v3: Whisper's log-mel over the last eight seconds, then one encoder pass.
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
constexpr int64_t kWindowSamples = 8 * kRateHz;
constexpr int32_t kNumMels = 80;
constexpr int64_t kNumFrames = 800;
constexpr float kVarianceFloor = 1e-7f;  // of the model's own front end

// The sum in the order of numpy's pairwise summation.
float PairwiseSum(std::span<const float> values) {
  if (values.size() > 128) {
    size_t half = values.size() / 2;
    half -= half % 8;
    return PairwiseSum(values.first(half)) + PairwiseSum(values.subspan(half));
  }
  float sums[8] = {};
  size_t i = 0;
  for (; i + 8 <= values.size(); i += 8) {
    for (size_t lane = 0; lane < 8; ++lane) {
      sums[lane] += values[i + lane];
    }
  }
  float sum =
      ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  for (; i < values.size(); ++i) {
    sum += values[i];
  }
  return sum;
}

// Mean 0 and variance 1, in single precision and in the published front end's order of
// operations: its answer can change by 0.2 with the last bit of a feature.
void Normalise(std::span<float> values, std::vector<float>& squares) {
  const auto count = static_cast<float>(values.size());
  const float mean = PairwiseSum(values) / count;
  squares.resize(values.size());
  std::transform(values.begin(), values.end(), squares.begin(), [mean](float value) {
    const float centred = value - mean;
    return centred * centred;
  });
  const float spread = std::sqrt(PairwiseSum(squares) / count + kVarianceFloor);
  for (float& value : values) {
    value = (value - mean) / spread;
  }
}

class SmartTurn final : public EndOfTurn {
 public:
  explicit SmartTurn(std::unique_ptr<Session> session)
      : session_(std::move(session)),
        mel_({.rate_hz = kRateHz, .num_mels = kNumMels, .padding = MelPadding::kReflect}),
        window_(kWindowSamples),
        powers_(kNumMels * kNumFrames),
        features_(kNumMels * kNumFrames),
        scratch_(mel_.scratch_values()) {}

  int32_t rate_hz() const override { return kRateHz; }
  int64_t window_samples() const override { return kWindowSamples; }

  Result<float> Score(std::span<const float> samples, const CancelToken& cancel) override {
    if (samples.empty()) {
      return InvalidArgumentError("end of turn: no samples: give the turn's audio");
    }
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    FillWindow(samples);
    Normalise(window_, squares_);
    mel_.Power(window_, 0, kNumFrames, powers_, scratch_);
    WhisperLog(powers_, features_);
    const std::vector<TensorView> inputs{
        TensorView(std::span<const float>(features_), {1, kNumMels, kNumFrames})};
    SOTTO_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs,
                           RunCancellable(*session_, inputs, cancel));
    if (outputs[0].values().size() != 1 || !std::isfinite(outputs[0].values()[0])) {
      return InternalError("end of turn: the model gave no probability");
    }
    return std::clamp(outputs[0].values()[0], 0.0f, 1.0f);
  }

 private:
  // The last eight seconds with zeros before them.
  void FillWindow(std::span<const float> samples) {
    const size_t count = std::min<size_t>(samples.size(), kWindowSamples);
    const std::span<const float> last = samples.last(count);
    const auto start = window_.begin() + static_cast<int64_t>(window_.size() - count);
    std::fill(window_.begin(), start, 0.0f);
    std::transform(last.begin(), last.end(), start,
                   [](float sample) { return std::isfinite(sample) ? sample : 0.0f; });
  }

  std::unique_ptr<Session> session_;
  MelSpectrogram mel_;
  std::vector<float> window_;
  std::vector<float> squares_;
  std::vector<double> powers_;
  std::vector<float> features_;
  std::vector<double> scratch_;
};

}  // namespace

Result<std::unique_ptr<EndOfTurn>> MakeSmartTurn(const std::string& model_path,
                                                 const OnnxOptions& options) {
  SOTTO_ASSIGN_OR_RETURN(
      std::unique_ptr<Session> session,
      LoadModelFile(model_path, {{"input_features", OnnxType::kFloat, {-1, kNumMels, kNumFrames}}},
                    {{"", OnnxType::kFloat, {-1, 1}}}, options));
  return std::unique_ptr<EndOfTurn>(std::make_unique<SmartTurn>(std::move(session)));
}

}  // namespace sotto
