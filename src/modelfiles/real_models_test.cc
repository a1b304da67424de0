// The validators against published weights, in the folder that SOTTO_MODELS_DIR names.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "modelfiles/model_file.h"

namespace sotto {
namespace {

Result<ModelFileSummary> Real(const std::string& file) {
  const char* folder = std::getenv("SOTTO_MODELS_DIR");
  if (folder == nullptr) {
    return NotFoundError("SOTTO_MODELS_DIR is not set; point it at the weights");
  }
  return ValidateModelFile(std::string(folder) + "/" + file);
}

TEST(RealModels, TextModels) {
  const Result<ModelFileSummary> gemma = Real("llm/gemma-3-270m-Q4_K_M.gguf");
  ASSERT_TRUE(gemma.ok()) << gemma.status().ToString();
  EXPECT_EQ(gemma->gguf->architecture, "gemma3");
  EXPECT_EQ(gemma->gguf->block_count(), 18u);
  EXPECT_EQ(gemma->gguf->vocab_size, 262144u);
  EXPECT_EQ(gemma->gguf->sliding_window_tokens, 512u);
  EXPECT_FALSE(gemma->gguf->has_chat_template);
  const Result<ModelFileSummary> smol = Real("llm/SmolLM2-135M-Instruct.Q4_1.gguf");
  ASSERT_TRUE(smol.ok()) << smol.status().ToString();
  EXPECT_EQ(smol->gguf->parameter_count, 134515008u);
  EXPECT_TRUE(smol->gguf->has_chat_template);
  // 30 layers, 3 key heads of 64, keys and values, float16.
  EXPECT_EQ(smol->gguf->KvBytes(1024, 2.0, 512), 1024u * 30 * 3 * 128 * 2);
}

TEST(RealModels, Embedder) {
  const Result<ModelFileSummary> minilm = Real("embed/all-MiniLM-L6-v2-q8_0.gguf");
  ASSERT_TRUE(minilm.ok()) << minilm.status().ToString();
  EXPECT_TRUE(minilm->gguf->is_embedder);
  EXPECT_EQ(minilm->gguf->pooling_type, 1u);
}

TEST(RealModels, Recognisers) {
  for (const char* file :
       {"asr/ggml-base-q8_0.bin", "asr/ggml-base-q5_1.bin", "asr/ggml-tiny.en-q8_0.bin"}) {
    const Result<ModelFileSummary> whisper = Real(file);
    ASSERT_TRUE(whisper.ok()) << whisper.status().ToString();
    EXPECT_EQ(whisper->kind, ModelFileKind::kWhisperGgml);
  }
  EXPECT_TRUE(Real("asr/ggml-base-q8_0.bin")->whisper->is_multilingual());
  EXPECT_FALSE(Real("asr/ggml-tiny.en-q8_0.bin")->whisper->is_multilingual());
}

TEST(RealModels, OnnxModels) {
  for (const char* file : {"vad/silero_vad_v6.onnx", "vad/silero_vad_16k_op15.onnx",
                           "turn/smart-turn-v3.2-cpu.onnx", "tts/en_US-joe-medium.onnx",
                           "tts/kokoro-82m-int8.onnx", "speaker/resemblyzer_voice_encoder.onnx"}) {
    const Result<ModelFileSummary> onnx = Real(file);
    ASSERT_TRUE(onnx.ok()) << onnx.status().ToString();
    EXPECT_FALSE(onnx->onnx->inputs.empty()) << file;
  }
}

TEST(RealModels, Detector) {
  const Result<ModelFileSummary> silero = Real("vad/ggml-silero-v6.2.0.bin");
  ASSERT_TRUE(silero.ok()) << silero.status().ToString();
  EXPECT_EQ(silero->kind, ModelFileKind::kSileroGgml);
}

}  // namespace
}  // namespace sotto
