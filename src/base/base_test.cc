#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/status.h"

namespace sotto {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) {
    return InvalidArgumentError("half: " + std::to_string(value) + ": odd");
  }
  return value / 2;
}

Result<int> Quarter(int value) {
  SOTTO_ASSIGN_OR_RETURN(const int half, Half(value));
  SOTTO_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

TEST(StatusTest, ErrorsTravelWithTheirCodeAndContext) {
  EXPECT_EQ(*Quarter(8), 2);
  const Status status = Quarter(6).status().WithContext("quarter");
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(status.ToString(), "invalid_argument: quarter: half: 3: odd");
  EXPECT_TRUE(OkStatus().WithContext("anything").ok());
}

TEST(CancelTest, TheFirstReasonWinsAndTokensOutliveTheirSource) {
  CancelToken token;
  EXPECT_FALSE(token.cancelled());
  {
    CancelSource source;
    token = source.token();
    EXPECT_TRUE(token.Check().ok());
    EXPECT_TRUE(source.Cancel(CancelReason::kBargeIn));
    EXPECT_FALSE(source.Cancel(CancelReason::kShutdown));
  }
  EXPECT_EQ(token.reason(), CancelReason::kBargeIn);
  EXPECT_EQ(token.Check().message(), "cancelled: barge_in");
}

TEST(ClockTest, ManualClockMovesOnlyWhenTold) {
  ManualClock clock;
  EXPECT_EQ(clock.NowUs(), 0);
  clock.AdvanceUs(1500);
  EXPECT_EQ(clock.NowUs(), 1500);
  const int64_t before_us = SystemClock().NowUs();
  EXPECT_GE(SystemClock().NowUs(), before_us);
}

TEST(LogTest, LinesBelowTheLevelAndWithoutASinkAreDropped) {
  LogSink none;
  none.Write(LogLevel::kError, "nobody listens");
  int lines = 0;
  LogSink sink([&](LogLevel, std::string_view) { ++lines; }, LogLevel::kWarning);
  sink.Write(LogLevel::kInfo, "quiet");
  sink.Write(LogLevel::kError, "loud");
  EXPECT_EQ(lines, 1);
}

TEST(MutexTest, AWaiterWakesWhenNotified) {
  Mutex mutex;
  CondVar changed;
  bool ready = false;
  std::thread other([&] {
    MutexLock lock(mutex);
    ready = true;
    changed.NotifyAll();
  });
  {
    MutexLock lock(mutex);
    while (!ready) {
      changed.Wait(mutex);
    }
  }
  other.join();
  EXPECT_TRUE(ready);
}

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "sotto-file-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  std::string Path(const char* name) const { return dir_ + "/" + name; }
  size_t FilesLeft() const {
    size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir_)) {
      ++n;
    }
    return n;
  }

  std::string dir_;
};

TEST_F(FileTest, ACommittedFileIsWhole) {
  {
    Result<AtomicFileWriter> writer = AtomicFileWriter::Create(Path("a"));
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    ASSERT_TRUE(writer->Append("0123456789").ok());
    const std::string patch = "ab";
    ASSERT_TRUE(writer->WriteAt(2, std::as_bytes(std::span(patch))).ok());
    EXPECT_FALSE(std::filesystem::exists(Path("a")));
    ASSERT_TRUE(writer->Commit().ok());
  }
  EXPECT_EQ(*ReadFile(Path("a"), 100), "01ab456789");
  EXPECT_EQ(*FileSizeBytes(Path("a")), 10u);
  EXPECT_EQ(FilesLeft(), 1u);
}

TEST_F(FileTest, AnUncommittedFileLeavesNothingAndTheOldOneStays) {
  {
    Result<AtomicFileWriter> writer = AtomicFileWriter::Create(Path("a"));
    ASSERT_TRUE(writer->Append("old").ok());
    ASSERT_TRUE(writer->Commit().ok());
  }
  {
    Result<AtomicFileWriter> writer = AtomicFileWriter::Create(Path("a"));
    ASSERT_TRUE(writer->Append("half of the new one").ok());
    EXPECT_EQ(FilesLeft(), 1u);  // nothing to clean up, were the process killed here
  }
  EXPECT_EQ(*ReadFile(Path("a"), 100), "old");
  EXPECT_EQ(FilesLeft(), 1u);
}

TEST_F(FileTest, ThroughALinkItsTargetIsWritten) {
  std::filesystem::create_symlink(Path("target"), Path("link"));
  Result<AtomicFileWriter> writer = AtomicFileWriter::Create(Path("link"));
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  ASSERT_TRUE(writer->Append("through").ok());
  ASSERT_TRUE(writer->Commit().ok());
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
  EXPECT_EQ(*ReadFile(Path("target"), 100), "through");
  std::filesystem::create_symlink(Path("loop"), Path("loop"));
  EXPECT_FALSE(AtomicFileWriter::Create(Path("loop")).ok());
}

TEST_F(FileTest, ErrorsNameThePathAndTheKind) {
  EXPECT_EQ(ReadFile(Path("absent"), 10).status().code(), Code::kNotFound);
  EXPECT_NE(ReadFile(Path("absent"), 10).status().message().find("absent"), std::string::npos);
  EXPECT_EQ(ReadFile(dir_, 10).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(MappedFile::Open(dir_).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(AtomicFileWriter::Create(Path("no/such/dir")).status().code(), Code::kNotFound);
  EXPECT_EQ(AtomicFileWriter::Create("").status().code(), Code::kInvalidArgument);
}

TEST_F(FileTest, AFileOverTheLimitIsRefusedAndAnEmptyOneMaps) {
  Result<AtomicFileWriter> writer = AtomicFileWriter::Create(Path("a"));
  ASSERT_TRUE(writer->Append("12345").ok());
  ASSERT_TRUE(writer->Commit().ok());
  EXPECT_EQ(ReadFile(Path("a"), 4).status().code(), Code::kResourceExhausted);
  Result<MappedFile> mapped = MappedFile::Open(Path("a"));
  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(mapped->bytes().size(), 5u);
  Result<AtomicFileWriter> empty = AtomicFileWriter::Create(Path("b"));
  ASSERT_TRUE(empty->Commit().ok());
  EXPECT_TRUE(MappedFile::Open(Path("b"))->bytes().empty());
}

}  // namespace
}  // namespace sotto
