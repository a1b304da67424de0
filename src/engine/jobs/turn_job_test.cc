// Whole turns on scripted models.
#include "engine/jobs/turn_job.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "engine/jobs/job_test_util.h"

namespace sotto {
namespace {

using Type = TurnEvent::Type;

struct Scripts {
  FakeAsrScript asr;
  FakeLlmScript llm;
  FakeTtsScript tts;
  bool speak = true;
};

struct Outcome {
  std::string transcript;
  std::string reply;
  Status status;
  size_t num_ended = 0;
  bool audio_started = false;
};

class TurnJobTest : public testing::Test {
 protected:
  std::unique_ptr<TurnJob> Make(Scripts scripts = {}, const TurnOptions& options = {}) {
    TurnModels models{FakeAsrModel(std::move(scripts.asr)), FakeVadModel(),
                      FakeTextModel(std::move(scripts.llm)),
                      scripts.speak ? FakeTtsModel(std::move(scripts.tts)) : nullptr};
    Result<std::unique_ptr<TurnJob>> job = TurnJob::Create(context_, std::move(models), options);
    EXPECT_TRUE(job.ok()) << job.status().ToString();
    return *std::move(job);
  }
  static Outcome Run(TurnJob& job) {
    Outcome outcome;
    for (;;) {
      TurnEvent event = job.Next(-1);
      switch (event.type) {
        case Type::kTranscript:
          outcome.transcript = event.text;
          break;
        case Type::kReplyText:
          outcome.reply += event.text;
          break;
        case Type::kAudioStarted:
          outcome.audio_started = true;
          break;
        case Type::kEnded:
          ++outcome.num_ended;
          outcome.status = event.status;
          return outcome;
        case Type::kNone:
          break;
      }
    }
  }
  static size_t ReadAudio(TurnJob& job, Status* end) {
    std::vector<float> block(4096);
    size_t total = 0;
    for (;;) {
      const AudioQueue::ReadResult read = job.ReadAudio(block, -1);
      total += read.num_samples;
      if (read.is_end) {
        *end = read.end;
        return total;
      }
    }
  }
  static bool Has(const WaterfallView& view, Checkpoint checkpoint) {
    return view.marks_us[static_cast<size_t>(checkpoint)].has_value();
  }

  EngineContext context_{FakeEngineOptions()};
};

// PROMISES: W1 W3
TEST_F(TurnJobTest, ASpokenQuestionGetsASpokenAnswerAndAWaterfall) {
  Scripts scripts;
  scripts.asr.transcripts = {"what is the time"};
  std::unique_ptr<TurnJob> job = Make(std::move(scripts));
  ASSERT_TRUE(job->PushAudio(std::vector<float>(8000)).ok());
  ASSERT_TRUE(job->PushAudio(Tone(1.0)).ok());
  ASSERT_TRUE(job->Finish().ok());
  const Outcome outcome = Run(*job);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.ToString();
  EXPECT_EQ(outcome.transcript, "what is the time");
  EXPECT_EQ(outcome.reply, "You said: what is the time");
  Status end;
  EXPECT_GT(ReadAudio(*job, &end), 1000u);
  EXPECT_TRUE(end.ok());
  EXPECT_EQ(job->Next(-1).type, Type::kEnded) << "said again to whoever asks again";
  job->MarkPlayed();
  const WaterfallView view = job->Trace();
  for (const Checkpoint checkpoint :
       {Checkpoint::kVadTrigger, Checkpoint::kVadSpeechStart, Checkpoint::kUserSpeechEnd,
        Checkpoint::kAsrFinal, Checkpoint::kCommit, Checkpoint::kLlmFirstToken,
        Checkpoint::kLlmFirstReplyTextChar, Checkpoint::kPhrase1ToTts,
        Checkpoint::kTtsFirstAudioChunk, Checkpoint::kAudioFirstPlayed}) {
    EXPECT_TRUE(Has(view, checkpoint)) << CheckpointName(checkpoint);
  }
  EXPECT_TRUE(view.anomalies.empty()) << view.anomalies.front();
  job->MarkPlayed();
  EXPECT_EQ(job->Trace().anomalies.size(), 1u);
  EXPECT_EQ(context_.traces().Turns().size(), 1u);
}

TEST_F(TurnJobTest, AWrittenQuestionNeedsNoEars) {
  Scripts scripts;
  scripts.asr.during_call = [](int64_t) { return InternalError("nobody spoke"); };
  std::unique_ptr<TurnJob> job = Make(std::move(scripts));
  ASSERT_TRUE(job->PushText("what is the time").ok());
  EXPECT_EQ(job->PushText("again").code(), Code::kFailedPrecondition);
  EXPECT_EQ(job->PushAudio(Tone(0.1)).code(), Code::kFailedPrecondition);
  const Outcome outcome = Run(*job);
  EXPECT_EQ(outcome.reply, "You said: what is the time");
  EXPECT_FALSE(Has(job->Trace(), Checkpoint::kVadTrigger));
}

TEST_F(TurnJobTest, NobodySpokeIsAnEmptyAnswer) {
  std::unique_ptr<TurnJob> job = Make();
  ASSERT_TRUE(job->PushAudio(std::vector<float>(16000 * 3)).ok());
  ASSERT_TRUE(job->Finish().ok());
  const Outcome outcome = Run(*job);
  EXPECT_TRUE(outcome.status.ok());
  EXPECT_EQ(outcome.transcript, "");
  EXPECT_EQ(outcome.reply, "");
  Status end;
  EXPECT_EQ(ReadAudio(*job, &end), 0u);
  EXPECT_TRUE(end.ok());
}

TEST_F(TurnJobTest, WithoutAVoiceTheAnswerIsText) {
  Scripts scripts;
  scripts.speak = false;
  std::unique_ptr<TurnJob> job = Make(std::move(scripts));
  ASSERT_TRUE(job->PushText("hi").ok());
  EXPECT_EQ(Run(*job).reply, "You said: hi");
  Status end;
  EXPECT_EQ(ReadAudio(*job, &end), 0u);
  EXPECT_EQ(job->reply_rate_hz(), 0);
}

// The first sound does not wait for the last word.
TEST_F(TurnJobTest, Case057SpeechStartsWhileTheModelStillWrites) {
  Scripts scripts;
  scripts.llm.reply = [](std::string_view, uint32_t) {
    return "This is the first sentence of it. " + std::string(3000, 'b') + ".";
  };
  scripts.llm.before_step = [](int64_t) {
    std::this_thread::yield();  // the mouth gets its chances to ask for the gate
    return OkStatus();
  };
  TurnOptions options;
  options.generation.generate.max_tokens = 4000;
  std::unique_ptr<TurnJob> job = Make(std::move(scripts), options);
  ASSERT_TRUE(job->PushText("go").ok());
  size_t text_before_audio = 0;
  size_t text_after_audio = 0;
  bool audio_started = false;
  for (TurnEvent event = job->Next(-1); event.type != Type::kEnded; event = job->Next(-1)) {
    audio_started = audio_started || event.type == Type::kAudioStarted;
    (audio_started ? text_after_audio : text_before_audio) += event.text.size();
  }
  EXPECT_GE(text_before_audio, 30u);
  EXPECT_GT(text_after_audio, 100u);
}

// PROMISES: W2
TEST_F(TurnJobTest, ThePromptIsOpenedWhileTheVoiceLoads) {
  std::promise<void> opened;
  FakeLlmScript script;
  script.before_step = [&, told = false](int64_t step) mutable {
    if (step < 0 && !told) {
      told = true;
      opened.set_value();
    }
    return OkStatus();
  };
  TurnModels models{FakeAsrModel({}), FakeVadModel(), FakeTextModel(std::move(script)), nullptr};
  models.text->primer = {{ChatRole::kSystem, "be brief"}};
  Result<std::unique_ptr<TurnJob>> job = TurnJob::Create(
      context_, std::move(models), {}, [&]() -> Result<std::shared_ptr<LoadedModel>> {
        if (opened.get_future().wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
          return InternalError("the prompt waits for the voice");
        }
        return FakeTtsModel({});
      });
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  EXPECT_GT((*job)->reply_rate_hz(), 0);
  ASSERT_TRUE((*job)->PushText("hello").ok());
  EXPECT_EQ(Run(**job).reply, "You said: hello");
}

TEST_F(TurnJobTest, AVoiceThatDoesNotLoadLeavesNoTurn) {
  TurnModels models{FakeAsrModel({}), FakeVadModel(), FakeTextModel({}), nullptr};
  const Result<std::unique_ptr<TurnJob>> job = TurnJob::Create(
      context_, std::move(models), {},
      []() -> Result<std::shared_ptr<LoadedModel>> { return NotFoundError("no voice"); });
  EXPECT_EQ(job.status().code(), Code::kNotFound);
  EXPECT_TRUE(context_.traces().Turns().empty());
}

TEST_F(TurnJobTest, ACancelEndsEveryStageWithOneEvent) {
  for (int at_step = 0; at_step < 40; at_step += 4) {
    CancelSource reached;
    CancelSource cancelled;
    Scripts scripts;
    scripts.llm.before_step = [&](int64_t step) {
      if (step >= at_step) {
        reached.Cancel(CancelReason::kUserCancel);
        while (!cancelled.token().cancelled()) {
          std::this_thread::yield();
        }
      }
      return OkStatus();
    };
    scripts.llm.reply = [](std::string_view, uint32_t) { return std::string(3000, 'a'); };
    std::unique_ptr<TurnJob> job = Make(std::move(scripts));
    ASSERT_TRUE(job->PushText("go").ok());
    while (!reached.token().cancelled()) {
      std::this_thread::yield();
    }
    job->Cancel(CancelReason::kBargeIn);
    cancelled.Cancel(CancelReason::kUserCancel);
    const Outcome outcome = Run(*job);
    EXPECT_EQ(outcome.status.code(), Code::kCancelled) << at_step;
    Status end;
    ReadAudio(*job, &end);
    EXPECT_EQ(end.code(), Code::kCancelled) << at_step;
    const TurnEvent again = job->Next(0);
    EXPECT_EQ(again.type, Type::kEnded);
    EXPECT_EQ(again.status.code(), Code::kCancelled);
  }
}

TEST_F(TurnJobTest, AnErrorOfAnyStageEndsTheTurnWithItsCode) {
  for (int stage = 0; stage < 3; ++stage) {
    Scripts scripts;
    if (stage == 0) {
      scripts.asr.during_call = [](int64_t) { return DataLossError("asr: broke"); };
    } else if (stage == 1) {
      scripts.llm.before_step = [](int64_t) { return DataLossError("llm: broke"); };
    } else {
      scripts.tts.before_block = [](const TtsRequest&, int64_t) {
        return DataLossError("tts: broke");
      };
    }
    std::unique_ptr<TurnJob> job = Make(std::move(scripts));
    ASSERT_TRUE(job->PushAudio(Tone(1.0)).ok());
    ASSERT_TRUE(job->Finish().ok());
    const Outcome outcome = Run(*job);
    Status end;
    ReadAudio(*job, &end);
    if (stage < 2) {
      EXPECT_EQ(outcome.status.code(), Code::kDataLoss) << stage;
    } else {
      EXPECT_EQ(end.code(), Code::kDataLoss);  // the text was whole, the voice was not
    }
  }
}

TEST_F(TurnJobTest, AJobLeftAloneAtAnyPointIsEndedByTheContext) {
  for (int i = 0; i < 12; ++i) {
    std::unique_ptr<TurnJob> job = Make();
    if (i % 3 > 0) {
      ASSERT_TRUE(job->PushAudio(Tone(1.0)).ok());
    }
    if (i % 3 > 1) {
      ASSERT_TRUE(job->Finish().ok());
    }
    context_.Retire(std::move(job));
  }
}

}  // namespace
}  // namespace sotto
