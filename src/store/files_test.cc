// The small parts: hashes, .part files, locks, processes, archives, the hub's layout, JSON.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "store/archive.h"
#include "store/hub.h"
#include "store/json.h"
#include "store/layout.h"
#include "store/lock.h"
#include "store/part.h"
#include "store/process.h"
#include "store/sha256.h"
#include "store/temp_dir_for_test.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// FIPS 180-2, appendix B.
constexpr const char* kShaOfAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(Sha256Of("abc"), kShaOfAbc);
  EXPECT_EQ(Sha256Of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Digest sha1 = Digest::Sha1();
  sha1.Update("abc");
  EXPECT_EQ(sha1.Finish(), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_TRUE(IsSha256(kShaOfAbc));
  EXPECT_FALSE(IsSha256(std::string(63, 'a')));
  EXPECT_FALSE(IsSha256(std::string(64, 'A')));
}

TEST(PartFile, HashesWhatWasThereAndWhatComes) {
  const TempDirForTest dir;
  const std::string path = dir.path() + "/x.part";
  {
    Result<PartFile> part = PartFile::Open(path, UINT64_MAX, {});
    ASSERT_TRUE(part.ok());
    ASSERT_TRUE(part->Append(Bytes("a?")).ok());
  }
  Result<PartFile> part = PartFile::Open(path, 1, {});  // keeps the first byte
  ASSERT_TRUE(part.ok());
  ASSERT_TRUE(part->Append(Bytes("bc")).ok());
  EXPECT_EQ(part->size_bytes(), 3u);
  EXPECT_EQ(part->FinishSha256(), kShaOfAbc);
  EXPECT_EQ(Read(path), "abc");
  ASSERT_TRUE(part->Restart().ok());
  ASSERT_TRUE(part->Append(Bytes("abc")).ok());
  EXPECT_EQ(part->FinishSha256(), kShaOfAbc);
}

TEST(PartFile, CancelledWhileHashing) {
  const TempDirForTest dir;
  std::ofstream(dir.path() + "/x.part") << "abc";
  CancelSource source;
  source.Cancel(CancelReason::kUserCancel);
  EXPECT_EQ(PartFile::Open(dir.path() + "/x.part", UINT64_MAX, source.token()).status().code(),
            Code::kCancelled);
}

TEST(FileLock, OneHolderAtATime) {
  const TempDirForTest dir;
  const std::string path = dir.path() + "/x.lock";
  Result<FileLock> first = FileLock::Try(path);
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(first->held());
  Result<FileLock> second = FileLock::Try(path);
  ASSERT_TRUE(second.ok());
  EXPECT_FALSE(second->held());
  CancelSource source;
  const Result<FileLock> third =
      FileLock::Acquire(path, source.token(), [&] { source.Cancel(CancelReason::kUserCancel); });
  EXPECT_EQ(third.status().code(), Code::kCancelled);
  std::thread other([&] {
    const Result<FileLock> waited =
        FileLock::Acquire(path, {}, [&] { first->Release(); });  // the first wait frees it
    EXPECT_TRUE(waited.ok() && waited->held());
  });
  other.join();
}

TEST(Process, OutputAndExitStatus) {
  const Result<ProcessResult> result =
      RunProcess({"sh", "-c", "echo out; echo $EXTRA >&2; exit 3"}, {{"EXTRA", "err"}}, {}, {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_EQ(result->output, "out\nerr\n");
}

TEST(Process, KeepsTheEndOfMuchOutput) {
  const Result<ProcessResult> result =
      RunProcess({"sh", "-c", "seq 100000; echo last"}, {}, {}, {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->output.size(), kOutputBytes);
  EXPECT_TRUE(result->output.ends_with("\nlast\n"));
}

TEST(Process, AbsentProgram) {
  EXPECT_EQ(RunProcess({"no-such-program"}, {}, {}, {}).status().code(), Code::kUnavailable);
}

TEST(Process, SignalsAreNotExitCodes) {
  const Result<ProcessResult> result = RunProcess({"sh", "-c", "kill -9 $$"}, {}, {}, {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->exit_code, -1);
}

TEST(Process, CancelEndsTheGroupAndItsChildren) {
  CancelSource source;
  // The child of the child holds the pipe; a cancel that reaches only the first would wait.
  const Result<ProcessResult> result =
      RunProcess({"sh", "-c", "trap '' TERM; sleep 600 & wait; sleep 600"}, {}, source.token(),
                 [&] { source.Cancel(CancelReason::kUserCancel); });
  EXPECT_EQ(result.status().code(), Code::kCancelled);
}

TEST(Archive, RefusesWhatIsNone) {
  const TempDirForTest dir;
  for (const std::string& bytes : {std::string(), std::string("PK\3\4"), std::string(4096, 'x')}) {
    std::ofstream(dir.path() + "/a.whl", std::ios::binary) << bytes;
    const Status status =
        ExtractMembers(dir.path() + "/a.whl", {{"m", dir.path() + "/m"}}, 100, {}, {});
    EXPECT_FALSE(status.ok());
    EXPECT_FALSE(fs::exists(dir.path() + "/m"));
  }
  EXPECT_FALSE(ExtractMembers(dir.path() + "/none", {{"m", "/m"}}, 100, {}, {}).ok());
}

TEST(Archive, MemberOverTheLimit) {
  const TempDirForTest dir;
  const std::string make = "cd " + dir.path() + " && head -c 5000 /dev/zero > m && tar czf a.tgz m";
  ASSERT_EQ(RunProcess({"sh", "-c", make}, {}, {}, {})->exit_code, 0);
  const std::string out = dir.path() + "/out";
  EXPECT_EQ(ExtractMembers(dir.path() + "/a.tgz", {{"m", out}}, 4999, {}, {}).code(),
            Code::kDataLoss);
  EXPECT_FALSE(fs::exists(out));
  EXPECT_EQ(ExtractMembers(dir.path() + "/a.tgz", {{"m", out}}, 5000, {}, {}), OkStatus());
  EXPECT_EQ(Read(out), std::string(5000, '\0'));
}

TEST(Hub, LayoutIsTheHubsOwn) {
  const HubSettings settings{.endpoint = "https://h", .cache_dir = "/c"};
  const Source source = *ParseSource("hf:org/repo/dir/f.gguf");
  EXPECT_EQ(HubBlobPath(settings, source, "e"), "/c/models--org--repo/blobs/e");
  EXPECT_EQ(HubLockPath(settings, source, "e"), "/c/.locks/models--org--repo/e.lock");
  EXPECT_EQ(HubRequest(settings, source, "").url, "https://h/org/repo/resolve/main/dir/f.gguf");
  EXPECT_EQ(HubRequest(settings, source, "c1").url, "https://h/org/repo/resolve/c1/dir/f.gguf");
}

TEST(Hub, PublishedBlobsAreFoundAndRemoved) {
  const TempDirForTest dir;
  const HubSettings settings{.cache_dir = dir.path()};
  const Source source = *ParseSource("hf:org/repo/dir/f.gguf");
  const HubFile file{.commit = "c1", .etag = std::string(64, 'e'), .size_bytes = 1};
  EXPECT_EQ(HubCachedBlob(settings, source, ""), "");
  ASSERT_TRUE(WriteWhole(HubBlobPath(settings, source, file.etag), "x").ok());
  ASSERT_TRUE(HubPublish(settings, source, file).ok());
  EXPECT_EQ(Read(HubCachedBlob(settings, source, "")), "x");
  EXPECT_EQ(Read(HubCachedBlob(settings, source, "c1")), "x");
  EXPECT_EQ(HubCachedBlob(settings, source, "c2"), "");
  EXPECT_EQ(HubCachedBlob(settings, source, "../.."), "");
  ASSERT_TRUE(HubRemoveBlob(settings, source, file.etag).ok());
  EXPECT_EQ(HubCachedBlob(settings, source, ""), "");
}

TEST(Json, HostileNumbersAndTypes) {
  const Result<JsonView> root = JsonView::Parse(
      R"({"n": -1, "f": 1e400, "s": 3, "z": null, "b": 18446744073709551616})", "j");
  ASSERT_FALSE(root.ok());  // 1e400 is no double
  const Result<JsonView> good = JsonView::Parse(R"({"n": -1, "s": 3, "z": null})", "j");
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good->Uint("n").status().code(), Code::kDataLoss);
  EXPECT_EQ(good->String("s").status().code(), Code::kDataLoss);
  EXPECT_EQ(*good->StringOr("z", "d"), "d");
  EXPECT_EQ(good->Uint("absent").status().message(), "j.absent: missing; expected a whole number");
  EXPECT_FALSE(JsonView::Parse("{\"a\": \"\xff\"}", "j").ok());
}

TEST(Json, ManyMembers) {
  // Quadratic work over this many members would outlast the test's time limit.
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) {
    text += "\"k" + std::to_string(i) + "\":1,";
  }
  text.back() = '}';
  const Result<JsonView> root = JsonView::Parse(text, "j");
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(*root->Uint("k199999"), 1u);
  EXPECT_EQ(CheckJson(text, "j"), OkStatus());
  EXPECT_FALSE(CheckJson(text + "x", "j").ok());
}

TEST(Json, OutputIsAlwaysUtf8) {
  JsonOut out = JsonOut::Object();
  out.Set("a", "\xff");
  EXPECT_EQ(out.Dump(), "{\"a\":\"\xef\xbf\xbd\"}");
}

TEST(Layout, HumanBytes) {
  EXPECT_EQ(HumanBytes(999), "999 B");
  EXPECT_EQ(HumanBytes(1'117'320'768), "1.1 GB");
}

TEST(Layout, FreeBytesOfAFolderThatIsNotThereYet) {
  const TempDirForTest dir;
  const Result<uint64_t> free = FreeBytes(dir.path() + "/a/b/c");
  ASSERT_TRUE(free.ok());
  EXPECT_GT(*free, 0u);
}

TEST(Layout, LinksAreReplacedInOneStep) {
  const TempDirForTest dir;
  std::ofstream(dir.path() + "/one") << "1";
  std::ofstream(dir.path() + "/two") << "2";
  const std::string link = dir.path() + "/sub/link";
  ASSERT_TRUE(ReplaceLink("../one", link).ok());
  ASSERT_TRUE(ReplaceLink("../two", link).ok());
  EXPECT_EQ(Read(link), "2");
  std::ofstream(link + ".tmp-1-2") << "left by a killed process";
  RemoveTemporaries(link);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path() + "/sub"), {}), 1);
}

}  // namespace
}  // namespace sotto
