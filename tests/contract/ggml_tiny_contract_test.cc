// llama.cpp behind the port, on random models of a few kilobytes.
#include <cstring>
#include <fstream>

#include "backends/llama/llama_backend.h"
#include "llm_contract.h"
#include "modelfiles/gguf_file.h"
#include "modelfiles/tiny_models.h"

namespace sotto {
namespace {

std::string WriteModel(const std::string& name, const std::string& bytes) {
  const std::string path = testing::TempDir() + "sotto_tiny_" + name + ".gguf";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

LlmContractCase Tiny(const std::string& family) {
  return {.name = family,
          .make = [family] { return MakeLlamaLlm(WriteModel(family, MakeTinyGguf(family))); },
          .context_tokens = 240};
}

INSTANTIATE_TEST_SUITE_P(Tiny, LlmContract,
                         testing::Values(Tiny("llama"), Tiny("qwen2"), Tiny("gemma3"),
                                         Tiny("gemma4")),
                         [](const auto& each) { return each.param.name; });

std::string Replied(LlmSession& session, const std::vector<Token>& prompt, int32_t max_tokens) {
  LlmGenerateOptions options;
  options.max_tokens = max_tokens;
  options.sampling.temperature = 0.0f;
  const Status started = session.Start(prompt, options, {});
  EXPECT_TRUE(started.ok()) << started.ToString();
  std::string text;
  for (LlmFinish finish = LlmFinish::kNone; started.ok() && finish == LlmFinish::kNone;) {
    const Result<LlmStep> step = session.Next({});
    if (!step.ok()) {
      ADD_FAILURE() << step.status().ToString();
      return text;
    }
    text += step->text + "|";
    finish = step->finish;
  }
  return text;
}

std::unique_ptr<LlmSession> NewSession(Llm& llm, int32_t context_tokens) {
  LlmSessionOptions options;
  options.context_tokens = context_tokens;
  auto made = llm.NewSession(options);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return made.ok() ? *std::move(made) : nullptr;
}

std::vector<Token> Scattered(size_t count, Token vocab) {
  std::vector<Token> tokens;
  for (size_t i = 0; i < count; ++i) {
    tokens.push_back(static_cast<Token>(8 + (i * 31 + i * i * 7) % (vocab - 16)));
  }
  return tokens;
}

// Lengths around the micro-batch, each after a longer prompt that shares a prefix. Random weights
// leave near ties that another batch size decides otherwise, so that equal replies are asked of
// real models only (ggml_model_test.cc).
TEST(LlamaSession, Case130LengthsAroundABlockAreAllTaken) {
  for (const std::string family : {"llama", "gemma3", "gemma4"}) {
    const auto llm = MakeLlamaLlm(WriteModel(family, MakeTinyGguf(family)));
    ASSERT_TRUE(llm.ok()) << llm.status().ToString();
    const std::vector<Token> all = Scattered(200, (*llm)->info().vocab_tokens);
    const auto warm = NewSession(**llm, 240);
    for (const size_t block : {16, 64, 128}) {
      for (size_t length = block - 2; length <= block + 12; ++length) {
        const auto end = all.begin() + static_cast<int64_t>(length);
        Replied(*warm, {all.begin(), end + 40}, 3);
        Replied(*warm, {all.begin(), end}, 6);
        EXPECT_EQ(warm->usage().reused_tokens, static_cast<int32_t>(length) - 1);
      }
    }
  }
}

// Case 121: a sliding window does not cost the whole prompt each time.
TEST(LlamaSession, Case121TheSamePromptAgainIsKept) {
  const auto llm = MakeLlamaLlm(WriteModel("gemma3", MakeTinyGguf("gemma3")));
  ASSERT_TRUE(llm.ok()) << llm.status().ToString();
  ASSERT_GT((*llm)->info().sliding_window_tokens, 0);
  const auto session = NewSession(**llm, 240);
  const std::vector<Token> prompt = Scattered(60, (*llm)->info().vocab_tokens);
  Replied(*session, prompt, 2);
  Replied(*session, prompt, 2);
  EXPECT_EQ(session->usage().reused_tokens, 59);
}

TEST(LlamaSession, Case129LogitsThatAreNotNumbersAreAnError) {
  std::string bytes = MakeTinyGguf("llama");
  {
    const auto file = GgufFile::Parse("tiny", AsBytes(bytes));
    ASSERT_TRUE(file.ok());
    const GgufTensor* output = file->FindTensor("output.weight");
    if (output == nullptr) {
      output = file->FindTensor("token_embd.weight");
    }
    ASSERT_NE(output, nullptr);
    // A NaN in every format, or the scale of a block.
    std::memset(bytes.data() + output->offset_bytes, 0xFF, output->size_bytes);
  }
  const auto llm = MakeLlamaLlm(WriteModel("nan", bytes));
  ASSERT_TRUE(llm.ok()) << llm.status().ToString();
  const auto session = NewSession(**llm, 128);
  const std::vector<Token> prompt = Scattered(20, (*llm)->info().vocab_tokens);
  for (const float temperature : {0.0f, 1.0f}) {
    LlmGenerateOptions options;
    options.sampling.temperature = temperature;
    ASSERT_TRUE(session->Start(prompt, options, {}).ok());
    EXPECT_EQ(session->usage().reused_tokens, 0) << "the cache was emptied";
    EXPECT_EQ(session->Next({}).status().code(), Code::kInternal);
    EXPECT_EQ(session->Next({}).status().code(), Code::kFailedPrecondition);
  }
}

TEST(LlamaBackend, ADrafterAndAnEmbedderDoNotGenerate) {
  const auto drafter = MakeLlamaLlm(WriteModel("drafter", MakeTinyGguf("gemma4-assistant")));
  EXPECT_EQ(drafter.status().code(), Code::kInvalidArgument) << drafter.status().ToString();
  const std::string bert = WriteModel("bert", MakeTinyGguf("bert"));
  EXPECT_EQ(MakeLlamaLlm(bert).status().code(), Code::kInvalidArgument);
  EXPECT_TRUE(MakeLlamaEmbedder(bert).ok());
  EXPECT_EQ(MakeLlamaEmbedder(WriteModel("llama", MakeTinyGguf("llama"))).status().code(),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace sotto
