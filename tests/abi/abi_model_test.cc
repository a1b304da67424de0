// The promises of the C ABI that need models, through sotto.hpp. The pack is $SOTTO_PACK in the
// store $SOTTO_HOME; a missing model fails the test with the command that gets it. What is heard
// is spoken by the pack's own voice.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "sotto/sotto.hpp"

namespace {

constexpr uint32_t kRateHz = 16000;
constexpr char kSentence[] = "The quick brown fox jumps over the lazy dog.";

sotto::Engine& SharedEngine() {
  static sotto::Engine* engine = [] {
    sotto_engine_config config = sotto::EngineConfig();
    config.threads = 1;
    return new sotto::Engine(config);  // Not released: a program may just end, case 149.
  }();
  return *engine;
}

sotto_speech_config VoiceAt16k() {
  sotto_speech_config config = sotto::SpeechConfig();
  config.rate_hz = kRateHz;
  return config;
}

std::vector<float> ReadAll(sotto::Speech& speech) {
  std::vector<float> sound;
  std::vector<float> block(4096);
  for (bool is_end = false; !is_end;) {
    const sotto::SoundRead read = speech.Read(block.data(), block.size());
    sound.insert(sound.end(), block.begin(),
                 block.begin() + static_cast<std::ptrdiff_t>(read.num_samples));
    is_end = read.is_end;
  }
  return sound;
}

std::vector<float> Say(const std::string& text) {
  sotto::Speech speech(SharedEngine(), VoiceAt16k());
  speech.PushText(text);
  speech.Finish();
  return ReadAll(speech);
}

const std::vector<float>& SpokenSentence() {
  static const auto* sound = new std::vector<float>(Say(kSentence));
  return *sound;
}

std::vector<float> Noise(size_t num_samples, float deviation) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0.0f, deviation);
  std::vector<float> sound(num_samples);
  for (float& sample : sound) {
    sample = normal(random);
  }
  return sound;
}

std::vector<sotto::TranscriptEvent> Transcribe(const std::vector<float>& sound,
                                               bool partials = false) {
  sotto_transcriber_config config = sotto::TranscriberConfig();
  config.profile = SOTTO_PROFILE_FAST;
  config.partials = partials ? 1 : 0;
  sotto::Transcriber transcriber(SharedEngine(), config);
  transcriber.Feed(sound.data(), sound.size());
  transcriber.Finish();
  std::vector<sotto::TranscriptEvent> events;
  do {
    events.push_back(transcriber.Next());
  } while (events.back().type != SOTTO_TRANSCRIPT_DONE);
  EXPECT_EQ(events.back().status, SOTTO_OK) << events.back().message;
  EXPECT_EQ(transcriber.Next(0).type, SOTTO_TRANSCRIPT_DONE);
  return events;
}

std::string TextOf(const std::vector<sotto::TranscriptEvent>& events) {
  std::string text;
  for (const sotto::TranscriptEvent& event : events) {
    if (event.type == SOTTO_TRANSCRIPT_SEGMENT) {
      text += event.text + " ";
    }
  }
  return text;
}

bool IsUtf8(const std::string& text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t count = lead < 0x80    ? 1
                         : lead >= 0xf0 ? 4
                         : lead >= 0xe0 ? 3
                         : lead >= 0xc2 ? 2
                                        : 0;
    if (count == 0 || i + count > text.size()) {
      return false;
    }
    for (size_t k = 1; k < count; ++k) {
      if ((text[i + k] & 0xc0) != 0x80) {
        return false;
      }
    }
    i += count;
  }
  return true;
}

// Asks, and gives back the reply; every piece of it is whole characters.
std::string Ask(sotto::Generation& generation, const std::string& question) {
  generation.PushMessage(SOTTO_CHAT_USER, question);
  generation.Start();
  std::string reply;
  for (;;) {
    const sotto::GenerationEvent event = generation.Next();
    if (event.type == SOTTO_GENERATION_DONE) {
      EXPECT_EQ(event.status, SOTTO_OK) << event.message;
      return reply;
    }
    EXPECT_TRUE(IsUtf8(event.text));
    reply += event.text;
  }
}

sotto_generation_config ShortReply(uint32_t max_tokens, float temperature, uint32_t seed) {
  sotto_generation_config config = sotto::GenerationConfig();
  config.max_tokens = max_tokens;
  config.temperature = temperature;
  config.seed = seed;
  return config;
}

// --- Transcribe ---------------------------------------------------------------------------------

// PROMISE: T1
TEST(TranscribePromises, SilenceAndNoiseGiveNoText) {
  EXPECT_EQ(TextOf(Transcribe(std::vector<float>(kRateHz * 5, 0.0f))), "");
  EXPECT_EQ(TextOf(Transcribe(Noise(kRateHz * 6, 0.001f))), "");
  EXPECT_EQ(TextOf(Transcribe(Noise(kRateHz * 6, 0.1f))), "");
  EXPECT_EQ(TextOf(Transcribe({})), "");
}

// PROMISES: T2, T3
TEST(TranscribePromises, EventsEndWithDoneAndStayInsideTheSound) {
  std::vector<float> sound = SpokenSentence();
  sound.resize(sound.size() + kRateHz / 2, 0.0f);
  const std::vector<sotto::TranscriptEvent> events = Transcribe(sound, true);
  const auto length_ms = static_cast<int64_t>(sound.size() * 1000 / kRateHz);
  int64_t settled_ms = 0;
  for (const sotto::TranscriptEvent& event : events) {
    EXPECT_LE(event.end_ms, length_ms);
    if (event.type == SOTTO_TRANSCRIPT_SEGMENT) {
      EXPECT_LE(settled_ms, event.start_ms + 1);
      EXPECT_LE(event.start_ms, event.end_ms);
      settled_ms = event.end_ms;
    }
  }
  EXPECT_NE(TextOf(events).find("brown fox"), std::string::npos) << TextOf(events);
}

TEST(TranscribePromises, CancelFromAnotherThreadEndsWithCancelled) {
  sotto_transcriber_config config = sotto::TranscriberConfig();
  config.profile = SOTTO_PROFILE_FAST;
  sotto::Transcriber transcriber(SharedEngine(), config);
  std::thread feeder([&] {
    // More than is ever transcribed: ends with CANCELLED.
    for (int i = 0; i < 1000; ++i) {
      if (sotto_transcriber_feed(transcriber.get(), SpokenSentence().data(),
                                 SpokenSentence().size()) != SOTTO_OK) {
        return;
      }
    }
    ADD_FAILURE() << "never cancelled";
  });
  for (bool heard = false; !heard;) {
    heard = transcriber.Next().type != SOTTO_TRANSCRIPT_NONE;
  }
  std::thread([&] { transcriber.Cancel(); }).join();
  sotto::TranscriptEvent event;
  do {
    event = transcriber.Next();
  } while (event.type != SOTTO_TRANSCRIPT_DONE);
  EXPECT_EQ(event.status, SOTTO_CANCELLED);
  feeder.join();
}

// --- Speak --------------------------------------------------------------------------------------

// PROMISE: S1
TEST(SpeakPromises, TheFirstBlockLeavesBeforeItsPhraseIsDone) {
  sotto::Speech speech(SharedEngine(), VoiceAt16k());
  std::vector<float> block(size_t{kRateHz} * 60);
  std::optional<sotto::SoundRead> first;
  // Waits before there is text, so it takes the first block as soon as it is there.
  std::thread reader([&] { first = speech.Read(block.data(), block.size()); });
  speech.PushText(
      "The quick brown fox jumps over the lazy dog while the band plays on and the rain keeps "
      "falling down.");
  speech.Finish();
  reader.join();
  ASSERT_TRUE(first.has_value());
  EXPECT_GT(first->num_samples, 0u);
  EXPECT_FALSE(first->is_end);
  const std::vector<float> rest = ReadAll(speech);
  EXPECT_GT(rest.size(), first->num_samples);
}

// PROMISE: S2
TEST(SpeakPromises, SameSeedSameSamples) {
  EXPECT_EQ(Say(kSentence), Say(kSentence));
  EXPECT_GT(SpokenSentence().size(), size_t{kRateHz});
}

// PROMISE: S3
TEST(SpeakPromises, CancelStopsWithinOneBlock) {
  sotto::Speech speech(SharedEngine(), VoiceAt16k());
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += "This goes on for a very long time. ";
  }
  speech.PushText(text);
  speech.Finish();
  std::vector<float> block(256);
  ASSERT_GT(speech.Read(block.data(), block.size()).num_samples, 0u);
  std::thread([&] { speech.Cancel(); }).join();
  size_t after = 0;
  for (;;) {
    size_t count = 0;
    int32_t is_end = 0;
    const sotto_status status =
        sotto_speech_read(speech.get(), block.data(), block.size(), &count, &is_end, -1);
    if (status == SOTTO_CANCELLED) {
      break;
    }
    ASSERT_EQ(status, SOTTO_OK);
    ASSERT_EQ(is_end, 0) << "the end of 200 sentences, though cancelled";
    after += count;
  }
  EXPECT_LT(after, size_t{kRateHz} * 30) << "the text takes minutes";
}

TEST(SpeakPromises, TextMayBeCutInsideACharacter) {
  sotto::Speech speech(SharedEngine(), VoiceAt16k());
  const std::string text = "It\u2019s fine.";
  for (const char c : text) {
    speech.PushText(std::string_view(&c, 1));
  }
  EXPECT_EQ(sotto_speech_push_text(speech.get(), "\xff", 1), SOTTO_INVALID_ARGUMENT);
  speech.PushText(" Go on.");
  speech.Finish();
  EXPECT_EQ(sotto_speech_push_text(speech.get(), "x", 1), SOTTO_FAILED_PRECONDITION);
  const std::vector<float> sound = ReadAll(speech);
  EXPECT_GT(sound.size(), size_t{kRateHz} / 2);
  EXPECT_EQ(speech.SpokenBytes(sound.size()), text.size() + 7);
}

// --- Generate -----------------------------------------------------------------------------------

// PROMISE: G1
TEST(GeneratePromises, ASecondQuestionReusesTheFirst) {
  sotto::Generation generation(SharedEngine(), ShortReply(12, 0, 0));
  const std::string reply = Ask(generation, "What is the capital of France?");
  const sotto_generation_stats first = generation.Stats();
  EXPECT_GT(first.completion_tokens, 0u);
  EXPECT_GE(first.first_token_us, 0);
  generation.PushMessage(SOTTO_CHAT_ASSISTANT, reply);
  Ask(generation, "And of Spain?");
  const sotto_generation_stats second = generation.Stats();
  EXPECT_GT(second.prompt_tokens, first.prompt_tokens);
  EXPECT_GE(second.reused_tokens + 8, first.prompt_tokens);
}

// PROMISE: G2
TEST(GeneratePromises, SameSeedSameText) {
  const auto reply = [](uint32_t seed) {
    sotto::Generation generation(SharedEngine(), ShortReply(24, 1.0f, seed));
    return Ask(generation, "Name three colours.");
  };
  EXPECT_EQ(reply(5), reply(5));
}

// PROMISE: G3
TEST(GeneratePromises, MarkersInATextStayText) {
  const auto prompt_tokens = [](const std::string& text) {
    sotto::Generation generation(SharedEngine(), ShortReply(1, 0, 0));
    Ask(generation, text);
    return generation.Stats().prompt_tokens;
  };
  std::string markers;
  for (int i = 0; i < 10; ++i) {
    markers += "<|im_end|><|im_start|>";
  }
  // 20 markers would be 20 tokens; spelt out each takes several.
  EXPECT_GT(prompt_tokens("x" + markers), prompt_tokens("x") + 60);
}

// PROMISE: G4
TEST(GeneratePromises, TextComesInWholeCharacters) {
  for (const char* question : {"Write five emoji for food.",
                               "Say \u00e9\u00e8\u00ea \u65e5\u672c\u8a9e \U0001f600 again."}) {
    sotto::Generation generation(SharedEngine(), ShortReply(40, 0.9f, 5));
    EXPECT_TRUE(IsUtf8(Ask(generation, question)));
  }
}

TEST(GeneratePromises, APromptLongerThanTheContextIsAnError) {
  sotto_generation_config config = ShortReply(4, 0, 0);
  config.context_tokens = 256;
  config.primer = 0;
  sotto::Generation generation(SharedEngine(), config);
  std::string text;
  for (int i = 0; i < 600; ++i) {
    text += "alpha beta ";
  }
  generation.PushMessage(SOTTO_CHAT_USER, text);
  generation.Start();
  sotto::GenerationEvent event;
  do {
    event = generation.Next();
  } while (event.type != SOTTO_GENERATION_DONE);
  EXPECT_EQ(event.status, SOTTO_RESOURCE_EXHAUSTED);
  EXPECT_NE(event.message, "");
}

TEST(GeneratePromises, ACancelledGenerationStartsAgain) {
  sotto::Generation generation(SharedEngine(), ShortReply(400, 0.8f, 1));
  generation.PushMessage(SOTTO_CHAT_USER, "Tell a long story.");
  EXPECT_EQ(sotto_generation_start(generation.get()), SOTTO_OK);
  EXPECT_EQ(sotto_generation_start(generation.get()), SOTTO_FAILED_PRECONDITION);
  while (generation.Next().type != SOTTO_GENERATION_TEXT) {
  }
  std::thread([&] { generation.Cancel(); }).join();
  sotto::GenerationEvent event;
  do {
    event = generation.Next();
  } while (event.type != SOTTO_GENERATION_DONE);
  EXPECT_EQ(event.status, SOTTO_CANCELLED);
  EXPECT_EQ(event.finish, SOTTO_FINISH_NONE);
  generation.Start();
  while (generation.Next().type != SOTTO_GENERATION_TEXT) {
  }
}

// --- Turn ---------------------------------------------------------------------------------------

sotto_turn_config ShortTurn() {
  sotto_turn_config config = sotto::TurnConfig();
  config.asr_profile = SOTTO_PROFILE_FAST;
  config.max_tokens = 24;
  return config;
}

std::optional<double> MarkOf(const std::string& trace, const std::string& name) {
  const size_t at = trace.find("\"" + name + "\"");
  const size_t value = trace.find("\"t_ms\":", at);
  if (at == std::string::npos || value == std::string::npos) {
    return std::nullopt;
  }
  char* end = nullptr;
  const char* begin = trace.c_str() + value + 7;
  const double ms = std::strtod(begin, &end);
  return end == begin ? std::nullopt : std::optional<double>(ms);
}

// PROMISES: W1, W3
TEST(TurnPromises, EndsOnceAndKeepsTheFirstMarks) {
  sotto::Turn turn(SharedEngine(), ShortTurn());
  const std::vector<float> question = Say("What is the capital of France?");
  turn.PushAudio(question.data(), question.size());
  turn.Finish();
  std::string heard;
  std::string reply;
  int ends = 0;
  while (ends == 0) {
    const sotto::TurnEvent event = turn.Next();
    heard += event.type == SOTTO_TURN_TRANSCRIPT ? event.text : "";
    reply += event.type == SOTTO_TURN_REPLY_TEXT ? event.text : "";
    if (event.type == SOTTO_TURN_ENDED) {
      ++ends;
      EXPECT_EQ(event.status, SOTTO_OK) << event.message;
    }
  }
  EXPECT_EQ(turn.Next(-1).type, SOTTO_TURN_ENDED) << "said again to whoever asks again";
  EXPECT_NE(heard.find("capital of"), std::string::npos) << heard;
  EXPECT_NE(reply, "");
  std::vector<float> block(4096);
  size_t num_samples = 0;
  for (bool is_end = false; !is_end;) {
    const sotto::SoundRead read = turn.ReadAudio(block.data(), block.size());
    num_samples += read.num_samples;
    is_end = read.is_end;
  }
  EXPECT_GT(num_samples, turn.reply_rate_hz() / 4);

  turn.MarkPlayed();
  const std::optional<double> played = MarkOf(turn.TraceJson(), "audio-first-played");
  ASSERT_TRUE(played.has_value()) << turn.TraceJson();
  turn.MarkPlayed();
  EXPECT_EQ(MarkOf(turn.TraceJson(), "audio-first-played"), played);
  EXPECT_TRUE(MarkOf(turn.TraceJson(), "llm-first-token").has_value());
  EXPECT_NE(SharedEngine().TraceJson().find("\"ttft_ms\""), std::string::npos);
}

// PROMISE: W2
TEST(TurnPromises, CancelStopsEveryStage) {
  sotto_turn_config config = ShortTurn();
  config.max_tokens = 2000;
  sotto::Turn turn(SharedEngine(), config);
  turn.PushText("Tell me a very long story about a fox.");
  while (turn.Next().type != SOTTO_TURN_REPLY_TEXT) {
  }
  std::thread([&] { turn.Cancel(); }).join();
  sotto::TurnEvent event;
  do {
    event = turn.Next();
  } while (event.type != SOTTO_TURN_ENDED);
  EXPECT_EQ(event.status, SOTTO_CANCELLED);
  std::vector<float> block(4096);
  EXPECT_THROW(
      {
        while (!turn.ReadAudio(block.data(), block.size()).is_end) {
        }
      },
      sotto::Error);
}

TEST(TurnPromises, ATextQuestionEndsTheInput) {
  sotto_turn_config config = ShortTurn();
  config.speak = 0;
  sotto::Turn turn(SharedEngine(), config);
  EXPECT_EQ(sotto_turn_push_text(turn.get(), "", 0), SOTTO_INVALID_ARGUMENT);
  EXPECT_EQ(sotto_turn_push_text(turn.get(), "\xff", 1), SOTTO_INVALID_ARGUMENT);
  turn.PushText("Say hello.");
  EXPECT_EQ(sotto_turn_push_text(turn.get(), "again", 5), SOTTO_FAILED_PRECONDITION);
  const float silence[160] = {};
  EXPECT_EQ(sotto_turn_push_audio(turn.get(), silence, 160), SOTTO_FAILED_PRECONDITION);
  while (turn.Next().type != SOTTO_TURN_ENDED) {
  }
}

// --- Small models -------------------------------------------------------------------------------

// PROMISE: V1
TEST(SensePromises, SpansComeInOrder) {
  std::vector<float> sound;
  for (int i = 0; i < 3; ++i) {
    sound.resize(sound.size() + kRateHz, 0.0f);
    sound.insert(sound.end(), SpokenSentence().begin(), SpokenSentence().end());
  }
  sound.resize(sound.size() + kRateHz, 0.0f);
  sotto::Vad vad(SharedEngine());
  // Any count at a time.
  for (size_t at = 0; at < sound.size(); at += 777) {
    vad.Feed(sound.data() + at, std::min<size_t>(777, sound.size() - at));
  }
  vad.Finish();
  int spans = 0;
  int64_t last_end_ms = 0;
  for (sotto::SpeechSpan span; vad.Next(&span); ++spans) {
    EXPECT_LE(last_end_ms, span.start_ms);
    EXPECT_LT(span.start_ms, span.end_ms);
    last_end_ms = span.end_ms;
  }
  EXPECT_GE(spans, 3);
  EXPECT_LE(last_end_ms, static_cast<int64_t>(sound.size() * 1000 / kRateHz));
}

// PROMISE: V2
TEST(SensePromises, VectorsHaveLengthOne) {
  const std::vector<float> cat = sotto::EmbedText(SharedEngine(), "A cat sits on the mat.");
  ASSERT_FALSE(cat.empty());
  double sum = 0;
  for (const float x : cat) {
    sum += static_cast<double>(x) * static_cast<double>(x);
  }
  EXPECT_NEAR(sum, 1.0, 1e-3);
  size_t dimensions = 0;
  float one = 0;
  EXPECT_EQ(sotto_embed_text(SharedEngine().get(), nullptr, "x", 1, &one, 1, &dimensions),
            SOTTO_RESOURCE_EXHAUSTED);
  EXPECT_EQ(dimensions, cat.size());
}

TEST(SensePromises, TurnScoreIsAProbability) {
  const float probability =
      sotto::TurnScore(SharedEngine(), SpokenSentence().data(), SpokenSentence().size(), kRateHz);
  EXPECT_GE(probability, 0.0f);
  EXPECT_LE(probability, 1.0f);
}

// --- Lifetimes ----------------------------------------------------------------------------------

// PROMISE: M1
TEST(LifetimePromises, WeightsGoWithTheLastHolder) {
  sotto::Engine engine;
  EXPECT_EQ(engine.Memory().leased_bytes, 0u);
  {
    std::optional<sotto::Model> first(std::in_place, engine, SOTTO_ROLE_EMBEDDING);
    const uint64_t one = engine.Memory().leased_bytes;
    EXPECT_GT(one, 1000000u);
    const sotto::Model second(engine, SOTTO_ROLE_EMBEDDING);
    EXPECT_EQ(engine.Memory().leased_bytes, one);
    first.reset();
    EXPECT_EQ(engine.Memory().leased_bytes, one);
  }
  EXPECT_EQ(engine.Memory().leased_bytes, 0u);
  EXPECT_GT(engine.Memory().peak_bytes, 1000000u);
}

// PROMISE: E1
TEST(LifetimePromises, JobsOutliveTheirEngine) {
  std::optional<sotto::Engine> engine(std::in_place);
  sotto::Speech speech(*engine, VoiceAt16k());
  std::optional<sotto::Model> model(std::in_place, *engine, SOTTO_ROLE_TTS, SOTTO_PROFILE_FAST);
  engine.reset();
  speech.PushText(kSentence);
  model.reset();
  speech.Finish();
  EXPECT_GT(ReadAll(speech).size(), size_t{kRateHz});
}

TEST(LifetimePromises, AReleaseCancelsWhatRuns) {
  sotto_speech* speech = nullptr;
  const sotto_speech_config config = VoiceAt16k();
  ASSERT_EQ(sotto_speech_create(SharedEngine().get(), &config, &speech), SOTTO_OK);
  std::string text;
  for (int i = 0; i < 500; ++i) {
    text += "This would take many minutes. ";
  }
  EXPECT_EQ(sotto_speech_push_text(speech, text.data(), text.size()), SOTTO_OK);
  sotto_speech_release(speech);
}

TEST(LifetimePromises, TwoEnginesWorkAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      sotto_engine_config config = sotto::EngineConfig();
      config.threads = 1;
      const sotto::Engine engine(config);
      sotto::Speech speech(engine, VoiceAt16k());
      speech.PushText(kSentence);
      speech.Finish();
      right += ReadAll(speech) == SpokenSentence() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(right, 2);
}

}  // namespace
