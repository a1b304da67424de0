#include "convert/elements.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "convert/mel_filters.h"

namespace sotto {
namespace {

TEST(Elements, EveryHalfSurvivesAFloat) {
  for (uint32_t half = 0; half < 65536; ++half) {
    const float value = FloatFromHalf(static_cast<uint16_t>(half));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(FloatFromHalf(HalfFromFloat(value))));
    } else {
      EXPECT_EQ(HalfFromFloat(value), half);
    }
  }
}

TEST(Elements, HalvesRoundToNearestEven) {
  EXPECT_EQ(HalfFromFloat(1.0f + 0x1p-11f), 0x3C00);             // a tie, down to even
  EXPECT_EQ(HalfFromFloat(1.0f + 3 * 0x1p-11f), 0x3C02);         // a tie, up to even
  EXPECT_EQ(HalfFromFloat(1.0f + 0x1p-11f + 0x1p-20f), 0x3C01);  // above the tie
  EXPECT_EQ(HalfFromFloat(65519.0f), 0x7BFF);                    // the largest
  EXPECT_EQ(HalfFromFloat(65520.0f), 0x7C00);                    // infinity
  EXPECT_EQ(HalfFromFloat(-1e30f), 0xFC00);
  EXPECT_EQ(HalfFromFloat(0x1p-24f), 0x0001);      // the smallest subnormal
  EXPECT_EQ(HalfFromFloat(0x1p-25f), 0x0000);      // a tie, down to even
  EXPECT_EQ(HalfFromFloat(3 * 0x1p-25f), 0x0002);  // a tie, up to even
  EXPECT_EQ(HalfFromFloat(-0.0f), 0x8000);
  // Midway between every two neighbours: to the even one.
  for (uint32_t half = 0; half < 0x7BFF; ++half) {
    const float low = FloatFromHalf(static_cast<uint16_t>(half));
    const float high = FloatFromHalf(static_cast<uint16_t>(half + 1));
    EXPECT_EQ(HalfFromFloat((low + high) / 2.0f), half % 2 == 0 ? half : half + 1);
  }
}

// One block, encoded and read back as ggml reads it.
std::vector<float> RoundTrip(OutputType type, const std::vector<float>& values) {
  std::vector<std::byte> bytes(BlockBytes(type));
  EncodeFloats(type, values, bytes);
  const auto half = [&](size_t at) {
    uint16_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, 2);
    return FloatFromHalf(bits);
  };
  std::vector<float> out(values.size());
  if (type == OutputType::kQ8_0) {
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = half(0) * static_cast<float>(static_cast<int8_t>(bytes[2 + i]));
    }
    return out;
  }
  const size_t head = type == OutputType::kQ5_0 ? 2 : 4;
  uint32_t high = 0;
  std::memcpy(&high, bytes.data() + head, 4);
  for (size_t i = 0; i < out.size(); ++i) {
    const auto pair = std::to_integer<uint32_t>(bytes[head + 4 + i % 16]);
    const uint32_t q = (i < 16 ? pair & 15u : pair >> 4) | (((high >> i) & 1u) << 4);
    out[i] = type == OutputType::kQ5_0 ? half(0) * (static_cast<float>(q) - 16.0f)
                                       : half(0) * static_cast<float>(q) + half(2);
  }
  return out;
}

TEST(Elements, BlocksComeBackWithinHalfAStep) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0.01f, 0.2f);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> values(32);
    for (float& value : values) {
      value = normal(random);
    }
    float max = 0.0f;
    for (const float value : values) {
      max = std::max(max, std::fabs(value));
    }
    for (const auto& [type, steps] :
         {std::pair{OutputType::kQ8_0, 127.0f}, std::pair{OutputType::kQ5_0, 16.0f},
          std::pair{OutputType::kQ5_1, 15.5f}}) {
      const std::vector<float> back = RoundTrip(type, values);
      for (size_t i = 0; i < values.size(); ++i) {
        // q5_0 has one step less on the side that the extreme is not on.
        const float bound = max / steps * (type == OutputType::kQ5_0 ? 1.01f : 0.53f);
        EXPECT_NEAR(back[i], values[i], bound);
      }
    }
  }
}

TEST(Elements, ZerosAndTinyNumbersDoNotDivide) {
  for (const float value : {0.0f, std::numeric_limits<float>::denorm_min(), 1e-38f}) {
    for (const OutputType type : {OutputType::kQ8_0, OutputType::kQ5_0, OutputType::kQ5_1}) {
      for (const float back : RoundTrip(type, std::vector<float>(32, value))) {
        EXPECT_NEAR(back, 0.0f, 1e-6f);
      }
    }
  }
}

TEST(Elements, NumbersThatDoNotFitAreSeen) {
  std::vector<float> values(32, 1.0f);
  EXPECT_TRUE(FitsType(OutputType::kQ8_0, values));
  values[31] = 65520.0f;
  EXPECT_FALSE(FitsType(OutputType::kF16, values));
  EXPECT_TRUE(FitsType(OutputType::kF32, values));
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    values[31] = bad;
    EXPECT_FALSE(FitsType(OutputType::kF32, values));
  }
}

TEST(Elements, Int8HasAScaleForEachRow) {
  const std::vector<int8_t> data{10, -20, 30, 40};
  const std::vector<float> scales{10.0f, 20.0f};
  WeightView view;
  view.type = ElementType::kI8;
  view.dims = {2, 2};
  view.data = std::as_bytes(std::span(data));
  view.scales = std::as_bytes(std::span(scales));
  std::vector<float> out(4);
  DecodeFloats(view, 0, out);
  EXPECT_EQ(out, (std::vector<float>{1.0f, -2.0f, 1.5f, 2.0f}));
  DecodeFloats(view.Rows(1, 1), 0, std::span(out).first(2));
  EXPECT_EQ(out[1], 2.0f);
}

TEST(MelFilters, AreTheOnesOfTheModels) {
  const std::vector<float> filters = MakeMelFilters(80);
  ASSERT_EQ(filters.size(), 80 * kWhisperFftBins);
  // From the filters that OpenAI publishes with its models.
  EXPECT_EQ(filters[1], 0.02486259490251541f);
  EXPECT_EQ(filters[kWhisperFftBins + 1], 0.001990821911022067f);
  EXPECT_EQ(filters[79 * kWhisperFftBins + 190], 0.0022320549469441175f);
  EXPECT_EQ(filters[40 * kWhisperFftBins + 50], 0.0f);
  double sum = 0.0;
  for (const float filter : filters) {
    sum += filter;
  }
  EXPECT_NEAR(sum, 1.9990241056257219, 1e-9);
  EXPECT_EQ(MakeMelFilters(128).size(), 128 * kWhisperFftBins);
}

}  // namespace
}  // namespace sotto
