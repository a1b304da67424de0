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

class SmartTurn final : public EndOfTurn {
 public:
  explicit SmartTurn(std::unique_ptr<Session> session)
      : session_(std::move(session)),
        mel_({.rate_hz = kRateHz, .num_mels = kNumMels, .padding = MelPadding::kReflect}),
        window_(kWindowSamples),
        features_(kNumMels * kNumFrames),
        scratch_(mel_.scratch_floats()) {}

  int32_t rate_hz() const override { return kRateHz; }
  int64_t window_samples() const override { return kWindowSamples; }

  Result<float> Score(std::span<const float> samples, const CancelToken& cancel) override {
    if (samples.empty()) {
      return InvalidArgumentError("end of turn: no samples: give the turn's audio");
    }
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    const MelInputScale scale = FillWindow(samples);
    mel_.Power(window_, scale, 0, kNumFrames, features_, scratch_);
    WhisperLogInPlace(features_);
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
  // The last eight seconds with zeros before them, and what brings them to mean 0 and variance 1.
  MelInputScale FillWindow(std::span<const float> samples) {
    const size_t count = std::min<size_t>(samples.size(), kWindowSamples);
    const std::span<const float> last = samples.last(count);
    const auto start = window_.begin() + static_cast<int64_t>(window_.size() - count);
    std::fill(window_.begin(), start, 0.0f);
    double sum = 0.0;
    double squares = 0.0;
    std::transform(last.begin(), last.end(), start, [&](float sample) {
      const float safe = std::isfinite(sample) ? sample : 0.0f;
      sum += static_cast<double>(safe);
      squares += static_cast<double>(safe) * static_cast<double>(safe);
      return safe;
    });
    const double mean = sum / static_cast<double>(kWindowSamples);
    const double variance =
        std::max(0.0, squares / static_cast<double>(kWindowSamples) - mean * mean);
    return {static_cast<float>(mean),
            static_cast<float>(1.0 / std::sqrt(variance + static_cast<double>(kVarianceFloor)))};
  }

  std::unique_ptr<Session> session_;
  MelSpectrogram mel_;
  std::vector<float> window_;
  std::vector<float> features_;
  std::vector<float> scratch_;
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
