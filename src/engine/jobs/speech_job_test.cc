#include "engine/jobs/speech_job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "backends/fake/fake_tts.h"
#include "backends/samplerate/samplerate_resampler.h"

namespace sotto {
namespace {

class SpeechJobTest : public testing::Test {
 protected:
  static EngineOptions Options() {
    EngineOptions options;
    options.memory_limit_bytes = 1 << 30;
    options.make_resampler = &MakeSamplerateResampler;
    return options;
  }

  std::unique_ptr<SpeechJob> Make(FakeTtsScript script = {}, SpeechOptions options = {}) {
    auto model = std::make_shared<LoadedModel>();
    model->id = "fake-voice";
    model->role = ModelRole::kTts;
    model->tts = MakeFakeTts(std::move(script), log_);
    Result<std::unique_ptr<SpeechJob>> job = SpeechJob::Create(context_, model, std::move(options));
    EXPECT_TRUE(job.ok()) << job.status().ToString();
    return *std::move(job);
  }

  static std::vector<float> ReadAll(SpeechJob& job, Status* end) {
    std::vector<float> all;
    std::vector<float> block(1000);
    for (;;) {
      const AudioQueue::ReadResult read = job.Read(block, -1);
      all.insert(all.end(), block.begin(),
                 block.begin() + static_cast<ptrdiff_t>(read.num_samples));
      if (read.is_end) {
        *end = read.end;
        return all;
      }
    }
  }

  std::string Spoken() const {
    std::string text;
    for (const TtsRequest& request : log_->requests()) {
      text += (text.empty() ? "" : " ") + request.text;
    }
    return text;
  }

  EngineContext context_{Options()};
  std::shared_ptr<FakeTtsLog> log_ = std::make_shared<FakeTtsLog>();
};

TEST_F(SpeechJobTest, TextIsSpokenToItsLastWordHoweverItIsCut) {
  const std::string text =
      "Water boils at 100 degrees. It costs $3.50, or **20%** less! And then? Nothing more";
  std::vector<float> whole;
  for (const size_t piece : {text.size(), size_t{1}, size_t{7}}) {
    log_ = std::make_shared<FakeTtsLog>();
    std::unique_ptr<SpeechJob> job = Make();
    for (size_t at = 0; at < text.size(); at += piece) {
      ASSERT_TRUE(job->PushText(std::string_view(text).substr(at, piece)).ok());
    }
    ASSERT_TRUE(job->Finish().ok());
    Status end;
    const std::vector<float> samples = ReadAll(*job, &end);
    EXPECT_TRUE(end.ok()) << end.ToString();
    EXPECT_GT(samples.size(), 24000u);
    if (whole.empty()) {
      whole = samples;
    }
    EXPECT_EQ(samples, whole);
    EXPECT_NE(Spoken().find("one hundred degrees"), std::string::npos) << Spoken();
    EXPECT_NE(Spoken().find("three dollars and fifty cents"), std::string::npos) << Spoken();
    EXPECT_NE(Spoken().find("Nothing more"), std::string::npos) << Spoken();
    EXPECT_EQ(Spoken().find('*'), std::string::npos);
  }
}

// Case 39 and 57: the first block is there before the phrase is done, and before the text is.
TEST_F(SpeechJobTest, Case039TheFirstBlockComesBeforeTheSecondIsMade) {
  CancelSource release;
  FakeTtsScript script;
  script.before_block = [token = release.token()](const TtsRequest&, int64_t block) {
    while (block >= 1 && !token.cancelled()) {
      std::this_thread::yield();
    }
    return OkStatus();
  };
  std::unique_ptr<SpeechJob> job = Make(std::move(script));
  ASSERT_TRUE(job->PushText("This is a sentence that is long enough. More").ok());
  std::vector<float> block(100);
  const AudioQueue::ReadResult read = job->Read(block, -1);
  EXPECT_EQ(read.num_samples, 100u);
  EXPECT_FALSE(read.is_end);
  release.Cancel(CancelReason::kUserCancel);
}

TEST_F(SpeechJobTest, ACancelEndsTheStreamAndTheEngineStaysUsable) {
  std::unique_ptr<SpeechJob> job = Make();
  ASSERT_TRUE(job->PushText(std::string(5000, 'a') + ". Again. And again.").ok());
  std::vector<float> block(100);
  EXPECT_EQ(job->Read(block, -1).num_samples, 100u);
  job->Cancel(CancelReason::kBargeIn);
  const AudioQueue::ReadResult read = job->Read(block, -1);
  EXPECT_TRUE(read.is_end);
  EXPECT_EQ(read.num_samples, 0u);
  EXPECT_EQ(read.end.code(), Code::kCancelled);
  job.reset();
  std::unique_ptr<SpeechJob> next = Make();
  ASSERT_TRUE(next->PushText("Hello there.").ok());
  ASSERT_TRUE(next->Finish().ok());
  Status end;
  EXPECT_FALSE(ReadAll(*next, &end).empty());
  EXPECT_TRUE(end.ok());
}

// Case 58: what was said when it was cut.
TEST_F(SpeechJobTest, Case058TheTextSaidGrowsWithTheSamplesRead) {
  std::unique_ptr<SpeechJob> job = Make();
  const std::string text = "The first sentence is here. The second sentence follows it.";
  ASSERT_TRUE(job->PushText(text).ok());
  ASSERT_TRUE(job->Finish().ok());
  Status end;
  const uint64_t total = ReadAll(*job, &end).size();
  EXPECT_EQ(job->SpokenBytes(0), 0u);
  uint64_t last = 0;
  for (uint64_t samples = 0; samples <= total; samples += total / 50) {
    const uint64_t bytes = job->SpokenBytes(samples);
    EXPECT_GE(bytes, last);
    last = bytes;
  }
  EXPECT_EQ(job->SpokenBytes(total), text.size());
}

TEST_F(SpeechJobTest, AnotherRateGivesTheSameDuration) {
  Status end;
  std::unique_ptr<SpeechJob> native = Make();
  ASSERT_TRUE(native->PushText("One sentence, two rates.").ok());
  ASSERT_TRUE(native->Finish().ok());
  const double seconds = static_cast<double>(ReadAll(*native, &end).size()) / 24000.0;
  SpeechOptions options;
  options.rate_hz = 8000;
  std::unique_ptr<SpeechJob> other = Make({}, options);
  EXPECT_EQ(other->rate_hz(), 8000);
  ASSERT_TRUE(other->PushText("One sentence, two rates.").ok());
  ASSERT_TRUE(other->Finish().ok());
  EXPECT_NEAR(static_cast<double>(ReadAll(*other, &end).size()) / 8000.0, seconds, 0.001);
}

// Case 90 and 93: bytes that are no UTF-8 are refused, a character cut in two is not.
TEST_F(SpeechJobTest, Case093OddBytesAreRefusedAndTheSpeechGoesOn) {
  std::unique_ptr<SpeechJob> job = Make();
  EXPECT_EQ(job->PushText("caf\xE9 now").code(), Code::kInvalidArgument);
  EXPECT_TRUE(job->PushText("caf\xC3").ok());
  EXPECT_TRUE(job->PushText("\xA9 is open.").ok());
  EXPECT_TRUE(job->Finish().ok());
  EXPECT_EQ(job->PushText("more").code(), Code::kFailedPrecondition);
  Status end;
  EXPECT_FALSE(ReadAll(*job, &end).empty());
  EXPECT_TRUE(end.ok());
}

TEST_F(SpeechJobTest, AVoiceErrorArrivesAfterWhatWasMade) {
  FakeTtsScript script;
  script.before_block = [](const TtsRequest&, int64_t block) {
    return block < 2 ? OkStatus() : InternalError("voice: broke");
  };
  std::unique_ptr<SpeechJob> job = Make(std::move(script));
  ASSERT_TRUE(job->PushText("A sentence of several blocks, surely.").ok());
  ASSERT_TRUE(job->Finish().ok());
  Status end;
  EXPECT_FALSE(ReadAll(*job, &end).empty());
  EXPECT_EQ(end.code(), Code::kInternal);
}

// Case 50: a script that the voice cannot read is refused, or, where the rest counts, left out.
TEST_F(SpeechJobTest, Case050AnUnreadablePhraseIsAnErrorOrLeftOut) {
  for (const bool skip : {false, true}) {
    FakeTtsScript script;
    script.speak_status = InvalidArgumentError("speak: U+4E2D: not a letter of English");
    SpeechOptions options;
    options.skip_unreadable = skip;
    std::unique_ptr<SpeechJob> job = Make(std::move(script), options);
    ASSERT_TRUE(job->PushText("\xE4\xB8\xAD. And more.").ok());
    ASSERT_TRUE(job->Finish().ok());
    Status end;
    EXPECT_TRUE(ReadAll(*job, &end).empty());
    EXPECT_EQ(end.code(), skip ? Code::kOk : Code::kInvalidArgument);
  }
}

TEST_F(SpeechJobTest, SettingsOutOfRangeAreRefused) {
  auto model = std::make_shared<LoadedModel>();
  model->id = "fake-voice";
  model->tts = MakeFakeTts();
  SpeechOptions voice;
  voice.voice = "nobody";
  const Status unknown = SpeechJob::Create(context_, model, voice).status();
  EXPECT_EQ(unknown.code(), Code::kNotFound);
  EXPECT_NE(unknown.message().find("try fake"), std::string::npos) << unknown.message();
  SpeechOptions speed;
  speed.speed = std::nanf("");
  EXPECT_EQ(SpeechJob::Create(context_, model, speed).status().code(), Code::kInvalidArgument);
}

TEST_F(SpeechJobTest, NothingToSayIsAnEmptyEnd) {
  std::unique_ptr<SpeechJob> job = Make();
  ASSERT_TRUE(job->Finish().ok());
  Status end;
  EXPECT_TRUE(ReadAll(*job, &end).empty());
  EXPECT_TRUE(end.ok());
}

TEST_F(SpeechJobTest, ARetiredJobIsEndedByTheContext) {
  for (int i = 0; i < 20; ++i) {
    std::unique_ptr<SpeechJob> job = Make();
    ASSERT_TRUE(job->PushText(std::string(2000, 'b') + ".").ok());
    context_.Retire(std::move(job));
  }
}

}  // namespace
}  // namespace sotto
