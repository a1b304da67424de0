#include "backends/fake/fake_asr.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "text/utf8.h"

namespace sotto {
namespace {

constexpr int32_t kRateHz = 16000;
constexpr size_t kMaxSamples = size_t{30} * kRateHz;
constexpr float kAudible = 0.001f;

class FakeAsr final : public Asr {
 public:
  explicit FakeAsr(FakeAsrScript script) : script_(std::move(script)) {
    info_.architecture = "fake";
    info_.languages = script_.languages;
    info_.rate_hz = kRateHz;
  }

  const AsrInfo& info() const override { return info_; }

  Result<AsrResult> Recognise(std::span<const float> samples, const AsrOptions& options,
                              const CancelToken& cancel) override {
    SOTTO_RETURN_IF_ERROR(Check(samples, options));
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    const int64_t call = calls_++;
    if (script_.during_call) {
      SOTTO_RETURN_IF_ERROR(script_.during_call(call));
    }
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    AsrResult result;
    const bool audible = std::any_of(samples.begin(), samples.end(), [](float s) {
      return std::isfinite(s) && std::fabs(s) > kAudible;
    });
    std::string text = audible ? Hear(samples, call) : std::string();
    if (!text.empty()) {
      AsrSegment segment;
      segment.end_ms = static_cast<int64_t>(samples.size()) * 1000 / kRateHz;
      segment.text = std::move(text);
      segment.avg_logprob = -0.1f;
      result.segments.push_back(std::move(segment));
    }
    return result;
  }

 private:
  Status Check(std::span<const float> samples, const AsrOptions& options) const {
    if (samples.size() > kMaxSamples) {
      return InvalidArgumentError("fake recogniser: clip: " + std::to_string(samples.size()) +
                                  " samples: at most " + std::to_string(kMaxSamples));
    }
    if (options.num_threads < 1) {
      return InvalidArgumentError(
          "fake recogniser: num_threads: " + std::to_string(options.num_threads) + ": 1 or more");
    }
    if (ValidateUtf8(options.prompt) != kValidUtf8) {
      return InvalidArgumentError("fake recogniser: prompt: not UTF-8");
    }
    if (!options.language.empty() && std::find(info_.languages.begin(), info_.languages.end(),
                                               options.language) == info_.languages.end()) {
      return InvalidArgumentError("fake recogniser: language: " + options.language +
                                  ": not one of the script's");
    }
    return OkStatus();
  }

  std::string Hear(std::span<const float> samples, int64_t call) const {
    if (script_.hear) {
      return script_.hear(samples);
    }
    if (script_.transcripts.empty()) {
      return {};
    }
    return script_.transcripts[std::min(static_cast<size_t>(call), script_.transcripts.size() - 1)];
  }

  const FakeAsrScript script_;
  AsrInfo info_;
  int64_t calls_ = 0;
};

}  // namespace

std::unique_ptr<Asr> MakeFakeAsr(FakeAsrScript script) {
  return std::make_unique<FakeAsr>(std::move(script));
}

}  // namespace sotto
