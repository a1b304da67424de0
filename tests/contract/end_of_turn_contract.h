// What every backend keeps of the port models/end_of_turn.h. A backend's test includes this file
// and instantiates the suite.
#ifndef SOTTO_TESTS_CONTRACT_END_OF_TURN_CONTRACT_H_
#define SOTTO_TESTS_CONTRACT_END_OF_TURN_CONTRACT_H_

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "models/end_of_turn.h"

namespace sotto {

struct EndOfTurnContractCase {
  std::string name;
  // A new instance, independent of all others.
  std::function<Result<std::unique_ptr<EndOfTurn>>()> make;
};

inline void PrintTo(const EndOfTurnContractCase& value, std::ostream* out) { *out << value.name; }

class EndOfTurnContract : public testing::TestWithParam<EndOfTurnContractCase> {
 protected:
  std::unique_ptr<EndOfTurn> Make() {
    Result<std::unique_ptr<EndOfTurn>> made = GetParam().make();
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return made.ok() ? *std::move(made) : nullptr;
  }

  // Something like a voice: a buzz with slow beats.
  static std::vector<float> Buzz(int64_t num_samples, int32_t rate_hz) {
    std::vector<float> samples;
    for (int64_t i = 0; i < num_samples; ++i) {
      const double t = static_cast<double>(i) / rate_hz;
      samples.push_back(static_cast<float>(0.2 * (0.5 + 0.5 * std::sin(20.0 * t)) *
                                           std::sin(900.0 * t + 3.0 * std::sin(2000.0 * t))));
    }
    return samples;
  }
};

TEST_P(EndOfTurnContract, ScoresLieBetweenZeroAndOne) {
  const auto model = Make();
  ASSERT_NE(model, nullptr);
  ASSERT_GT(model->rate_hz(), 0);
  ASSERT_GT(model->window_samples(), 0);
  for (const int64_t count :
       {int64_t{1}, int64_t{100}, model->window_samples() / 3, model->window_samples(),
        model->window_samples() + 1, model->window_samples() * 2}) {
    const Result<float> score = model->Score(Buzz(count, model->rate_hz()), {});
    ASSERT_TRUE(score.ok()) << count << " " << score.status().ToString();
    EXPECT_GE(*score, 0.0f);
    EXPECT_LE(*score, 1.0f);
  }
}

TEST_P(EndOfTurnContract, NothingIsNotATurn) {
  const auto model = Make();
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->Score({}, {}).status().code(), Code::kInvalidArgument);
  EXPECT_TRUE(model->Score(Buzz(8000, model->rate_hz()), {}).ok()) << "usable after an error";
}

TEST_P(EndOfTurnContract, OnlyTheWindowCounts) {
  const auto model = Make();
  ASSERT_NE(model, nullptr);
  const std::vector<float> samples = Buzz(model->window_samples() + 5000, model->rate_hz());
  const Result<float> all = model->Score(samples, {});
  const Result<float> last =
      model->Score(std::span(samples).last(static_cast<size_t>(model->window_samples())), {});
  ASSERT_TRUE(all.ok() && last.ok());
  EXPECT_EQ(*all, *last);
}

TEST_P(EndOfTurnContract, SameAudioSameScore) {
  const auto one = Make();
  const auto other = Make();
  ASSERT_TRUE(one != nullptr && other != nullptr);
  const std::vector<float> samples = Buzz(20000, one->rate_hz());
  const Result<float> expected = one->Score(samples, {});
  ASSERT_TRUE(expected.ok());
  Result<float> from_thread = 0.0f;
  std::thread thread([&] { from_thread = other->Score(samples, {}); });
  const Result<float> here = one->Score(samples, {});
  thread.join();
  ASSERT_TRUE(here.ok() && from_thread.ok());
  EXPECT_EQ(*here, *expected);
  EXPECT_EQ(*from_thread, *expected);
}

TEST_P(EndOfTurnContract, SamplesThatAreNotFiniteDoNotPoisonIt) {
  const auto model = Make();
  ASSERT_NE(model, nullptr);
  std::vector<float> samples = Buzz(16000, model->rate_hz());
  const Result<float> before = model->Score(samples, {});
  std::vector<float> broken = samples;
  broken[100] = std::numeric_limits<float>::quiet_NaN();
  broken[200] = std::numeric_limits<float>::infinity();
  const Result<float> score = model->Score(broken, {});
  ASSERT_TRUE(before.ok() && score.ok());
  EXPECT_TRUE(std::isfinite(*score));
  EXPECT_EQ(*model->Score(samples, {}), *before);
}

TEST_P(EndOfTurnContract, CancelledIsCancelled) {
  const auto model = Make();
  ASSERT_NE(model, nullptr);
  CancelSource source;
  source.Cancel(CancelReason::kResumed);
  const Result<float> score = model->Score(Buzz(16000, model->rate_hz()), source.token());
  EXPECT_EQ(score.status().code(), Code::kCancelled);
  EXPECT_NE(score.status().message().find("resumed"), std::string::npos);
  EXPECT_TRUE(model->Score(Buzz(16000, model->rate_hz()), {}).ok());
}

TEST_P(EndOfTurnContract, CancelledInsideACall) {
  const auto model = Make();
  ASSERT_NE(model, nullptr);
  const std::vector<float> samples = Buzz(16000, model->rate_hz());
  const Result<float> expected = model->Score(samples, {});
  ASSERT_TRUE(expected.ok());
  CancelSource source;
  std::thread interrupter([&] { source.Cancel(CancelReason::kResumed); });
  const Result<float> score = model->Score(samples, source.token());
  interrupter.join();
  EXPECT_TRUE(score.ok() || score.status().code() == Code::kCancelled);
  EXPECT_EQ(*model->Score(samples, {}), *expected);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EndOfTurnContract);

}  // namespace sotto

#endif  // SOTTO_TESTS_CONTRACT_END_OF_TURN_CONTRACT_H_
