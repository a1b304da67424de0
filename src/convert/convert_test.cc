#include "convert/convert.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/file.h"
#include "convert/pickle.h"
#include "convert/tiny_sources.h"
#include "modelfiles/model_file.h"

namespace sotto {
namespace {

class Converting : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& bytes) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  std::string Output() const { return folder_ + "/out"; }
  std::string ReadOutput() const {
    std::ifstream file(Output(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Neither an output nor a temporary file is left.
  bool NothingWritten() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().filename().string().starts_with("out")) {
        return false;
      }
    }
    return true;
  }

  Status Run(const std::string& kind, std::vector<std::string> inputs, const std::string& type,
             std::function<bool(double)> on_progress = {}) const {
    return Convert({kind, std::move(inputs), Output(), type, std::move(on_progress)});
  }
  Status RunCt2(const std::string& model, const std::string& vocabulary,
                const std::string& type) const {
    return Run("ct2_whisper_to_ggml",
               {Write("model.bin", model), Write("vocabulary.txt", vocabulary)}, type);
  }
  Status RunMiniLm(const std::string& weights, const std::string& config, const std::string& vocab,
                   const std::string& type) const {
    return Run("st_minilm_to_gguf",
               {Write("model.safetensors", weights), Write("config.json", config),
                Write("vocab.txt", vocab)},
               type);
  }
  Status RunTorch(const std::string& bytes) const {
    return Run("resemblyzer_to_onnx", {Write("pretrained.pt", bytes)}, "");
  }

  void ExpectDataLoss(const Status& status, const std::string& what) const {
    EXPECT_EQ(status.code(), Code::kDataLoss) << status.ToString();
    EXPECT_NE(status.message().find(what), std::string::npos) << status.ToString();
    EXPECT_TRUE(NothingWritten());
  }

  std::string folder_ = ::testing::TempDir() + "/convert-" + std::to_string(::getpid());
};

constexpr uint32_t kVocab = 51864;

TEST_F(Converting, WhisperOfEveryTypeIsSound) {
  const std::string model = MakeTinyCt2(kVocab, false);
  const std::string vocabulary = MakeTinyVocabulary(kVocab);
  for (const char* type : {"f32", "f16", "q8_0", "q5_1", "q5_0", ""}) {
    const Status status = RunCt2(model, vocabulary, type);
    ASSERT_TRUE(status.ok()) << type << ": " << status.ToString();
    const Result<ModelFileSummary> summary = ValidateModelFile(Output());
    ASSERT_TRUE(summary.ok()) << type << ": " << summary.status().ToString();
    EXPECT_EQ(summary->whisper->type, *type == '\0' ? "f16" : type);
    EXPECT_EQ(summary->whisper->encoder_layers, 1u);
    EXPECT_EQ(summary->whisper->vocab_size, kVocab);
  }
  // " t1": the character for a blank has become one.
  EXPECT_NE(ReadOutput().find(std::string("\x03\0\0\0 t1", 7)), std::string::npos);
}

TEST_F(Converting, Int8WhisperIsScaledBack) {
  ASSERT_TRUE(RunCt2(MakeTinyCt2(kVocab, true), MakeTinyVocabulary(kVocab), "f32").ok());
  const std::string out = ReadOutput();
  const std::string name = "encoder.blocks.0.mlp.0.weight";
  const size_t at = out.find(name);
  ASSERT_NE(at, std::string::npos);
  float second = 0.0f;
  std::memcpy(&second, out.data() + at + name.size() + 4, 4);
  EXPECT_EQ(second, 84.0f / 1000.0f);  // int8(1000 * 0.1 * sin 1)
}

TEST_F(Converting, ADirectoryOrItsFiles) {
  Write("model.safetensors", MakeTinySafetensors());
  Write("config.json", MakeTinyConfig());
  Write("vocab.txt", MakeTinyVocabTxt());
  ASSERT_TRUE(Run("st_minilm_to_gguf", {folder_}, "q8_0").ok());
  const std::string first = ReadOutput();
  ASSERT_TRUE(RunMiniLm(MakeTinySafetensors(), MakeTinyConfig(), MakeTinyVocabTxt(), "q8_0").ok());
  EXPECT_EQ(ReadOutput(), first);
}

TEST_F(Converting, MiniLmOfEveryTypeIsSound) {
  for (const char* type : {"f32", "f16", "q8_0"}) {
    ASSERT_TRUE(RunMiniLm(MakeTinySafetensors(), MakeTinyConfig(), MakeTinyVocabTxt(), type).ok());
    const Result<ModelFileSummary> summary = ValidateModelFile(Output());
    ASSERT_TRUE(summary.ok()) << summary.status().ToString();
    EXPECT_EQ(summary->gguf->architecture, "bert");
    EXPECT_EQ(summary->gguf->vocab_size, 40u);
    EXPECT_FALSE(summary->gguf->is_causal);
    EXPECT_EQ(summary->gguf->tensor_count, 5u + 16u);
  }
}

TEST_F(Converting, ResemblyzerIsSound) {
  const Status status = RunTorch(MakeTinyTorch(3));
  ASSERT_TRUE(status.ok()) << status.ToString();
  const Result<ModelFileSummary> summary = ValidateModelFile(Output());
  ASSERT_TRUE(summary.ok()) << summary.status().ToString();
  const std::vector<OnnxValue> mels{{"mels", kOnnxFloat, true, {kOnnxAnyDim, kOnnxAnyDim, 40}}};
  const std::vector<OnnxValue> embedding{{"embedding", kOnnxFloat, true, {kOnnxAnyDim, 256}}};
  EXPECT_TRUE(CheckOnnxIo(Output(), *summary->onnx, mels, embedding).ok());
}

TEST_F(Converting, WrongRequestsAreTold) {
  EXPECT_EQ(Run("nosuch", {"a"}, "").code(), Code::kInvalidArgument);
  EXPECT_EQ(Run("ct2_whisper_to_ggml", {"a"}, "").code(), Code::kInvalidArgument);
  EXPECT_EQ(Run("ct2_whisper_to_ggml", {}, "").code(), Code::kInvalidArgument);
  EXPECT_EQ(Run("ct2_whisper_to_ggml", {"a", "b"}, "q3").code(), Code::kInvalidArgument);
  EXPECT_EQ(Run("st_minilm_to_gguf", {"a", "b", "c"}, "q5_1").code(), Code::kInvalidArgument);
  EXPECT_EQ(Run("ct2_whisper_to_ggml", {folder_ + "/no", folder_ + "/no"}, "").code(),
            Code::kNotFound);
  EXPECT_EQ(Run("resemblyzer_to_onnx", {folder_}, "").code(), Code::kNotFound);
  EXPECT_TRUE(NothingWritten());
}

TEST_F(Converting, CancellingLeavesNothing) {
  const std::vector<std::string> inputs{Write("m", MakeTinyCt2(kVocab, false)),
                                        Write("v", MakeTinyVocabulary(kVocab))};
  double last = -1.0;
  int calls = 0;
  ASSERT_TRUE(Run("ct2_whisper_to_ggml", inputs, "q8_0", [&](double fraction) {
                EXPECT_GE(fraction, last);
                last = fraction;
                ++calls;
                return true;
              }).ok());
  EXPECT_EQ(last, 1.0);
  std::filesystem::remove(Output());
  for (int stop = 0; stop < calls; stop += 5) {
    int seen = 0;
    const Status status =
        Run("ct2_whisper_to_ggml", inputs, "q8_0", [&](double) { return seen++ < stop; });
    EXPECT_EQ(status.code(), Code::kCancelled);
    EXPECT_TRUE(NothingWritten());
  }
}

TEST_F(Converting, ACutOrForeignCt2ModelIsRefused) {
  const std::string model = MakeTinyCt2(kVocab, false);
  const std::string vocabulary = MakeTinyVocabulary(kVocab);
  for (size_t size = 0; size < model.size(); size += size < 300 ? 7 : 500009) {
    ExpectDataLoss(RunCt2(model.substr(0, size), vocabulary, ""), "model.bin");
  }
  std::string bad = model;
  bad[0] = 99;
  ExpectDataLoss(RunCt2(bad, vocabulary, ""), "version: 99");
  bad = model;
  bad.replace(bad.find("conv1/weight"), 12, "conv9/weight");
  ExpectDataLoss(RunCt2(bad, vocabulary, ""), "encoder/conv1/weight: missing");
  bad = model;
  bad.replace(bad.find("layer_0"), 7, "layer_9");
  ExpectDataLoss(RunCt2(bad, vocabulary, ""), "missing");
  ExpectDataLoss(RunCt2(model, MakeTinyVocabulary(1000), ""), "1001 lines");
  ExpectDataLoss(RunCt2(model, "\xFF\xFF\n" + vocabulary, ""), "line 1: not UTF-8");
}

TEST_F(Converting, WeightsThatAreNoNumbersAreRefused) {
  std::string model = MakeTinyCt2(kVocab, false);
  const std::string name("encoder/conv1/bias\0", 19);
  const size_t at = model.find(name) + name.size() + 1 + 4 + 1 + 4;
  const float bad = NAN;
  std::memcpy(model.data() + at, &bad, 4);
  ExpectDataLoss(RunCt2(model, MakeTinyVocabulary(kVocab), "f32"), "encoder.conv1.bias");
}

TEST_F(Converting, BadSafetensorsAreRefused) {
  const std::string weights = MakeTinySafetensors();
  const std::string config = MakeTinyConfig();
  const std::string vocab = MakeTinyVocabTxt();
  for (size_t size = 0; size < weights.size(); size += size < 3000 ? 11 : 9001) {
    ExpectDataLoss(RunMiniLm(weights.substr(0, size), config, vocab, ""), "model.safetensors");
  }
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string bad = weights;
    return bad.replace(bad.find(from), from.size(), to);
  };
  ExpectDataLoss(RunMiniLm(changed("\"F32\"", "\"F99\""), config, vocab, ""), "dtype");
  ExpectDataLoss(RunMiniLm(changed("[40,64]", "[41,64]"), config, vocab, ""), "data_offsets");
  ExpectDataLoss(RunMiniLm(changed("[40,64]", "[64,40]"), config, vocab, ""), "token_embd");
  ExpectDataLoss(RunMiniLm(changed("[40,64]", "[-1,64]"), config, vocab, ""), "shape");
  ExpectDataLoss(RunMiniLm(changed("self.query.bias", "self.query.bios"), config, vocab, ""),
                 "20 of 21");
  ExpectDataLoss(RunMiniLm(weights, "[]", vocab, ""), "config.json");
  ExpectDataLoss(RunMiniLm(weights, "{\"hidden_size\": -64}", vocab, ""), "config.json");
  ExpectDataLoss(RunMiniLm(weights, config, "[PAD]\n", ""), "vocab.txt: 1 lines");
}

TEST_F(Converting, BadTorchFilesAreRefused) {
  const std::string whole = MakeTinyTorch(3);
  for (size_t size = 0; size < whole.size(); size += size < 3000 ? 13 : 300007) {
    ExpectDataLoss(RunTorch(whole.substr(0, size)), "pretrained.pt");
  }
  ExpectDataLoss(RunTorch("PK\x03\x04 a zip"), "not a legacy torch file");
  ExpectDataLoss(RunTorch(MakeTinyTorch(2)), "_l2: missing");
  std::string bad = whole;
  bad.replace(bad.find("model_state"), 11, "model_stato");
  ExpectDataLoss(RunTorch(bad), "model_state: missing");
}

TEST(Pickle, NothingIsCalled) {
  const std::string bytes = MakeHostilePickle();
  Pickle pickle;
  ByteReader in(std::as_bytes(std::span(bytes.data(), bytes.size())));
  EXPECT_NE(pickle.Read(in).find("calls a constructor"), std::string::npos);
}

TEST(Pickle, SelfReferenceAndImbalanceAreData) {
  const auto read = [](const std::string& bytes) {
    Pickle pickle;
    ByteReader in(std::as_bytes(std::span(bytes.data(), bytes.size())));
    return pickle.Read(in);
  };
  using namespace std::string_literals;
  EXPECT_EQ(read("]q\0h\0a."s), "");  // a list that holds itself
  EXPECT_NE(read("."), "");
  EXPECT_NE(read("t."), "");
  EXPECT_NE(read("(u."), "");
  EXPECT_NE(read("}(K\x01u."), "");
  EXPECT_NE(read("h\x07."), "");
  EXPECT_NE(read("cos\nsystem"), "");
  EXPECT_NE(read("X\xFF\xFF\xFF\xFFx."), "");
}

}  // namespace
}  // namespace sotto
