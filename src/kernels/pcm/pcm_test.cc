#include "kernels/pcm/pcm.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/dispatch/table.h"

namespace sotto {
namespace {

constexpr size_t kLengths = 3 * 16 + 7;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Values that conversions get wrong.
constexpr std::array<float, 22> kHard = {0.0f,
                                         -0.0f,
                                         1.0f,
                                         -1.0f,
                                         0.99996948f,
                                         1.5f,
                                         -1.5f,
                                         1e30f,
                                         -1e30f,
                                         kInfinity,
                                         -kInfinity,
                                         kNan,
                                         -kNan,
                                         1e-40f,
                                         -1e-40f,
                                         0.5f / 32768.0f,
                                         1.5f / 32768.0f,
                                         -0.5f / 32768.0f,
                                         -2.5f / 32768.0f,
                                         32766.5f / 32768.0f,
                                         65536.0f,
                                         -70000.0f};

class PcmKernels : public testing::TestWithParam<Isa> {
 protected:
  std::vector<float> Samples(size_t n, bool hard) {
    std::uniform_real_distribution<float> uniform(-1.2f, 1.2f);
    std::vector<float> samples(n);
    for (size_t k = 0; k < n; ++k) {
      samples[k] = hard && random_() % 2 == 0 ? kHard[random_() % kHard.size()] : uniform(random_);
    }
    return samples;
  }

  KernelTable kernels_ = KernelsFor(GetParam());
  std::mt19937 random_{6};
};

TEST_P(PcmKernels, Int16RoundTripsForEveryValueAndMisalignment) {
  std::vector<int16_t> all(65536 + 16);
  for (size_t k = 0; k < all.size(); ++k) {
    all[k] = static_cast<int16_t>(k);
  }
  std::vector<float> floats(all.size());
  std::vector<int16_t> back(all.size());
  for (size_t misalignment = 0; misalignment < 16; ++misalignment) {
    const size_t n = all.size() - misalignment;
    kernels_.int16_to_float(all.data() + misalignment, floats.data() + misalignment, n);
    kernels_.float_to_int16(floats.data() + misalignment, back.data() + misalignment, n);
    for (size_t k = misalignment; k < all.size(); ++k) {
      ASSERT_EQ(floats[k], static_cast<float>(all[k]) / 32768.0f);
      ASSERT_EQ(back[k], all[k]);
    }
  }
}

TEST_P(PcmKernels, FloatToInt16GivesTheBitsOfThePlainTwinForHardValues) {
  for (size_t n = 0; n <= kLengths; ++n) {
    for (int round = 0; round < 20; ++round) {
      const std::vector<float> in = Samples(n, true);
      std::vector<int16_t> plain(n + 1, 77);
      std::vector<int16_t> fast(n + 1, 77);
      FloatToInt16Plain(in.data(), plain.data(), n);
      kernels_.float_to_int16(in.data(), fast.data(), n);
      ASSERT_EQ(plain, fast);
      ASSERT_EQ(fast[n], 77) << "wrote past the end";
    }
  }
}

TEST_P(PcmKernels, FloatToInt16SaturatesRoundsToEvenAndTakesNanAsZero) {
  const std::vector<std::pair<float, int16_t>> table = {
      {1.0f, 32767},          {-1.0f, -32768},      {1e30f, 32767},
      {-kInfinity, -32768},   {kInfinity, 32767},   {kNan, 0},
      {0.5f / 32768.0f, 0},   {1.5f / 32768.0f, 2}, {2.5f / 32768.0f, 2},
      {-1.5f / 32768.0f, -2}, {1e-40f, 0}};
  for (const auto& [value, want] : table) {
    const std::vector<float> in(33, value);
    std::vector<int16_t> out(33, 99);
    kernels_.float_to_int16(in.data(), out.data(), in.size());
    for (const int16_t got : out) {
      EXPECT_EQ(got, want) << value;
    }
  }
}

TEST_P(PcmKernels, ScaleGivesTheBitsOfThePlainTwin) {
  for (size_t n = 0; n <= kLengths; ++n) {
    std::vector<float> plain = Samples(n + 1, false);
    std::vector<float> fast = plain;
    ScalePlain(plain.data() + 1, n, 0.37f);
    kernels_.scale(fast.data() + 1, n, 0.37f);
    ASSERT_EQ(plain, fast);
  }
}

TEST_P(PcmKernels, MeasureLevelMatchesDoublePrecision) {
  for (size_t n = 0; n <= kLengths; ++n) {
    for (size_t misalignment = 0; misalignment < 16; ++misalignment) {
      const std::vector<float> in = Samples(n + misalignment, false);
      const Level level = kernels_.measure_level(in.data() + misalignment, n);
      float peak = 0.0f;
      double squares = 0.0;
      double sum = 0.0;
      double magnitudes = 0.0;
      for (size_t k = misalignment; k < in.size(); ++k) {
        const double value = in[k];
        peak = std::max(peak, std::abs(in[k]));
        squares += value * value;
        sum += value;
        magnitudes += std::abs(value);
      }
      ASSERT_EQ(level.peak, peak);
      ASSERT_NEAR(level.sum_of_squares, squares, 1e-6 * squares);
      ASSERT_NEAR(level.sum, sum, 1e-6 * magnitudes);
    }
  }
}

TEST_P(PcmKernels, ReplaceNonFiniteCountsAndClearsAndGivesTheBitsOfThePlainTwin) {
  for (size_t n = 0; n <= kLengths; ++n) {
    for (int round = 0; round < 20; ++round) {
      std::vector<float> plain = Samples(n + 1, true);
      std::vector<float> fast = plain;
      size_t expected = 0;
      for (size_t k = 0; k < n; ++k) {
        expected += std::isfinite(plain[k]) ? 0 : 1;
      }
      plain[n] = fast[n] = kNan;  // behind the end
      EXPECT_EQ(ReplaceNonFinitePlain(plain.data(), n, 100.0f), expected);
      EXPECT_EQ(kernels_.replace_non_finite(fast.data(), n, 100.0f), expected);
      for (size_t k = 0; k < n; ++k) {
        ASSERT_EQ(std::bit_cast<uint32_t>(plain[k]), std::bit_cast<uint32_t>(fast[k]));
        ASSERT_LE(std::abs(fast[k]), 100.0f);
      }
      ASSERT_TRUE(std::isnan(fast[n]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, PcmKernels, testing::ValuesIn(IsasHere()),
                         [](const auto& isa) { return std::string(IsaName(isa.param)); });

TEST(Pcm, MixDownAveragesAndPickChannelPicks) {
  const std::vector<float> in = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};  // [2, 3]
  std::array<float, 2> out = {};
  MixDown(in.data(), 2, 3, 1.0f / 3.0f, out.data());
  EXPECT_FLOAT_EQ(out[0], 2.0f);
  EXPECT_FLOAT_EQ(out[1], 5.0f);
  PickChannel(in.data(), 2, 3, 2, out.data());
  EXPECT_EQ(out[0], 3.0f);
  EXPECT_EQ(out[1], 6.0f);
}

TEST(Pcm, RemoveOffsetTakesTheOffsetAndLeavesTheToneForAnyCutting) {
  std::vector<float> whole(16000);
  for (size_t k = 0; k < whole.size(); ++k) {
    whole[k] = 0.3f + 0.2f * std::sin(2.0f * 3.14159265f * 200.0f * static_cast<float>(k) / 16000);
  }
  std::vector<float> pieces = whole;
  float offset = 0.3f;
  RemoveOffset(whole.data(), whole.size(), 0.004f, &offset);
  const Level level = MeasureLevelPlain(whole.data(), whole.size());
  EXPECT_NEAR(level.sum / 16000.0, 0.0, 1e-3);
  EXPECT_NEAR(std::sqrt(2.0 * level.sum_of_squares / 16000.0), 0.2, 0.004);
  float running = 0.3f;
  for (size_t at = 0; at < pieces.size(); at += 77) {
    RemoveOffset(pieces.data() + at, std::min<size_t>(77, pieces.size() - at), 0.004f, &running);
  }
  EXPECT_EQ(whole, pieces);
}

TEST(Pcm, FadesBeginAndEndQuietAndRiseMonotonically) {
  for (const size_t n : {0, 1, 2, 3, 100}) {
    std::vector<float> in(n, 1.0f);
    std::vector<float> out(n, 1.0f);
    FadeIn(in.data(), n);
    FadeOut(out.data(), n);
    for (size_t k = 0; k < n; ++k) {
      EXPECT_FLOAT_EQ(in[k], out[n - 1 - k]);
      EXPECT_TRUE(k == 0 || in[k] > in[k - 1]);
    }
    if (n == 100) {
      EXPECT_LT(in[0], 1e-3f);
      EXPECT_GT(in[99], 0.999f);
    }
  }
}

TEST(Pcm, LevelDbfs) {
  EXPECT_EQ(LevelDbfs(0.0, 10), -120.0f);
  EXPECT_EQ(LevelDbfs(1.0, 0), -120.0f);
  EXPECT_FLOAT_EQ(LevelDbfs(10.0, 10), 0.0f);
  EXPECT_NEAR(LevelDbfs(0.001 * 0.001 * 50, 50), -60.0f, 1e-4f);
}

}  // namespace
}  // namespace sotto
