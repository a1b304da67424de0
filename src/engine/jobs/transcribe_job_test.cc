#include "engine/jobs/transcribe_job.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "engine/jobs/job_test_util.h"

namespace sotto {
namespace {

using Type = TranscriptEvent::Type;

class TranscribeJobTest : public testing::Test {
 protected:
  std::unique_ptr<TranscribeJob> Make(FakeAsrScript script = {}, TranscribeOptions options = {}) {
    Result<std::unique_ptr<TranscribeJob>> job = TranscribeJob::Create(
        context_, FakeAsrModel(std::move(script)), FakeVadModel(), std::move(options));
    EXPECT_TRUE(job.ok()) << job.status().ToString();
    return *std::move(job);
  }
  static std::vector<TranscriptEvent> ReadAll(TranscribeJob& job) {
    std::vector<TranscriptEvent> events;
    do {
      events.push_back(job.Next(-1));
    } while (events.back().type != Type::kDone);
    return events;
  }
  static std::vector<TranscriptEvent> Segments(const std::vector<TranscriptEvent>& events) {
    std::vector<TranscriptEvent> segments;
    for (const TranscriptEvent& event : events) {
      if (event.type == Type::kSegment) {
        segments.push_back(event);
      }
    }
    return segments;
  }

  EngineContext context_{FakeEngineOptions()};
};

// PROMISES: T1
TEST_F(TranscribeJobTest, SilenceNeverReachesTheRecogniser) {
  FakeAsrScript script;
  script.during_call = [](int64_t) { return InternalError("asked to hear silence"); };
  std::unique_ptr<TranscribeJob> job = Make(std::move(script));
  ASSERT_TRUE(job->Feed(std::vector<float>(16000 * 5)).ok());
  ASSERT_TRUE(job->Finish().ok());
  const std::vector<TranscriptEvent> events = ReadAll(*job);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].status.ok()) << events[0].status.ToString();
}

// PROMISES: T2 T3
TEST_F(TranscribeJobTest, SegmentsHaveTheTimesOfTheStreamAndDoneComesLastAndAgain) {
  FakeAsrScript script;
  script.transcripts = {"first", "second"};
  std::unique_ptr<TranscribeJob> job = Make(std::move(script));
  ASSERT_TRUE(job->Feed(std::vector<float>(16000)).ok());
  ASSERT_TRUE(job->Feed(Tone(1.0)).ok());
  ASSERT_TRUE(job->Feed(std::vector<float>(16000 * 3)).ok());
  ASSERT_TRUE(job->Feed(Tone(1.0)).ok());
  ASSERT_TRUE(job->Finish().ok());
  const std::vector<TranscriptEvent> events = ReadAll(*job);
  const std::vector<TranscriptEvent> segments = Segments(events);
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].text, "first");
  EXPECT_NEAR(static_cast<double>(segments[0].start_ms), 1000, 260);
  EXPECT_EQ(segments[1].text, "second");
  EXPECT_NEAR(static_cast<double>(segments[1].start_ms), 5000, 260);
  EXPECT_LE(segments[1].end_ms, 6000);
  EXPECT_EQ(job->Next(-1).type, Type::kDone);
  EXPECT_EQ(events.front().type, Type::kSpeechStarted);
}

// Cases 21 to 26: what is fed may have any rate and any number of channels.
TEST_F(TranscribeJobTest, Case021RatesAndChannelsKeepTheTimes) {
  for (const int rate_hz : {8000, 11025, 44100, 48000, 192000}) {
    TranscribeOptions options;
    options.rate_hz = rate_hz;
    options.channels = 2;
    std::unique_ptr<TranscribeJob> job = Make({}, options);
    std::vector<float> mono(static_cast<size_t>(rate_hz));
    const std::vector<float> tone = Tone(1.0, rate_hz);
    mono.insert(mono.end(), tone.begin(), tone.end());
    std::vector<float> stereo;
    for (const float sample : mono) {
      stereo.push_back(sample);
      stereo.push_back(sample);
    }
    ASSERT_TRUE(job->Feed(stereo).ok());
    ASSERT_TRUE(job->Finish().ok());
    const std::vector<TranscriptEvent> segments = Segments(ReadAll(*job));
    ASSERT_EQ(segments.size(), 1u) << rate_hz;
    EXPECT_NEAR(static_cast<double>(segments[0].start_ms), 1000, 260) << rate_hz;
    EXPECT_LE(segments[0].end_ms, 2000) << rate_hz;
  }
}

TEST_F(TranscribeJobTest, SamplesThatAreNotFiniteAreSilence) {
  std::unique_ptr<TranscribeJob> job = Make();
  std::vector<float> odd(16000, std::numeric_limits<float>::quiet_NaN());
  odd[5] = std::numeric_limits<float>::infinity();
  ASSERT_TRUE(job->Feed(odd).ok());
  ASSERT_TRUE(job->Finish().ok());
  EXPECT_TRUE(Segments(ReadAll(*job)).empty());
}

// Case 5: what one clip brought does not colour the next.
TEST_F(TranscribeJobTest, Case005NothingIsCarriedFromClipToClip) {
  std::vector<float> stream = Tone(1.0);
  stream.resize(16000 * 4);
  const std::vector<float> more = Tone(1.0);
  stream.insert(stream.end(), more.begin(), more.end());
  std::vector<size_t> heard;
  FakeAsrScript script;
  script.hear = [&](std::span<const float> samples) {
    heard.push_back(samples.size());
    return std::string("x");
  };
  std::unique_ptr<TranscribeJob> job = Make(std::move(script));
  ASSERT_TRUE(job->Feed(stream).ok());
  ASSERT_TRUE(job->Finish().ok());
  ReadAll(*job);
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_LT(heard[1], 16000u * 2);
}

TEST_F(TranscribeJobTest, PartialsComeWhileSpeechGoesOnAndMergeForALateReader) {
  TranscribeOptions options;
  options.partials = true;
  options.profile = AsrProfile::kFast;
  FakeAsrScript script;
  script.hear = [](std::span<const float> samples) {
    return std::to_string(samples.size() / 16000) + " s";
  };
  std::unique_ptr<TranscribeJob> job = Make(std::move(script), options);
  ASSERT_TRUE(job->Feed(Tone(4.0)).ok());
  size_t partials = 0;
  TranscriptEvent event;
  do {
    event = job->Next(-1);
    partials += event.type == Type::kPartial ? 1 : 0;
  } while (partials == 0);
  ASSERT_TRUE(job->Finish().ok());
  EXPECT_EQ(Segments(ReadAll(*job)).size(), 1u);
}

// Case 13: what is settled is settled once, whatever a recogniser that loops says of it meanwhile.
TEST_F(TranscribeJobTest, Case013SettledSegmentsNeitherRepeatNorOverlap) {
  TranscribeOptions options;
  options.partials = true;
  options.profile = AsrProfile::kFast;
  FakeAsrScript script;
  script.transcripts = {"go on", "go on go on", "go on go on go on"};
  std::unique_ptr<TranscribeJob> job = Make(std::move(script), options);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(job->Feed(Tone(2.0)).ok());
    ASSERT_TRUE(job->Feed(std::vector<float>(16000)).ok());
  }
  ASSERT_TRUE(job->Finish().ok());
  const std::vector<TranscriptEvent> segments = Segments(ReadAll(*job));
  ASSERT_EQ(segments.size(), 5u);
  for (size_t i = 1; i < segments.size(); ++i) {
    EXPECT_GE(segments[i].start_ms, segments[i - 1].end_ms);
  }
}

// A recogniser that loops on anything longer than five seconds.
class LoopingAsr final : public Asr {
 public:
  const AsrInfo& info() const override { return info_; }
  Result<AsrResult> Recognise(std::span<const float> samples, const AsrOptions&,
                              const CancelToken&) override {
    const auto length_ms = static_cast<int64_t>(samples.size() / 16);
    AsrResult result;
    result.retried = length_ms > 5000;
    result.segments.push_back({0, length_ms, result.retried ? "cut" : "part", 0.0f, 0.0f});
    return result;
  }

 private:
  AsrInfo info_{"looping", {"en"}, 16000};
};

// Case 9: speech that repeats itself is heard to its end, piece by piece.
TEST_F(TranscribeJobTest, Case009AClipThatLoopsIsHeardInHalves) {
  std::shared_ptr<LoadedModel> model = FakeAsrModel();
  model->asr = std::make_unique<LoopingAsr>();
  std::unique_ptr<TranscribeJob> job =
      *TranscribeJob::Create(context_, model, FakeVadModel(), TranscribeOptions{});
  ASSERT_TRUE(job->Feed(Tone(24.0)).ok());
  ASSERT_TRUE(job->Finish().ok());
  const std::vector<TranscriptEvent> segments = Segments(ReadAll(*job));
  ASSERT_GE(segments.size(), 4u);
  EXPECT_EQ(segments.front().start_ms, 0);
  EXPECT_NEAR(static_cast<double>(segments.back().end_ms), 24'000, 100);
  for (size_t i = 1; i < segments.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(segments[i].start_ms),
                static_cast<double>(segments[i - 1].end_ms), 2);
  }
}

// Case 26: a microphone that delivers 48 kHz in 10 ms pieces.
TEST_F(TranscribeJobTest, Case026A48KilohertzStreamInSmallPieces) {
  TranscribeOptions options;
  options.rate_hz = 48000;
  std::unique_ptr<TranscribeJob> job = Make({}, options);
  const std::vector<float> tone = Tone(1.0, 48000);
  for (size_t at = 0; at + 480 <= tone.size(); at += 480) {
    ASSERT_TRUE(job->Feed(std::span(tone).subspan(at, 480)).ok());
  }
  ASSERT_TRUE(job->Finish().ok());
  const std::vector<TranscriptEvent> segments = Segments(ReadAll(*job));
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_NEAR(static_cast<double>(segments[0].end_ms), 1000, 60);
}

TEST_F(TranscribeJobTest, ACancelInsideARecognitionEndsTheJob) {
  CancelSource started;
  FakeAsrScript script;
  script.during_call = [&](int64_t) {
    started.Cancel(CancelReason::kUserCancel);
    return OkStatus();
  };
  std::unique_ptr<TranscribeJob> job = Make(std::move(script));
  ASSERT_TRUE(job->Feed(Tone(1.0)).ok());
  ASSERT_TRUE(job->Feed(std::vector<float>(16000 * 3)).ok());
  while (!started.token().cancelled()) {
    std::this_thread::yield();
  }
  job->Cancel(CancelReason::kUserCancel);
  EXPECT_EQ(ReadAll(*job).back().status.code(), Code::kCancelled);
  EXPECT_EQ(job->Feed(Tone(0.1)).code(), Code::kCancelled);
}

TEST_F(TranscribeJobTest, AFeederThatWaitsIsFreedByACancel) {
  CancelSource release;
  FakeAsrScript script;
  script.during_call = [token = release.token()](int64_t) {
    while (!token.cancelled()) {
      std::this_thread::yield();
    }
    return OkStatus();
  };
  std::unique_ptr<TranscribeJob> job = Make(std::move(script));
  std::thread feeder([&] {
    Status status;
    for (int i = 0; i < 200 && status.ok(); ++i) {
      status = job->Feed(Tone(1.0));
    }
    EXPECT_EQ(status.code(), Code::kCancelled);
  });
  job->Next(-1);
  job->Cancel(CancelReason::kUserCancel);
  release.Cancel(CancelReason::kUserCancel);
  feeder.join();
}

TEST_F(TranscribeJobTest, ARecogniserErrorIsTheLastEventsStatus) {
  FakeAsrScript script;
  script.during_call = [](int64_t call) {
    return call == 0 ? OkStatus() : DataLossError("asr: broke");
  };
  std::unique_ptr<TranscribeJob> job = Make(std::move(script));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(job->Feed(Tone(1.0)).ok());
    ASSERT_TRUE(job->Feed(std::vector<float>(16000 * 3)).ok());
  }
  ASSERT_TRUE(job->Finish().ok());
  const std::vector<TranscriptEvent> events = ReadAll(*job);
  EXPECT_EQ(Segments(events).size(), 1u);
  EXPECT_EQ(events.back().status.code(), Code::kDataLoss);
}

TEST_F(TranscribeJobTest, UnknownLanguagesAndAudioAfterTheEndAreRefused) {
  TranscribeOptions options;
  options.language = "tlh";
  const Status unknown =
      TranscribeJob::Create(context_, FakeAsrModel(), FakeVadModel(), options).status();
  EXPECT_EQ(unknown.code(), Code::kInvalidArgument);
  EXPECT_NE(unknown.message().find("tlh"), std::string::npos);
  options.language.clear();
  options.prompt = "caf\xe9";
  EXPECT_EQ(
      TranscribeJob::Create(context_, FakeAsrModel(), FakeVadModel(), options).status().code(),
      Code::kInvalidArgument);
  std::unique_ptr<TranscribeJob> job = Make();
  EXPECT_TRUE(job->Finish().ok());
  EXPECT_TRUE(job->Finish().ok());
  EXPECT_EQ(job->Feed(Tone(0.1)).code(), Code::kFailedPrecondition);
}

}  // namespace
}  // namespace sotto
