// What every backend keeps of the port models/asr.h. A backend's test includes this file and
// instantiates the suite.
#ifndef SOTTO_TESTS_CONTRACT_ASR_CONTRACT_H_
#define SOTTO_TESTS_CONTRACT_ASR_CONTRACT_H_

#include <gtest/gtest.h>

#include <atomic>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "models/asr.h"
#include "text/utf8.h"

namespace sotto {

struct AsrContractCase {
  std::string name;
  // A new instance, independent of all others.
  std::function<Result<std::unique_ptr<Asr>>()> make;
  // Speech at 16 kHz, some seconds of it.
  std::function<std::vector<float>()> speech;
};

inline void PrintTo(const AsrContractCase& value, std::ostream* out) { *out << value.name; }

class AsrContract : public testing::TestWithParam<AsrContractCase> {
 protected:
  static std::unique_ptr<Asr> Make() {
    Result<std::unique_ptr<Asr>> made = GetParam().make();
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return made.ok() ? *std::move(made) : nullptr;
  }

  static AsrOptions Options(AsrProfile profile) {
    AsrOptions options;
    options.profile = profile;
    return options;
  }

  static std::string TextOf(const AsrResult& result) {
    std::string text;
    for (const AsrSegment& segment : result.segments) {
      text += text.empty() ? segment.text : " " + segment.text;
    }
    return text;
  }

  // The text heard in `samples`; a failure of the test if the call fails.
  static std::string Hear(Asr& asr, const std::vector<float>& samples,
                          AsrProfile profile = AsrProfile::kFast) {
    const Result<AsrResult> result = asr.Recognise(samples, Options(profile), {});
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    return result.ok() ? TextOf(*result) : std::string();
  }
};

TEST_P(AsrContract, DescribesItself) {
  const auto asr = Make();
  ASSERT_NE(asr, nullptr);
  EXPECT_FALSE(asr->info().architecture.empty());
  EXPECT_EQ(asr->info().rate_hz, 16000);
  ASSERT_FALSE(asr->info().languages.empty());
}

TEST_P(AsrContract, HearsSpeechInSegmentsThatAreInOrder) {
  const auto asr = Make();
  ASSERT_NE(asr, nullptr);
  const std::vector<float> samples = GetParam().speech();
  const auto clip_ms = static_cast<int64_t>(samples.size()) * 1000 / asr->info().rate_hz;
  for (const AsrProfile profile : {AsrProfile::kFast, AsrProfile::kAccurate}) {
    const AsrOptions options = Options(profile);
    const Result<AsrResult> result = asr->Recognise(samples, options, {});
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    ASSERT_FALSE(result->segments.empty());
    int64_t at_ms = 0;
    for (const AsrSegment& segment : result->segments) {
      EXPECT_GE(segment.start_ms, at_ms);
      EXPECT_GE(segment.end_ms, segment.start_ms);
      EXPECT_LE(segment.end_ms, clip_ms);
      at_ms = segment.end_ms;
      ASSERT_FALSE(segment.text.empty());
      EXPECT_EQ(ValidateUtf8(segment.text), kValidUtf8);
      EXPECT_FALSE(std::isspace(static_cast<unsigned char>(segment.text.front())));
      EXPECT_FALSE(std::isspace(static_cast<unsigned char>(segment.text.back())));
      EXPECT_EQ(segment.text.find_first_of("[]<>"), std::string::npos) << segment.text;
      EXPECT_LE(segment.avg_logprob, 0.0f);
      EXPECT_GE(segment.no_speech_prob, 0.0f);
      EXPECT_LE(segment.no_speech_prob, 1.0f);
    }
  }
}

TEST_P(AsrContract, NothingSaidIsNothingHeard) {
  const auto asr = Make();
  ASSERT_NE(asr, nullptr);
  for (const size_t count : {size_t{0}, size_t{1}, size_t{7}, size_t{1600}, size_t{48000}}) {
    EXPECT_EQ(Hear(*asr, std::vector<float>(count)), "") << count;
  }
}

TEST_P(AsrContract, CallsAreIndependent) {
  const auto asr = Make();
  const auto other = Make();
  ASSERT_NE(asr, nullptr);
  ASSERT_NE(other, nullptr);
  const std::vector<float> whole = GetParam().speech();
  const std::vector<float> half(whole.begin(),
                                whole.begin() + static_cast<int64_t>(whole.size() / 2));
  const std::string fast = Hear(*asr, whole);
  const std::string accurate = Hear(*asr, whole, AsrProfile::kAccurate);
  Hear(*asr, half);
  Hear(*asr, std::vector<float>(16000, 0.1f));
  EXPECT_EQ(Hear(*asr, whole), fast);
  EXPECT_EQ(Hear(*asr, whole, AsrProfile::kAccurate), accurate);
  Hear(*other, half, AsrProfile::kAccurate);
  EXPECT_EQ(Hear(*other, whole), fast) << "two instances";
  EXPECT_EQ(Hear(*other, whole, AsrProfile::kAccurate), accurate) << "two instances";
}

TEST_P(AsrContract, SamplesThatAreNotNumbersCountAsSilence) {
  const auto asr = Make();
  ASSERT_NE(asr, nullptr);
  std::vector<float> zeroed = GetParam().speech();
  std::vector<float> odd = zeroed;
  for (size_t i = 0; i < odd.size(); i += 997) {
    zeroed[i] = 0.0f;
    odd[i] = i % 2 == 0 ? std::numeric_limits<float>::quiet_NaN()
                        : -std::numeric_limits<float>::infinity();
  }
  EXPECT_EQ(Hear(*asr, odd), Hear(*asr, zeroed));
  EXPECT_EQ(Hear(*asr, std::vector<float>(16000, std::numeric_limits<float>::quiet_NaN())), "");
  const std::vector<float> huge(16000, 1e30f);
  EXPECT_TRUE(asr->Recognise(huge, Options(AsrProfile::kFast), {}).ok());
}

TEST_P(AsrContract, BadArgumentsAreRefusedAndChangeNothing) {
  const auto asr = Make();
  ASSERT_NE(asr, nullptr);
  const std::vector<float> samples = GetParam().speech();
  const std::string heard = Hear(*asr, samples);
  const auto code = [&](const std::vector<float>& clip, const AsrOptions& options) {
    return asr->Recognise(clip, options, {}).status().code();
  };
  AsrOptions options = Options(AsrProfile::kFast);
  EXPECT_EQ(code(std::vector<float>(30 * 16000 + 1), options), Code::kInvalidArgument);
  for (const char* language : {"xx", "EN", "english", "e", "en ", "auto"}) {
    options.language = language;
    EXPECT_EQ(code(samples, options), Code::kInvalidArgument) << language;
  }
  options = Options(AsrProfile::kFast);
  options.prompt = "\xff\xfe";
  EXPECT_EQ(code(samples, options), Code::kInvalidArgument);
  options = Options(AsrProfile::kFast);
  options.num_threads = 0;
  EXPECT_EQ(code(samples, options), Code::kInvalidArgument);
  EXPECT_EQ(Hear(*asr, samples), heard);
}

TEST_P(AsrContract, KnowsItsLanguages) {
  const auto asr = Make();
  ASSERT_NE(asr, nullptr);
  AsrOptions options = Options(AsrProfile::kFast);
  options.language = asr->info().languages.front();
  const Result<AsrResult> named = asr->Recognise(GetParam().speech(), options, {});
  ASSERT_TRUE(named.ok()) << named.status().ToString();
  EXPECT_EQ(TextOf(*named), Hear(*asr, GetParam().speech())) << "the first is the default";
}

TEST_P(AsrContract, CancelledBeforeItBegins) {
  const auto asr = Make();
  ASSERT_NE(asr, nullptr);
  const std::string heard = Hear(*asr, GetParam().speech());
  CancelSource source;
  source.Cancel(CancelReason::kBargeIn);
  const auto result =
      asr->Recognise(GetParam().speech(), Options(AsrProfile::kFast), source.token());
  EXPECT_EQ(result.status().code(), Code::kCancelled);
  EXPECT_EQ(Hear(*asr, GetParam().speech()), heard);
}

// The other thread cancels as soon as the call may have begun: whichever wins, the answer is one of
// two and the object stays usable.
TEST_P(AsrContract, CancelledWhileItRuns) {
  const auto asr = Make();
  ASSERT_NE(asr, nullptr);
  const std::vector<float> samples = GetParam().speech();
  const std::string heard = Hear(*asr, samples, AsrProfile::kAccurate);
  for (int round = 0; round < 3; ++round) {
    CancelSource source;
    std::atomic<bool> begun = false;
    std::thread canceller([&] {
      begun.wait(false);
      source.Cancel(CancelReason::kUserCancel);
    });
    begun = true;
    begun.notify_one();
    const auto result = asr->Recognise(samples, Options(AsrProfile::kAccurate), source.token());
    canceller.join();
    EXPECT_TRUE(result.ok() || result.status().code() == Code::kCancelled)
        << result.status().ToString();
  }
  EXPECT_EQ(Hear(*asr, samples, AsrProfile::kAccurate), heard);
}

TEST_P(AsrContract, ServesOneThreadAfterAnother) {
  const auto asr = Make();
  ASSERT_NE(asr, nullptr);
  const std::string here = Hear(*asr, GetParam().speech());
  std::string there;
  std::thread([&] { there = Hear(*asr, GetParam().speech()); }).join();
  EXPECT_EQ(there, here);
}

}  // namespace sotto

#endif  // SOTTO_TESTS_CONTRACT_ASR_CONTRACT_H_
