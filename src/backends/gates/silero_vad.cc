#include "backends/gates/silero_vad.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "backends/gates/silero_weights.h"
#include "base/file.h"

namespace sotto {
namespace {

using S = SileroShape;

// The file is 2.3 MB.
constexpr uint64_t kMaxFileBytes = 64 << 20;

// Louder values than this are no audio of any scale; held here, no sum of the network overflows,
// so the state stays finite whatever comes in.
constexpr float kSampleLimit = 1e6f;

class SileroVad final : public Vad {
 public:
  SileroVad(std::shared_ptr<const SileroWeights> weights, const KernelTable& kernels)
      : weights_(std::move(weights)), kernels_(kernels) {}

  int32_t rate_hz() const override { return 16000; }
  size_t window_samples() const override { return S::kWindow; }

  Result<float> Process(std::span<const float> window) override {
    if (window.size() != S::kWindow) {
      return InvalidArgumentError("vad: window of " + std::to_string(window.size()) +
                                  " samples: want " + std::to_string(S::kWindow));
    }
    Take(window);
    Transform();
    Encode();
    return Decode();
  }

  void Reset() override { state_ = State(); }

  std::unique_ptr<Vad> NewStream() const override {
    return std::make_unique<SileroVad>(weights_, kernels_);
  }

 private:
  // What one window leaves for the next.
  struct State {
    alignas(64) std::array<float, S::kContext> context = {};
    alignas(64) std::array<float, S::kHidden> cell = {};
    // The LSTM's input and its hidden state side by side: one matrix serves both.
    alignas(64) std::array<float, S::kWide + S::kHidden> joined = {};
  };

  // input_ = context, window, and the mirror image of the end.
  void Take(std::span<const float> window) {
    float* fresh = input_.data() + S::kContext;
    std::copy(state_.context.begin(), state_.context.end(), input_.begin());
    std::copy(window.begin(), window.end(), fresh);
    kernels_.replace_non_finite(fresh, S::kWindow, kSampleLimit);
    constexpr size_t kEnd = S::kContext + S::kWindow;
    for (size_t k = 0; k < S::kReflect; ++k) {
      input_[kEnd + k] = input_[kEnd - 2 - k];
    }
    std::copy_n(input_.begin() + kEnd - S::kContext, S::kContext, state_.context.begin());
  }

  // spectrum_ rows 1..4 = magnitudes of the four frames; rows 0 and 5 are padding.
  void Transform() {
    for (size_t frame = 0; frame < S::kFrames; ++frame) {
      const float* x = input_.data() + frame * S::kHop;
      float* plus = plus_.data() + frame * S::kHalf;
      float* minus = minus_.data() + frame * S::kHalf;
      for (size_t n = 1; n < S::kHalf; ++n) {
        plus[n - 1] = x[n] + x[S::kFft - n];
        minus[n - 1] = x[n] - x[S::kFft - n];
      }
      plus[S::kHalf - 1] = x[S::kHalf];
      minus[S::kHalf - 1] = 0.0f;
    }
    const LinearShape shape = {.rows = S::kBins,
                               .depth = S::kHalf,
                               .columns = S::kFrames,
                               .w_stride = S::kHalf,
                               .x_stride = S::kHalf,
                               .y_stride = S::kBins};
    kernels_.linear(weights_->stft_re.data(), nullptr, plus_.data(), re_.data(), shape);
    kernels_.linear(weights_->stft_im.data(), nullptr, minus_.data(), im_.data(), shape);
    kernels_.magnitude(re_.data(), im_.data(), spectrum_.data() + S::kBins, S::kFrames * S::kBins);
  }

  // Convolutions over time: a column begins one frame (or two, at stride 2) after the last one.
  void Encode() {
    kernels_.linear(weights_->conv0.data(), weights_->conv0_bias.data(), spectrum_.data(),
                    wide_.data() + S::kWide,
                    {.rows = S::kWide,
                     .depth = S::kTaps * S::kBins,
                     .columns = 4,
                     .w_stride = S::kTaps * S::kBins,
                     .x_stride = S::kBins,
                     .y_stride = S::kWide,
                     .relu = true});
    kernels_.linear(weights_->conv1.data(), weights_->conv1_bias.data(), wide_.data(),
                    narrow_.data(),
                    {.rows = S::kNarrow,
                     .depth = S::kTaps * S::kWide,
                     .columns = 2,
                     .w_stride = S::kTaps * S::kWide,
                     .x_stride = 2 * S::kWide,
                     .y_stride = S::kNarrow,
                     .relu = true});
    kernels_.linear(
        weights_->conv2.data(), weights_->conv2_bias.data(), narrow_.data(), single_.data(),
        {.rows = S::kNarrow, .depth = 2 * S::kNarrow, .w_stride = 2 * S::kNarrow, .relu = true});
    kernels_.linear(weights_->conv3.data(), weights_->conv3_bias.data(), single_.data(),
                    state_.joined.data(),
                    {.rows = S::kWide, .depth = S::kNarrow, .w_stride = S::kNarrow, .relu = true});
  }

  float Decode() {
    constexpr size_t kJoined = S::kWide + S::kHidden;
    kernels_.linear(weights_->lstm.data(), weights_->lstm_bias.data(), state_.joined.data(),
                    gates_.data(), {.rows = 4 * S::kHidden, .depth = kJoined, .w_stride = kJoined});
    float* hidden = state_.joined.data() + S::kWide;
    kernels_.lstm_cell(gates_.data(), state_.cell.data(), hidden, S::kHidden);
    float sum = weights_->out_bias;
    for (size_t k = 0; k < S::kHidden; ++k) {
      sum += weights_->out[k] * std::max(hidden[k], 0.0f);
    }
    return 1.0f / (1.0f + std::exp(-sum));
  }

  std::shared_ptr<const SileroWeights> weights_;
  KernelTable kernels_;
  State state_;

  // Scratch of one step. The rows of zeros around spectrum_ and before wide_ are never written.
  alignas(64) std::array<float, S::kContext + S::kWindow + S::kReflect> input_ = {};
  alignas(64) std::array<float, S::kFrames* S::kHalf> plus_ = {};
  alignas(64) std::array<float, S::kFrames* S::kHalf> minus_ = {};
  alignas(64) std::array<float, S::kFrames* S::kBins> re_ = {};
  alignas(64) std::array<float, S::kFrames* S::kBins> im_ = {};
  alignas(64) std::array<float, (S::kFrames + 2) * S::kBins> spectrum_ = {};
  alignas(64) std::array<float, (S::kFrames + 2) * S::kWide> wide_ = {};
  alignas(64) std::array<float, 2 * S::kNarrow> narrow_ = {};
  alignas(64) std::array<float, S::kNarrow> single_ = {};
  alignas(64) std::array<float, 4 * S::kHidden> gates_ = {};
};

}  // namespace

Result<std::unique_ptr<Vad>> MakeSileroVad(std::span<const std::byte> onnx,
                                           const KernelTable& kernels) {
  SOTTO_ASSIGN_OR_RETURN(SileroWeights weights, ReadSileroWeights(onnx));
  return std::unique_ptr<Vad>(std::make_unique<SileroVad>(
      std::make_shared<const SileroWeights>(std::move(weights)), kernels));
}

Result<std::unique_ptr<Vad>> LoadSileroVad(const std::string& path, const KernelTable& kernels) {
  SOTTO_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path, kMaxFileBytes));
  Result<std::unique_ptr<Vad>> vad =
      MakeSileroVad(std::as_bytes(std::span(bytes.data(), bytes.size())), kernels);
  if (!vad.ok()) {
    return vad.status().WithContext(path);
  }
  return vad;
}

}  // namespace sotto
