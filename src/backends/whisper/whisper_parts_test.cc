// The parts of the adapter that need no model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "backends/whisper/decode_plan.h"
#include "backends/whisper/loop_guard.h"
#include "backends/whisper/speech_span.h"
#include "backends/whisper/transcript_text.h"
#include "backends/whisper/whisper_asr.h"
#include "backends/whisper/whisper_mel.h"
#include "text/utf8.h"

namespace sotto::whisper {
namespace {

std::vector<int32_t> Repeated(const std::vector<int32_t>& phrase, size_t times) {
  std::vector<int32_t> tokens = {9001, 9002, 9003};
  for (size_t i = 0; i < times; ++i) {
    tokens.insert(tokens.end(), phrase.begin(), phrase.end());
  }
  return tokens;
}

bool LoopsIn(const std::vector<int32_t>& tokens, int64_t duration_ms) {
  return IsLoop(RepetitionAtEnd(tokens), tokens.size(), duration_ms);
}

TEST(LoopGuard, FindsThePeriodAndTheCopies) {
  EXPECT_EQ(RepetitionAtEnd({}).repeats, 0u);
  EXPECT_EQ(RepetitionAtEnd(Repeated({}, 0)).repeats, 0u);
  for (size_t period = 1; period <= 20; ++period) {
    std::vector<int32_t> phrase;
    for (size_t i = 0; i < period; ++i) {
      phrase.push_back(static_cast<int32_t>(i));
    }
    for (size_t times = 2; times <= 5; ++times) {
      const Repetition found = RepetitionAtEnd(Repeated(phrase, times));
      EXPECT_EQ(found.period, period);
      EXPECT_EQ(found.repeats, times);
    }
  }
}

TEST(LoopGuard, Case009ALoopIsSeenAtItsSecondPeriod) {
  // Eight tokens said twice in two seconds are more than anybody says.
  EXPECT_TRUE(LoopsIn(Repeated({1, 2, 3, 4, 5, 6, 7, 8}, 2), 2000));
  EXPECT_TRUE(LoopsIn(Repeated({1, 2, 3, 4}, 4), 30000));
  EXPECT_TRUE(LoopsIn(Repeated({1}, 8), 30000));
}

TEST(LoopGuard, WhatAPersonRepeatsIsNoLoop) {
  EXPECT_FALSE(LoopsIn(Repeated({5}, 2), 1500)) << "five five";
  EXPECT_FALSE(LoopsIn(Repeated({5}, 4), 1500)) << "no no no no";
  EXPECT_FALSE(LoopsIn(Repeated({1, 2, 3, 4, 5}, 2), 4000)) << "a sentence said twice";
  EXPECT_FALSE(LoopsIn(Repeated({1, 2}, 4), 4000)) << "a chant";
}

TEST(LoopGuard, Case011ManyCopiesAreCutWhateverTheTime) {
  std::vector<int32_t> tokens = Repeated({1, 2, 3, 4, 5, 6}, 32);
  EXPECT_TRUE(LoopsIn(tokens, 30000));
  EXPECT_GT(RepeatedShare(tokens), 0.5f);
  tokens.clear();
  for (int32_t i = 0; i < 200; ++i) {
    tokens.push_back(i);
  }
  EXPECT_EQ(RepeatedShare(tokens), 0.0f);
}

TEST(LoopGuard, Case009WhatIsToldItsTimeIsNoLoop) {
  constexpr TokenKinds kKinds = {5000, 6000};
  const auto at = [](int32_t ms) { return 6000 + ms / 20; };
  // Five tokens every 2.8 s, as somebody says them who repeats an order.
  std::vector<int32_t> ids = {at(0)};
  for (int32_t copy = 0; copy < 10; ++copy) {
    ids.insert(ids.end(), {1, 2, 3, 4, 5, at(2800 * copy + 2000), at(2800 * copy + 2800)});
  }
  EXPECT_EQ(TextTokens(ids, kKinds).size(), 50u);
  EXPECT_TRUE(UntimedTokens(ids, kKinds).empty());
  // The same with all copies inside a second, and with no times at all, is a decoder's doing.
  std::vector<int32_t> hurried = {at(0)};
  std::vector<int32_t> timeless;
  for (int32_t copy = 0; copy < 10; ++copy) {
    hurried.insert(hurried.end(), {1, 2, 3, 4, 5, at(100 * copy + 100), at(100 * copy + 100)});
    timeless.insert(timeless.end(), {1, 2, 3, 4, 5});
  }
  for (const std::vector<int32_t>& loop : {hurried, timeless}) {
    const std::vector<int32_t> untimed = UntimedTokens(loop, kKinds);
    EXPECT_EQ(untimed.size(), 50u);
    EXPECT_TRUE(IsLoop(RepetitionAtEnd(untimed), 50, 28000));
  }
  // Only what follows the last time is open.
  ids.insert(ids.end(), {1, 2, 3});
  EXPECT_EQ(UntimedTokens(ids, kKinds), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_TRUE(UntimedTokens({}, kKinds).empty());
}

TEST(LoopGuard, OnceWrittenForManyTimesSaidIsSparse) {
  EXPECT_TRUE(IsSparse(5, 22000)) << "go forward ten meters, once for eight times";
  EXPECT_FALSE(IsSparse(27, 11000)) << "the words of jfk.wav";
  EXPECT_FALSE(IsSparse(1, 3900));
  EXPECT_FALSE(IsSparse(12, 9000)) << "digits said singly";
}

TEST(LoopGuard, TokensFitTheTime) {
  EXPECT_GE(MaxTextTokens(0), 8);
  EXPECT_GE(MaxTextTokens(11000), 30) << "the words of jfk.wav";
  EXPECT_LE(MaxTextTokens(30000), 224);
  EXPECT_LT(MaxTextTokens(1000), 30);
}

TEST(DecodePlan, Case007TheWindowHoldsTheClipAndAFloor) {
  for (const AsrProfile profile : {AsrProfile::kFast, AsrProfile::kAccurate}) {
    int32_t before = 0;
    for (int64_t samples = 0; samples <= 30 * kRateHz; samples += 1000) {
      const int32_t context = ContextFor(samples, profile);
      EXPECT_GE(context, 256);
      EXPECT_LE(context, kFullContext);
      EXPECT_GE(context, std::min<int64_t>(samples / 320 + 20, kFullContext));
      EXPECT_GE(context, before);
      // whisper.cpp leaves no unmasked padding at multiples of 4.
      EXPECT_EQ(context % 4, 0);
      before = context;
      const std::vector<Attempt> attempts = AttemptsFor(samples, profile);
      ASSERT_GE(attempts.size(), 2u);
      EXPECT_EQ(attempts.front().context, context);
      EXPECT_EQ(attempts.front().temperature, 0.0f);
      EXPECT_EQ(attempts.back().context, kFullContext);
      EXPECT_GT(attempts.back().temperature, 0.0f);
    }
  }
}

TEST(TranscriptText, LeavesWordsAndTakesRemarks) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {" Hello, world. ", "Hello, world."},
      {"[BLANK_AUDIO]", ""},
      {" [BLANK_AUDIO] Yes. [ Silence ]", "Yes."},
      {"(music playing) Go (laughs) on", "Go on"},
      {"*coughs* Hello", "Hello"},
      {"\u266a la la \u266a", "la la"},
      {"[cut", ""},
      {"One [cut", "One"},
      {"...", ""},
      {" - ", ""},
      {"a\n\t b", "a b"},
      {"caf\xc3\xa9", "caf\u00e9"},
      {"bad \xff\xc3 end", "bad end"},
      {"cut \xe6\x97", "cut"},
      {"\u65e5\u672c", "\u65e5\u672c"},
      {"5, 5.", "5, 5."},
      {"", ""},
  };
  for (const auto& [bytes, text] : table) {
    EXPECT_EQ(CleanTranscript(bytes), text) << bytes;
  }
}

TEST(TranscriptText, AnyBytesBecomeValidText) {
  std::mt19937 rng(3);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (size_t i = rng() % 24; i > 0; --i) {
      bytes += static_cast<char>(rng() % 4 == 0 ? rng() % 256 : " a[](\xc3\xa9*\xe6"[rng() % 10]);
    }
    const std::string text = CleanTranscript(bytes);
    EXPECT_EQ(ValidateUtf8(text), kValidUtf8);
    EXPECT_EQ(CleanTranscript(text), text) << "cleaning again changes nothing";
  }
}

std::vector<float> Noise(size_t count, float sigma, uint32_t seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<float> normal(0.0f, sigma);
  std::vector<float> out(count);
  for (float& s : out) {
    s = normal(rng);
  }
  return out;
}

TEST(SpeechSpan, SilenceHasNone) {
  EXPECT_TRUE(LoudSpan({}).empty());
  EXPECT_TRUE(LoudSpan(std::vector<float>(16000)).empty());
  EXPECT_TRUE(LoudSpan(std::vector<float>(16000, 0.3f)).empty()) << "an offset is no sound";
  EXPECT_TRUE(LoudSpan(Noise(16000, 0.0002f, 1)).empty()) << "-74 dBFS";
}

TEST(SpeechSpan, FindsATonePlacedInNoise) {
  for (const float level : {0.5f, 0.05f, 0.01f}) {
    std::vector<float> clip = Noise(64000, level * 0.01f, 2);
    for (size_t i = 20000; i < 36000; ++i) {
      clip[i] += level * static_cast<float>(std::sin(0.3 * static_cast<double>(i)));
    }
    const SampleSpan span = LoudSpan(clip);
    EXPECT_NEAR(static_cast<double>(span.begin), 20000, 640) << level;
    EXPECT_NEAR(static_cast<double>(span.end), 36000, 640) << level;
  }
}

TEST(ShortenPauses, CutsTheMiddleOfLongPausesAlone) {
  // Tones with a pause of 300 ms between them and then one of 3 s.
  std::vector<float> clip = Noise(160000, 0.0005f, 5);
  const auto sound = [&clip](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      clip[i] += 0.2f * static_cast<float>(std::sin(0.3 * static_cast<double>(i)));
    }
  };
  sound(16000, 32000);
  sound(36800, 52800);
  sound(100800, 116800);
  const ShortenedClip shorter = ShortenPauses(clip);
  ASSERT_EQ(shorter.cuts.size(), 1u);
  // 3 s of pause become 360 ms, give or take the frames at its ends.
  EXPECT_NEAR(static_cast<double>(shorter.cuts[0].removed_samples), 48000.0 - 5760.0, 700.0);
  EXPECT_EQ(std::ssize(shorter.samples) + shorter.cuts[0].removed_samples, std::ssize(clip));
  const int64_t seam = shorter.cuts[0].at_sample;
  EXPECT_NEAR(static_cast<double>(seam), 52800.0 + 2880.0, 400.0);
  const int64_t removed = shorter.cuts[0].removed_samples;
  EXPECT_EQ(shorter.BeginInWhole(0, 100), 0);
  EXPECT_EQ(shorter.EndInWhole(0, 100), 0);
  for (const int64_t near : {-100L, -1L, 0L, 1L, 99L}) {
    EXPECT_EQ(shorter.BeginInWhole(seam + near, 100), seam + near + removed);
    EXPECT_EQ(shorter.EndInWhole(seam + near, 100), seam + near);
  }
  EXPECT_EQ(shorter.BeginInWhole(seam - 101, 100), seam - 101);
  EXPECT_EQ(shorter.EndInWhole(seam + 100, 100), seam + 100 + removed);
  for (int64_t at = 0; at < std::ssize(shorter.samples); ++at) {
    if (at < seam - 160 || at >= seam) {  // outside the fade nothing is changed
      ASSERT_EQ(shorter.samples[static_cast<size_t>(at)],
                clip[static_cast<size_t>(at < seam ? at : at + removed)])
          << at;
    }
  }
}

TEST(ShortenPauses, LeavesWhatHasNoPause) {
  for (const std::vector<float>& clip : {std::vector<float>(), std::vector<float>(64000),
                                         Noise(64000, 0.1f, 6), Noise(100, 0.1f, 6)}) {
    const ShortenedClip shorter = ShortenPauses(clip);
    EXPECT_EQ(shorter.samples, clip);
    EXPECT_TRUE(shorter.cuts.empty());
  }
}

TEST(WhisperMel, SilenceBehindTheClipHasTheFloorOfTheWindow) {
  const WhisperMel mel(80);
  std::vector<float> clip = Noise(16000, 0.1f, 7);
  const std::vector<float> window = mel.Window(clip);
  ASSERT_EQ(window.size(), size_t{80} * kWindowFrames);
  const float top = *std::max_element(window.begin(), window.end());
  for (size_t row = 0; row < 80; ++row) {
    // The last frame that touches a sample is centred less than half a window behind the end.
    for (size_t frame = 102; frame < kWindowFrames; ++frame) {
      ASSERT_EQ(window[row * kWindowFrames + frame], top - 2.0f) << row << " " << frame;
    }
    EXPECT_GT(window[row * kWindowFrames + 50], top - 2.0f);
  }
  // Zeros behind the clip change nothing, whatever their number; nor does what is beyond 30 s.
  clip.resize(30 * kRateHz);
  EXPECT_EQ(mel.Window(clip), window);
  clip.resize(40 * kRateHz, 0.5f);
  EXPECT_EQ(mel.Window(clip), window);
  for (const size_t count : {size_t{0}, size_t{1}, size_t{399}}) {
    for (const float value : mel.Window(std::vector<float>(count))) {
      ASSERT_EQ(value, -1.5f) << count;  // (log10(1e-10) + 4) / 4
    }
  }
}

TEST(SpeechSpan, KeepsAClipThatIsLoudThroughout) {
  const std::vector<float> clip = Noise(16000, 0.1f, 4);
  EXPECT_EQ(LoudSpan(clip).begin, 0);
  EXPECT_EQ(LoudSpan(clip).end, 16000);
}

TEST(SpeechSpan, SanitisedSamplesAreNumbersInRange) {
  const std::vector<float> odd = {std::numeric_limits<float>::quiet_NaN(),
                                  std::numeric_limits<float>::infinity(), 1e30f, -1e30f, 0.5f};
  const std::vector<float> expected = {0.0f, 0.0f, 1.0f, -1.0f, 0.5f};
  EXPECT_EQ(Sanitised(odd), expected);
}

TEST(MakeWhisperAsr, ErrorsNameTheFile) {
  const auto absent = MakeWhisperAsr("/no/such/model.bin");
  EXPECT_EQ(absent.status().code(), Code::kNotFound);
  EXPECT_NE(absent.status().message().find("/no/such/model.bin"), std::string::npos);
  EXPECT_EQ(MakeWhisperAsr("/").status().code(), Code::kInvalidArgument);
  EXPECT_EQ(MakeWhisperAsr("/dev/null").ok(), false);
}

}  // namespace
}  // namespace sotto::whisper
