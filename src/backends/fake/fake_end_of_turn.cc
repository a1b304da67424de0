#include "backends/fake/fake_end_of_turn.h"

#include <algorithm>
#include <utility>

namespace sotto {
namespace {

class FakeEndOfTurn final : public EndOfTurn {
 public:
  explicit FakeEndOfTurn(FakeEndOfTurnScript script) : script_(std::move(script)) {}

  int32_t rate_hz() const override { return script_.rate_hz; }
  int64_t window_samples() const override { return script_.window_samples; }

  Result<float> Score(std::span<const float> samples, const CancelToken& cancel) override {
    if (samples.empty()) {
      return InvalidArgumentError("end of turn: no samples: give the turn's audio");
    }
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    const auto count = std::min(std::ssize(samples), script_.window_samples);
    if (script_.score) {
      Result<float> score = script_.score(samples.last(static_cast<size_t>(count)));
      SOTTO_RETURN_IF_ERROR(cancel.Check());
      return score;
    }
    const size_t index = std::min(next_, script_.scores.size() - 1);
    ++next_;
    return script_.scores[index];
  }

 private:
  FakeEndOfTurnScript script_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<EndOfTurn> MakeFakeEndOfTurn(FakeEndOfTurnScript script) {
  if (script.scores.empty()) {
    script.scores.push_back(0.9f);
  }
  return std::make_unique<FakeEndOfTurn>(std::move(script));
}

}  // namespace sotto
