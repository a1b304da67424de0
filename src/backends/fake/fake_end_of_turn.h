// An end-of-turn model for tests: scripted scores.
#ifndef SOTTO_BACKENDS_FAKE_FAKE_END_OF_TURN_H_
#define SOTTO_BACKENDS_FAKE_FAKE_END_OF_TURN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "models/end_of_turn.h"

namespace sotto {

struct FakeEndOfTurnScript {
  int32_t rate_hz = 16000;
  int64_t window_samples = 128000;
  // Given in order, one per call; the last one for ever after.
  std::vector<float> scores{0.9f};
  // Instead of `scores`, when set: the samples are the window's. May block.
  std::function<Result<float>(std::span<const float> samples)> score;
};

std::unique_ptr<EndOfTurn> MakeFakeEndOfTurn(FakeEndOfTurnScript script = {});

}  // namespace sotto

#endif  // SOTTO_BACKENDS_FAKE_FAKE_END_OF_TURN_H_
