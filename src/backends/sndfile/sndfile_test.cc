#include <fcntl.h>
#include <gtest/gtest.h>
#include <sndfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "backends/sndfile/sndfile_test_util.h"
#include "backends/sndfile/wav_bytes.h"
#include "base/file.h"

namespace sotto {
namespace {

using testing_support::Encoding;
using testing_support::Le;
using testing_support::WavBytes;

TEST_F(SndfileTest, EveryWavEncodingGivesTheSamplesBack) {
  const std::vector<float> samples = Tone(700, 2);
  const std::tuple<Encoding, float, const char*> table[] = {
      {Encoding::kPcm8, 0.5f / 127, "pcm_8"}, {Encoding::kPcm16, 0.51f / 32768, "pcm_16"},
      {Encoding::kPcm24, 1e-6f, "pcm_24"},    {Encoding::kPcm32, 1e-7f, "pcm_32"},
      {Encoding::kFloat32, 0.0f, "float_32"}, {Encoding::kUlaw, 0.03f, "ulaw"}};
  for (const auto& [encoding, bound, name] : table) {
    auto reader = opener_->OpenMemory("m.wav", WavBytes(samples, 44100, 2, encoding));
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    EXPECT_EQ((*reader)->info().encoding, name);
    EXPECT_EQ((*reader)->info().rate_hz, 44100);
    EXPECT_EQ((*reader)->info().frames, 700);
    const Everything all = ReadAll(**reader, 133);
    ASSERT_EQ(all.samples.size(), samples.size()) << name;
    EXPECT_FALSE(all.truncated);
    for (size_t k = 0; k < samples.size(); ++k) {
      ASSERT_NEAR(all.samples[k], samples[k], bound) << name;
    }
  }
}

TEST_F(SndfileTest, ContainersGiveTheSamplesBackAndRewind) {
  const std::vector<float> samples = Tone(20000, 1);
  const std::tuple<const char*, int, double> table[] = {
      {"a.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 1e-4},
      {"a.rf64", SF_FORMAT_RF64 | SF_FORMAT_PCM_16, 1e-4},
      {"a.w64", SF_FORMAT_W64 | SF_FORMAT_PCM_24, 1e-5},
      {"a.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16, 1e-4},
      {"a.caf", SF_FORMAT_CAF | SF_FORMAT_PCM_16, 1e-4},
      {"a.au", SF_FORMAT_AU | SF_FORMAT_PCM_16, 1e-4},
      {"a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1e-4},
      {"vorbis.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 0.05},
      // The encoder's high-pass turns the phase of a tone this low.
      {"opus.ogg", SF_FORMAT_OGG | SF_FORMAT_OPUS, 0.25},
      {"a.mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, 0.05}};
  for (const auto& [name, format, bound] : table) {
    const std::string path = Encode(name, format, samples, 16000, 1);
    auto reader = Open(path);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    const Everything all = ReadAll(**reader, 1000);
    EXPECT_TRUE(all.status.ok()) << name;
    EXPECT_FALSE(all.truncated) << name;
    ASSERT_EQ(all.samples.size(), samples.size()) << name;
    double worst = 0.0;
    for (size_t k = 500; k < samples.size() - 1200; ++k) {
      worst = std::max(worst, static_cast<double>(std::abs(all.samples[k] - samples[k])));
    }
    EXPECT_LT(worst, bound) << name;
    ASSERT_TRUE((*reader)->Rewind().ok()) << name;
    EXPECT_EQ(ReadAll(**reader, 777).samples.size(), samples.size()) << name;
  }
}

TEST_F(SndfileTest, FloatFilesKeepWhatTheyHold) {
  const std::vector<float> samples = {2.5f, std::numeric_limits<float>::quiet_NaN(),
                                      -std::numeric_limits<float>::infinity(), 0.1f};
  auto reader = opener_->OpenMemory("f.wav", WavBytes(samples, 8000, 1, Encoding::kFloat32));
  ASSERT_TRUE(reader.ok());
  const Everything all = ReadAll(**reader, 16);
  ASSERT_EQ(all.samples.size(), 4u);
  EXPECT_EQ(all.samples[0], 2.5f);
  EXPECT_TRUE(std::isnan(all.samples[1]));
  EXPECT_TRUE(std::isinf(all.samples[2]));
}

TEST_F(SndfileTest, WhatIsNotAudioIsRefusedByNameAndReason) {
  std::mt19937 random(11);
  std::string noise(5000, '\0');
  std::ranges::generate(noise, [&] { return static_cast<char>(random()); });
  noise[0] = 'x';
  const std::string wav = WavBytes(Tone(100, 1), 16000, 1, Encoding::kPcm16);
  const std::string lies = std::string("RIFF\xff\xff\xff\xffWAVEfmt ", 16) + Le(16, 4) + Le(1, 2) +
                           std::string(14, '\0') + "data" + Le(0xffffffff, 4);
  const std::pair<const char*, std::string> table[] = {
      {"empty.wav", ""},
      {"text.wav", "hello, I am not a wave file\n"},
      {"cut.wav", wav.substr(0, 30)},
      {"cut43.wav", wav.substr(0, 43)},
      {"lies.wav", lies},
      {"noise.flac", noise},
      {"zip.mp3", "PK\x03\x04" + noise},
      {"tag.flac", "fLaC" + noise},
      {"tag.ogg", "OggS" + noise},
      {"tag.mp3", "ID3" + noise},
      {"sync.mp3", "\xff\xfb\x90\x64" + noise},
      {"tag.caf", "caff" + noise},
      {"tag.aiff", "FORM" + Le(0, 4) + "AIFF" + noise},
      {"tag.w64", "riff" + noise.substr(0, 20) + "wave" + noise},
      {"tag.au", ".snd" + noise},
      {"riff.wav", "RIFF" + noise},
      {"norate.wav", WavBytes(Tone(9, 1), 0, 1, Encoding::kPcm16)},
      {"nochannels.wav", WavBytes({}, 8000, 0, Encoding::kPcm16)},
      {"channels.wav", WavBytes({}, 8000, 900, Encoding::kPcm16)},
  };
  for (const auto& [name, bytes] : table) {
    const std::string path = Write(name, bytes);
    auto reader = Open(path);
    Status status = reader.status();
    if (reader.ok()) {  // MPEG is only found to be noise when it is decoded
      const Everything all = ReadAll(**reader, 4096);
      status = all.status;
    }
    EXPECT_EQ(status.code(), Code::kDataLoss) << name << ": " << status.ToString();
    EXPECT_NE(status.message().find(name), std::string::npos) << status.ToString();
    EXPECT_EQ(status.message().find('\n'), std::string::npos);
    EXPECT_EQ(opener_->OpenMemory("m", bytes).ok(), reader.ok()) << name;
  }
}

TEST_F(SndfileTest, ACodecThatIsNotDecodedIsNamed) {
  std::string wav = WavBytes(Tone(1000, 1), 16000, 1, Encoding::kPcm16);
  wav.replace(20, 2, Le(0x161, 2));  // Windows Media Audio
  const Status status = opener_->OpenMemory("w.wav", wav).status();
  EXPECT_EQ(status.code(), Code::kUnimplemented) << status.ToString();
  EXPECT_NE(status.message().find("0x161"), std::string::npos) << status.ToString();
}

TEST_F(SndfileTest, PathsThatAreNoFilesAreRefused) {
  EXPECT_EQ(Open(folder_ + "/absent.wav").status().code(), Code::kNotFound);
  EXPECT_EQ(Open(folder_).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Open("").status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Open("/proc/self/mem").status().code(), Code::kDataLoss);
  EXPECT_EQ(Open("/dev/null").status().code(), Code::kDataLoss);
  EXPECT_FALSE(Open(std::string("a\0b", 3)).ok());
}

TEST_F(SndfileTest, AHeaderWithoutSamplesIsEmptyNotAFault) {
  const std::string wav = WavBytes({}, 16000, 1, Encoding::kPcm16);
  auto reader = opener_->OpenMemory("h.wav", wav);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  const Everything all = ReadAll(**reader, 100);
  EXPECT_TRUE(all.status.ok()) << all.status.ToString();
  EXPECT_TRUE(all.samples.empty());
  EXPECT_FALSE(all.truncated);
}

TEST_F(SndfileTest, AWavThatClaimsMoreThanItHoldsIsReadAsFarAsItGoes) {
  const std::vector<float> samples = Tone(1000, 1);
  for (const int64_t claim : {2001LL, 4000LL, 0x7fffffffLL}) {
    auto reader =
        opener_->OpenMemory("c.wav", WavBytes(samples, 16000, 1, Encoding::kPcm16, claim));
    ASSERT_TRUE(reader.ok()) << claim << reader.status().ToString();
    const Everything all = ReadAll(**reader, 64);
    EXPECT_TRUE(all.status.ok());
    EXPECT_EQ(all.samples.size(), 1000u) << claim;
    EXPECT_TRUE(all.truncated) << claim;
  }
  // The lengths that streams write are no claim.
  auto stream =
      opener_->OpenMemory("s.wav", WavBytes(samples, 16000, 1, Encoding::kPcm16, 0xffffffff));
  ASSERT_TRUE(stream.ok());
  const Everything all = ReadAll(**stream, 64);
  EXPECT_EQ(all.samples.size(), 1000u);
  EXPECT_FALSE(all.truncated);
}

TEST_F(SndfileTest, WavChunksInUnusualPlacesKeepEverySample) {
  const std::vector<float> samples = Tone(1000, 1);
  const std::string plain = WavBytes(samples, 16000, 1, Encoding::kPcm16);
  const std::string format = plain.substr(12, 24);
  const std::string data = plain.substr(44);
  const auto chunk = [](std::string_view tag, const std::string& body) {
    return std::string(tag) + Le(body.size(), 4) + body;
  };
  const auto riff = [](const std::string& body) {
    return "RIFF" + Le(4 + body.size(), 4) + "WAVE" + body;
  };
  const std::string whole = chunk("data", data);
  const std::string halves = chunk("data", data.substr(0, 700)) + chunk("data", data.substr(700));
  const std::string odd = std::string("INFOISFT") + Le(5, 4) + "hello";
  const std::pair<const char*, std::string> table[] = {
      {"two data chunks", riff(format + halves)},
      {"two data chunks and one between",
       riff(format + chunk("data", data.substr(0, 700)) + chunk("note", "ab") +
            chunk("data", data.substr(700)))},
      {"odd list without its padding", riff(format + chunk("LIST", odd) + whole)},
      {"odd list with its padding", riff(format + chunk("LIST", odd) + '\0' + whole)},
      {"odd list first", riff(chunk("LIST", odd) + format + whole)},
      {"long junk", riff(format + chunk("JUNK", std::string(200000, 'j')) + whole)},
      {"data before its format", riff(whole + format)},
      {"trailing list", riff(format + whole + chunk("LIST", odd))},
  };
  for (const auto& [name, bytes] : table) {
    auto reader = opener_->OpenMemory(name, bytes);
    ASSERT_TRUE(reader.ok()) << name << ": " << reader.status().ToString();
    const Everything all = ReadAll(**reader, 64);
    EXPECT_TRUE(all.status.ok()) << name << ": " << all.status.ToString();
    ASSERT_EQ(all.samples.size(), 1000u) << name;
    EXPECT_FALSE(all.truncated) << name;
    for (size_t k = 0; k < samples.size(); ++k) {
      ASSERT_NEAR(all.samples[k], samples[k], 1.0f / 32768.0f) << name << " at " << k;
    }
  }
  // An empty data chunk before others is empty; a stream's 0 is followed by samples.
  auto empty = opener_->OpenMemory("e", riff(format + chunk("data", "") + chunk("LIST", "abcd")));
  ASSERT_TRUE(empty.ok()) << empty.status().ToString();
  EXPECT_TRUE(ReadAll(**empty, 64).samples.empty());
  auto cut = opener_->OpenMemory("c", riff(format + halves).substr(0, 1500));
  ASSERT_TRUE(cut.ok());
  const Everything half = ReadAll(**cut, 64);
  EXPECT_EQ(half.samples.size(), (1500u - 36 - 8 - 8) / 2);
  EXPECT_TRUE(half.truncated);
}

TEST_F(SndfileTest, CutFilesGiveWhatDecodesAndSaySo) {
  std::mt19937 random(5);
  std::normal_distribution<float> noise(0.0f, 0.1f);
  std::vector<float> samples(48000);
  std::ranges::generate(samples, [&] { return noise(random); });
  const std::pair<const char*, int> table[] = {
      {"a.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16},
      {"a.w64", SF_FORMAT_W64 | SF_FORMAT_PCM_16},
      {"a.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16},
      {"a.au", SF_FORMAT_AU | SF_FORMAT_PCM_16},
      {"a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16},
      {"a.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS},
      {"o.ogg", SF_FORMAT_OGG | SF_FORMAT_OPUS},
      {"a.mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III}};
  for (const auto& [name, format] : table) {
    const std::string path = Encode(name, format, samples, 16000, 1);
    Result<std::string> bytes = ReadFile(path, 1 << 24);
    ASSERT_TRUE(bytes.ok());
    for (const double share : {0.9, 0.6, 0.5003}) {
      const auto keep = static_cast<size_t>(share * static_cast<double>(bytes->size()));
      auto reader = opener_->OpenMemory(name, bytes->substr(0, keep));
      ASSERT_TRUE(reader.ok()) << name << reader.status().ToString();
      const Everything all = ReadAll(**reader, 1000);
      EXPECT_TRUE(all.status.ok()) << name;
      EXPECT_TRUE(all.truncated) << name << " " << share;
      EXPECT_GT(all.samples.size(), 10000u) << name << " " << share;
      EXPECT_LT(all.samples.size(), 48000u) << name << " " << share;
    }
  }
}

TEST_F(SndfileTest, AFlacThatClaimsAgesIsReadAsFarAsItGoes) {
  const std::string path =
      Encode("a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, Tone(5000, 1), 16000, 1);
  std::string bytes = *ReadFile(path, 1 << 20);
  bytes[21] = static_cast<char>(bytes[21] | 0x0f);  // the high bits of the 36-bit sample count
  auto reader = opener_->OpenMemory("ages.flac", bytes);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  EXPECT_EQ((*reader)->info().frames, AudioFileInfo::kUnknownFrames);
  const Everything all = ReadAll(**reader, 1000);
  EXPECT_EQ(all.samples.size(), 5000u);
  EXPECT_TRUE(all.truncated);
}

TEST_F(SndfileTest, APipeIsReadToItsEnd) {
  const std::string path = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string wav = WavBytes(Tone(100000, 1), 16000, 1, Encoding::kPcm16, 0xffffffff);
  std::thread writer([&] {
    std::ofstream pipe(path, std::ios::binary);
    pipe << wav;
  });
  auto reader = Open(path);
  writer.join();
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  EXPECT_EQ(ReadAll(**reader, 4000).samples.size(), 100000u);
}

TEST_F(SndfileTest, AnEndlessStreamOfNoAudioIsRefusedAtItsHead) {
  const Status status = Open("/dev/zero").status();
  EXPECT_EQ(status.code(), Code::kDataLoss) << status.ToString();
  EXPECT_NE(status.message().find("/dev/zero"), std::string::npos);
}

TEST_F(SndfileTest, ASilentPipeCanBeCancelled) {
  const std::string path = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int held_open = ::open(path.c_str(), O_RDWR);
  ASSERT_GE(held_open, 0);
  CancelSource source;
  source.Cancel(CancelReason::kUserCancel);
  EXPECT_EQ(opener_->Open(path, source.token()).status().code(), Code::kCancelled);
  ::close(held_open);
}

TEST_F(SndfileTest, PartsOfFramesAreRefused) {
  auto reader = opener_->OpenMemory("m.wav", WavBytes(Tone(10, 2), 8000, 2, Encoding::kPcm16));
  ASSERT_TRUE(reader.ok());
  std::vector<float> odd(3);
  EXPECT_EQ((*reader)->Read(odd).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(*(*reader)->Read({}), 0u);
  EXPECT_EQ(ReadAll(**reader, 4).samples.size(), 20u);
}

}  // namespace
}  // namespace sotto
