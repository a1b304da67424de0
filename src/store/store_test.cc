// The store as a library: local sources, threads, the built-in packs.
#include "store/store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "modelfiles/tiny_models.h"
#include "store/layout.h"
#include "store/sha256.h"
#include "store/temp_dir_for_test.h"

namespace sotto {
namespace {

class StoreTest : public ::testing::Test {
 protected:
  // Writes a catalogue of one model "m", whose file comes from a local one.
  void MakeCatalogue(const std::string& bytes) {
    std::ofstream(dir_.path() + "/source.gguf", std::ios::binary) << bytes;
    std::ofstream(dir_.path() + "/catalogue.json")
        << R"({"schema_version": 1, "models": [{"id": "m", "name": "Brand", "role": "text",
            "architecture": "llama", "lineage": {"base": "b"}, "licence": {"id": "MIT"},
            "files": [{"name": "m.gguf", "format": "gguf", "size_bytes": )"
        << bytes.size() << R"(, "sha256": ")" << Sha256Of(bytes) << R"(", "sources": ["file:)"
        << dir_.path() << R"(/source.gguf"]}]}]})";
  }
  std::unique_ptr<Store> Open(StoreOptions options = {}) {
    options.dir = dir_.path() + "/store";
    options.catalogue_path = dir_.path() + "/catalogue.json";
    Result<std::unique_ptr<Store>> store = Store::Open(std::move(options));
    EXPECT_TRUE(store.ok()) << store.status().ToString();
    return store.ok() ? *std::move(store) : nullptr;
  }
  TempDirForTest dir_;
};

TEST_F(StoreTest, PullResolveRemove) {
  MakeCatalogue(MakeTinyGguf("llama"));
  const std::unique_ptr<Store> store = Open();
  EXPECT_EQ(store->Resolve("m").status().code(), Code::kUnavailable);
  const Result<PullReport> report = store->Pull({"m"}, {}, {});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  const Result<ResolvedModel> model = store->Resolve("m");
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->path, dir_.path() + "/store/models/m/m.gguf");
  EXPECT_EQ(model->PathOf("m.gguf"), model->path);
  EXPECT_EQ(model->PathOf("other"), "");
  EXPECT_EQ(model->name, "Brand");
  ASSERT_TRUE(store->Remove("m", false).ok());
  EXPECT_EQ(store->Resolve("m").status().code(), Code::kUnavailable);
}

TEST_F(StoreTest, OpeningMakesNoFolder) {
  MakeCatalogue("x");
  const std::unique_ptr<Store> store = Open();
  EXPECT_FALSE(store->List().empty());
  EXPECT_FALSE(std::ifstream(dir_.path() + "/store").good());
}

TEST_F(StoreTest, ValidatesByDefault) {
  MakeCatalogue("GGUF but nothing else");
  const std::unique_ptr<Store> store = Open();
  EXPECT_EQ(store->Pull({"m"}, {}, {}).status().code(), Code::kDataLoss);
  EXPECT_EQ(store->Resolve("m").status().code(), Code::kUnavailable);
}

TEST_F(StoreTest, ThreadsShareOnePull) {
  MakeCatalogue(MakeTinyGguf("llama"));
  std::atomic<int> checks{0};
  StoreOptions options;
  options.validate = [&](const FileToCheck&) {
    ++checks;
    return OkStatus();
  };
  const std::unique_ptr<Store> store = Open(std::move(options));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(store->Pull({"m"}, {}, {}).ok()); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(checks, 1);  // fetched once
}

TEST_F(StoreTest, CancelledBeforeItBegan) {
  MakeCatalogue(MakeTinyGguf("llama"));
  const std::unique_ptr<Store> store = Open();
  CancelSource source;
  source.Cancel(CancelReason::kUserCancel);
  EXPECT_EQ(store->Pull({"m"}, {}, source.token()).status().code(), Code::kCancelled);
}

TEST_F(StoreTest, BuiltInPacksAreOffered) {
  ::unsetenv("SOTTO_PACK");  // NOLINT(concurrency-mt-unsafe): no other thread runs
  MakeCatalogue("x");
  const std::unique_ptr<Store> store = Open();
  ASSERT_NE(store->FindPack("mini-en"), nullptr);
  ASSERT_NE(store->FindPack("small-en"), nullptr);
  const Status none = store->ResolveDefaultPack().status();
  EXPECT_EQ(none.code(), Code::kUnavailable);
  EXPECT_NE(none.message().find("sotto pull small-en"), std::string::npos);
  const Status absent = store->ResolvePack("mini-en").status();
  EXPECT_EQ(absent.code(), Code::kUnavailable);
  EXPECT_NE(absent.message().find("sotto pull mini-en"), std::string::npos);
  EXPECT_EQ(store->ResolvePack("nope").status().code(), Code::kNotFound);
}

TEST_F(StoreTest, FilesWhereFoldersShouldBe) {
  MakeCatalogue(MakeTinyGguf("llama"));
  std::ofstream(dir_.path() + "/store") << "in the way";
  const std::unique_ptr<Store> store = Open();
  EXPECT_FALSE(store->Pull({"m"}, {}, {}).ok());
  EXPECT_EQ(store->Resolve("m").status().code(), Code::kUnavailable);
}

TEST(DefaultDir, FollowsTheEnvironment) { EXPECT_FALSE(DefaultStoreDir().empty()); }

}  // namespace
}  // namespace sotto
