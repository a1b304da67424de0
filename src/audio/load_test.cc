#include "audio/load.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace sotto {
namespace {

// A reader over samples in memory that can end early, fail, or not rewind.
class FakeReader final : public AudioReader {
 public:
  FakeReader(int32_t rate_hz, int32_t channels, std::vector<float> interleaved)
      : samples_(std::move(interleaved)) {
    info_.rate_hz = rate_hz;
    info_.channels = channels;
    info_.frames = channels > 0 ? static_cast<int64_t>(samples_.size()) / channels : 0;
  }

  const AudioFileInfo& info() const override { return info_; }
  Result<size_t> Read(std::span<float> interleaved) override {
    EXPECT_EQ(interleaved.size() % static_cast<size_t>(info_.channels), 0u);
    if (!fault.ok()) {
      return fault;
    }
    const size_t count = std::min(interleaved.size(), samples_.size() - at_);
    std::copy_n(samples_.begin() + static_cast<ptrdiff_t>(at_), count, interleaved.begin());
    at_ += count;
    return count / static_cast<size_t>(info_.channels);
  }
  bool truncated() const override { return cut && at_ == samples_.size(); }
  Status Rewind() override {
    at_ = 0;
    ++rewinds;
    return can_rewind ? OkStatus() : UnimplementedError("rewind");
  }

  AudioFileInfo info_;
  Status fault;
  bool cut = false;
  bool can_rewind = true;
  int rewinds = 0;

 private:
  std::vector<float> samples_;
  size_t at_ = 0;
};

// Takes every second sample or doubles each: enough to see that the stream goes through it.
class FakeResampler final : public Resampler {
 public:
  FakeResampler(int32_t in_rate_hz, int32_t out_rate_hz) : in_(in_rate_hz), out_(out_rate_hz) {}
  int32_t in_rate_hz() const override { return in_; }
  int32_t out_rate_hz() const override { return out_; }
  Result<Progress> Process(std::span<const float> in, std::span<float> out) override {
    Progress progress;
    while (progress.used < in.size() && progress.made < out.size()) {
      if (parity_ == 0) {
        out[progress.made++] = in[progress.used];
      }
      parity_ ^= 1;
      ++progress.used;
    }
    return progress;
  }
  Result<size_t> Flush(std::span<float>) override { return size_t{0}; }
  void Reset() override { parity_ = 0; }

 private:
  int32_t in_;
  int32_t out_;
  int parity_ = 0;
};

Result<std::unique_ptr<Resampler>> MakeFake(int32_t in_rate_hz, int32_t out_rate_hz) {
  return std::unique_ptr<Resampler>(std::make_unique<FakeResampler>(in_rate_hz, out_rate_hz));
}

Result<LoadedAudio> Load(std::unique_ptr<AudioReader> reader, LoadOptions options = {}) {
  return LoadMono(std::move(reader), &MakeFake, options, CancelToken());
}

std::vector<float> Tone(size_t n, float amplitude = 0.5f) {
  std::vector<float> samples(n);
  for (size_t k = 0; k < n; ++k) {
    samples[k] = amplitude * std::sin(0.1f * static_cast<float>(k));
  }
  return samples;
}

// Interleaves gain[c] * mono into each channel c.
std::vector<float> Spread(const std::vector<float>& mono, const std::vector<float>& gains) {
  std::vector<float> out;
  for (const float sample : mono) {
    for (const float gain : gains) {
      out.push_back(gain * sample);
    }
  }
  return out;
}

double LargestDifference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    largest = std::max(largest, static_cast<double>(std::abs(a[k] - b[k])));
  }
  return largest;
}

TEST(Load, EveryChannelCountGivesTheSameMono) {
  const std::vector<float> mono = Tone(5000);
  for (int32_t channels = 1; channels <= kMaxChannels; ++channels) {
    const std::vector<float> gains(static_cast<size_t>(channels), 1.0f);
    const auto audio = Load(std::make_unique<FakeReader>(16000, channels, Spread(mono, gains)));
    ASSERT_TRUE(audio.ok()) << audio.status().ToString();
    EXPECT_LT(LargestDifference(audio->samples, mono), 1e-5) << channels;
    EXPECT_EQ(audio->report.source_channels, channels);
    EXPECT_EQ(audio->report.source_frames, 5000);
    EXPECT_EQ(audio->report.silent_channels, 0);
  }
}

TEST(Load, SilentChannelsDoNotLowerTheLevel) {
  const std::vector<float> mono = Tone(5000);
  const auto audio =
      Load(std::make_unique<FakeReader>(16000, 6, Spread(mono, {0, 0, 1, 0, 0.001f, 0})));
  ASSERT_TRUE(audio.ok());
  EXPECT_LT(LargestDifference(audio->samples, mono), 1e-3);
  EXPECT_EQ(audio->report.silent_channels, 5);
}

TEST(Load, ChannelsThatCancelAreReplacedByTheLoudest) {
  const std::vector<float> mono = Tone(40000);
  const std::vector<float> stereo = Spread(mono, {0.9f, -1.0f});
  const auto audio = Load(std::make_unique<FakeReader>(16000, 2, stereo));
  ASSERT_TRUE(audio.ok());
  EXPECT_EQ(audio->report.picked_channel, 1);
  EXPECT_EQ(audio->report.source_frames, 40000);
  std::vector<float> expected = mono;
  std::ranges::transform(expected, expected.begin(), std::negate<>());
  EXPECT_LT(LargestDifference(audio->samples, expected), 1e-6);
  // Unrelated channels are averaged, though their average is weaker than each.
  std::mt19937 random(3);
  std::normal_distribution<float> noise(0.0f, 0.1f);
  std::vector<float> unrelated(4 * 40000);
  std::ranges::generate(unrelated, [&] { return noise(random); });
  const auto average = Load(std::make_unique<FakeReader>(16000, 4, unrelated));
  EXPECT_EQ(average->report.picked_channel, -1);
}

TEST(Load, AReaderThatCannotRewindKeepsTheAverage) {
  auto reader = std::make_unique<FakeReader>(16000, 2, Spread(Tone(4000), {0.9f, -1.0f}));
  reader->can_rewind = false;
  const auto audio = Load(std::move(reader));
  ASSERT_TRUE(audio.ok());
  EXPECT_EQ(audio->samples.size(), 4000u);
  EXPECT_EQ(audio->report.picked_channel, -1);
}

TEST(Load, NonFiniteSamplesBecomeZeroAndAreCounted) {
  std::vector<float> samples = Tone(1000);
  samples[3] = std::numeric_limits<float>::quiet_NaN();
  samples[4] = std::numeric_limits<float>::infinity();
  samples[999] = -std::numeric_limits<float>::infinity();
  samples[7] = 3e38f;
  const auto audio = Load(std::make_unique<FakeReader>(16000, 1, samples));
  ASSERT_TRUE(audio.ok());
  EXPECT_EQ(audio->report.non_finite_samples, 3);
  for (const float sample : audio->samples) {
    EXPECT_TRUE(std::isfinite(sample));
  }
}

TEST(Load, ClippingIsCounted) {
  std::vector<float> samples = Tone(1000);
  samples[10] = 1.0f;
  samples[11] = -1.0f;
  samples[12] = 32767.0f / 32768.0f;
  samples[13] = 0.999f;
  EXPECT_EQ(Load(std::make_unique<FakeReader>(16000, 1, samples))->report.clipped_samples, 3);
}

TEST(Load, ALargeOffsetIsRemovedAndASmallOneIsLeft) {
  std::vector<float> samples = Tone(32000, 0.2f);
  const std::vector<float> clean = samples;
  for (float& sample : samples) {
    sample += 0.4f;
  }
  const auto audio = Load(std::make_unique<FakeReader>(16000, 1, samples));
  ASSERT_TRUE(audio.ok());
  EXPECT_NEAR(audio->report.removed_offset, 0.4f, 0.01f);
  double sum = 0.0;
  for (const float sample : audio->samples) {
    sum += sample;
  }
  EXPECT_NEAR(sum / 32000.0, 0.0, 1e-3);
  EXPECT_LT(std::abs(audio->samples[0]), 0.05f) << "begins with a step";
  EXPECT_EQ(Load(std::make_unique<FakeReader>(16000, 1, clean))->samples, clean);
}

TEST(Load, EmptyFilesAreEmpty) {
  const auto audio = Load(std::make_unique<FakeReader>(8000, 2, std::vector<float>()));
  ASSERT_TRUE(audio.ok());
  EXPECT_TRUE(audio->samples.empty());
  EXPECT_EQ(audio->report.source_frames, 0);
}

TEST(Load, RatesAndChannelsOutsideTheLimitsAreRefused) {
  for (const int32_t rate_hz : {-1, 0, 1, 3999, 384001, 2147483647}) {
    const auto audio = Load(std::make_unique<FakeReader>(rate_hz, 1, Tone(10)));
    EXPECT_EQ(audio.status().code(), Code::kInvalidArgument) << rate_hz;
  }
  EXPECT_TRUE(Load(std::make_unique<FakeReader>(4000, 1, Tone(10))).ok());
  EXPECT_TRUE(Load(std::make_unique<FakeReader>(384000, 1, Tone(10))).ok());
  for (const int32_t channels : {0, 65, -2}) {
    const auto audio = Load(std::make_unique<FakeReader>(16000, channels, std::vector<float>()));
    EXPECT_EQ(audio.status().code(), Code::kInvalidArgument) << channels;
  }
  EXPECT_EQ(
      Load(std::make_unique<FakeReader>(16000, 1, Tone(10)), {.rate_hz = 100}).status().code(),
      Code::kInvalidArgument);
}

TEST(Load, TooLongIsRefusedByItsClaimAndByItsLength) {
  auto claims = std::make_unique<FakeReader>(16000, 1, Tone(10));
  claims->info_.frames = 16000LL * 4 * 3600 + 16000;
  EXPECT_EQ(Load(std::move(claims)).status().code(), Code::kResourceExhausted);
  auto hides = std::make_unique<FakeReader>(16000, 1, Tone(33000));
  hides->info_.frames = AudioFileInfo::kUnknownFrames;
  EXPECT_EQ(Load(std::move(hides), {.max_duration_s = 2}).status().code(),
            Code::kResourceExhausted);
  EXPECT_TRUE(
      Load(std::make_unique<FakeReader>(16000, 1, Tone(32000)), {.max_duration_s = 2}).ok());
}

TEST(Load, TheRateIsChangedAndTheReportSaysFromWhat) {
  const auto audio = Load(std::make_unique<FakeReader>(32000, 2, Spread(Tone(9000), {1, 1})));
  ASSERT_TRUE(audio.ok());
  EXPECT_EQ(audio->samples.size(), 4500u);
  EXPECT_EQ(audio->rate_hz, 16000);
  EXPECT_EQ(audio->report.source_rate_hz, 32000);
}

TEST(Load, FaultsCutsAndCancellationComeThrough) {
  auto faulty = std::make_unique<FakeReader>(16000, 1, Tone(10));
  faulty->fault = DataLossError("broken");
  EXPECT_EQ(Load(std::move(faulty)).status().code(), Code::kDataLoss);
  auto cut = std::make_unique<FakeReader>(16000, 1, Tone(10));
  cut->cut = true;
  EXPECT_TRUE(Load(std::move(cut))->report.truncated);
  CancelSource source;
  source.Cancel(CancelReason::kUserCancel);
  EXPECT_EQ(
      LoadMono(std::make_unique<FakeReader>(16000, 1, Tone(10)), &MakeFake, {}, source.token())
          .status()
          .code(),
      Code::kCancelled);
}

TEST(MonoStream, PiecesAreTheWhole) {
  const std::vector<float> mono = Tone(50000);
  auto stream = MonoStream::Make(std::make_unique<FakeReader>(16000, 2, Spread(mono, {1, 1})),
                                 &MakeFake, 16000);
  ASSERT_TRUE(stream.ok());
  std::vector<float> pieces;
  int reads = 0;
  for (;; ++reads) {
    const Result<bool> more = (*stream)->ReadMore(&pieces);
    ASSERT_TRUE(more.ok());
    if (!*more) {
      break;
    }
  }
  EXPECT_EQ(pieces, mono);
  EXPECT_GT(reads, 10);
  EXPECT_FALSE(*(*stream)->ReadMore(&pieces));
  EXPECT_EQ(pieces.size(), mono.size());
}

TEST(ResampledCount, CountsTheInstantsWithinTheInput) {
  EXPECT_EQ(ResampledCount(0, 8000, 16000), 0);
  EXPECT_EQ(ResampledCount(1, 8000, 16000), 2);
  EXPECT_EQ(ResampledCount(1, 48000, 16000), 1);
  EXPECT_EQ(ResampledCount(3, 48000, 16000), 1);
  EXPECT_EQ(ResampledCount(4, 48000, 16000), 2);
  EXPECT_EQ(ResampledCount(44100, 44100, 16000), 16000);
  EXPECT_EQ(ResampledCount(int64_t{1} << 45, 384000, 4000), ((int64_t{1} << 45) + 95) / 96);
}

}  // namespace
}  // namespace sotto
