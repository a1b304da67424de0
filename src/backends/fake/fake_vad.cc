#include "backends/fake/fake_vad.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace sotto {
namespace {

constexpr double kSpeechPower = 0.01 * 0.01;

class FakeVad final : public Vad {
 public:
  explicit FakeVad(std::shared_ptr<const FakeVadScript> script) : script_(std::move(script)) {}

  int32_t rate_hz() const override { return script_->rate_hz; }
  size_t window_samples() const override { return script_->window_samples; }

  Result<float> Process(std::span<const float> window) override {
    if (window.size() != script_->window_samples) {
      return InvalidArgumentError("fake vad: window: " + std::to_string(window.size()) +
                                  " samples: " + std::to_string(script_->window_samples) +
                                  " are needed");
    }
    const size_t index = windows_++;
    if (!script_->probabilities.empty()) {
      return script_->probabilities[std::min(index, script_->probabilities.size() - 1)];
    }
    double power = 0.0;
    for (const float s : window) {
      power += std::isfinite(s) ? double{s} * double{s} : 0.0;
    }
    return power > kSpeechPower * static_cast<double>(window.size()) ? 1.0f : 0.0f;
  }

  void Reset() override { windows_ = 0; }

  std::unique_ptr<Vad> NewStream() const override { return std::make_unique<FakeVad>(script_); }

 private:
  const std::shared_ptr<const FakeVadScript> script_;
  size_t windows_ = 0;
};

}  // namespace

std::unique_ptr<Vad> MakeFakeVad(FakeVadScript script) {
  return std::make_unique<FakeVad>(std::make_shared<const FakeVadScript>(std::move(script)));
}

}  // namespace sotto
