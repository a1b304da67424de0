#include "asr_contract.h"
#include "backends/fake/fake_asr.h"
#include "backends/fake/fake_embedder.h"
#include "backends/fake/fake_llm.h"
#include "backends/fake/fake_vad.h"
#include "embedder_contract.h"
#include "llm_contract.h"
#include "vad_contract.h"

namespace sotto {
namespace {

std::vector<float> Buzz() {
  std::vector<float> samples(32000);
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i] = static_cast<float>(0.2 * std::sin(0.05 * static_cast<double>(i)));
  }
  return samples;
}

INSTANTIATE_TEST_SUITE_P(Fake, AsrContract,
                         testing::Values(AsrContractCase{
                             "fake", [] { return Result<std::unique_ptr<Asr>>(MakeFakeAsr()); },
                             Buzz}));

FakeLlmScript WithLongReplies() {
  FakeLlmScript script;
  script.reply = [](std::string_view prompt, uint32_t seed) {
    std::string text = std::to_string(seed) + ": caf\u00e9 ";
    for (size_t i = prompt.size() % 7; i < 40; ++i) {
      text += std::to_string(i * prompt.size()) + " ";
    }
    return text;
  };
  return script;
}

INSTANTIATE_TEST_SUITE_P(Fake, LlmContract,
                         testing::Values(LlmContractCase{"fake", [] {
                                                           return Result<std::unique_ptr<Llm>>(
                                                               MakeFakeLlm(WithLongReplies()));
                                                         }}));

INSTANTIATE_TEST_SUITE_P(Fake, EmbedderContract,
                         testing::Values(EmbedderContractCase{
                             "fake", [] {
                               return Result<std::unique_ptr<Embedder>>(MakeFakeEmbedder());
                             }}));

INSTANTIATE_TEST_SUITE_P(Fake, VadContract,
                         testing::Values(VadContractCase{
                             "fake", [] { return Result<std::unique_ptr<Vad>>(MakeFakeVad()); }}));

TEST(FakeAsr, HearsItsTranscriptsInOrder) {
  FakeAsrScript script;
  script.transcripts = {"one", "", "three"};
  const auto asr = MakeFakeAsr(script);
  const std::vector<std::string> expected = {"one", "", "three", "three"};
  for (const std::string& text : expected) {
    const auto heard = asr->Recognise(Buzz(), {}, {});
    ASSERT_TRUE(heard.ok());
    EXPECT_EQ(heard->segments.empty() ? "" : heard->segments[0].text, text);
  }
}

TEST(FakeAsr, CancelsWithinACall) {
  CancelSource source;
  FakeAsrScript script;
  script.during_call = [&](int64_t) {
    source.Cancel(CancelReason::kBargeIn);
    return OkStatus();
  };
  EXPECT_EQ(MakeFakeAsr(script)->Recognise(Buzz(), {}, source.token()).status().code(),
            Code::kCancelled);
}

TEST(FakeLlm, EchoesByDefault) {
  const auto llm = MakeFakeLlm();
  const auto session = llm->NewSession({});
  ASSERT_TRUE(session.ok());
  const ChatMessage message{.role = ChatRole::kUser, .content = "good day"};
  ASSERT_TRUE((*session)->Start(*llm->RenderChat({&message, 1}), {}, {}).ok());
  std::string text;
  for (LlmFinish finish = LlmFinish::kNone; finish == LlmFinish::kNone;) {
    const auto step = (*session)->Next({});
    ASSERT_TRUE(step.ok());
    text += step->text;
    finish = step->finish;
  }
  EXPECT_EQ(text, "You said: good day");
}

TEST(FakeLlm, FailsAndCancelsWhereTheScriptSays) {
  CancelSource source;
  FakeLlmScript script;
  script.before_step = [&](int64_t step) {
    if (step == 3) {
      source.Cancel(CancelReason::kBargeIn);
    }
    return step == 5 ? InternalError("scripted") : OkStatus();
  };
  const auto llm = MakeFakeLlm(script);
  const auto session = llm->NewSession({});
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE((*session)->Start(*llm->Tokenize("hello", true, false), {}, {}).ok());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE((*session)->Next(source.token()).ok());
  }
  EXPECT_EQ((*session)->Next(source.token()).status().code(), Code::kCancelled);
  ASSERT_TRUE((*session)->Next({}).ok());
  ASSERT_TRUE((*session)->Next({}).ok());
  EXPECT_EQ((*session)->Next({}).status().code(), Code::kInternal);
}

TEST(FakeVad, GivesItsProbabilitiesInOrder) {
  FakeVadScript script;
  script.probabilities = {0.1f, 0.9f};
  const auto vad = MakeFakeVad(script);
  const std::vector<float> window(512);
  EXPECT_EQ(*vad->Process(window), 0.1f);
  EXPECT_EQ(*vad->Process(window), 0.9f);
  EXPECT_EQ(*vad->Process(window), 0.9f);
  vad->Reset();
  EXPECT_EQ(*vad->Process(window), 0.1f);
}

}  // namespace
}  // namespace sotto
