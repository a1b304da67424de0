#include <gtest/gtest.h>

#include "backends/llama/llama_backend.h"
#include "backends/onnx/onnx_backend.h"
#include "backends/whisper/whisper_asr.h"

namespace sotto {
namespace {

void ExpectNotBuiltIn(const Status& status, const char* option) {
  EXPECT_EQ(status.code(), Code::kUnimplemented);
  EXPECT_NE(status.message().find(option), std::string::npos) << status.message();
}

TEST(NullTest, EveryFactorySaysWhichOptionIsMissing) {
  ExpectNotBuiltIn(MakeLlamaLlm("x.gguf").status(), "SOTTO_WITH_LLAMA");
  ExpectNotBuiltIn(MakeLlamaEmbedder("x.gguf").status(), "SOTTO_WITH_LLAMA");
  ExpectNotBuiltIn(MakeWhisperAsr("x.bin").status(), "SOTTO_WITH_WHISPER");
  ExpectNotBuiltIn(MakePiperTts({}, nullptr, {}).status(), "SOTTO_WITH_ONNX");
  ExpectNotBuiltIn(MakeKokoroTts({}, nullptr, {}).status(), "SOTTO_WITH_ONNX");
  ExpectNotBuiltIn(MakeSmartTurn("x.onnx", {}).status(), "SOTTO_WITH_ONNX");
  ExpectNotBuiltIn(MakeSpeakerEncoder("x.onnx", {}).status(), "SOTTO_WITH_ONNX");
  SetLlamaLog({});
  SetWhisperLog({});
}

}  // namespace
}  // namespace sotto
