#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "engine/pipeline/audio_queue.h"
#include "engine/pipeline/compute_gate.h"
#include "engine/pipeline/edge.h"
#include "engine/pipeline/epoch.h"

namespace sotto {
namespace {

TEST(EdgeTest, ItemsKeepTheirOrderAndTheEndComesAfterThem) {
  Edge<int> edge(8);
  EXPECT_TRUE(edge.Push(1));
  EXPECT_TRUE(edge.Push(2));
  edge.Close(DataLossError("cut"));
  EXPECT_FALSE(edge.Push(3));
  EXPECT_EQ(edge.Pop(0).item, 1);
  EXPECT_EQ(edge.Pop(0).item, 2);
  const Popped<int> end = edge.Pop(-1);
  EXPECT_FALSE(end.item.has_value());
  EXPECT_TRUE(end.closed);
  EXPECT_EQ(end.end.code(), Code::kDataLoss);
}

TEST(EdgeTest, EmptyIsNotTheEnd) {
  Edge<int> edge(1);
  const Popped<int> nothing = edge.Pop(0);
  EXPECT_FALSE(nothing.item.has_value());
  EXPECT_FALSE(nothing.closed);
  EXPECT_FALSE(edge.Pop(1).closed);
}

TEST(EdgeTest, AFullEdgeHoldsTheProducerUntilThereIsRoom) {
  Edge<int> edge(2);
  std::thread producer([&] {
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(edge.Push(i));
    }
    edge.Close(OkStatus());
  });
  int expected = 0;
  for (;;) {
    EXPECT_LE(edge.size(), 2u);
    Popped<int> popped = edge.Pop(-1);
    if (popped.closed) {
      EXPECT_TRUE(popped.end.ok());
      break;
    }
    EXPECT_EQ(*popped.item, expected++);
  }
  EXPECT_EQ(expected, 1000);
  producer.join();
}

TEST(EdgeTest, AnInterruptDropsWhatIsQueuedAndFreesAWaitingProducer) {
  Edge<int> edge(1);
  ASSERT_TRUE(edge.Push(1));
  std::thread producer([&] { EXPECT_FALSE(edge.Push(2)); });
  edge.Interrupt(CancelledError("stop"));
  producer.join();
  EXPECT_TRUE(edge.Pop(-1).closed);
  int three = 3;
  EXPECT_FALSE(edge.TryPush(three));
}

TEST(EdgeTest, PartialsAreMerged) {
  Edge<std::string> edge(4);
  const auto merge = [](std::string& back, std::string& item) {
    if (back.front() != 'p' || item.front() != 'p') {
      return false;
    }
    back = item;
    return true;
  };
  edge.PushMerged("p1", merge);
  edge.PushMerged("p2", merge);
  edge.PushMerged("final", merge);
  EXPECT_EQ(*edge.Pop(0).item, "p2");
  EXPECT_EQ(*edge.Pop(0).item, "final");
}

TEST(AudioQueueTest, BlocksComeOutAsOneStreamAndTheEndComesWithTheLastSample) {
  AudioQueue queue(100);
  ASSERT_TRUE(queue.Push({1, 2, 3}));
  ASSERT_TRUE(queue.Push({4, 5}));
  std::vector<float> out(4);
  AudioQueue::ReadResult result = queue.Read(out, 0);
  EXPECT_EQ(result.num_samples, 4u);
  EXPECT_FALSE(result.is_end);
  EXPECT_EQ(out, (std::vector<float>{1, 2, 3, 4}));
  queue.Close(OkStatus());
  result = queue.Read(out, -1);
  EXPECT_EQ(result.num_samples, 1u);
  EXPECT_TRUE(result.is_end);
  EXPECT_EQ(out[0], 5);
}

TEST(AudioQueueTest, NothingYetIsNotTheEnd) {
  AudioQueue queue(10);
  std::vector<float> out(4);
  EXPECT_FALSE(queue.Read(out, 0).is_end);
  EXPECT_FALSE(queue.Read(out, 1).is_end);
}

TEST(AudioQueueTest, AProducerWaitsForItsReaderAndAnInterruptFreesIt) {
  AudioQueue queue(10);
  std::thread producer([&] {
    int pushed = 0;
    while (queue.Push(std::vector<float>(6, 0.5f))) {
      ++pushed;
    }
    EXPECT_LE(pushed, 3);
  });
  std::vector<float> out(6);
  EXPECT_EQ(queue.Read(out, -1).num_samples, 6u);
  queue.Interrupt(CancelledError("stop"));
  producer.join();
  const AudioQueue::ReadResult result = queue.Read(out, -1);
  EXPECT_EQ(result.num_samples, 0u);
  EXPECT_TRUE(result.is_end);
  EXPECT_EQ(result.end.code(), Code::kCancelled);
}

TEST(EpochTest, AnInterruptMakesOlderFramesStale) {
  Epoch epoch;
  const uint64_t before = epoch.now();
  EXPECT_FALSE(epoch.IsStale(before));
  const uint64_t after = epoch.Interrupt();
  EXPECT_TRUE(epoch.IsStale(before));
  EXPECT_FALSE(epoch.IsStale(after));
}

TEST(ComputeGateTest, OneAtATime) {
  ComputeGate gate;
  std::atomic<int> inside{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        Result<ComputeGate::Pass> pass = gate.Enter(static_cast<ComputePriority>(t % 4), {});
        ASSERT_TRUE(pass.ok());
        EXPECT_EQ(inside.fetch_add(1), 0);
        inside.fetch_sub(1);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST(ComputeGateTest, AClosedGateLetsTheLastOneOutAndNobodyIn) {
  ComputeGate gate;
  Result<ComputeGate::Pass> inside = gate.Enter(ComputePriority::kMind, {});
  ASSERT_TRUE(inside.ok());
  std::atomic<bool> left{false};
  std::thread waiter(
      [&] { EXPECT_EQ(gate.Enter(ComputePriority::kEars, {}).status().code(), Code::kCancelled); });
  std::thread closer([&] {
    gate.Close();
    EXPECT_TRUE(left);
  });
  waiter.join();
  left = true;
  { const ComputeGate::Pass out = *std::move(inside); }
  closer.join();
  EXPECT_EQ(gate.Enter(ComputePriority::kMouth, {}).status().code(), Code::kCancelled);
}

TEST(ComputeGateTest, ACancelledStageDoesNotGetIn) {
  ComputeGate gate;
  CancelSource source;
  source.Cancel(CancelReason::kBargeIn);
  EXPECT_EQ(gate.Enter(ComputePriority::kMind, source.token()).status().code(), Code::kCancelled);
  EXPECT_TRUE(gate.Enter(ComputePriority::kMind, {}).ok());
}

}  // namespace
}  // namespace sotto
