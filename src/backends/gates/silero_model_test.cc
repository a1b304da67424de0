// Silero VAD with its real weights: against the reference, on speech, and on what is no speech.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "backends/gates/silero_vad.h"
#include "backends/gates/test_signals.h"
#include "base/file.h"
#include "models/vad_segmenter.h"

namespace sotto {
namespace {

using testing_support::Clip;
using testing_support::Clips;
using testing_support::kRate;
using testing_support::MixedAudio;
using testing_support::ModelFile;
using testing_support::Sound;
using testing_support::SpeechlessSounds;
using testing_support::ToFloat;

constexpr size_t kWindow = 512;

std::unique_ptr<Vad> Load(const std::string& name, const KernelTable& kernels) {
  const std::string path = ModelFile("vad/" + name);
  if (path.empty()) {
    return nullptr;
  }
  Result<std::unique_ptr<Vad>> vad = LoadSileroVad(path, kernels);
  EXPECT_TRUE(vad.ok()) << vad.status().ToString();
  return vad.ok() ? std::move(*vad) : nullptr;
}

std::unique_ptr<Vad> Load() { return Load("silero_vad_v6.onnx", KernelsFor(BestIsa())); }

TEST(SileroModel, EveryVariantGivesTheProbabilitiesOfTheReference) {
  const std::string golden_path =
      std::string(std::getenv("SOTTO_TESTDATA") ? std::getenv("SOTTO_TESTDATA") : "testdata") +
      "/silero_golden.f32";
  const Result<std::string> golden = ReadFile(golden_path, 1 << 20);
  ASSERT_TRUE(golden.ok()) << golden.status().ToString();
  const std::vector<float> audio = ToFloat(MixedAudio(Clips(), 60));
  std::vector<float> expected(golden->size() / sizeof(float));
  std::memcpy(expected.data(), golden->data(), golden->size());
  ASSERT_EQ(expected.size(), audio.size() / kWindow);
  for (const Isa isa : IsasHere()) {
    for (const char* file : {"silero_vad_v6.onnx", "silero_vad_16k_op15.onnx"}) {
      const auto vad = Load(file, KernelsFor(isa));
      ASSERT_NE(vad, nullptr);
      float worst = 0.0f;
      for (size_t k = 0; k < expected.size(); ++k) {
        const Result<float> got = vad->Process(std::span(audio).subspan(k * kWindow, kWindow));
        ASSERT_TRUE(got.ok());
        worst = std::max(worst, std::abs(*got - expected[k]));
      }
      EXPECT_LT(worst, 1e-5f) << file << " " << IsaName(isa);
    }
  }
  EXPECT_GT(std::ranges::count_if(expected, [](float p) { return p > 0.5f; }), 300);
  EXPECT_GT(std::ranges::count_if(expected, [](float p) { return p < 0.1f; }), 300);
}

TEST(SileroModel, OtherModelsAreRefusedByName) {
  const std::string other = ModelFile("turn/smart-turn-v3.2-cpu.onnx");
  ASSERT_FALSE(other.empty());
  const auto vad = LoadSileroVad(other, KernelsFor(BestIsa()));
  EXPECT_EQ(vad.status().code(), Code::kDataLoss);
  EXPECT_NE(vad.status().message().find("smart-turn"), std::string::npos);
}

TEST(SileroModel, TruncatedFilesAreRefusedAtEveryLength) {
  const std::string path = ModelFile("vad/silero_vad_v6.onnx");
  ASSERT_FALSE(path.empty());
  const std::string bytes = *ReadFile(path, 1 << 24);
  for (size_t keep = 0; keep < bytes.size(); keep += 1 + keep / 3) {
    EXPECT_EQ(
        MakeSileroVad(std::as_bytes(std::span(bytes.data(), keep)), KernelTable()).status().code(),
        Code::kDataLoss)
        << keep;
  }
}

std::vector<float> Noise(size_t n, float level, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> gauss(0.0f, level);
  std::vector<float> noise(n);
  std::ranges::generate(noise, [&] { return gauss(random); });
  return noise;
}

std::vector<float> Join(std::initializer_list<std::vector<float>> parts) {
  std::vector<float> all;
  for (const std::vector<float>& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::vector<SpeechSpan> Spans(Vad* vad, const std::vector<float>& samples) {
  const auto spans = FindSpeech(vad, samples, {}, CancelToken());
  EXPECT_TRUE(spans.ok()) << spans.status().ToString();
  return spans.ok() ? *spans : std::vector<SpeechSpan>();
}

// First sample of 10 ms frames within 25 dB of the loudest (the rooms of the recordings lie below),
// and last of those within 20 dB.
std::pair<int64_t, int64_t> Audible(const std::vector<float>& samples) {
  constexpr size_t kFrame = 160;
  std::vector<double> power;
  for (size_t at = 0; at + kFrame <= samples.size(); at += kFrame) {
    double sum = 0.0;
    for (size_t k = at; k < at + kFrame; ++k) {
      sum += static_cast<double>(samples[k]) * static_cast<double>(samples[k]);
    }
    power.push_back(sum);
  }
  const double peak = *std::ranges::max_element(power);
  const auto first =
      std::ranges::find_if(power, [peak](double p) { return p >= 3e-3 * peak; }) - power.begin();
  const auto last =
      std::find_if(power.rbegin(), power.rend(), [peak](double p) { return p >= 1e-2 * peak; })
          .base() -
      power.begin();
  return {first * static_cast<int64_t>(kFrame), last * static_cast<int64_t>(kFrame)};
}

TEST(SileroModel, SpeechBetweenSilencesIsFoundWhereItIs) {
  const auto vad = Load();
  ASSERT_NE(vad, nullptr);
  for (const Clip& clip : Clips()) {
    for (const float gain : {1.0f, 0.1f}) {
      std::vector<float> speech = ToFloat(clip.samples);
      for (float& sample : speech) {
        sample *= gain;
      }
      const auto [first, last] = Audible(speech);
      const int64_t pad = 2 * kRate;
      const auto spans = Spans(vad.get(), Join({Noise(2 * kRate, 0.0005f * gain, 5), speech,
                                                Noise(2 * kRate, 0.0005f * gain, 6)}));
      ASSERT_FALSE(spans.empty()) << clip.name << " at " << gain;
      EXPECT_LE(spans.front().start_sample, pad + first) << clip.name << ": cuts the onset";
      EXPECT_GE(spans.front().start_sample, pad + first - kRate * 6 / 10) << clip.name;
      // What follows the last vowel by more is breath and room.
      EXPECT_GE(spans.back().end_sample, pad + last - kRate / 2) << clip.name << ": cuts the end";
      EXPECT_LE(spans.back().end_sample, pad + last + kRate / 2) << clip.name;
    }
  }
}

// Cases 1 and 3: silence, faint noise and room tone.
TEST(Case001, SilenceAndFaintNoiseAreNoSpeech) {
  const auto vad = Load();
  ASSERT_NE(vad, nullptr);
  for (const int tenths : {0, 5, 10, 100, 300}) {
    EXPECT_TRUE(Spans(vad.get(), std::vector<float>(static_cast<size_t>(tenths * kRate / 10), 0.0f))
                    .empty());
    for (uint32_t seed = 1; seed <= 3; ++seed) {
      EXPECT_TRUE(
          Spans(vad.get(), Noise(static_cast<size_t>(tenths * kRate / 10), 0.001f, seed)).empty());
    }
  }
  EXPECT_TRUE(Spans(vad.get(), std::vector<float>(7, 0.0f)).empty());
}

// Case 2: silence or faint noise behind speech adds no speech.
TEST(Case002, NothingIsHeardBehindTheLastWord) {
  const auto vad = Load();
  ASSERT_NE(vad, nullptr);
  for (const Clip& clip : Clips()) {
    const std::vector<float> speech = ToFloat(clip.samples);
    for (const float level : {0.0f, 0.0008f, 0.003f}) {
      const auto spans = Spans(vad.get(), Join({speech, Noise(12 * kRate, level, 3)}));
      ASSERT_FALSE(spans.empty()) << clip.name;
      EXPECT_LE(spans.back().end_sample, static_cast<int64_t>(speech.size()) + kRate / 2)
          << clip.name << " with noise " << level;
    }
  }
}

// Case 3 and the sounds of rooms, machines, telephones and weather.
TEST(Case003, SoundsWithoutSpeechGiveNoSpan) {
  const auto vad = Load();
  ASSERT_NE(vad, nullptr);
  int sounds = 0;
  for (const float level : {-60.0f, -50.0f, -40.0f, -30.0f, -20.0f, -10.0f}) {
    for (uint32_t seed = 1; seed <= 4; ++seed) {
      for (const Sound& sound : SpeechlessSounds(seed, level, 6)) {
        const auto spans = Spans(vad.get(), sound.samples);
        EXPECT_TRUE(spans.empty())
            << sound.name << " at " << level << " dBFS, seed " << seed << ": heard " << spans.size()
            << " spans, the first " << (spans[0].end_sample - spans[0].start_sample) / 16
            << " ms at " << spans[0].start_sample / 16 << " ms, p " << spans[0].peak_probability;
        ++sounds;
      }
    }
  }
  EXPECT_GT(sounds, 600);
}

// Case 6: a quiet room amplified by 30 dB.
TEST(Case006, AmplifiedRoomToneIsNoSpeech) {
  const auto vad = Load();
  ASSERT_NE(vad, nullptr);
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    for (const Sound& sound : SpeechlessSounds(seed, -25.0f, 10)) {
      if (sound.name == "pink noise" || sound.name == "brown noise" || sound.name == "fan") {
        EXPECT_TRUE(Spans(vad.get(), sound.samples).empty()) << sound.name << seed;
      }
    }
  }
}

// Case 14: a soft /s/ or /h/ before the vowel belongs to the utterance.
TEST(Case014, ASoftConsonantBeforeTheVowelIsKept) {
  const auto vad = Load();
  ASSERT_NE(vad, nullptr);
  constexpr size_t kSoft = kRate * 120 / 1000;
  for (const Clip& clip : Clips()) {
    const std::vector<float> speech = ToFloat(clip.samples);
    const int64_t first = Audible(speech).first;
    const std::vector<float> voiced(speech.begin() + first, speech.end());
    for (const bool is_s : {true, false}) {
      std::vector<float> soft = Noise(kSoft, 0.01f, 9);
      for (size_t k = kSoft - 1; k > 0; --k) {
        soft[k] = (is_s ? soft[k] - soft[k - 1] : 0.5f * (soft[k] + soft[k - 1])) *
                  static_cast<float>(k) / kSoft;
      }
      const auto spans = Spans(
          vad.get(), Join({Noise(2 * kRate, 0.0005f, 5), soft, voiced, Noise(kRate, 0.0005f, 6)}));
      ASSERT_FALSE(spans.empty()) << clip.name;
      EXPECT_LE(spans[0].start_sample, 2 * kRate + kRate / 50) << clip.name << (is_s ? " s" : " h");
    }
  }
}

// Case 19: a minute of silence, then a sentence.
TEST(Case019, ASentenceAfterAMinuteOfSilenceIsWhole) {
  const auto vad = Load();
  ASSERT_NE(vad, nullptr);
  for (const Clip& clip : Clips()) {
    const std::vector<float> speech = ToFloat(clip.samples);
    const int64_t first = 60 * kRate + Audible(speech).first;
    for (const float level : {0.0f, 0.0005f}) {
      const auto spans =
          Spans(vad.get(), Join({Noise(60 * kRate, level, 8), speech, Noise(kRate, level, 9)}));
      ASSERT_FALSE(spans.empty()) << clip.name;
      EXPECT_LE(spans[0].start_sample, first) << clip.name;
      EXPECT_GE(spans[0].start_sample, first - kRate * 6 / 10) << clip.name;
    }
  }
}

}  // namespace
}  // namespace sotto
