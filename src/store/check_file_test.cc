#include "store/check_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "modelfiles/tiny_models.h"
#include "store/temp_dir_for_test.h"

namespace sotto {
namespace {

class CheckFile : public ::testing::Test {
 protected:
  Status Check(const std::string& name, const std::string& format, const std::string& bytes,
               const std::string& architecture = "") {
    const std::string path = dir_.path() + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return CheckStoreFile(
        {.path = path, .name = name, .architecture = architecture, .format = format});
  }
  TempDirForTest dir_;
};

TEST_F(CheckFile, SoundFilesPass) {
  EXPECT_EQ(Check("a.gguf", "gguf", MakeTinyGguf("llama")), OkStatus());
  EXPECT_EQ(Check("a.bin", "ggml", MakeTinyWhisper(), "whisper"), OkStatus());
  EXPECT_EQ(Check("a.onnx", "onnx", MakeTinyOnnx()), OkStatus());
  EXPECT_EQ(Check("a.json", "json", "{\"a\": 1}"), OkStatus());
  EXPECT_EQ(Check("a.bin", "voice", std::string(1024, '\0')), OkStatus());
  EXPECT_EQ(Check("a.txt", "text", "x"), OkStatus());
  EXPECT_EQ(Check("p.bin", "ggml", "lmgg and what its loader knows", "parakeet"), OkStatus());
}

TEST_F(CheckFile, OtherFilesDoNot) {
  const std::string gguf = MakeTinyGguf("llama");
  std::string nan(1024, '\0');
  const float bad = std::nanf("");
  std::memcpy(nan.data() + 512, &bad, sizeof(bad));
  EXPECT_EQ(Check("a.gguf", "gguf", gguf.substr(0, gguf.size() / 2)).code(), Code::kDataLoss);
  EXPECT_EQ(Check("a.gguf", "gguf", "<html>sign in</html>").code(), Code::kDataLoss);
  EXPECT_EQ(Check("a.gguf", "gguf", MakeTinyOnnx()).code(), Code::kDataLoss);
  EXPECT_EQ(Check("a.onnx", "onnx", gguf).code(), Code::kDataLoss);
  EXPECT_EQ(Check("a.bin", "ggml", gguf, "whisper").code(), Code::kDataLoss);
  EXPECT_EQ(Check("a.bin", "ggml", "GGUF....", "parakeet").code(), Code::kDataLoss);
  EXPECT_EQ(Check("a.json", "json", "{").code(), Code::kDataLoss);
  EXPECT_EQ(Check("a.bin", "voice", std::string(1000, '\0')).code(), Code::kDataLoss);
  EXPECT_EQ(Check("a.bin", "voice", "").code(), Code::kDataLoss);
  EXPECT_EQ(Check("a.bin", "voice", nan).code(), Code::kDataLoss);
  EXPECT_EQ(Check("a.txt", "text", "").code(), Code::kDataLoss);
}

}  // namespace
}  // namespace sotto
