#include "engine/jobs/clip_cutter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sotto {
namespace {

// Loud windows are speech.
class LoudIsSpeech final : public Vad {
 public:
  int32_t rate_hz() const override { return 16000; }
  size_t window_samples() const override { return 512; }
  Result<float> Process(std::span<const float> window) override {
    float sum = 0.0f;
    for (const float sample : window) {
      sum += sample * sample;
    }
    return sum / 512.0f > 0.01f ? 0.95f : 0.02f;
  }
  void Reset() override {}
  std::unique_ptr<Vad> NewStream() const override { return std::make_unique<LoudIsSpeech>(); }
};

std::vector<float> Tone(double seconds, float level = 0.5f) {
  std::vector<float> samples(static_cast<size_t>(seconds * 16000));
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i] = level * static_cast<float>(std::sin(0.1 * static_cast<double>(i)));
  }
  return samples;
}

void Append(std::vector<float>& to, const std::vector<float>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

std::vector<ClipEvent> Cut(const std::vector<float>& stream, ClipPolicy policy, size_t piece) {
  ClipCutter cutter(std::make_unique<LoudIsSpeech>(), {}, policy);
  std::vector<ClipEvent> events;
  for (size_t at = 0; at < stream.size(); at += piece) {
    const auto part = std::span(stream).subspan(at, std::min(piece, stream.size() - at));
    Result<std::vector<ClipEvent>> found = cutter.Feed(part);
    EXPECT_TRUE(found.ok());
    for (ClipEvent& event : *found) {
      events.push_back(std::move(event));
    }
  }
  Result<std::vector<ClipEvent>> last = cutter.Finish();
  EXPECT_TRUE(last.ok());
  for (ClipEvent& event : *last) {
    events.push_back(std::move(event));
  }
  return events;
}

std::vector<SpeechClip> Clips(const std::vector<ClipEvent>& events) {
  std::vector<SpeechClip> clips;
  for (const ClipEvent& event : events) {
    if (event.type == ClipEvent::Type::kClip) {
      clips.push_back(event.clip);
    }
  }
  return clips;
}

TEST(ClipCutterTest, SilenceMakesNoClip) {
  EXPECT_TRUE(Cut(std::vector<float>(16000 * 5), {}, 700).empty());
  EXPECT_TRUE(Cut({}, {}, 1).empty());
}

TEST(ClipCutterTest, ShortPausesJoinAndLongOnesCut) {
  std::vector<float> stream(16000);
  Append(stream, Tone(1.0));
  stream.resize(stream.size() + 16000 * 6 / 10);  // 0.6 s: one sentence
  Append(stream, Tone(1.0));
  stream.resize(stream.size() + 16000 * 2);  // 2 s: another
  Append(stream, Tone(0.5));
  const std::vector<SpeechClip> clips = Clips(Cut(stream, {}, 1000));
  ASSERT_EQ(clips.size(), 2u);
  EXPECT_NEAR(static_cast<double>(clips[0].samples.size()) / 16000, 2.6 + 0.3, 0.1);
  EXPECT_NEAR(static_cast<double>(clips[0].start_sample) / 16000, 0.8, 0.05);
  EXPECT_NEAR(static_cast<double>(clips[1].start_sample) / 16000, 5.4, 0.05);
}

// Cases 14 and 15: what comes before the detector's first window belongs to the word.
TEST(ClipCutterTest, Case014ASoftOnsetIsInTheClip) {
  std::vector<float> stream(16000);
  const size_t onset = stream.size();
  Append(stream, Tone(0.15, 0.02f));  // too soft for the detector
  Append(stream, Tone(1.0));
  const std::vector<SpeechClip> clips = Clips(Cut(stream, {}, 160));
  ASSERT_EQ(clips.size(), 1u);
  EXPECT_LE(clips[0].start_sample, static_cast<int64_t>(onset));
}

// Case 19: a long silence loses nothing of what follows.
TEST(ClipCutterTest, Case019SpeechAfterAMinuteOfSilenceIsWhole) {
  std::vector<float> stream(16000 * 60);
  Append(stream, Tone(1.0));
  const std::vector<SpeechClip> clips = Clips(Cut(stream, {}, 1600));
  ASSERT_EQ(clips.size(), 1u);
  EXPECT_LE(clips[0].start_sample, 16000 * 60);
  EXPECT_GE(clips[0].end_sample(), 16000 * 61 - 512);
}

TEST(ClipCutterTest, EndlessSpeechIsCutAtItsQuietestPlace) {
  std::vector<float> stream = Tone(25.0);
  Append(stream, Tone(0.08, 0.2f));  // a dip, no pause
  Append(stream, Tone(30.0));
  const std::vector<SpeechClip> clips = Clips(Cut(stream, {}, 1600));
  ASSERT_GE(clips.size(), 2u);
  EXPECT_NEAR(static_cast<double>(clips[0].end_sample()) / 16000, 25.04, 0.06);
  int64_t position = clips[0].start_sample;
  for (const SpeechClip& clip : clips) {
    EXPECT_LE(clip.samples.size(), 28u * 16000);
    EXPECT_EQ(clip.start_sample, position);  // nothing lost, nothing twice
    position = clip.end_sample();
  }
}

TEST(ClipCutterTest, AnyCuttingOfTheStreamGivesTheSameClips) {
  // Pauses around the longest that joins (1 s), where the moment of the decision counts most.
  for (const size_t pause_ms : {700, 900, 1000, 1100, 1150, 1200, 1250, 1300, 1400, 1500, 3000}) {
    std::vector<float> stream(8000);
    Append(stream, Tone(1.3));
    stream.resize(stream.size() + 16 * pause_ms);
    Append(stream, Tone(0.7));
    stream.resize(stream.size() + 4000);
    const std::vector<SpeechClip> whole = Clips(Cut(stream, {}, stream.size()));
    ASSERT_EQ(whole.size(), pause_ms <= 1200 ? 1u : pause_ms >= 1500 ? 2u : whole.size());
    for (const size_t piece : {1, 511, 512, 513, 4096, 16000}) {
      const std::vector<SpeechClip> clips = Clips(Cut(stream, {}, piece));
      ASSERT_EQ(clips.size(), whole.size()) << piece << " " << pause_ms;
      for (size_t i = 0; i < clips.size(); ++i) {
        EXPECT_EQ(clips[i].start_sample, whole[i].start_sample) << piece << " " << pause_ms;
        EXPECT_EQ(clips[i].samples, whole[i].samples) << piece << " " << pause_ms;
      }
    }
  }
}

TEST(ClipCutterTest, PartialsGrowWhileSpeechGoesOn) {
  ClipPolicy policy;
  policy.partial_every_ms = 500;
  std::vector<float> stream = Tone(3.0);
  size_t partials = 0;
  size_t last_samples = 0;
  for (const ClipEvent& event : Cut(stream, policy, 1600)) {
    if (event.type == ClipEvent::Type::kPartial) {
      ++partials;
      EXPECT_GT(event.clip.samples.size(), last_samples);
      last_samples = event.clip.samples.size();
    }
  }
  EXPECT_GE(partials, 4u);
}

}  // namespace
}  // namespace sotto
