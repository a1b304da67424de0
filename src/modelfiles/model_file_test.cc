#include "modelfiles/model_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "modelfiles/gguf_writer.h"
#include "modelfiles/tiny_models.h"

namespace sotto {
namespace {

class ModelFile : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& bytes) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
  }

  void ExpectRefused(const std::string& name, const std::string& bytes,
                     const std::string& what) const {
    const Result<ModelFileSummary> summary = ValidateModelFile(Write(name, bytes));
    ASSERT_FALSE(summary.ok()) << name;
    EXPECT_EQ(summary.status().code(), Code::kDataLoss) << summary.status().ToString();
    EXPECT_NE(summary.status().message().find(name), std::string::npos);
    EXPECT_NE(summary.status().message().find(what), std::string::npos)
        << summary.status().message();
  }

  std::string folder_ = ::testing::TempDir() + "/model-file-" + std::to_string(::getpid());
};

TEST_F(ModelFile, SoundFilesAreTold) {
  const Result<ModelFileSummary> gguf = ValidateModelFile(Write("m", MakeTinyGguf("llama")));
  ASSERT_TRUE(gguf.ok()) << gguf.status().ToString();
  EXPECT_EQ(gguf->kind, ModelFileKind::kGguf);
  EXPECT_EQ(gguf->gguf->architecture, "llama");
  const Result<ModelFileSummary> whisper = ValidateModelFile(Write("m", MakeTinyWhisper()));
  ASSERT_TRUE(whisper.ok()) << whisper.status().ToString();
  EXPECT_EQ(whisper->whisper->state_dim, 64u);
  const Result<ModelFileSummary> onnx = ValidateModelFile(Write("m", MakeTinyOnnx()));
  ASSERT_TRUE(onnx.ok()) << onnx.status().ToString();
  EXPECT_EQ(onnx->onnx->inputs.size(), 1u);
}

// ggml-org/llama.cpp#2629: a folder or a file of another kind was a segmentation fault.
using Case069 = ModelFile;
TEST_F(Case069, WhatIsNoModelIsNamed) {
  using namespace std::string_literals;
  ExpectRefused("empty.gguf", "", "is an empty file");
  ExpectRefused("photo.gguf", "\xFF\xD8\xFF\xE0\0\x10JFIF"s, "is a JPEG");
  ExpectRefused("photo.png", "\x89PNG\r\n"s, "image");
  ExpectRefused("notes.gguf", "some notes\nof mine\n", "is text");
  ExpectRefused("page.gguf", "\n<!DOCTYPE html><html>404", "is a web page; fetch it again");
  ExpectRefused("pointer.gguf", "version https://git-lfs.github.com/spec/v1\noid ", "git lfs pull");
  ExpectRefused("clip.wav", "RIFF\x10\0\0\0WAVEfmt "s, "is audio");
  ExpectRefused("model.zip", "PK\x03\x04whatever", "is an archive");
  ExpectRefused("model.pt", "PK\x03\x04\0\0archive/data.pkl"s, "is a PyTorch checkpoint; convert");
  ExpectRefused("old.pt", "\x80\x02\x8A\x0A\x6C\xFC\x9C\x46"s, "legacy PyTorch");
  ExpectRefused("w.safetensors", "\x02\0\0\0\0\0\0\0{}"s, "safetensors");
  ExpectRefused("model.bin", "\x06\0\0\0\x0C\0WhisperSpec\0"s, "CTranslate2");
  ExpectRefused("magic.gguf", "GGUX" + std::string(64, '\0'), "of a kind that is known");
  ExpectRefused("odd.onnx", std::string(64, '\x01'), "onnx field");
}

TEST_F(Case069, AFolderAndAMissingFileAreNamed) {
  EXPECT_EQ(ValidateModelFile(folder_).status().code(), Code::kInvalidArgument);
  EXPECT_NE(ValidateModelFile(folder_).status().message().find("is a directory"),
            std::string::npos);
  EXPECT_EQ(ValidateModelFile(folder_ + "/none").status().code(), Code::kNotFound);
  EXPECT_EQ(IdentifyModelFile(folder_).status().code(), Code::kInvalidArgument);
}

// Comfy-Org/Comfy-Desktop#1322: half a download passed for the file.
TEST_F(ModelFile, LeftoversOfDownloadsAreNamed) {
  const std::string whole = MakeTinyGguf("llama");
  for (const char* name : {"m.gguf.part", "m.gguf.crdownload", "m.gguf.tmp-17-0"}) {
    ExpectRefused(name, whole, "is an unfinished download; fetch it again");
  }
}

TEST_F(ModelFile, BadModelsAreDataLoss) {
  const auto gguf = [](uint32_t version, uint64_t tensors, uint64_t keys, const std::string& rest) {
    std::string out = "GGUF";
    out.append(reinterpret_cast<const char*>(&version), 4);
    out.append(reinterpret_cast<const char*>(&tensors), 8);
    out.append(reinterpret_cast<const char*>(&keys), 8);
    return out + rest;
  };
  ExpectRefused("cut.gguf", std::string("GGUF\x03\0\0", 7), "version");
  ExpectRefused("counts.gguf", gguf(3, uint64_t{1} << 62, uint64_t{1} << 62, ""), "tensor_count");
  ExpectRefused("version.gguf", gguf(99, 0, 0, ""), "version: 99");
  ExpectRefused("bare.gguf", gguf(3, 0, 0, ""), "general.architecture");
  std::mt19937 random(13);
  std::string noise = "GGUF";
  for (int i = 0; i < 4096; ++i) {
    noise += static_cast<char>(random());
  }
  ExpectRefused("noise.gguf", noise, "gguf field");
  ExpectRefused("arch.gguf", GgufWriter("nosuch").Header(), "general.architecture");
}

}  // namespace
}  // namespace sotto
