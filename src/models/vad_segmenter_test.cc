#include "models/vad_segmenter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace sotto {
namespace {

constexpr size_t kWindow = 512;
constexpr int64_t kRate = 16000;

// Says what its script says, window by window, and 0 after its end.
class ScriptedVad final : public Vad {
 public:
  explicit ScriptedVad(std::vector<float> script) : script_(std::move(script)) {}
  int32_t rate_hz() const override { return static_cast<int32_t>(kRate); }
  size_t window_samples() const override { return kWindow; }
  Result<float> Process(std::span<const float> window) override {
    EXPECT_EQ(window.size(), kWindow);
    if (fail_at == next_) {
      return InternalError("scripted");
    }
    return next_ < script_.size() ? script_[next_++] : (++next_, 0.0f);
  }
  void Reset() override { next_ = 0; }
  std::unique_ptr<Vad> NewStream() const override { return nullptr; }

  size_t fail_at = ~size_t{0};

 private:
  std::vector<float> script_;
  size_t next_ = 0;
};

std::vector<float> Script(std::initializer_list<std::pair<size_t, float>> runs) {
  std::vector<float> script;
  for (const auto& [windows, probability] : runs) {
    script.insert(script.end(), windows, probability);
  }
  return script;
}

struct Heard {
  std::vector<VadEvent> events;
  std::vector<SpeechSpan> spans;
};

// Runs the script over `level` samples given in pieces of `piece`.
Heard Hear(const std::vector<float>& script, const VadSegmenterOptions& options = {},
           float level = 0.1f, size_t piece = 160) {
  ScriptedVad vad(script);
  VadSegmenter segmenter(&vad, options);
  const std::vector<float> samples(script.size() * kWindow, level);
  Heard heard;
  for (size_t at = 0; at < samples.size(); at += piece) {
    EXPECT_TRUE(segmenter
                    .Feed(std::span(samples).subspan(at, std::min(piece, samples.size() - at)),
                          &heard.events)
                    .ok());
  }
  EXPECT_TRUE(segmenter.Finish(&heard.events).ok());
  for (const VadEvent& event : heard.events) {
    if (event.kind == VadEvent::Kind::kEnded) {
      heard.spans.push_back(event.span);
    }
  }
  return heard;
}

std::vector<VadEvent::Kind> Kinds(const Heard& heard) {
  std::vector<VadEvent::Kind> kinds;
  for (const VadEvent& event : heard.events) {
    kinds.push_back(event.kind);
  }
  return kinds;
}

using Kind = VadEvent::Kind;

TEST(VadSegmenter, ASpanIsPaddedOnBothSides) {
  const Heard heard = Hear(Script({{20, 0.1f}, {10, 0.95f}, {20, 0.0f}}));
  ASSERT_EQ(heard.spans.size(), 1u);
  EXPECT_EQ(heard.spans[0].start_sample, 20 * 512 - kRate * 200 / 1000);
  EXPECT_EQ(heard.spans[0].end_sample, 30 * 512 + kRate * 100 / 1000);
  EXPECT_FLOAT_EQ(heard.spans[0].peak_probability, 0.95f);
  EXPECT_NEAR(heard.spans[0].peak_level_dbfs, -20.0f, 0.01f);
  EXPECT_EQ(Kinds(heard), (std::vector{Kind::kStarted, Kind::kSoftEnd, Kind::kEnded}));
  EXPECT_EQ(heard.events[0].at_sample, 24 * 512) << "confirmed by its fourth window: 4 * 0.6";
  EXPECT_EQ(heard.events[1].at_sample, 32 * 512) << "64 ms of silence";
}

TEST(VadSegmenter, ThePadStaysWithinTheStreamAndTheSpanBefore) {
  const Heard heard = Hear(Script({{2, 0.0f}, {10, 0.9f}, {10, 0.0f}, {10, 0.9f}}),
                           {.hangover_ms = 300, .pre_pad_ms = 5000, .post_pad_ms = 5000});
  ASSERT_EQ(heard.spans.size(), 2u);
  EXPECT_EQ(heard.spans[0].start_sample, 0);
  EXPECT_EQ(heard.spans[1].start_sample, heard.spans[0].end_sample);
  EXPECT_EQ(heard.spans[1].end_sample, 32 * 512);
}

TEST(VadSegmenter, AnyCuttingGivesTheSameEvents) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
  for (int round = 0; round < 50; ++round) {
    std::vector<float> script(100);
    float level = 0.0f;
    for (float& probability : script) {
      level = random() % 6 == 0 ? uniform(random) : level;
      probability = level;
    }
    const Heard whole = Hear(script, {}, 0.1f, script.size() * kWindow);
    for (const size_t piece : {size_t{37}, size_t{512}, size_t{1000}}) {
      const Heard pieces = Hear(script, {}, 0.1f, piece);
      EXPECT_EQ(Kinds(pieces), Kinds(whole));
      ASSERT_EQ(pieces.spans.size(), whole.spans.size());
      int64_t last_end = 0;
      for (size_t k = 0; k < whole.spans.size(); ++k) {
        EXPECT_EQ(pieces.spans[k].start_sample, whole.spans[k].start_sample);
        EXPECT_EQ(pieces.spans[k].end_sample, whole.spans[k].end_sample);
        // Spans are in order, whole, apart, and within the stream.
        EXPECT_GE(whole.spans[k].start_sample, last_end);
        EXPECT_LT(whole.spans[k].start_sample, whole.spans[k].end_sample);
        last_end = whole.spans[k].end_sample;
      }
      EXPECT_LE(last_end, static_cast<int64_t>(script.size() * kWindow));
    }
  }
}

TEST(VadSegmenter, ShortSoundsAndHesitantOnesAreNoSpeech) {
  EXPECT_TRUE(Hear(Script({{10, 0.0f}, {3, 0.99f}, {10, 0.0f}})).events.empty());
  EXPECT_TRUE(Hear(Script({{50, 0.49f}})).events.empty());
  EXPECT_TRUE(Hear(Script({{3, 0.9f}, {1, 0.3f}, {3, 0.9f}, {1, 0.3f}})).events.empty());
  EXPECT_EQ(Hear(Script({{10, 0.0f}, {4, 0.99f}, {10, 0.0f}})).spans.size(), 1u);
}

TEST(VadSegmenter, HesitantWindowsConfirmLater) {
  const auto confirmed_after = [](float probability) {
    return Hear(Script({{20, probability}})).events.front().at_sample / 512;
  };
  EXPECT_EQ(confirmed_after(0.99f), 4);
  EXPECT_EQ(confirmed_after(0.70f), 7);
  EXPECT_EQ(confirmed_after(0.60f), 9);
}

// A soft consonant is no speech to the model yet, but stands out of the noise.
TEST(VadSegmenter, WhatStandsOutOfTheNoiseBeforeTheOnsetBelongsToIt) {
  ScriptedVad vad(Script({{40, 0.05f}, {20, 0.95f}, {20, 0.0f}}));
  std::vector<float> samples(80 * kWindow, 0.001f);
  std::fill(samples.begin() + 36 * kWindow, samples.begin() + 40 * kWindow, 0.003f);
  std::fill(samples.begin() + 40 * kWindow, samples.begin() + 60 * kWindow, 0.1f);
  const auto start = [&](const VadSegmenterOptions& options) {
    return FindSpeech(&vad, samples, options, CancelToken())->front().start_sample;
  };
  EXPECT_EQ(start({.pre_pad_ms = 0}), 36 * 512);
  EXPECT_EQ(start({.pre_pad_ms = 0, .max_lead_ms = 64}), 38 * 512);
  EXPECT_EQ(start({.pre_pad_ms = 0, .max_lead_ms = 0}), 40 * 512);
  // Noise that goes on at one level stands out of nothing.
  std::fill(samples.begin(), samples.begin() + 40 * kWindow, 0.003f);
  EXPECT_EQ(start({.pre_pad_ms = 0}), 40 * 512);
}

TEST(VadSegmenter, TheThresholdsAreApart) {
  // Stays in speech between the thresholds, but does not begin there.
  const Heard heard = Hear(Script({{5, 0.4f}, {5, 0.9f}, {30, 0.4f}, {20, 0.3f}}));
  ASSERT_EQ(heard.spans.size(), 1u);
  EXPECT_EQ(heard.spans[0].end_sample, 40 * 512 + 1600);
}

TEST(VadSegmenter, PausesWithinTheHangoverAreBridgedAndTold) {
  const Heard heard = Hear(Script({{5, 0.0f}, {10, 0.9f}, {5, 0.0f}, {10, 0.9f}, {20, 0.0f}}));
  EXPECT_EQ(heard.spans.size(), 1u);
  EXPECT_EQ(Kinds(heard), (std::vector{Kind::kStarted, Kind::kSoftEnd, Kind::kResumed,
                                       Kind::kSoftEnd, Kind::kEnded}));
  EXPECT_EQ(Hear(Script({{10, 0.9f}, {10, 0.0f}, {10, 0.9f}, {20, 0.0f}})).spans.size(), 2u);
}

TEST(VadSegmenter, SpeechUntilTheEndIsClosedThere) {
  const Heard heard = Hear(Script({{5, 0.0f}, {10, 0.9f}}));
  ASSERT_EQ(heard.spans.size(), 1u);
  EXPECT_EQ(heard.spans[0].end_sample, 15 * 512);
}

// Cases 1, 3 and 6: whatever the model says, what is too quiet is not speech; the level is that of
// the samples as they come, before any gain.
TEST(Case006, TheLevelGateIsMeasuredBeforeAnyGain) {
  const auto script = Script({{5, 0.0f}, {40, 0.99f}, {20, 0.0f}});
  EXPECT_TRUE(Hear(script, {}, 0.0f).events.empty());
  EXPECT_TRUE(Hear(script, {}, 0.001f).events.empty());  // -60 dBFS
  EXPECT_EQ(Hear(script, {}, 0.01f).spans.size(), 1u);
  EXPECT_TRUE(Hear(script, {.min_level_dbfs = -30.0f}, 0.01f).events.empty());
}

// Case 14 and 15: what is handed over begins before the trigger.
TEST(Case015, TheSpanBeginsBeforeTheOnset) {
  for (const int32_t pad_ms : {100, 200, 300}) {
    const Heard heard = Hear(Script({{40, 0.0f}, {10, 0.9f}, {20, 0.0f}}), {.pre_pad_ms = pad_ms});
    ASSERT_EQ(heard.spans.size(), 1u);
    EXPECT_EQ(heard.spans[0].start_sample, 40 * 512 - kRate * pad_ms / 1000);
  }
}

// Case 19: an hour of silence changes nothing for what follows.
TEST(Case019, SpeechAfterLongSilenceIsFoundWhereItIs) {
  ScriptedVad vad(Script({{112500, 0.0f}, {20, 0.9f}, {20, 0.0f}}));
  VadSegmenter segmenter(&vad, {});
  std::vector<VadEvent> events;
  const std::vector<float> second(16000, 0.1f);
  for (int k = 0; k < 3602; ++k) {
    ASSERT_TRUE(segmenter.Feed(second, &events).ok());
  }
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[2].span.start_sample, 3600 * kRate - 3200);
  EXPECT_EQ(segmenter.position(), 3602 * kRate);
}

TEST(VadSegmenter, ResetStartsOver) {
  ScriptedVad vad(Script({{20, 0.9f}}));
  VadSegmenter segmenter(&vad, {});
  std::vector<VadEvent> events;
  const std::vector<float> samples(10 * kWindow + 5, 0.1f);
  ASSERT_TRUE(segmenter.Feed(samples, &events).ok());
  EXPECT_TRUE(segmenter.in_speech());
  segmenter.Reset();
  EXPECT_FALSE(segmenter.in_speech());
  EXPECT_EQ(segmenter.position(), 0);
  std::vector<VadEvent> again;
  ASSERT_TRUE(segmenter.Feed(samples, &again).ok());
  ASSERT_EQ(again.size(), events.size());
  EXPECT_EQ(again[0].at_sample, events[0].at_sample);
}

TEST(FindSpeech, ErrorsAndCancellationComeThrough) {
  ScriptedVad vad(Script({{200, 0.9f}}));
  const std::vector<float> samples(200 * kWindow, 0.1f);
  vad.fail_at = 60;
  EXPECT_EQ(FindSpeech(&vad, samples, {}, CancelToken()).status().code(), Code::kInternal);
  vad.fail_at = ~size_t{0};
  CancelSource source;
  source.Cancel(CancelReason::kTimeout);
  EXPECT_EQ(FindSpeech(&vad, samples, {}, source.token()).status().code(), Code::kCancelled);
  EXPECT_EQ(FindSpeech(&vad, samples, {}, CancelToken())->size(), 1u);
  EXPECT_TRUE(FindSpeech(&vad, {}, {}, CancelToken())->empty());
  EXPECT_TRUE(
      FindSpeech(&vad, std::vector<float>(7, 0.0f), {.onset_threshold = 2.0f}, CancelToken())
          ->empty());
}

}  // namespace
}  // namespace sotto
