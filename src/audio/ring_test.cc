#include "audio/ring.h"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

namespace sotto {
namespace {

TEST(SampleRing, KeepsTheFirstSamplesAndSaysHowMany) {
  SampleRing ring(5);
  ASSERT_EQ(ring.capacity_samples(), 8u);
  std::vector<float> in(12);
  std::iota(in.begin(), in.end(), 1.0f);
  EXPECT_EQ(ring.Push(in), 8u);
  EXPECT_EQ(ring.Push(in), 0u);
  EXPECT_EQ(ring.Free(), 0u);
  EXPECT_EQ(ring.Size(), 8u);
  std::vector<float> out(3);
  EXPECT_EQ(ring.Pop(out), 3u);
  EXPECT_EQ(out, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(ring.Push(std::span(in).first(2)), 2u);  // wraps
  EXPECT_EQ(ring.Discard(4), 4u);
  out.assign(9, 0.0f);
  EXPECT_EQ(ring.Pop(out), 3u);
  EXPECT_EQ(out[0], 8.0f);
  EXPECT_EQ(out[2], 2.0f);
  EXPECT_EQ(ring.Pop(out), 0u);
  EXPECT_EQ(ring.Discard(1), 0u);
}

TEST(SampleRing, HoldsOneSampleAndTakesEmptyCalls) {
  SampleRing ring(0);
  EXPECT_EQ(ring.capacity_samples(), 1u);
  EXPECT_EQ(ring.Push({}), 0u);
  EXPECT_EQ(ring.Pop({}), 0u);
  const float one = 4.0f;
  float out = 0.0f;
  for (int k = 0; k < 5; ++k) {
    EXPECT_EQ(ring.Push({&one, 1}), 1u);
    EXPECT_EQ(ring.Pop({&out, 1}), 1u);
    EXPECT_EQ(out, one);
  }
}

// Run under the thread sanitizer as well: every sample arrives once and in order.
TEST(SampleRing, TwoThreadsLoseNothing) {
  constexpr int kSamples = 1 << 20;
  SampleRing ring(1 << 10);
  std::thread producer([&ring] {
    std::vector<float> piece;
    int next = 0;
    for (size_t length = 1; next < kSamples; length = length % 331 + 1) {
      piece.clear();
      while (piece.size() < length && next + static_cast<int>(piece.size()) < kSamples) {
        piece.push_back(static_cast<float>(next + static_cast<int>(piece.size())));
      }
      const size_t taken = ring.Push(piece);
      next += static_cast<int>(taken);
      if (taken == 0) {
        std::this_thread::yield();
      }
    }
  });
  std::vector<float> out(257);
  int expected = 0;
  bool in_order = true;
  while (expected < kSamples) {
    const size_t got = ring.Pop(out);
    for (size_t k = 0; k < got; ++k) {
      in_order = in_order && out[k] == static_cast<float>(expected++);
    }
    if (got == 0) {
      std::this_thread::yield();
    }
  }
  producer.join();
  EXPECT_TRUE(in_order);
  EXPECT_EQ(ring.Size(), 0u);
}

}  // namespace
}  // namespace sotto
