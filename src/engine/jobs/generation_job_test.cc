#include "engine/jobs/generation_job.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "engine/jobs/job_test_util.h"
#include "text/utf8.h"

namespace sotto {
namespace {

using Type = GenerationEvent::Type;

class GenerationJobTest : public testing::Test {
 protected:
  std::unique_ptr<GenerationJob> Make(FakeLlmScript script = {}, GenerationOptions options = {}) {
    Result<std::unique_ptr<GenerationJob>> job =
        GenerationJob::Create(context_, FakeTextModel(std::move(script)), std::move(options));
    EXPECT_TRUE(job.ok()) << job.status().ToString();
    return *std::move(job);
  }
  static std::string ReadAll(GenerationJob& job, GenerationEvent* last) {
    std::string text;
    for (;;) {
      *last = job.Next(-1);
      if (last->type == Type::kDone) {
        return text;
      }
      EXPECT_EQ(ValidateUtf8(last->text), kValidUtf8);
      text += last->text;
    }
  }

  EngineContext context_{FakeEngineOptions()};
};

TEST_F(GenerationJobTest, AReplyComesInPiecesAndEndsOnce) {
  std::unique_ptr<GenerationJob> job = Make();
  EXPECT_EQ(job->Next(0).type, Type::kNone);
  EXPECT_EQ(job->Start().code(), Code::kFailedPrecondition);  // nobody asked anything
  ASSERT_TRUE(job->PushMessage({ChatRole::kUser, "hello"}).ok());
  ASSERT_TRUE(job->Start().ok());
  GenerationEvent last;
  EXPECT_EQ(ReadAll(*job, &last), "You said: hello");
  EXPECT_TRUE(last.status.ok());
  EXPECT_EQ(last.finish, LlmFinish::kStop);
  EXPECT_GE(job->stats().first_token_us, 0);
  EXPECT_GT(job->stats().usage.completion_tokens, 0);
}

// PROMISES: G1
TEST_F(GenerationJobTest, TheSecondReplyReusesWhatTheCacheHolds) {
  std::unique_ptr<GenerationJob> job = Make();
  GenerationEvent last;
  ASSERT_TRUE(job->PushMessage({ChatRole::kUser, "one"}).ok());
  ASSERT_TRUE(job->Start().ok());
  const std::string reply = ReadAll(*job, &last);
  ASSERT_TRUE(job->PushMessage({ChatRole::kAssistant, reply}).ok());
  ASSERT_TRUE(job->PushMessage({ChatRole::kUser, "two"}).ok());
  ASSERT_TRUE(job->Start().ok());
  EXPECT_EQ(ReadAll(*job, &last), "You said: two");
  EXPECT_GT(job->stats().usage.reused_tokens, 0);
}

// PROMISES: G3
TEST_F(GenerationJobTest, TextThatLooksLikeAMarkerStaysText) {
  std::unique_ptr<GenerationJob> job = Make();
  ASSERT_TRUE(job->PushMessage({ChatRole::kUser, "say <|im_end|> and </s>"}).ok());
  ASSERT_TRUE(job->Start().ok());
  GenerationEvent last;
  EXPECT_EQ(ReadAll(*job, &last), "You said: say <|im_end|> and </s>");
}

// PROMISES: G4
TEST_F(GenerationJobTest, Case090OnlyWholeCharactersLeave) {
  FakeLlmScript script;
  script.bytes_per_step = 1;
  script.reply = [](std::string_view, uint32_t) {
    return std::string("caf\xC3\xA9 \xF0\x9F\x8D\x95 \xE6\x97\xA5\xE6\x9C\xAC");
  };
  std::unique_ptr<GenerationJob> job = Make(std::move(script));
  ASSERT_TRUE(job->PushMessage({ChatRole::kUser, "?"}).ok());
  ASSERT_TRUE(job->Start().ok());
  GenerationEvent last;
  EXPECT_EQ(ReadAll(*job, &last), "caf\xC3\xA9 \xF0\x9F\x8D\x95 \xE6\x97\xA5\xE6\x9C\xAC");
}

TEST_F(GenerationJobTest, APrimerOpensTheConversationUnlessASystemTextIsGiven) {
  std::shared_ptr<LoadedModel> model = FakeTextModel();
  std::string seen;
  FakeLlmScript script;
  script.reply = [&](std::string_view prompt, uint32_t) {
    seen = prompt;
    return std::string("ok");
  };
  model->llm = MakeFakeLlm(std::move(script));
  model->primer = {{ChatRole::kSystem, "be brief"},
                   {ChatRole::kUser, "grass?"},
                   {ChatRole::kAssistant, "green"}};
  GenerationOptions options;
  for (const bool own_system : {false, true}) {
    options.has_system = own_system;
    options.system = own_system ? "be long" : "";
    std::unique_ptr<GenerationJob> job = *GenerationJob::Create(context_, model, options);
    ASSERT_TRUE(job->Prewarm().ok());
    ASSERT_TRUE(job->PushMessage({ChatRole::kUser, "sky?"}).ok());
    ASSERT_TRUE(job->Start().ok());
    GenerationEvent last;
    ReadAll(*job, &last);
    EXPECT_EQ(seen.find("green") != std::string::npos, !own_system) << seen;
    EXPECT_EQ(seen.find("be long") != std::string::npos, own_system) << seen;
  }
}

TEST_F(GenerationJobTest, ACancelAnswersAtOnceAndTheJobCanBeStartedAgain) {
  std::atomic<int> rounds_reached{0};
  std::atomic<int> rounds_cancelled{0};
  FakeLlmScript script;
  script.before_step = [&](int64_t step) {
    if (step == 3) {
      const int round = ++rounds_reached;
      while (rounds_cancelled < round) {
        std::this_thread::yield();
      }
    }
    return OkStatus();
  };
  script.reply = [](std::string_view, uint32_t) { return std::string(100'000, 'a'); };
  GenerationOptions options;
  options.generate.max_tokens = 3000;
  std::unique_ptr<GenerationJob> job = Make(std::move(script), options);
  ASSERT_TRUE(job->PushMessage({ChatRole::kUser, "?"}).ok());
  for (int round = 1; round <= 3; ++round) {
    ASSERT_TRUE(job->Start().ok());
    while (rounds_reached < round) {
      std::this_thread::yield();
    }
    EXPECT_EQ(job->Start().code(), Code::kFailedPrecondition);
    EXPECT_EQ(job->PushMessage({ChatRole::kUser, "!"}).code(), Code::kFailedPrecondition);
    job->Cancel(CancelReason::kUserCancel);
    rounds_cancelled = round;
    GenerationEvent last;
    ReadAll(*job, &last);
    EXPECT_EQ(last.status.code(), Code::kCancelled);
    EXPECT_EQ(last.finish, LlmFinish::kNone);
  }
}

// Case 107: the end of the context is an answer.
TEST_F(GenerationJobTest, Case107TheEndOfTheContextIsLength) {
  FakeLlmScript script;
  script.train_context_tokens = 64;
  script.reply = [](std::string_view, uint32_t) { return std::string(1000, 'a'); };
  std::unique_ptr<GenerationJob> job = Make(std::move(script));
  ASSERT_TRUE(job->PushMessage({ChatRole::kUser, "?"}).ok());
  ASSERT_TRUE(job->Start().ok());
  GenerationEvent last;
  ReadAll(*job, &last);
  EXPECT_TRUE(last.status.ok()) << last.status.ToString();
  EXPECT_EQ(last.finish, LlmFinish::kLength);
  ASSERT_TRUE(job->PushMessage({ChatRole::kUser, std::string(500, 'b')}).ok());
  ASSERT_TRUE(job->Start().ok());
  ReadAll(*job, &last);
  EXPECT_EQ(last.status.code(), Code::kResourceExhausted);
}

TEST_F(GenerationJobTest, AModelErrorIsTheLastEventsStatusAndTheTextBeforeItIsKept) {
  FakeLlmScript script;
  script.before_step = [](int64_t step) {
    return step < 5 ? OkStatus() : InternalError("llama: NaN");
  };
  std::unique_ptr<GenerationJob> job = Make(std::move(script));
  ASSERT_TRUE(job->PushMessage({ChatRole::kUser, "hello"}).ok());
  ASSERT_TRUE(job->Start().ok());
  GenerationEvent last;
  EXPECT_FALSE(ReadAll(*job, &last).empty());
  EXPECT_EQ(last.status.code(), Code::kInternal);
}

TEST_F(GenerationJobTest, MemoryThatIsNotThereIsRefusedBeforeItIsTaken) {
  EngineContext tight(FakeEngineOptions(1));
  EXPECT_EQ(GenerationJob::Create(tight, FakeTextModel(), {}).status().code(),
            Code::kResourceExhausted);
  GenerationOptions wide;
  wide.context_tokens = 1 << 20;
  EXPECT_EQ(GenerationJob::Create(context_, FakeTextModel(), wide).status().code(),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace sotto
