// What every speech backend keeps of the port models/tts.h. A backend's test includes this file
// and instantiates the suite:
//
//   INSTANTIATE_TEST_SUITE_P(Fake, TtsContract, testing::Values(TtsContractCase{...}));
#ifndef SOTTO_TESTS_CONTRACT_TTS_CONTRACT_H_
#define SOTTO_TESTS_CONTRACT_TTS_CONTRACT_H_

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "models/tts.h"

namespace sotto {

struct TtsContractCase {
  std::string name;
  // A new instance, independent of all others.
  std::function<Result<std::unique_ptr<Tts>>()> make;
  std::string short_text = "Hello there.";
  // Several seconds of speech.
  std::string long_text =
      "The quick brown fox jumps over the lazy dog, and then it rests beside the river.";
};

inline void PrintTo(const TtsContractCase& value, std::ostream* out) { *out << value.name; }

struct Spoken {
  Status status;
  std::vector<float> samples;
  std::vector<TtsMark> marks;
  int64_t num_blocks = 0;
};

// Takes every block.
inline Spoken Drain(TtsStream& stream) {
  Spoken spoken;
  while (true) {
    Result<TtsBlock> block = stream.Next();
    if (!block.ok()) {
      spoken.status = block.status();
      return spoken;
    }
    ++spoken.num_blocks;
    spoken.samples.insert(spoken.samples.end(), block->samples.begin(), block->samples.end());
    if (block->is_last) {
      spoken.marks.assign(stream.marks().begin(), stream.marks().end());
      return spoken;
    }
  }
}

inline Spoken SpeakAll(Tts& tts, const TtsRequest& request, const CancelToken& cancel = {}) {
  Result<std::unique_ptr<TtsStream>> stream = tts.Speak(request, cancel);
  if (!stream.ok()) {
    return {stream.status(), {}, {}, 0};
  }
  return Drain(**stream);
}

class TtsContract : public testing::TestWithParam<TtsContractCase> {
 protected:
  std::unique_ptr<Tts> Make() {
    Result<std::unique_ptr<Tts>> made = GetParam().make();
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return made.ok() ? *std::move(made) : nullptr;
  }
  TtsRequest Short() const { return {.text = GetParam().short_text, .voice = {}, .seed = 1}; }
  TtsRequest Long() const { return {.text = GetParam().long_text, .voice = {}, .seed = 1}; }
};

TEST_P(TtsContract, InfoIsComplete) {
  const auto tts = Make();
  ASSERT_NE(tts, nullptr);
  EXPECT_FALSE(tts->info().architecture.empty());
  EXPECT_GE(tts->info().rate_hz, 8000);
  EXPECT_LE(tts->info().rate_hz, 48000);
  ASSERT_FALSE(tts->info().voices.empty());
  EXPECT_EQ(tts->info().language.size(), 2u);
}

TEST_P(TtsContract, SpeaksWithinRangeAndEndsOnce) {
  const auto tts = Make();
  ASSERT_NE(tts, nullptr);
  auto stream = tts->Speak(Short(), {});
  ASSERT_TRUE(stream.ok()) << stream.status().ToString();
  const Spoken spoken = Drain(**stream);
  ASSERT_TRUE(spoken.status.ok()) << spoken.status.ToString();
  EXPECT_GT(spoken.samples.size(), static_cast<size_t>(tts->info().rate_hz) / 20);
  float peak = 0.0f;
  for (const float sample : spoken.samples) {
    ASSERT_TRUE(std::isfinite(sample));
    peak = std::max(peak, std::fabs(sample));
  }
  EXPECT_GT(peak, 0.01f);
  EXPECT_LT(peak, 0.999f) << "clipping";
  EXPECT_EQ((*stream)->Next().status().code(), Code::kFailedPrecondition);
  EXPECT_EQ((*stream)->Next().status().code(), Code::kFailedPrecondition);
}

TEST_P(TtsContract, BeginsAndEndsWithoutAClick) {
  const auto tts = Make();
  ASSERT_NE(tts, nullptr);
  const Spoken spoken = SpeakAll(*tts, Short());
  ASSERT_FALSE(spoken.samples.empty());
  EXPECT_LT(std::fabs(spoken.samples.front()), 0.01f);
  EXPECT_LT(std::fabs(spoken.samples.back()), 0.01f);
}

TEST_P(TtsContract, SameRequestSameSamples) {
  const auto one = Make();
  const auto other = Make();
  ASSERT_TRUE(one != nullptr && other != nullptr);
  const Spoken first = SpeakAll(*one, Short());
  EXPECT_EQ(SpeakAll(*one, Short()).samples, first.samples);
  EXPECT_EQ(SpeakAll(*other, Short()).samples, first.samples);
}

TEST_P(TtsContract, ALongPhraseComesInBlocksIfItSaysSo) {
  const auto tts = Make();
  ASSERT_NE(tts, nullptr);
  const Spoken spoken = SpeakAll(*tts, Long());
  ASSERT_TRUE(spoken.status.ok()) << spoken.status.ToString();
  if (tts->info().streams_within_phrase) {
    EXPECT_GE(spoken.num_blocks, 3);
  }
}

TEST_P(TtsContract, TextWithoutALetterIsOneEmptyLastBlock) {
  const auto tts = Make();
  ASSERT_NE(tts, nullptr);
  for (const char* text : {"", " ", "...", "?!", " , "}) {
    auto stream = tts->Speak({.text = text, .voice = {}}, {});
    ASSERT_TRUE(stream.ok()) << "'" << text << "' " << stream.status().ToString();
    const Result<TtsBlock> block = (*stream)->Next();
    ASSERT_TRUE(block.ok()) << block.status().ToString();
    EXPECT_TRUE(block->is_last);
    EXPECT_TRUE(block->samples.empty());
  }
}

TEST_P(TtsContract, RefusesWhatItCannotSay) {
  const auto tts = Make();
  ASSERT_NE(tts, nullptr);
  std::vector<TtsRequest> bad;
  bad.push_back({.text = GetParam().short_text, .voice = "no-such-voice"});
  for (const float speed : {0.0f, 0.49f, 2.01f, -1.0f, std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()}) {
    bad.push_back({.text = GetParam().short_text, .voice = {}, .speed = speed});
  }
  bad.push_back({.text = "caf\xe9", .voice = {}});
  for (const TtsRequest& request : bad) {
    EXPECT_EQ(tts->Speak(request, {}).status().code(), Code::kInvalidArgument)
        << request.voice << " " << request.speed;
  }
  EXPECT_TRUE(SpeakAll(*tts, Short()).status.ok()) << "usable after errors";
}

TEST_P(TtsContract, EveryVoiceSpeaks) {
  const auto tts = Make();
  ASSERT_NE(tts, nullptr);
  const std::vector<std::string> voices = tts->info().voices;
  // The first and the last: each costs a whole phrase.
  for (const std::string& voice : {voices.front(), voices.back()}) {
    TtsRequest request = Short();
    request.voice = voice;
    EXPECT_FALSE(SpeakAll(*tts, request).samples.empty()) << voice;
  }
}

TEST_P(TtsContract, FasterIsShorter) {
  const auto tts = Make();
  ASSERT_NE(tts, nullptr);
  TtsRequest fast = Long();
  fast.speed = 1.6f;
  TtsRequest slow = Long();
  slow.speed = 0.8f;
  const auto fast_samples = static_cast<double>(SpeakAll(*tts, fast).samples.size());
  const auto slow_samples = static_cast<double>(SpeakAll(*tts, slow).samples.size());
  EXPECT_GT(slow_samples, 1.5 * fast_samples);
  EXPECT_LT(slow_samples, 2.5 * fast_samples);
}

TEST_P(TtsContract, MarksAreInOrderAndInside) {
  const auto tts = Make();
  ASSERT_NE(tts, nullptr);
  const Spoken spoken = SpeakAll(*tts, Long());
  int64_t last_sample = 0;
  int64_t last_offset = -1;
  for (const TtsMark& mark : spoken.marks) {
    EXPECT_GE(mark.start_sample, last_sample);
    EXPECT_GE(mark.text_offset_bytes, last_offset);
    EXPECT_LE(mark.start_sample, std::ssize(spoken.samples));
    EXPECT_LT(mark.text_offset_bytes, std::ssize(GetParam().long_text));
    last_sample = mark.start_sample;
    last_offset = mark.text_offset_bytes;
  }
}

TEST_P(TtsContract, CancelledBeforeTheFirstBlock) {
  const auto tts = Make();
  ASSERT_NE(tts, nullptr);
  CancelSource source;
  source.Cancel(CancelReason::kBargeIn);
  const Spoken spoken = SpeakAll(*tts, Long(), source.token());
  EXPECT_EQ(spoken.status.code(), Code::kCancelled);
  EXPECT_TRUE(spoken.samples.empty());
  EXPECT_TRUE(SpeakAll(*tts, Short()).status.ok()) << "usable after a cancellation";
}

TEST_P(TtsContract, CancelledBetweenBlocks) {
  const auto tts = Make();
  ASSERT_NE(tts, nullptr);
  CancelSource source;
  auto stream = tts->Speak(Long(), source.token());
  ASSERT_TRUE(stream.ok());
  const Result<TtsBlock> first = (*stream)->Next();
  ASSERT_TRUE(first.ok());
  source.Cancel(CancelReason::kBargeIn);
  const Result<TtsBlock> second = (*stream)->Next();
  if (!first->is_last) {
    EXPECT_EQ(second.status().code(), Code::kCancelled);
    EXPECT_NE(second.status().message().find("barge_in"), std::string::npos);
  }
  const Spoken again = SpeakAll(*tts, Short());
  EXPECT_EQ(again.samples, SpeakAll(*tts, Short()).samples) << "nothing of the old phrase stays";
}

TEST_P(TtsContract, CancelledInsideACall) {
  const auto tts = Make();
  ASSERT_NE(tts, nullptr);
  CancelSource source;
  auto stream = tts->Speak(Long(), source.token());
  ASSERT_TRUE(stream.ok());
  std::atomic<bool> running{false};
  std::thread interrupter([&] {
    while (!running.load()) {
      std::this_thread::yield();
    }
    source.Cancel(CancelReason::kBargeIn);
  });
  running.store(true);
  const Spoken spoken = Drain(**stream);
  interrupter.join();
  // A short phrase may be over before the interruption comes.
  EXPECT_TRUE(spoken.status.ok() || spoken.status.code() == Code::kCancelled);
  EXPECT_TRUE(SpeakAll(*tts, Short()).status.ok());
}

TEST_P(TtsContract, AStreamOutlivesItsVoice) {
  auto tts = Make();
  ASSERT_NE(tts, nullptr);
  const Spoken whole = SpeakAll(*tts, Long());
  auto stream = tts->Speak(Long(), {});
  ASSERT_TRUE(stream.ok());
  tts.reset();
  EXPECT_EQ(Drain(**stream).samples, whole.samples);
}

TEST_P(TtsContract, DroppedHalfwayLeavesNoTrace) {
  const auto tts = Make();
  ASSERT_NE(tts, nullptr);
  const Spoken whole = SpeakAll(*tts, Short());
  {
    auto stream = tts->Speak(Long(), {});
    ASSERT_TRUE(stream.ok());
    ASSERT_TRUE((*stream)->Next().ok());
  }
  EXPECT_EQ(SpeakAll(*tts, Short()).samples, whole.samples);
}

TEST_P(TtsContract, TwoStreamsOfOneVoiceDoNotMix) {
  const auto tts = Make();
  ASSERT_NE(tts, nullptr);
  const Spoken long_alone = SpeakAll(*tts, Long());
  const Spoken short_alone = SpeakAll(*tts, Short());
  auto one = tts->Speak(Long(), {});
  auto other = tts->Speak(Short(), {});
  ASSERT_TRUE(one.ok() && other.ok());
  const Result<TtsBlock> first = (*one)->Next();
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(Drain(**other).samples, short_alone.samples);
  std::vector<float> samples = first->samples;
  if (!first->is_last) {
    const Spoken rest = Drain(**one);
    samples.insert(samples.end(), rest.samples.begin(), rest.samples.end());
  }
  EXPECT_EQ(samples, long_alone.samples);
}

TEST_P(TtsContract, TwoInstancesOnTwoThreads) {
  const auto one = Make();
  const auto other = Make();
  ASSERT_TRUE(one != nullptr && other != nullptr);
  const Spoken expected = SpeakAll(*one, Short());
  Spoken from_thread;
  std::thread thread([&] { from_thread = SpeakAll(*other, Short()); });
  const Spoken here = SpeakAll(*one, Short());
  thread.join();
  EXPECT_EQ(here.samples, expected.samples);
  EXPECT_EQ(from_thread.samples, expected.samples);
}

TEST_P(TtsContract, ManyPhrasesInARow) {
  const auto tts = Make();
  ASSERT_NE(tts, nullptr);
  const Spoken expected = SpeakAll(*tts, Short());
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(SpeakAll(*tts, Short()).samples, expected.samples) << i;
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TtsContract);

}  // namespace sotto

#endif  // SOTTO_TESTS_CONTRACT_TTS_CONTRACT_H_
