// What every backend keeps of the port models/vad.h. A backend's test includes this file and
// instantiates the suite.
#ifndef SOTTO_TESTS_CONTRACT_VAD_CONTRACT_H_
#define SOTTO_TESTS_CONTRACT_VAD_CONTRACT_H_

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "models/vad.h"

namespace sotto {

struct VadContractCase {
  std::string name;
  // A new instance, independent of all others.
  std::function<Result<std::unique_ptr<Vad>>()> make;
};

inline void PrintTo(const VadContractCase& value, std::ostream* out) { *out << value.name; }

class VadContract : public testing::TestWithParam<VadContractCase> {
 protected:
  static constexpr int kWindows = 12;

  void SetUp() override {
    Result<std::unique_ptr<Vad>> made = GetParam().make();
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    vad_ = *std::move(made);
  }

  // Window `index` of a stream: a buzz that comes and goes.
  std::vector<float> Window(int index) const {
    std::vector<float> samples(vad_->window_samples());
    for (size_t i = 0; i < samples.size(); ++i) {
      const double t = (static_cast<double>(index) * static_cast<double>(samples.size()) +
                        static_cast<double>(i)) /
                       vad_->rate_hz();
      samples[i] = static_cast<float>(0.2 * (index % 4 < 2 ? 1.0 : 0.0) * std::sin(900.0 * t) *
                                      (1.0 + std::sin(30.0 * t)));
    }
    return samples;
  }

  std::vector<float> Scores(Vad& vad) const {
    std::vector<float> scores;
    for (int i = 0; i < kWindows; ++i) {
      const Result<float> score = vad.Process(Window(i));
      EXPECT_TRUE(score.ok()) << score.status().ToString();
      scores.push_back(score.ok() ? *score : -1.0f);
    }
    return scores;
  }

  std::unique_ptr<Vad> vad_;
};

TEST_P(VadContract, ScoresAreProbabilities) {
  ASSERT_GT(vad_->rate_hz(), 0);
  ASSERT_GT(vad_->window_samples(), 0u);
  for (const float score : Scores(*vad_)) {
    EXPECT_GE(score, 0.0f);
    EXPECT_LE(score, 1.0f);
  }
}

TEST_P(VadContract, SilenceIsNoSpeech) {
  const std::vector<float> silence(vad_->window_samples());
  for (int i = 0; i < kWindows; ++i) {
    const Result<float> score = vad_->Process(silence);
    ASSERT_TRUE(score.ok());
    EXPECT_LT(*score, 0.5f);
  }
}

TEST_P(VadContract, ResetBeginsANewStream) {
  const std::vector<float> first = Scores(*vad_);
  vad_->Reset();
  EXPECT_EQ(Scores(*vad_), first);
}

TEST_P(VadContract, StreamsAreIndependent) {
  const std::vector<float> first = Scores(*vad_);
  const auto second = vad_->NewStream();
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->rate_hz(), vad_->rate_hz());
  EXPECT_EQ(second->window_samples(), vad_->window_samples());
  const auto third = vad_->NewStream();
  std::vector<float> interleaved;
  for (int i = 0; i < kWindows; ++i) {
    interleaved.push_back(*second->Process(Window(i)));
    EXPECT_TRUE(third->Process(Window(kWindows - i)).ok());
  }
  EXPECT_EQ(interleaved, first);
}

TEST_P(VadContract, AStreamMayOutliveTheOneItCameFrom) {
  const std::vector<float> first = Scores(*vad_);
  const auto second = vad_->NewStream();
  std::vector<float> there;
  // The windows are made while the first stream still tells their size.
  std::vector<std::vector<float>> windows;
  for (int i = 0; i < kWindows; ++i) {
    windows.push_back(Window(i));
  }
  vad_.reset();
  std::thread([&] {
    for (const std::vector<float>& window : windows) {
      there.push_back(*second->Process(window));
    }
  }).join();
  EXPECT_EQ(there, first);
}

TEST_P(VadContract, OtherLengthsAreRefusedAndChangeNothing) {
  const std::vector<float> first = Scores(*vad_);
  vad_->Reset();
  std::vector<float> scores;
  for (int i = 0; i < kWindows; ++i) {
    for (const size_t bad : {size_t{0}, size_t{1}, vad_->window_samples() - 1,
                             vad_->window_samples() + 1, 2 * vad_->window_samples()}) {
      EXPECT_EQ(vad_->Process(std::vector<float>(bad, 0.5f)).status().code(),
                Code::kInvalidArgument)
          << bad;
    }
    scores.push_back(*vad_->Process(Window(i)));
  }
  EXPECT_EQ(scores, first);
}

TEST_P(VadContract, SamplesThatAreNotNumbersCountAsZero) {
  const auto odd = vad_->NewStream();
  const auto zeroed = vad_->NewStream();
  for (int i = 0; i < kWindows; ++i) {
    std::vector<float> with_nan = Window(i);
    std::vector<float> with_zero = with_nan;
    for (size_t at = 0; at < with_nan.size(); at += 37) {
      with_nan[at] = at % 2 == 0 ? std::numeric_limits<float>::quiet_NaN()
                                 : std::numeric_limits<float>::infinity();
      with_zero[at] = 0.0f;
    }
    EXPECT_EQ(*odd->Process(with_nan), *zeroed->Process(with_zero)) << i;
  }
}

}  // namespace sotto

#endif  // SOTTO_TESTS_CONTRACT_VAD_CONTRACT_H_
