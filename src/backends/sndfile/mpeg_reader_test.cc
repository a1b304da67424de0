// MPEG audio, in files of its own and in WAV.
#include <gtest/gtest.h>
#include <sndfile.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "backends/sndfile/sndfile_test_util.h"
#include "base/file.h"

namespace sotto {
namespace {

using MpegReaderTest = SndfileTest;

// MPEG layer III at 16 kHz in a WAV file, whatever `frames` are.
std::string MpegWav(const std::string& frames) {
  const auto number = [](uint32_t value, int bytes) {
    std::string text;
    for (int k = 0; k < bytes; ++k) {
      text.push_back(static_cast<char>(value >> (8 * k) & 0xff));
    }
    return text;
  };
  const std::string format = number(0x55, 2) + number(1, 2) + number(16000, 4) + number(4000, 4) +
                             number(1, 2) + number(0, 2) + number(12, 2) + number(1, 2) +
                             number(2, 4) + number(0, 2) + number(1, 2) + number(1393, 2);
  const std::string body = "WAVEfmt " + number(static_cast<uint32_t>(format.size()), 4) + format +
                           "data" + number(static_cast<uint32_t>(frames.size()), 4) + frames;
  return "RIFF" + number(static_cast<uint32_t>(body.size()), 4) + body;
}

// libmpg123 gets nothing of what lies between frames.
TEST_F(MpegReaderTest, Mp3WithTagsGarbageAndCutsIsReadInSilence) {
  const std::vector<float> samples = Tone(48000, 1);
  const std::string mp3 = *ReadFile(
      Encode("a.mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, samples, 16000, 1), 1 << 24);
  const std::string id3 = std::string("ID3\4\0\0\0\0\0\x14", 10) + std::string(20, 'x');
  const std::string id1 = "TAG" + std::string(125, 'y');
  const std::string garbage = "these bytes are no frame of anything";
  const size_t middle = mp3.size() / 2;
  const std::tuple<const char*, std::string, bool> table[] = {
      {"plain", mp3, false},
      {"tags", id3 + id3 + mp3 + id1, false},
      {"ape", mp3 + "APETAGEX" + garbage, false},
      {"zeros", mp3 + std::string(3000, '\0'), false},
      {"garbage behind", mp3 + garbage, true},
      {"garbage within", mp3.substr(0, middle) + garbage + mp3.substr(middle), true},
      {"cut", mp3.substr(0, mp3.size() - 60), true},
      {"half", mp3.substr(0, middle), true}};
  for (const auto& [name, bytes, truncated] : table) {
    for (const bool in_wav : {false, true}) {
      testing::internal::CaptureStderr();
      auto reader = opener_->OpenMemory(name, in_wav ? MpegWav(bytes) : bytes);
      ASSERT_TRUE(reader.ok()) << name << reader.status().ToString();
      EXPECT_EQ((*reader)->info().encoding, "mpeg");
      EXPECT_EQ((*reader)->info().container, in_wav ? "wav" : "mp3");
      const Everything all = ReadAll(**reader, 1000);
      EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << name;
      EXPECT_TRUE(all.status.ok()) << name;
      EXPECT_EQ(all.truncated, truncated) << name << in_wav;
      EXPECT_GE(all.samples.size(), std::string(name) == "half" ? 20000u : 45000u) << name;
      EXPECT_LE(all.samples.size(), 48000u + 2304u) << name;
    }
  }
}

// Length in bytes of the frame of MPEG audio at `at`, as the encoder of libsndfile makes them at
// 16 kHz (MPEG-2 layer III).
size_t MpegFrameBytes(const std::string& mp3, size_t at) {
  constexpr size_t kKbits[] = {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160};
  const auto flags = static_cast<unsigned char>(mp3[at + 2]);
  return 72 * kKbits[flags >> 4] * 1000 / 16000 + (flags >> 1 & 1u);
}

// Where frames begin, without the first one, which holds counts instead of sound.
std::vector<size_t> MpegFramesOf(const std::string& mp3) {
  std::vector<size_t> frames;
  for (size_t at = MpegFrameBytes(mp3, 0); at + 4 < mp3.size(); at += MpegFrameBytes(mp3, at)) {
    frames.push_back(at);
  }
  return frames;
}

std::vector<float> Noise(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> noise(0.0f, 0.1f);
  std::vector<float> samples(count);
  std::ranges::generate(samples, [&] { return noise(random); });
  return samples;
}

constexpr int kMp3 = SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III;

TEST_F(MpegReaderTest, Mp3IsDecodedAsLibsndfileDoes) {
  const std::tuple<const char*, int, int> table[] = {
      {"16.mp3", 16000, 1}, {"44.mp3", 44100, 2}, {"8.mp3", 8000, 1}, {"48.mp3", 48000, 1}};
  for (const auto& [name, rate_hz, channels] : table) {
    const std::string path =
        Encode(name, kMp3, Noise(30000 * static_cast<size_t>(channels), 3), rate_hz, channels);
    SF_INFO info = {};
    SNDFILE* file = sf_open(path.c_str(), SFM_READ, &info);
    ASSERT_NE(file, nullptr) << name;
    std::vector<float> expected(static_cast<size_t>(info.frames * channels));
    EXPECT_EQ(sf_readf_float(file, expected.data(), info.frames), info.frames);
    sf_close(file);
    auto reader = Open(path);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    EXPECT_EQ((*reader)->info().frames, info.frames);
    EXPECT_EQ((*reader)->info().rate_hz, rate_hz);
    EXPECT_EQ((*reader)->info().channels, channels);
    for (const size_t frames_at_once : {777u, 5000u}) {
      const Everything all = ReadAll(**reader, frames_at_once);
      EXPECT_TRUE(all.status.ok());
      EXPECT_FALSE(all.truncated) << name;
      ASSERT_EQ(all.samples.size(), expected.size()) << name;
      for (size_t k = 0; k < expected.size(); ++k) {
        ASSERT_NEAR(all.samples[k], expected[k], 1e-6f) << name << " at " << k;
      }
      ASSERT_TRUE((*reader)->Rewind().ok());
    }
  }
}

TEST_F(MpegReaderTest, Mp3WithDamageInsideFramesIsReadToItsEndInSilence) {
  const std::vector<float> samples = Noise(48000, 4);
  const std::string mp3 = *ReadFile(Encode("a.mp3", kMp3, samples, 16000, 1), 1 << 24);
  const std::vector<size_t> frames = MpegFramesOf(mp3);
  ASSERT_GT(frames.size(), 60u);
  std::mt19937 random(9);
  int truncated = 0;
  for (int round = 0; round < 50; ++round) {
    std::string bytes = mp3;
    const size_t at = frames[1 + random() % (frames.size() - 2)];
    const size_t body = MpegFrameBytes(mp3, at) - 4;
    const size_t from = round % 2 == 0 ? 0 : random() % body;  // side information or sound
    const size_t count = std::min<size_t>(body - from, 1 + random() % 200);
    for (size_t k = 0; k < count; ++k) {
      bytes[at + 4 + from + k] = static_cast<char>(random());
    }
    for (const bool in_wav : {false, true}) {
      testing::internal::CaptureStderr();
      auto reader = opener_->OpenMemory("damaged", in_wav ? MpegWav(bytes) : bytes);
      ASSERT_TRUE(reader.ok()) << reader.status().ToString();
      const Everything all = ReadAll(**reader, 1000);
      EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << round;
      EXPECT_TRUE(all.status.ok()) << all.status.ToString();
      EXPECT_EQ(all.samples.size(), samples.size()) << round;
      truncated += all.truncated ? 1 : 0;
    }
  }
  EXPECT_GT(truncated, 10);  // what happens to decode is not seen
}

TEST_F(MpegReaderTest, AnMp3FrameThatCannotBeDecodedIsSilenceAndIsToldOf) {
  const std::vector<float> samples = Noise(48000, 4);
  const std::string mp3 = *ReadFile(Encode("a.mp3", kMp3, samples, 16000, 1), 1 << 24);
  const std::vector<size_t> frames = MpegFramesOf(mp3);
  auto sound = opener_->OpenMemory("sound", mp3);
  const Everything expected = ReadAll(**sound, 1000);
  for (const size_t k : {frames.size() / 2, frames.size() / 3, frames.size() - 3}) {
    std::string bytes = mp3;
    bytes.replace(frames[k] + 4, MpegFrameBytes(mp3, frames[k]) - 4,
                  MpegFrameBytes(mp3, frames[k]) - 4, '\xff');
    testing::internal::CaptureStderr();
    auto reader = opener_->OpenMemory("damaged", bytes);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    for (int pass = 0; pass < 2; ++pass) {
      EXPECT_FALSE((*reader)->truncated());
      const Everything all = ReadAll(**reader, 1000);
      EXPECT_TRUE(all.status.ok()) << all.status.ToString();
      EXPECT_TRUE(all.truncated) << k;
      ASSERT_EQ(all.samples.size(), expected.samples.size());
      for (size_t s = 0; s + 2 * 576 < k * 576; ++s) {
        ASSERT_EQ(all.samples[s], expected.samples[s]) << s;
      }
      for (size_t s = (k + 4) * 576; s < all.samples.size(); ++s) {
        ASSERT_NEAR(all.samples[s], expected.samples[s], 1e-6f) << s << " behind " << k * 576;
      }
      ASSERT_TRUE((*reader)->Rewind().ok());
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  }
}

// Encoders put the onset of a sound into the last short block of a granule that is silent itself.
TEST_F(MpegReaderTest, Mp3OfPausesIsWhole) {
  const std::vector<float> noise = Noise(100000, 4);
  for (const size_t pause : {3000u, 20000u}) {
    for (const auto& [rate_hz, channels] :
         {std::pair(8000, 1), std::pair(16000, 1), std::pair(22050, 2), std::pair(44100, 2)}) {
      for (const bool is_tone : {false, true}) {
        std::vector<float> samples = is_tone ? Tone(noise.size() / 2, 2) : noise;
        for (size_t k = 0; k < samples.size(); ++k) {
          samples[k] = k / pause % 2 == 1 ? 0.0f : samples[k];
        }
        auto reader = Open(Encode("pauses.mp3", kMp3, samples, rate_hz, channels));
        ASSERT_TRUE(reader.ok()) << reader.status().ToString();
        const Everything all = ReadAll(**reader, 1000);
        EXPECT_EQ(all.samples.size(), samples.size());
        EXPECT_FALSE(all.truncated) << rate_hz << " " << pause << " " << is_tone;
      }
    }
  }
}

TEST_F(MpegReaderTest, Mp3OfRandomBytesBehindGoodHeadersEndsInSilence) {
  const std::string mp3 = *ReadFile(Encode("a.mp3", kMp3, Noise(48000, 4), 16000, 1), 1 << 24);
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    std::string bytes = mp3;
    for (const size_t at : MpegFramesOf(mp3)) {
      for (size_t k = 4; k < MpegFrameBytes(mp3, at); ++k) {
        bytes[at + k] = static_cast<char>(random());
      }
    }
    for (const bool in_wav : {false, true}) {
      testing::internal::CaptureStderr();
      auto reader = opener_->OpenMemory("noise", in_wav ? MpegWav(bytes) : bytes);
      ASSERT_TRUE(reader.ok()) << reader.status().ToString();
      const Everything all = ReadAll(**reader, 1000);
      EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << seed;
      EXPECT_TRUE(all.truncated) << seed;
      EXPECT_LE(all.samples.size(), 48000u + 2304u);
    }
  }
}

TEST_F(MpegReaderTest, AnMp3ThatChangesItsChannelsOrRateIsDamaged) {
  const std::string mono = *ReadFile(Encode("m.mp3", kMp3, Noise(48000, 4), 16000, 1), 1 << 24);
  const std::string stereo = *ReadFile(Encode("s.mp3", kMp3, Noise(96000, 5), 16000, 2), 1 << 24);
  const std::string fast = *ReadFile(Encode("f.mp3", kMp3, Noise(48000, 6), 24000, 1), 1 << 24);
  const std::tuple<const char*, std::string, int32_t, size_t> table[] = {
      {"channels", mono + stereo + mono, 1, 96000},
      {"to mono", stereo + mono, 2, 96000},
      {"rate", mono + fast, 1, 48000}};
  for (const auto& [name, bytes, channels, samples] : table) {
    testing::internal::CaptureStderr();
    auto reader = opener_->OpenMemory(name, bytes);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    EXPECT_EQ((*reader)->info().channels, channels) << name;
    EXPECT_EQ((*reader)->info().rate_hz, 16000) << name;
    const Everything all = ReadAll(**reader, 1000);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << name;
    EXPECT_TRUE(all.status.ok()) << all.status.ToString();
    EXPECT_TRUE(all.truncated) << name;
    EXPECT_GE(all.samples.size(), samples) << name;
    EXPECT_LE(all.samples.size(), samples + 8 * 576) << name;
  }
}

// The counts of an information frame decide where a decoder stops.
TEST_F(MpegReaderTest, AnMp3WithAWrongFrameCountIsReadToItsEnd) {
  const std::string mp3 = *ReadFile(Encode("a.mp3", kMp3, Noise(48000, 4), 16000, 1), 1 << 24);
  size_t tag = mp3.find("Xing");
  tag = tag == std::string::npos ? mp3.find("Info") : tag;
  ASSERT_NE(tag, std::string::npos);
  for (const char count : {'\0', '\x05', '\x7f'}) {
    std::string bytes = mp3;
    bytes.replace(tag + 8, 4, {'\0', '\0', '\0', count});
    auto reader = opener_->OpenMemory("count", bytes);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    const Everything all = ReadAll(**reader, 1000);
    EXPECT_GE(all.samples.size(), 48000u) << static_cast<int>(count);
    EXPECT_LE(all.samples.size(), 48000u + 2304u) << static_cast<int>(count);
    EXPECT_EQ((*reader)->info().frames, static_cast<int64_t>(all.samples.size()));
  }
}

TEST_F(MpegReaderTest, AnMp3ThatShrinksWhileItIsReadIsTruncated) {
  const std::string path = Encode("a.mp3", kMp3, Noise(96000, 4), 16000, 1);
  const std::string mp3 = *ReadFile(path, 1 << 24);
  for (const bool in_wav : {false, true}) {
    const std::string shrunk = Write("b.mp3", in_wav ? MpegWav(mp3) : mp3);
    auto reader = Open(shrunk);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    std::filesystem::resize_file(shrunk, mp3.size() / 2);
    testing::internal::CaptureStderr();
    const Everything all = ReadAll(**reader, 1000);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_TRUE(all.truncated) << in_wav;
    EXPECT_LT(all.samples.size(), 60000u) << in_wav;
  }
}

// Layer II has no information frame, and its bit rate may change.
TEST_F(MpegReaderTest, FramesOfLayer2AreCounted) {
  std::string bytes;
  for (int k = 0; k < 40; ++k) {
    // 44.1 kHz, mono; 32 or 192 kbit/s; nothing is allocated to any subband.
    const bool large = k >= 4;
    std::string frame(large ? 626 : 104, '\0');
    frame.replace(0, 4, {'\xff', '\xfd', static_cast<char>(large ? 0xa0 : 0x10), '\xc0'});
    bytes += frame;
  }
  testing::internal::CaptureStderr();
  auto reader = opener_->OpenMemory("layer2", bytes);
  const Status status = reader.status();
  const Everything all = status.ok() ? ReadAll(**reader, 1000) : Everything();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ((*reader)->info().frames, 40 * 1152);
  EXPECT_EQ(all.samples.size(), 40u * 1152u);
  EXPECT_FALSE(all.truncated);
}

TEST_F(MpegReaderTest, AWavFileOfMpegWithoutFramesIsRefused) {
  const auto reader = opener_->OpenMemory("noise.wav", MpegWav(std::string(4000, '\x55')));
  EXPECT_EQ(reader.status().code(), Code::kDataLoss) << reader.status().ToString();
}

}  // namespace
}  // namespace sotto
