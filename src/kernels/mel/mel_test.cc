#include "kernels/mel/mel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

namespace sotto {
namespace {

constexpr int32_t kLanes = RealFft::kLanes;

std::vector<float> RandomValues(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> values(count);
  for (float& value : values) {
    value = uniform(random);
  }
  return values;
}

std::vector<double> RandomDoubles(size_t count, uint32_t seed) {
  const std::vector<float> values = RandomValues(count, seed);
  return {values.begin(), values.end()};
}

class RealFftSizes : public testing::TestWithParam<int32_t> {};

TEST_P(RealFftSizes, PowerEqualsTheDefinitionInDouble) {
  const int32_t size = GetParam();
  ASSERT_TRUE(RealFft::IsSupported(size));
  const RealFft fft(size);
  const std::vector<double> frames = RandomDoubles(static_cast<size_t>(size * kLanes), 7);
  std::vector<double> power(static_cast<size_t>(fft.num_bins() * kLanes));
  std::vector<double> scratch(fft.scratch_values());
  fft.Power(frames, power, scratch);
  for (int32_t lane = 0; lane < kLanes; ++lane) {
    double energy = 0.0;
    for (int32_t i = 0; i < size; ++i) {
      const double x = frames[static_cast<size_t>(i * kLanes + lane)];
      energy += x * x * size;
    }
    for (int32_t k = 0; k < fft.num_bins(); ++k) {
      std::complex<double> sum = 0.0;
      for (int32_t i = 0; i < size; ++i) {
        const double angle = -2.0 * std::numbers::pi * k * i / size;
        sum += frames[static_cast<size_t>(i * kLanes + lane)] * std::polar(1.0, angle);
      }
      EXPECT_NEAR(power[static_cast<size_t>(k * kLanes + lane)], std::norm(sum), 1e-14 * energy)
          << "size " << size << " bin " << k << " lane " << lane;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, RealFftSizes,
                         testing::Values(4, 6, 8, 10, 12, 20, 24, 30, 32, 50, 60, 90, 100, 128, 200,
                                         256, 300, 400, 480, 512));

TEST(RealFft, RefusesSizesWithLargePrimesAndOddOnes) {
  for (const int32_t size : {-4, 0, 2, 5, 7, 14, 22, 398, 401, 131072}) {
    EXPECT_FALSE(RealFft::IsSupported(size)) << size;
  }
}

TEST(Mel, FramesDoNotDependOnHowTheyAreAskedFor) {
  const MelSpectrogram mel({.num_mels = 40});
  const std::vector<float> samples = RandomValues(5000, 3);
  const int64_t num_frames = mel.NumFrames(std::ssize(samples));
  std::vector<double> scratch(mel.scratch_values());
  std::vector<double> whole(static_cast<size_t>(40 * num_frames));
  mel.Power(samples, 0, num_frames, whole, scratch);
  for (int64_t begin = 0; begin < num_frames; begin += 3) {
    const int64_t count = std::min<int64_t>(3, num_frames - begin);
    std::vector<double> part(static_cast<size_t>(40 * count));
    mel.Power(samples, begin, count, part, scratch);
    for (int64_t m = 0; m < 40; ++m) {
      for (int64_t t = 0; t < count; ++t) {
        EXPECT_EQ(part[static_cast<size_t>(m * count + t)],
                  whole[static_cast<size_t>(m * num_frames + begin + t)]);
      }
    }
  }
}

TEST(Mel, AToneLandsInTheBandAroundIt) {
  const MelSpectrogram mel({.num_mels = 80});
  std::vector<float> samples(16000);
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i] = static_cast<float>(std::sin(2.0 * std::numbers::pi * 1000.0 * double(i) / 16000));
  }
  std::vector<double> scratch(mel.scratch_values());
  std::vector<double> frame(80);
  mel.Power(samples, 50, 1, frame, scratch);
  const auto loudest = std::max_element(frame.begin(), frame.end()) - frame.begin();
  // 1 kHz is mel 15 of 45.245; 80 bands have their centres 0.5586 mel apart.
  EXPECT_NEAR(static_cast<double>(loudest), 15.0 / 0.5586 - 1.0, 1.0);
}

TEST(Mel, ZeroPaddingSeesNothingOutside) {
  const MelSpectrogram mel({.num_mels = 40, .padding = MelPadding::kZero});
  const std::vector<float> samples = RandomValues(400, 5);
  std::vector<double> scratch(mel.scratch_values());
  std::vector<double> frame(40);
  mel.Power(samples, 10, 1, frame, scratch);
  for (const double value : frame) {
    EXPECT_EQ(value, 0.0);
  }
}

TEST(Mel, WhisperLogHasItsFloorEightUnderTheTop) {
  std::vector<double> mel{1.0, 100.0, 1e-20, 0.0};
  std::vector<float> out(4);
  WhisperLog(mel, out);
  EXPECT_EQ(out, (std::vector<float>{1.0f, 1.5f, -0.5f, -0.5f}));
}

}  // namespace
}  // namespace sotto
