#include "audio/wav_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <thread>

#include "audio/probe.h"
#include "base/file.h"

namespace sotto {
namespace {

class WavWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/wav_writer_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Path(const char* name) const { return folder_ + "/" + name; }

  std::string folder_;
};

int16_t SampleAt(const std::string& bytes, size_t offset_bytes) {
  int16_t value = 0;
  std::memcpy(&value, bytes.data() + offset_bytes, sizeof(value));
  return value;
}

TEST_F(WavWriterTest, WritesACorrectHeaderAndTheSamples) {
  const std::vector<float> samples = {0.0f, 0.5f, -1.0f,
                                      1.0f, 2.0f, std::numeric_limits<float>::quiet_NaN()};
  Result<WavWriter> writer = WavWriter::Create(Path("a.wav"), {.rate_hz = 24000, .channels = 2});
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  ASSERT_TRUE(writer->Write(std::span(samples).first(2)).ok());
  ASSERT_TRUE(writer->Write(std::span(samples).subspan(2)).ok());
  EXPECT_FALSE(std::filesystem::exists(Path("a.wav"))) << "appears before it is whole";
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(writer->frames(), 3);
  const Result<std::string> bytes = ReadFile(Path("a.wav"), 1000);
  ASSERT_TRUE(bytes.ok());
  ASSERT_EQ(bytes->size(), 44u + 12u);
  const Result<WavHeader> header =
      ParseWavHeader(std::as_bytes(std::span(bytes->data(), bytes->size())));
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->data_bytes, 12u);
  EXPECT_EQ(header->rate_hz, 24000);
  EXPECT_EQ(header->channels, 2);
  EXPECT_EQ(bytes->substr(4, 4), std::string("\x30\0\0\0", 4));  // 56 - 8
  const int16_t expected[] = {0, 16384, -32768, 32767, 32767, 0};
  for (size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(SampleAt(*bytes, 44 + 2 * k), expected[k]) << k;
  }
}

TEST_F(WavWriterTest, FloatSamplesAreWrittenAsTheyAre) {
  const std::vector<float> samples = {0.25f, -3.5f};
  Result<WavWriter> writer = WavWriter::Create(Path("f.wav"), {.encoding = WavEncoding::kFloat32});
  ASSERT_TRUE(writer.ok() && writer->Write(samples).ok() && writer->Finish().ok());
  const Result<std::string> bytes = ReadFile(Path("f.wav"), 1000);
  ASSERT_EQ(bytes->size(), 58u + 8u);
  float back[2];
  std::memcpy(back, bytes->data() + 58, 8);
  EXPECT_EQ(back[0], 0.25f);
  EXPECT_EQ(back[1], -3.5f);
}

TEST_F(WavWriterTest, WithoutFinishNothingIsLeft) {
  {
    Result<WavWriter> writer = WavWriter::Create(Path("b.wav"), {});
    ASSERT_TRUE(writer.ok() && writer->Write(std::vector<float>(100, 0.1f)).ok());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(WavWriterTest, AnEmptyFileIsAWholeFile) {
  Result<WavWriter> writer = WavWriter::Create(Path("e.wav"), {});
  ASSERT_TRUE(writer.ok() && writer->Write({}).ok() && writer->Finish().ok());
  EXPECT_EQ(std::filesystem::file_size(Path("e.wav")), 44u);
}

TEST_F(WavWriterTest, APipeGetsTheHeaderOfAStreamAndEachWriteAtOnce) {
  const std::string path = Path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] {
    const int fd = ::open(path.c_str(), O_RDONLY);
    char piece[4096];
    for (ssize_t n = ::read(fd, piece, sizeof(piece)); n > 0;
         n = ::read(fd, piece, sizeof(piece))) {
      received.append(piece, static_cast<size_t>(n));
    }
    ::close(fd);
  });
  {
    Result<WavWriter> writer = WavWriter::Create(path, {});
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    EXPECT_TRUE(writer->Write(std::vector<float>(1000, 0.5f)).ok());
    EXPECT_TRUE(writer->Finish().ok());
  }
  reader.join();
  ASSERT_EQ(received.size(), 44u + 2000u);
  const Result<WavHeader> header =
      ParseWavHeader(std::as_bytes(std::span(received.data(), received.size())));
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->data_bytes, WavHeader::kUnknownBytes);
  EXPECT_EQ(SampleAt(received, 44 + 1998), 16384);
}

TEST_F(WavWriterTest, BadArgumentsAndPathsAreRefused) {
  EXPECT_EQ(WavWriter::Create(Path("r.wav"), {.rate_hz = 0}).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(WavWriter::Create(Path("r.wav"), {.channels = 0}).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(WavWriter::Create(Path("r.wav"), {.channels = 65}).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(WavWriter::Create(Path("no/such/r.wav"), {}).status().code(), Code::kNotFound);
  EXPECT_FALSE(WavWriter::Create("", {}).ok());
  EXPECT_FALSE(WavWriter::Create(folder_, {}).ok());
  Result<WavWriter> stereo = WavWriter::Create(Path("s.wav"), {.channels = 2});
  ASSERT_TRUE(stereo.ok());
  EXPECT_EQ(stereo->Write(std::vector<float>(3)).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace sotto
