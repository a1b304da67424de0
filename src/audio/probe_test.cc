#include "audio/probe.h"

#include <gtest/gtest.h>

#include <string>

#include "audio/wav_writer.h"

namespace sotto {
namespace {

std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string Le(uint64_t value, int bytes) {
  std::string out;
  for (int k = 0; k < bytes; ++k) {
    out.push_back(static_cast<char>(value >> (8 * k) & 0xff));
  }
  return out;
}

std::string Format(uint32_t tag, uint32_t channels, uint32_t rate_hz, uint32_t bits) {
  return "fmt " + Le(16, 4) + Le(tag, 2) + Le(channels, 2) + Le(rate_hz, 4) +
         Le(rate_hz * channels * bits / 8, 4) + Le(channels * bits / 8, 2) + Le(bits, 2);
}

std::string Riff(const std::string& chunks) {
  return "RIFF" + Le(4 + chunks.size(), 4) + "WAVE" + chunks;
}

TEST(Probe, KnowsTheContainers) {
  using std::string_literals::operator""s;
  EXPECT_EQ(ProbeContainer(Bytes(Riff(""))), AudioContainer::kWav);
  EXPECT_EQ(ProbeContainer(Bytes("RF64\xff\xff\xff\xffWAVE")), AudioContainer::kWav);
  EXPECT_EQ(ProbeContainer(Bytes("FORM\0\0\0\4AIFC"s)), AudioContainer::kAiff);
  EXPECT_EQ(ProbeContainer(Bytes("fLaC\0\0\0\x22"s)), AudioContainer::kFlac);
  EXPECT_EQ(ProbeContainer(Bytes("OggS\0\2"s)), AudioContainer::kOgg);
  EXPECT_EQ(ProbeContainer(Bytes("ID3\4\0"s)), AudioContainer::kMp3);
  EXPECT_EQ(ProbeContainer(Bytes("\xff\xfb\x90\x64")), AudioContainer::kMp3);
  EXPECT_EQ(ProbeContainer(Bytes("caff\0\1"s)), AudioContainer::kCaf);
  EXPECT_EQ(ProbeContainer(Bytes(".snd\0\0\0\x18"s)), AudioContainer::kAu);
  EXPECT_EQ(ProbeContainer(Bytes("riff" + std::string(20, '\x2e') + "wave")), AudioContainer::kW64);
}

TEST(Probe, DescribesWhatIsNotAudio) {
  EXPECT_EQ(DescribeUnknown(Bytes("")), "the file is empty");
  EXPECT_EQ(DescribeUnknown(Bytes("hello, I am not a wave file\n")), "text, not audio");
  EXPECT_EQ(DescribeUnknown(Bytes("PK\x03\x04zzz")), "a zip archive");
  EXPECT_EQ(DescribeUnknown(Bytes("%PDF-1.7")), "a PDF document");
  EXPECT_EQ(DescribeUnknown(Bytes("\x01\x02\xfe\xff")), "not a known audio format");
  // Not every 0xff 0xe0 is MPEG audio: reserved version, layer, bit rate and rate are not.
  for (const char* bytes : {"\xff\xe9\x90\x64", "\xff\xf9\x90\x64", "\xff\xfb\xf0\x64",
                            "\xff\xfb\x9c\x64", "\xff\xfb\x00\x64"}) {
    EXPECT_EQ(ProbeContainer(Bytes(std::string(bytes, 4))), AudioContainer::kUnknown);
  }
  // Every prefix of a known tag shorter than the tag is unknown, and is read within its bounds.
  for (size_t length = 0; length < 12; ++length) {
    EXPECT_EQ(ProbeContainer(Bytes(Riff("").substr(0, length))), AudioContainer::kUnknown);
  }
}

TEST(WavHeader, ReadsWhatTheWriterWrites) {
  for (const WavEncoding encoding : {WavEncoding::kPcm16, WavEncoding::kFloat32}) {
    const std::string bytes =
        MakeWavHeader({.rate_hz = 22050, .channels = 3, .encoding = encoding}, 1200);
    const Result<WavHeader> header = ParseWavHeader(Bytes(bytes));
    ASSERT_TRUE(header.ok()) << header.status().ToString();
    EXPECT_EQ(header->rate_hz, 22050);
    EXPECT_EQ(header->channels, 3);
    EXPECT_EQ(header->bits_per_sample, encoding == WavEncoding::kPcm16 ? 16 : 32);
    EXPECT_EQ(header->data_bytes, 1200u);
    EXPECT_EQ(header->data_offset_bytes, bytes.size());
    // No cut of it passes as a header.
    for (size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_FALSE(ParseWavHeader(Bytes(bytes.substr(0, length))).ok()) << length;
    }
  }
}

TEST(WavHeader, SkipsOtherChunksWithTheirPadding) {
  const std::string bytes = Riff("LIST" + Le(3, 4) + "abc" + Le(0, 1) + Format(1, 1, 8000, 16) +
                                 "fact" + Le(4, 4) + Le(9, 4) + "data" + Le(20, 4));
  const Result<WavHeader> header = ParseWavHeader(Bytes(bytes));
  ASSERT_TRUE(header.ok()) << header.status().ToString();
  EXPECT_EQ(header->data_bytes, 20u);
}

TEST(WavHeader, LengthsOfStreamsAreUnknownAndLongOnesComeFromDs64) {
  const std::string streamed = Riff(Format(1, 1, 8000, 16) + "data" + Le(0xffffffff, 4) + "ab");
  EXPECT_EQ(ParseWavHeader(Bytes(streamed))->data_bytes, WavHeader::kUnknownBytes);
  const std::string zero = Riff(Format(1, 1, 8000, 16) + "data" + Le(0, 4));
  EXPECT_EQ(ParseWavHeader(Bytes(zero))->data_bytes, 0u);
  const std::string zero_with_data = Riff(Format(1, 1, 8000, 16) + "data" + Le(0, 4) + "abcd");
  EXPECT_EQ(ParseWavHeader(Bytes(zero_with_data))->data_bytes, WavHeader::kUnknownBytes);
  const std::string longer = "RF64" + Le(0xffffffff, 4) + "WAVEds64" + Le(28, 4) + Le(0, 8) +
                             Le(5'000'000'000, 8) + std::string(12, '\0') + Format(1, 1, 8000, 16) +
                             "data" + Le(0xffffffff, 4);
  EXPECT_EQ(ParseWavHeader(Bytes(longer))->data_bytes, 5'000'000'000u);
}

TEST(WavHeader, LiesAreRefused) {
  const std::string data = "data" + Le(4, 4) + "abcd";
  const std::string lies[] = {
      Riff(Format(1, 0, 16000, 16) + data),        // no channels
      Riff(Format(1, 1, 0, 16) + data),            // no rate
      Riff(Format(1, 2000, 16000, 16) + data),     // channels beyond reason
      Riff(Format(1, 1, 0x80000000u, 16) + data),  // a negative rate
      Riff(data + Format(1, 1, 16000, 16)),        // data before fmt
      Riff("fmt " + Le(4, 4) + Le(1, 4) + data),   // fmt too short
      Riff(Format(1, 1, 16000, 16)),               // no data
  };
  for (const std::string& lie : lies) {
    EXPECT_EQ(ParseWavHeader(Bytes(lie)).status().code(), Code::kDataLoss);
  }
  // A chunk that reaches beyond what is seen may still be honest.
  const std::string beyond =
      Riff(Format(1, 1, 16000, 16) + "LIST" + Le(0xfffffff0, 4) + std::string(40, 'x'));
  EXPECT_EQ(ParseWavHeader(Bytes(beyond)).status().code(), Code::kUnimplemented);
}

}  // namespace
}  // namespace sotto
