#include "engine/trace/waterfall.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

std::optional<double> Figure(const WaterfallView& view, std::string_view name) {
  for (const DerivedFigure& figure : view.derived) {
    if (figure.name == name) {
      return figure.value_ms;
    }
  }
  ADD_FAILURE() << "no figure " << name;
  return std::nullopt;
}

TEST(WaterfallTest, FiguresFollowFromMarks) {
  Waterfall waterfall(7, 1000);
  waterfall.Mark(Checkpoint::kVadTrigger, 11'000);
  waterfall.Mark(Checkpoint::kUserSpeechEnd, 501'000);
  waterfall.Mark(Checkpoint::kLlmFirstToken, 751'000);
  const WaterfallView view = waterfall.View();
  EXPECT_EQ(view.turn_id, 7u);
  EXPECT_EQ(view.marks_us[static_cast<size_t>(Checkpoint::kVadTrigger)], 10'000);
  EXPECT_EQ(Figure(view, "ttft_ms"), 740.0);
  EXPECT_EQ(Figure(view, "ttft_from_speech_end_ms"), 250.0);
  EXPECT_EQ(Figure(view, "ttfa_ms"), std::nullopt);
  EXPECT_TRUE(view.anomalies.empty());
}

TEST(WaterfallTest, TheFirstMarkWinsAndTheSecondIsAnAnomaly) {
  Waterfall waterfall(1, 0);
  waterfall.Mark(Checkpoint::kAsrFinal, 100);
  waterfall.Mark(Checkpoint::kAsrFinal, 200);
  const WaterfallView view = waterfall.View();
  EXPECT_EQ(view.marks_us[static_cast<size_t>(Checkpoint::kAsrFinal)], 100);
  EXPECT_EQ(view.anomalies, std::vector<std::string>{"duplicate: asr-final"});
}

TEST(WaterfallTest, AMarkBeforeItsForerunnerIsAnAnomaly) {
  Waterfall waterfall(1, 0);
  waterfall.Mark(Checkpoint::kLlmFirstToken, 100);
  waterfall.Mark(Checkpoint::kAsrFinal, 200);
  EXPECT_EQ(waterfall.View().anomalies,
            std::vector<std::string>{"out of order: llm-first-token before asr-final"});
}

TEST(WaterfallTest, EveryCheckpointHasAName) {
  for (size_t i = 0; i < kNumCheckpoints; ++i) {
    EXPECT_FALSE(CheckpointName(static_cast<Checkpoint>(i)).empty());
  }
}

TEST(NearestRankTest, IsAValueOfTheInput) {
  EXPECT_EQ(NearestRank({}, 50), std::nullopt);
  EXPECT_EQ(NearestRank({5}, 99), 5);
  EXPECT_EQ(NearestRank({4, 1, 3, 2}, 50), 2);
  EXPECT_EQ(NearestRank({4, 1, 3, 2}, 90), 4);
  EXPECT_EQ(NearestRank({15, 20, 35, 40, 50}, 30), 20);
}

TEST(TraceRingTest, KeepsTheLastTurnsAndSummarisesThem) {
  TraceRing ring(3);
  for (int turn = 1; turn <= 5; ++turn) {
    Waterfall waterfall(static_cast<uint64_t>(turn), 0);
    waterfall.Mark(Checkpoint::kVadTrigger, 0);
    waterfall.Mark(Checkpoint::kLlmFirstToken, turn * 1000);
    ring.Add(waterfall.View());
  }
  ASSERT_EQ(ring.Turns().size(), 3u);
  EXPECT_EQ(ring.Turns().front().turn_id, 3u);
  const FigureSummary ttft = ring.Summary().front();
  EXPECT_EQ(ttft.name, "ttft_ms");
  EXPECT_EQ(ttft.count, 3u);
  EXPECT_EQ(ttft.p50_ms, 4.0);
  EXPECT_EQ(ttft.p99_ms, 5.0);
}

}  // namespace
}  // namespace sotto
