// Any file of a recording is the same 16 kHz signal.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "audio/load.h"
#include "backends/samplerate/samplerate_resampler.h"
#include "backends/sndfile/sndfile_reader.h"
#include "backends/sndfile/wav_bytes.h"

namespace sotto {
namespace {

using testing_support::Encoding;
using testing_support::WavBytes;

constexpr double kSeconds = 0.4;

// Harmonics of a gliding voice below 3.2 kHz, so that every rate from 8 kHz on can carry it.
float Voice(double t) {
  const double phase = 2.0 * M_PI * (140.0 * t + 15.0 * t * t);
  double sum = 0.0;
  for (int harmonic = 1; harmonic <= 18; ++harmonic) {
    sum += std::sin(harmonic * phase) / harmonic;
  }
  return static_cast<float>(0.2 * sum * (0.6 + 0.4 * std::sin(2.0 * M_PI * 4.0 * t)));
}

std::vector<float> VoiceAt(int32_t rate_hz, int32_t channels) {
  static std::map<int32_t, std::vector<float>> made;  // it is slow to make
  std::vector<float>& mono = made[rate_hz];
  if (mono.empty()) {
    for (int64_t k = 0; k < std::llround(kSeconds * rate_hz); ++k) {
      mono.push_back(Voice(static_cast<double>(k) / rate_hz));
    }
  }
  std::vector<float> samples;
  for (const float sample : mono) {
    samples.insert(samples.end(), static_cast<size_t>(channels), sample);
  }
  return samples;
}

Result<LoadedAudio> LoadWav(int32_t rate_hz, int32_t channels, Encoding encoding) {
  const auto opener = MakeSndfileOpener();
  SOTTO_ASSIGN_OR_RETURN(std::unique_ptr<AudioReader> reader,
                         opener->OpenMemory("voice.wav", WavBytes(VoiceAt(rate_hz, channels),
                                                                  rate_hz, channels, encoding)));
  return LoadMono(std::move(reader), &MakeSamplerateResampler, {}, CancelToken());
}

void ExpectTheVoice(const Result<LoadedAudio>& audio, double snr_db) {
  ASSERT_TRUE(audio.ok()) << audio.status().ToString();
  const std::vector<float> exact = VoiceAt(16000, 1);
  ASSERT_NEAR(static_cast<double>(audio->samples.size()), static_cast<double>(exact.size()), 1.0);
  double signal = 0.0;
  double noise = 0.0;
  for (size_t k = 400; k + 401 < exact.size(); ++k) {
    const double difference =
        static_cast<double>(audio->samples[k]) - static_cast<double>(exact[k]);
    signal += static_cast<double>(exact[k]) * static_cast<double>(exact[k]);
    noise += difference * difference;
  }
  EXPECT_GT(10.0 * std::log10(signal / std::max(noise, 1e-30)), snr_db);
}

double SnrOf(Encoding encoding) {
  switch (encoding) {
    case Encoding::kPcm8:
      return 30.0;
    case Encoding::kUlaw:
      return 32.0;
    case Encoding::kPcm16:
      return 70.0;
    default:
      return 85.0;
  }
}

// Case 21: audio that is not at 16 kHz was taken as if it were.
TEST(Case021, EveryRateLayoutAndEncodingIsTheSameSignal) {
  for (const int32_t rate_hz : {8000, 11025, 16000, 22050, 44100, 48000, 96000, 192000}) {
    for (const int32_t channels : {1, 2, 6}) {
      for (const Encoding encoding : {Encoding::kPcm8, Encoding::kPcm16, Encoding::kPcm24,
                                      Encoding::kPcm32, Encoding::kFloat32, Encoding::kUlaw}) {
        SCOPED_TRACE(testing::Message() << rate_hz << " Hz, " << channels << " channels, encoding "
                                        << static_cast<int>(encoding));
        ExpectTheVoice(LoadWav(rate_hz, channels, encoding), SnrOf(encoding));
      }
    }
  }
}

// Case 22: WAV at other rates was rejected; also the odd ones that devices give.
TEST(Case022, OddRatesAreConvertedToo) {
  for (const int32_t rate_hz : {7350, 11000, 12345, 15999, 16001, 37800, 64000, 352800, 384000}) {
    SCOPED_TRACE(rate_hz);
    ExpectTheVoice(LoadWav(rate_hz, 1, Encoding::kFloat32), 60.0);
  }
}

// Case 23: 44.1 kHz stereo.
TEST(Case023, StereoAt44100IsTheSameSignal) {
  ExpectTheVoice(LoadWav(44100, 2, Encoding::kPcm16), 70.0);
}

// Cases 25 and 26: devices that offer only their own rate are opened at it and resampled as the
// samples come.
TEST(Case025, DeviceRatesStreamIn10MsBlocks) {
  for (const int32_t rate_hz : {44100, 48000, 192000}) {
    auto resampler = MakeSamplerateResampler(rate_hz, 16000);
    ASSERT_TRUE(resampler.ok());
    const std::vector<float> input = VoiceAt(rate_hz, 1);
    LoadedAudio audio;
    const size_t block = static_cast<size_t>(rate_hz) / 100;
    for (size_t at = 0; at < input.size(); at += block) {
      const auto piece = std::span(input).subspan(at, std::min(block, input.size() - at));
      ASSERT_TRUE(AppendResampled(**resampler, piece, &audio.samples).ok());
      // Less than 30 ms may be under way.
      EXPECT_GE(static_cast<int64_t>(audio.samples.size()) + 480,
                ResampledCount(static_cast<int64_t>(at + piece.size()), rate_hz, 16000));
    }
    ASSERT_TRUE(AppendFlushed(**resampler, &audio.samples).ok());
    ExpectTheVoice(audio, 85.0);
  }
}

}  // namespace
}  // namespace sotto
