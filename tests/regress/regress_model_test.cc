// Public faults of similar software, on real models through the C ABI. The pack is $SOTTO_PACK in
// the store $SOTTO_HOME.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "sotto/sotto.hpp"

namespace {

constexpr uint32_t kRateHz = 16000;

sotto::Engine OneThreadEngine() {
  sotto_engine_config config = sotto::EngineConfig();
  config.threads = 1;
  return sotto::Engine(config);
}

std::vector<float> LoadClip(const std::string& name) {
  const std::string path = std::string(std::getenv("SOTTO_TESTDATA")) + "/clips/" + name + ".wav";
  sotto_audio_clip* clip = nullptr;
  EXPECT_EQ(sotto_audio_clip_load(path.c_str(), kRateHz, &clip), SOTTO_OK)
      << sotto_last_error_message();
  sotto_audio_clip_info info = {};
  info.struct_size = sizeof info;
  EXPECT_EQ(sotto_audio_clip_get(clip, &info), SOTTO_OK);
  std::vector<float> samples(info.samples, info.samples + info.num_samples);
  sotto_audio_clip_release(clip);
  return samples;
}

struct Heard {
  std::string text;
  int64_t last_end_ms = 0;
};

Heard Transcribe(sotto::Engine& engine, const std::vector<float>& sound,
                 int32_t profile = SOTTO_PROFILE_BEST) {
  sotto_transcriber_config config = sotto::TranscriberConfig();
  config.profile = profile;
  sotto::Transcriber transcriber(engine, config);
  transcriber.Feed(sound.data(), sound.size());
  transcriber.Finish();
  Heard heard;
  for (;;) {
    const sotto::TranscriptEvent event = transcriber.Next();
    if (event.type == SOTTO_TRANSCRIPT_DONE) {
      EXPECT_EQ(event.status, SOTTO_OK) << event.message;
      return heard;
    }
    if (event.type == SOTTO_TRANSCRIPT_SEGMENT) {
      heard.text += (heard.text.empty() ? "" : " ") + event.text;
      heard.last_end_ms = event.end_ms;
    }
  }
}

std::string Ask(sotto::Engine& engine, const std::string& question) {
  sotto_generation_config config = sotto::GenerationConfig();
  config.temperature = 0;
  config.max_tokens = 24;
  sotto::Generation generation(engine, config);
  generation.PushMessage(SOTTO_CHAT_USER, question);
  generation.Start();
  std::string reply;
  for (;;) {
    const sotto::GenerationEvent event = generation.Next();
    if (event.type == SOTTO_GENERATION_DONE) {
      EXPECT_EQ(event.status, SOTTO_OK) << event.message;
      return reply;
    }
    reply += event.text;
  }
}

size_t SayLength(sotto::Engine& engine, const std::string& text) {
  sotto::Speech speech(engine, sotto::SpeechConfig());
  speech.PushText(text);
  speech.Finish();
  std::vector<float> block(8192);
  size_t total = 0;
  for (bool is_end = false; !is_end;) {
    const sotto::SoundRead read = speech.Read(block.data(), block.size());
    total += read.num_samples;
    is_end = read.is_end;
  }
  return total;
}

uint64_t ResidentKib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) {
      return std::strtoull(line.c_str() + 6, nullptr, 10);
    }
  }
  return 0;
}

// Two recognisers' and language models' engines in one process, working at once.
TEST(Case146, WhisperAndLlamaWorkInOneProcessAtOnce) {
  sotto::Engine ears = OneThreadEngine();
  sotto::Engine mind = OneThreadEngine();
  const std::vector<float> clip = LoadClip("jfk");
  const std::string heard_alone = Transcribe(ears, clip).text;
  const std::string said_alone = Ask(mind, "What is the capital of France?");
  std::string heard;
  std::thread listener([&] { heard = Transcribe(ears, clip).text; });
  const std::string said = Ask(mind, "What is the capital of France?");
  listener.join();
  EXPECT_EQ(heard, heard_alone);
  EXPECT_EQ(said, said_alone);
  EXPECT_NE(said.find("Paris"), std::string::npos) << said;
}

TEST(Case147, EveryBackendLoadsBesideTheOthers) {
  sotto::Engine engine = OneThreadEngine();
  for (const int32_t role : {SOTTO_ROLE_TEXT, SOTTO_ROLE_ASR, SOTTO_ROLE_VAD, SOTTO_ROLE_TURN,
                             SOTTO_ROLE_TTS, SOTTO_ROLE_EMBEDDING, SOTTO_ROLE_SPEAKER}) {
    sotto_model* model = nullptr;
    EXPECT_EQ(sotto_model_load(engine.get(), role, SOTTO_PROFILE_DEFAULT, nullptr, &model),
              SOTTO_OK)
        << role << ": " << sotto_last_error_message();
    sotto_model_release(model);
  }
}

// Digital silence and quiet noise of many lengths, after gain too.
TEST(Case001, NothingIsHeardWhereNothingIsSaid) {
  sotto::Engine engine = OneThreadEngine();
  std::mt19937 random(20261129);
  for (const double seconds : {0.5, 1.0, 3.0, 12.0, 30.0}) {
    const auto n = static_cast<size_t>(seconds * kRateHz);
    EXPECT_EQ(Transcribe(engine, std::vector<float>(n)).text, "") << seconds;
    for (const float level : {0.001f, 0.0316f}) {  // -60 dBFS, and the same after 30 dB of gain
      std::normal_distribution<float> normal(0.0f, level);
      std::vector<float> noise(n);
      for (float& sample : noise) {
        sample = normal(random);
      }
      EXPECT_EQ(Transcribe(engine, noise).text, "") << seconds << " s at " << level;
    }
  }
}

size_t Count(const std::string& text, const std::string& part) {
  size_t times = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++times;
  }
  return times;
}

// A long recording of one sentence again and again: it ends, and says hardly more or less than
// was said. The second clip has no pause between its copies.
TEST(Case009, LongRepetitiveSpeechNeitherLoopsNorGrows) {
  sotto::Engine engine = OneThreadEngine();
  for (const auto& [name, part] : {std::pair{"goforward", "orward"}, {"cards_002", "ueen"}}) {
    for (const auto profile : {SOTTO_PROFILE_FAST, SOTTO_PROFILE_BEST}) {
      const std::vector<float> clip = LoadClip(name);
      std::vector<float> stream;
      constexpr size_t kTimes = 24;
      for (size_t i = 0; i < kTimes; ++i) {
        stream.insert(stream.end(), clip.begin(), clip.end());
      }
      const Heard heard = Transcribe(engine, stream, profile);
      const size_t times = Count(heard.text, part);
      EXPECT_GE(times, kTimes - 4) << heard.text;
      EXPECT_LE(times, kTimes + 2) << heard.text;
      EXPECT_LE(heard.last_end_ms, static_cast<int64_t>(stream.size() * 1000 / kRateHz));
    }
  }
}

// What is written as digits is spoken in full.
TEST(Case047, NumbersTakeTimeToSay) {
  sotto::Engine engine = OneThreadEngine();
  const size_t bare = SayLength(engine, "We have parameters.");
  const size_t with_number = SayLength(engine, "We have 82 million parameters.");
  EXPECT_GT(with_number, bare + 22050 / 2);
}

TEST(Case151, SpeechInALoopKeepsItsMemory) {
  sotto::Engine engine = OneThreadEngine();
  sotto_model* voice = nullptr;
  ASSERT_EQ(sotto_model_load(engine.get(), SOTTO_ROLE_TTS, SOTTO_PROFILE_FAST, nullptr, &voice),
            SOTTO_OK);
  for (int i = 0; i < 10; ++i) {
    SayLength(engine, "Hello there.");
  }
  const uint64_t before_kib = ResidentKib();
  for (int i = 0; i < 60; ++i) {
    SayLength(engine, "Hello there.");
  }
  EXPECT_LT(ResidentKib(), before_kib + 20'000);
  sotto_model_release(voice);
}

// A recognition is not a leak.
TEST(Case110, RecognitionInALoopKeepsItsMemory) {
  sotto::Engine engine = OneThreadEngine();
  const std::vector<float> clip = LoadClip("cards_002");
  sotto_model* model = nullptr;
  ASSERT_EQ(sotto_model_load(engine.get(), SOTTO_ROLE_ASR, SOTTO_PROFILE_FAST, nullptr, &model),
            SOTTO_OK);
  for (int i = 0; i < 3; ++i) {
    Transcribe(engine, clip, SOTTO_PROFILE_FAST);
  }
  const uint64_t before_kib = ResidentKib();
  for (int i = 0; i < 12; ++i) {
    Transcribe(engine, clip, SOTTO_PROFILE_FAST);
  }
  EXPECT_LT(ResidentKib(), before_kib + 20'000);
  sotto_model_release(model);
}

}  // namespace
