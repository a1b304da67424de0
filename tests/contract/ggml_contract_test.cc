#include "asr_contract.h"
#include "backends/llama/llama_backend.h"
#include "backends/whisper/whisper_asr.h"
#include "embedder_contract.h"
#include "llm_contract.h"
#include "models_dir.h"
#include "wav_clip.h"

namespace sotto {
namespace {

INSTANTIATE_TEST_SUITE_P(
    Whisper, AsrContract,
    testing::Values(
        AsrContractCase{"tiny_en",
                        [] { return MakeWhisperAsr(ModelPath("asr/ggml-tiny.en-q8_0.bin")); },
                        [] { return ReadWavClip(TestDataPath("clips/librivox_0930.wav")); }},
        AsrContractCase{"base", [] { return MakeWhisperAsr(ModelPath("asr/ggml-base-q8_0.bin")); },
                        [] { return ReadWavClip(TestDataPath("clips/goforward.wav")); }}),
    [](const auto& each) { return each.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Llama, LlmContract,
    testing::Values(
        LlmContractCase{
            "smollm2",
            [] { return MakeLlamaLlm(ModelPath("llm/SmolLM2-135M-Instruct.Q4_1.gguf")); }},
        LlmContractCase{"gemma3",
                        [] { return MakeLlamaLlm(ModelPath("llm/gemma-3-270m-Q4_K_M.gguf")); }}),
    [](const auto& each) { return each.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Llama, EmbedderContract,
    testing::Values(EmbedderContractCase{
        "minilm", [] { return MakeLlamaEmbedder(ModelPath("embed/all-MiniLM-L6-v2-q8_0.gguf")); }}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace sotto
