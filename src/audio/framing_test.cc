#include "audio/framing.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "audio/block.h"

namespace sotto {
namespace {

std::vector<float> Ramp(size_t n) {
  std::vector<float> samples(n);
  std::iota(samples.begin(), samples.end(), 0.0f);
  return samples;
}

// All windows that come out when `stream` is fed in pieces of the given lengths.
std::vector<float> Cut(size_t window_samples, const std::vector<float>& stream,
                       std::mt19937* random) {
  WindowCutter cutter(window_samples);
  std::vector<float> windows;
  for (size_t at = 0; at < stream.size();) {
    const size_t length = std::min<size_t>((*random)() % 40, stream.size() - at);
    cutter.Begin(std::span(stream).subspan(at, length));
    for (auto window = cutter.Next(); !window.empty(); window = cutter.Next()) {
      EXPECT_EQ(window.size(), window_samples);
      windows.insert(windows.end(), window.begin(), window.end());
    }
    at += length;
  }
  const auto last = cutter.Flush();
  windows.insert(windows.end(), last.begin(), last.end());
  EXPECT_TRUE(cutter.Flush().empty());
  return windows;
}

TEST(WindowCutter, AnyCuttingGivesTheSameWindowsAndLosesNothing) {
  std::mt19937 random(1);
  for (const size_t window : {1, 2, 7, 16, 33}) {
    const std::vector<float> stream = Ramp(500);
    std::vector<float> expected = stream;
    expected.resize((stream.size() + window - 1) / window * window, 0.0f);
    for (int round = 0; round < 10; ++round) {
      EXPECT_EQ(Cut(window, stream, &random), expected) << window;
    }
  }
}

TEST(WindowCutter, ResetForgetsWhatWaited) {
  WindowCutter cutter(4);
  const std::vector<float> piece = Ramp(3);
  cutter.Begin(piece);
  EXPECT_TRUE(cutter.Next().empty());
  EXPECT_EQ(cutter.pending_samples(), 3u);
  cutter.Reset();
  EXPECT_TRUE(cutter.Flush().empty());
}

TEST(PreRollRing, RemembersTheLastSamplesByTheirPosition) {
  const std::vector<float> stream = Ramp(1000);
  std::mt19937 random(2);
  PreRollRing ring(64);
  size_t at = 0;
  while (at < stream.size()) {
    const size_t length = std::min<size_t>(random() % 150, stream.size() - at);
    ring.Push(std::span(stream).subspan(at, length));
    at += length;
    ASSERT_EQ(ring.end_sample(), static_cast<int64_t>(at));
    ASSERT_EQ(ring.begin_sample(), static_cast<int64_t>(at > 64 ? at - 64 : 0));
    for (const int64_t back : {0, 1, 13, 64, 65, 5000}) {
      std::vector<float> out = {-1.0f};
      const int64_t start = ring.CopyFrom(ring.end_sample() - back, &out);
      ASSERT_EQ(start, std::max(ring.end_sample() - back, ring.begin_sample()));
      ASSERT_EQ(static_cast<int64_t>(out.size()) - 1, ring.end_sample() - start);
      for (size_t k = 1; k < out.size(); ++k) {
        ASSERT_EQ(out[k], static_cast<float>(start) + static_cast<float>(k - 1));
      }
    }
  }
  ring.Reset();
  std::vector<float> out;
  EXPECT_EQ(ring.CopyFrom(0, &out), 0);
  EXPECT_TRUE(out.empty());
}

TEST(PreRollRing, APositionAheadOfTheStreamGivesNothing) {
  PreRollRing ring(8);
  ring.Push(Ramp(20));
  std::vector<float> out;
  EXPECT_EQ(ring.CopyFrom(25, &out), 20);
  EXPECT_TRUE(out.empty());
}

// A detector that fires 200 ms late still gets the onset: what it hands over begins before it.
TEST(Case014, TheSamplesBeforeTheTriggerAreThere) {
  constexpr int64_t kRate = 16000;
  PreRollRing ring(static_cast<size_t>(kRate * 300 / 1000));
  const std::vector<float> stream = Ramp(static_cast<size_t>(3 * kRate));
  constexpr int64_t kOnset = 2 * kRate;
  constexpr int64_t kTrigger = kOnset + kRate * 200 / 1000;
  for (int64_t at = 0; at < kTrigger; at += 160) {
    ring.Push(std::span(stream).subspan(static_cast<size_t>(at), 160));
  }
  std::vector<float> heard;
  const int64_t start = ring.CopyFrom(kOnset - kRate / 20, &heard);
  EXPECT_EQ(start, kOnset - kRate / 20);
  EXPECT_EQ(heard.front(), static_cast<float>(start));
  EXPECT_EQ(static_cast<int64_t>(heard.size()), kTrigger - start);
}

// A block cannot claim samples that it does not hold: its length is the length of its data.
TEST(Case017, TheLengthOfABlockIsTheLengthOfItsData) {
  AudioBlock block = {.samples = Ramp(480), .rate_hz = 16000, .start_sample = 100};
  EXPECT_EQ(block.view().samples.size(), 480u);
  EXPECT_EQ(block.view().end_sample(), 580);
  EXPECT_EQ(block.view().duration_us(), 30'000);
  block.samples.resize(10);
  EXPECT_EQ(block.view().end_sample(), 110);
  EXPECT_EQ((AudioView{.samples = block.samples}.duration_us()), 0);
}

// An hour of silence does not close, grow or shift anything.
TEST(Case019, LongSilenceLeavesTheBufferReady) {
  PreRollRing ring(4800);
  const std::vector<float> silence(16000, 0.0f);
  for (int second = 0; second < 3600; ++second) {
    ring.Push(silence);
  }
  const std::vector<float> speech = Ramp(160);
  ring.Push(speech);
  std::vector<float> heard;
  EXPECT_EQ(ring.CopyFrom(3600LL * 16000 - 1600, &heard), 3600LL * 16000 - 1600);
  EXPECT_EQ(heard.size(), 1760u);
  EXPECT_EQ(heard.back(), 159.0f);
}

}  // namespace
}  // namespace sotto
