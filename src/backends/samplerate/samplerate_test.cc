#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "backends/samplerate/samplerate_resampler.h"

namespace sotto {
namespace {

std::vector<float> Tone(double hz, int32_t rate_hz, size_t samples, double amplitude = 0.5) {
  std::vector<float> tone(samples);
  for (size_t k = 0; k < samples; ++k) {
    tone[k] = static_cast<float>(amplitude *
                                 std::sin(2.0 * M_PI * hz * static_cast<double>(k) / rate_hz));
  }
  return tone;
}

std::unique_ptr<Resampler> Make(int32_t in_rate_hz, int32_t out_rate_hz) {
  Result<std::unique_ptr<Resampler>> made = MakeSamplerateResampler(in_rate_hz, out_rate_hz);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return std::move(*made);
}

std::vector<float> Whole(Resampler& resampler, std::span<const float> in) {
  std::vector<float> out;
  EXPECT_TRUE(AppendResampled(resampler, in, &out).ok());
  EXPECT_TRUE(AppendFlushed(resampler, &out).ok());
  return out;
}

// Power of `got` against its difference from the exact tone at the same instants, away from the
// ends: also proves that nothing is delayed.
double SnrDb(const std::vector<float>& got, double hz, int32_t rate_hz) {
  const std::vector<float> exact = Tone(hz, rate_hz, got.size());
  double signal = 0.0;
  double noise = 0.0;
  for (size_t k = got.size() / 8; k < got.size() * 7 / 8; ++k) {
    const double difference = static_cast<double>(got[k]) - static_cast<double>(exact[k]);
    signal += static_cast<double>(exact[k]) * static_cast<double>(exact[k]);
    noise += difference * difference;
  }
  return 10.0 * std::log10(signal / std::max(noise, 1e-30));
}

constexpr int32_t kRates[] = {8000,  11025, 12000, 16000, 22050,  24000, 32000,
                              44100, 48000, 88200, 96000, 176400, 192000};

TEST(Samplerate, ATonePassesUnchangedAndUndelayedBetweenAllRates) {
  for (const int32_t in : kRates) {
    for (const int32_t out : {8000, 16000, 22050, 24000, 44100, 48000, 192000}) {
      const auto resampler = Make(in, out);
      const auto got = Whole(*resampler, Tone(1000.0, in, static_cast<size_t>(in)));
      EXPECT_EQ(got.size(), static_cast<size_t>(out));
      EXPECT_GT(SnrDb(got, 1000.0, out), 95.0) << in << " to " << out;
    }
  }
}

TEST(Samplerate, WhatDoesNotFitTheNewRateIsSuppressed) {
  for (const int32_t in : {44100, 48000, 96000, 192000}) {
    for (const double hz : {9500.0, 12000.0, 15000.0, 20000.0}) {
      const auto resampler = Make(in, 16000);
      const auto got = Whole(*resampler, Tone(hz, in, static_cast<size_t>(in)));
      double power = 0.0;
      for (size_t k = 2000; k < 14000; ++k) {
        power += static_cast<double>(got[k]) * static_cast<double>(got[k]);
      }
      const double rejection_db = 10.0 * std::log10(0.125 / std::max(power / 12000.0, 1e-30));
      EXPECT_GT(rejection_db, 90.0) << hz << " Hz at " << in;
    }
  }
}

TEST(Samplerate, TheCountIsExactForEveryLength) {
  for (const auto& [in, out] : {std::pair{44100, 16000},
                                {8000, 16000},
                                {16000, 8000},
                                {192000, 8000},
                                {8000, 192000},
                                {11025, 16000},
                                {4000, 384000}}) {
    for (const int64_t n : {0, 1, 2, 3, 7, 100, 441, 4411, 20000}) {
      const auto resampler = Make(in, out);
      const auto got = Whole(*resampler, Tone(100.0, in, static_cast<size_t>(n)));
      EXPECT_EQ(static_cast<int64_t>(got.size()), ResampledCount(n, in, out))
          << n << " " << in << " to " << out;
    }
  }
}

TEST(Samplerate, AnyCuttingGivesTheSameSamples) {
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0.0f, 0.2f);
  for (const auto& [in, out] : {std::pair{44100, 16000},
                                {8000, 16000},
                                {48000, 22050},
                                {192000, 16000},
                                {16000, 48000},
                                {22050, 16000}}) {
    std::vector<float> input(static_cast<size_t>(in) / 2);
    std::ranges::generate(input, [&] { return noise(random); });
    const auto whole = Whole(*Make(in, out), input);
    for (int round = 0; round < 4; ++round) {
      const auto resampler = Make(in, out);
      std::vector<float> pieces;
      std::vector<float> piece;
      for (size_t at = 0; at < input.size();) {
        const size_t length =
            std::min<size_t>(random() % (round == 0 ? 3 : 700), input.size() - at);
        piece.resize(1 + random() % 300);
        const auto progress = resampler->Process(std::span(input).subspan(at, length), piece);
        ASSERT_TRUE(progress.ok());
        ASSERT_LE(progress->used, length);
        pieces.insert(pieces.end(), piece.begin(),
                      piece.begin() + static_cast<ptrdiff_t>(progress->made));
        at += progress->used;
      }
      ASSERT_TRUE(AppendFlushed(*resampler, &pieces).ok());
      ASSERT_EQ(pieces.size(), whole.size()) << in << " to " << out;
      for (size_t k = 0; k < whole.size(); ++k) {
        ASSERT_NEAR(pieces[k], whole[k], 1e-6) << in << " to " << out << " at " << k;
      }
    }
  }
}

TEST(Samplerate, ResetStartsANewStreamAndFlushEndsOne) {
  const auto resampler = Make(48000, 16000);
  const std::vector<float> input = Tone(440.0, 48000, 5000);
  const auto first = Whole(*resampler, input);
  std::vector<float> out(10);
  EXPECT_EQ(*resampler->Flush(out), 0u);
  EXPECT_EQ(resampler->Process(input, out).status().code(), Code::kFailedPrecondition);
  resampler->Reset();
  EXPECT_EQ(Whole(*resampler, input), first);
}

TEST(Samplerate, EqualRatesPassTheSamplesThrough) {
  const std::vector<float> input = Tone(440.0, 16000, 3000);
  const auto got = Whole(*Make(16000, 16000), input);
  ASSERT_EQ(got.size(), input.size());
  EXPECT_GT(SnrDb(got, 440.0, 16000), 95.0);
}

TEST(Samplerate, RatesOutsideTheLimitsAreRefused) {
  for (const int32_t rate : {0, -8000, 3999, 384001, std::numeric_limits<int32_t>::max()}) {
    EXPECT_EQ(MakeSamplerateResampler(rate, 16000).status().code(), Code::kInvalidArgument);
    EXPECT_EQ(MakeSamplerateResampler(16000, rate).status().code(), Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace sotto
