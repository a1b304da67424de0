#include "backends/fake/fake_end_of_turn.h"
#include "backends/fake/fake_tts.h"
#include "end_of_turn_contract.h"
#include "tts_contract.h"

namespace sotto {
namespace {

INSTANTIATE_TEST_SUITE_P(Fake, TtsContract,
                         testing::Values(TtsContractCase{
                             "fake", [] { return Result<std::unique_ptr<Tts>>(MakeFakeTts()); }}));

INSTANTIATE_TEST_SUITE_P(Fake, EndOfTurnContract,
                         testing::Values(EndOfTurnContractCase{
                             "fake", [] {
                               return Result<std::unique_ptr<EndOfTurn>>(MakeFakeEndOfTurn());
                             }}));

TEST(FakeTts, FailsWhereTheScriptSays) {
  FakeTtsScript script;
  script.before_block = [](const TtsRequest&, int64_t block) {
    return block == 1 ? InternalError("scripted") : OkStatus();
  };
  const auto tts = MakeFakeTts(script);
  auto stream = tts->Speak({.text = "a phrase of several blocks", .voice = {}}, {});
  ASSERT_TRUE(stream.ok());
  EXPECT_TRUE((*stream)->Next().ok());
  EXPECT_EQ((*stream)->Next().status().code(), Code::kInternal);
}

TEST(FakeTts, LogsWhatItIsAsked) {
  const auto log = std::make_shared<FakeTtsLog>();
  const auto tts = MakeFakeTts({}, log);
  ASSERT_TRUE(tts->Speak({.text = "one", .voice = {}, .seed = 5}, {}).ok());
  ASSERT_EQ(log->requests().size(), 1u);
  EXPECT_EQ(log->requests()[0].text, "one");
  EXPECT_EQ(log->requests()[0].seed, 5u);
}

TEST(FakeEndOfTurn, GivesItsScoresInOrder) {
  const auto model = MakeFakeEndOfTurn({.scores = {0.1f, 0.8f}, .score = nullptr});
  const std::vector<float> samples(100);
  EXPECT_EQ(*model->Score(samples, {}), 0.1f);
  EXPECT_EQ(*model->Score(samples, {}), 0.8f);
  EXPECT_EQ(*model->Score(samples, {}), 0.8f);
}

}  // namespace
}  // namespace sotto
