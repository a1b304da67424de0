// The ONNX models with their real weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <thread>

#include <nlohmann/json.hpp>

#include "backends/onnx/noise.h"
#include "backends/onnx/onnx_backend.h"
#include "backends/onnx/piper_config.h"
#include "backends/onnx/surgery.h"
#include "backends/onnx/vits_voice.h"
#include "base/file.h"
#include "kernels/mel/mel.h"
#include "letter_phonemizer.h"
#include "models_dir.h"
#include "tts_contract.h"

namespace sotto {
namespace {

using Json = nlohmann::json;

Json ReadJson(const std::string& name) {
  const Result<std::string> text = ReadFile(TestDataPath(name), 1 << 20);
  EXPECT_TRUE(text.ok()) << text.status().ToString();
  return text.ok() ? Json::parse(*text, nullptr, false) : Json();
}

// 16-bit mono, 44 bytes of header: what the clips are.
std::vector<float> ReadClip(const std::string& name) {
  const Result<std::string> bytes = ReadFile(ModelPath("clips/" + name + ".wav"), 16 << 20);
  EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
  std::vector<float> samples;
  const size_t data = bytes.ok() ? bytes->find("data") : std::string::npos;
  for (size_t at = data + 8; data != std::string::npos && at + 1 < bytes->size(); at += 2) {
    int16_t sample = 0;
    std::memcpy(&sample, bytes->data() + at, 2);
    samples.push_back(static_cast<float>(sample) / 32768.0f);
  }
  return samples;
}

// Phonemes of the phrases in testdata/espeak_phrases.json.
class PhrasePhonemizer final : public Phonemizer {
 public:
  PhrasePhonemizer() {
    for (const Json& row : ReadJson("espeak_phrases.json")) {
      phonemes_[row["text"].get<std::string>()] = row["phonemes"].get<std::string>();
    }
  }
  Result<std::string> Phonemize(std::string_view text, PhonemeAlphabet alphabet) const override {
    EXPECT_EQ(alphabet, PhonemeAlphabet::kEspeakIpa);
    const auto found = phonemes_.find(std::string(text));
    return found == phonemes_.end() ? Result<std::string>(InvalidArgumentError("text: unknown"))
                                    : Result<std::string>(found->second);
  }
  const std::map<std::string, std::string>& all() const { return phonemes_; }

 private:
  std::map<std::string, std::string> phonemes_;
};

class JoeVoice : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    model_ = new Result<std::string>(ReadFile(ModelPath("tts/en_US-joe-medium.onnx"), 1 << 30));
    ASSERT_TRUE(model_->ok()) << model_->status().ToString();
    const auto json = ReadFile(ModelPath("tts/en_US-joe-medium.onnx.json"), 1 << 20);
    ASSERT_TRUE(json.ok()) << json.status().ToString();
    const auto config = ParsePiperConfig(*json);
    ASSERT_TRUE(config.ok()) << config.status().ToString();
    config_ = new PiperConfig(*config);
    auto voice = VitsVoice::Load(**model_, {});
    ASSERT_TRUE(voice.ok()) << voice.status().ToString();
    voice_ = new std::shared_ptr<const VitsVoice>(*voice);
  }
  static void TearDownTestSuite() {
    delete voice_;
    delete config_;
    delete model_;
    voice_ = nullptr;
    config_ = nullptr;
    model_ = nullptr;
  }
  void SetUp() override { ASSERT_NE(voice_, nullptr) << "the voice did not load"; }

  static std::vector<int64_t> Ids(const std::string& phonemes) {
    std::vector<int64_t> ids{1, 0};
    for (const int64_t id : config_->symbols.Encode(phonemes).ids) {
      ids.push_back(id);
      ids.push_back(0);
    }
    ids.push_back(2);
    return ids;
  }

  static std::vector<float> Speak(const VitsRequest& request, int64_t first, int64_t most,
                                  int64_t* frames = nullptr) {
    const auto utterance = (*voice_)->Start(request);
    std::vector<float> all;
    while (!utterance->done()) {
      const auto block = utterance->Next(first, {});
      EXPECT_TRUE(block.ok()) << block.status().ToString();
      if (!block.ok()) {
        break;
      }
      all.insert(all.end(), block->begin(), block->end());
      first = std::min(first * 2, most);
    }
    if (frames != nullptr) {
      *frames = std::accumulate(utterance->id_samples().begin(), utterance->id_samples().end(),
                                int64_t{0}) /
                256;
    }
    return all;
  }

  static Result<std::string>* model_;
  static PiperConfig* config_;
  static std::shared_ptr<const VitsVoice>* voice_;
};

Result<std::string>* JoeVoice::model_ = nullptr;
PiperConfig* JoeVoice::config_ = nullptr;
std::shared_ptr<const VitsVoice>* JoeVoice::voice_ = nullptr;

float LargestDifference(std::span<const float> a, std::span<const float> b) {
  EXPECT_EQ(a.size(), b.size());
  float largest = 0.0f;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, std::fabs(a[i] - b[i]));
  }
  return largest;
}

// The published graph in one piece, its random nodes fed the same noise.
TEST_F(JoeVoice, StreamedEqualsThePublishedGraph) {
  const auto graph = OnnxGraph::Parse(**model_);
  ASSERT_TRUE(graph.ok());
  const auto plan = PlanVits(*graph, "");
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  const auto part = ExtractSubmodel(*graph, {{{"input", OnnxType::kInt64, {1, -1}},
                                              {"input_lengths", OnnxType::kInt64, {1}},
                                              {"scales", OnnxType::kFloat, {3}},
                                              {plan->duration_noise, OnnxType::kFloat, {1, 2, -1}},
                                              {plan->frame_noise, OnnxType::kFloat, {1, -1, -1}}},
                                             {{"output", OnnxType::kFloat, {}}}});
  ASSERT_TRUE(part.ok()) << part.status().ToString();
  const auto session = Session::Load(*part, "whole", {});
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  float worst = 0.0f;
  uint32_t seed = 11;
  const std::array<float, 3> kSpeeds{1.0f, 0.6f, 1.7f};
  const PhrasePhonemizer phrases;
  for (const auto& [text, phonemes] : phrases.all()) {
    const float speed = kSpeeds[seed % 3];
    const VitsRequest request{.ids = Ids(phonemes), .length_scale = 1.0f / speed, .seed = seed++};
    int64_t frames = 0;
    const std::vector<float> streamed = Speak(request, 16, 96, &frames);
    const int64_t num_ids = std::ssize(request.ids);
    const std::array<float, 3> scales{request.noise_scale, request.length_scale, request.noise_w};
    std::vector<float> duration_noise;
    NormalNoise duration_source(request.seed, 0);
    for (int64_t i = 0; i < 2 * num_ids; ++i) {
      duration_noise.push_back(duration_source.Next());
    }
    std::vector<float> frame_noise(static_cast<size_t>(192 * frames));
    NormalNoise frame_source(request.seed, 1);
    for (int64_t t = 0; t < frames; ++t) {
      for (int64_t c = 0; c < 192; ++c) {
        frame_noise[static_cast<size_t>(c * frames + t)] = frame_source.Next();
      }
    }
    const std::vector<TensorView> inputs{
        TensorView(std::span<const int64_t>(request.ids), {1, num_ids}),
        TensorView(std::span<const int64_t>(&num_ids, 1), {1}),
        TensorView(std::span<const float>(scales), {3}),
        TensorView(std::span<const float>(duration_noise), {1, 2, num_ids}),
        TensorView(std::span<const float>(frame_noise), {1, 192, frames})};
    const auto outputs = (*session)->Run(inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    const float difference = LargestDifference(streamed, (*outputs)[0].values());
    EXPECT_LT(difference, 1e-5f) << text;
    worst = std::max(worst, difference);
  }
  RecordProperty("worst_difference", std::to_string(worst));
}

TEST_F(JoeVoice, AnyWindowsEqualOneWindow) {
  float worst = 0.0f;
  uint32_t seed = 1;
  const PhrasePhonemizer phrases;
  for (const auto& [text, phonemes] : phrases.all()) {
    const VitsRequest request{.ids = Ids(phonemes),
                              .length_scale = 1.0f / (0.5f + 0.15f * static_cast<float>(seed % 10)),
                              .seed = seed++};
    const std::vector<float> whole = Speak(request, 100000, 100000);
    for (const auto& [first, most] :
         std::vector<std::pair<int64_t, int64_t>>{{16, 96}, {5, 40}, {1, 7}}) {
      const float difference = LargestDifference(Speak(request, first, most), whole);
      EXPECT_LT(difference, 1e-5f) << text << " windows " << first << ".." << most;
      worst = std::max(worst, difference);
      if (seed % 4 != 0) {
        break;  // the smallest windows for every fourth phrase
      }
    }
  }
  RecordProperty("worst_difference", std::to_string(worst));
}

TEST_F(JoeVoice, TheStagesAreThoseOfItsArchitecture) {
  const auto graph = OnnxGraph::Parse(**model_);
  ASSERT_TRUE(graph.ok());
  const auto plan = PlanVits(*graph, "");
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  // Four coupling layers of four convolutions of width 5; the vocoder's first convolution of
  // width 7; then up 8 and up 8 * 4.
  ASSERT_EQ(plan->stages.size(), 7u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(plan->stages[i].reach, (Reach{1, 8, 8}));
  }
  EXPECT_EQ(plan->stages[4].reach, (Reach{1, 3, 3}));
  EXPECT_EQ(plan->stages[5].reach.rate * plan->stages[6].reach.rate, 256);
}

Result<std::unique_ptr<Tts>> MakeJoe() {
  return MakePiperTts(
      {ModelPath("tts/en_US-joe-medium.onnx"), ModelPath("tts/en_US-joe-medium.onnx.json")},
      std::make_shared<PhrasePhonemizer>(), {});
}

TEST(Piper, SeedsVaryAndRepeat) {
  const auto tts = MakeJoe();
  ASSERT_TRUE(tts.ok()) << tts.status().ToString();
  TtsRequest request{.text = "The capital of France is Paris.", .voice = {}, .seed = 1};
  const Spoken one = SpeakAll(**tts, request);
  EXPECT_EQ(SpeakAll(**tts, request).samples, one.samples);
  request.seed = 2;
  EXPECT_NE(SpeakAll(**tts, request).samples, one.samples);
}

TEST(Case058, WordsHaveTheirPlaceInTheSpeech) {
  const auto tts = MakeJoe();
  ASSERT_TRUE(tts.ok()) << tts.status().ToString();
  const std::string text = "The capital of France is Paris.";
  const Spoken spoken = SpeakAll(**tts, {.text = text, .voice = {}, .seed = 1});
  ASSERT_EQ(spoken.marks.size(), 6u);
  EXPECT_EQ(spoken.marks[0].text_offset_bytes, 0);
  EXPECT_EQ(spoken.marks[5].text_offset_bytes, std::ssize(text) - 6);
  // "Paris" begins in the second half and takes up to its end.
  EXPECT_GT(spoken.marks[5].start_sample, std::ssize(spoken.samples) / 2);
  EXPECT_LT(spoken.marks[5].start_sample, std::ssize(spoken.samples) - 4000);
  EXPECT_LT(spoken.marks[0].start_sample, 2000);
}

TEST(Case051, NoClickAtJoins) {
  const auto tts = MakeJoe();
  ASSERT_TRUE(tts.ok()) << tts.status().ToString();
  const std::string text =
      "Bananas are yellow because they contain pigments called carotenoids, which appear as the "
      "green fades.";
  auto stream = (*tts)->Speak({.text = text, .voice = {}, .seed = 3}, {});
  ASSERT_TRUE(stream.ok()) << stream.status().ToString();
  std::vector<float> all;
  std::vector<size_t> joins;
  for (bool last = false; !last;) {
    const auto block = (*stream)->Next();
    ASSERT_TRUE(block.ok());
    if (!all.empty() && !block->samples.empty()) {
      joins.push_back(all.size());
    }
    all.insert(all.end(), block->samples.begin(), block->samples.end());
    last = block->is_last;
  }
  ASSERT_GE(joins.size(), 4u);
  float largest_step = 0.0f;
  for (size_t i = 1; i < all.size(); ++i) {
    largest_step = std::max(largest_step, std::fabs(all[i] - all[i - 1]));
  }
  for (const size_t join : joins) {
    EXPECT_LE(std::fabs(all[join] - all[join - 1]), largest_step);
    EXPECT_LT(std::fabs(all[join] - all[join - 1]), 0.25f);
  }
}

int64_t LongestSilence(std::span<const float> samples) {
  int64_t longest = 0;
  int64_t run = 0;
  for (const float sample : samples) {
    run = std::fabs(sample) < 0.003f ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

TEST(Case053, UnpunctuatedTextHasNoDeadAir) {
  const auto tts = MakePiperTts(
      {ModelPath("tts/en_US-joe-medium.onnx"), ModelPath("tts/en_US-joe-medium.onnx.json")},
      std::make_shared<LetterPhonemizer>(), {});
  ASSERT_TRUE(tts.ok()) << tts.status().ToString();
  std::string text;
  while (text.size() < 775) {
    text += "when the river rises the old mill wheel turns ";
  }
  const Spoken spoken = SpeakAll(**tts, {.text = text, .voice = {}, .seed = 1});
  ASSERT_TRUE(spoken.status.ok()) << spoken.status.ToString();
  EXPECT_GT(std::ssize(spoken.samples), 20 * 22050);
  EXPECT_LT(LongestSilence(spoken.samples), 22050 * 6 / 10);
}

TEST(Case151, OneInstanceInALoop) {
  const auto tts = MakeJoe();
  ASSERT_TRUE(tts.ok()) << tts.status().ToString();
  const Spoken first = SpeakAll(**tts, {.text = "No.", .voice = {}, .seed = 1});
  ASSERT_FALSE(first.samples.empty());
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(SpeakAll(**tts, {.text = "No.", .voice = {}, .seed = 1}).samples, first.samples);
  }
}

TEST(Models, WrongFilesAreRefusedWithTheirName) {
  const auto phonemizer = std::make_shared<LetterPhonemizer>();
  const std::string joe = ModelPath("tts/en_US-joe-medium.onnx");
  const std::string config = joe + ".json";
  const std::string turn = ModelPath("turn/smart-turn-v3.2-cpu.onnx");
  const std::string voice = ModelPath("speaker/resemblyzer_voice_encoder.onnx");
  const auto expect = [](const Status& status, Code code, const std::string& path) {
    EXPECT_EQ(status.code(), code) << status.ToString();
    EXPECT_NE(status.message().find(path), std::string::npos) << status.ToString();
  };
  expect(MakePiperTts({turn, config}, phonemizer, {}).status(), Code::kDataLoss, turn);
  expect(MakePiperTts({config, config}, phonemizer, {}).status(), Code::kDataLoss, config);
  expect(MakePiperTts({joe, joe}, phonemizer, {}).status(), Code::kResourceExhausted, joe);
  expect(MakePiperTts({"/absent.onnx", config}, phonemizer, {}).status(), Code::kNotFound,
         "/absent.onnx");
  expect(MakePiperTts({ModelPath("tts"), config}, phonemizer, {}).status(), Code::kInvalidArgument,
         ModelPath("tts"));
  expect(MakeSmartTurn(joe, {}).status(), Code::kDataLoss, joe);
  expect(MakeSmartTurn(config, {}).status(), Code::kDataLoss, config);
  expect(MakeSpeakerEncoder(turn, {}).status(), Code::kDataLoss, turn);
  expect(MakeSmartTurn(voice, {}).status(), Code::kDataLoss, voice);
}

// --- Smart Turn ------------------------------------------------------------------------------

TEST(SmartTurnGolden, FeaturesEqualThePublishedFrontEnd) {
  const Json golden = ReadJson("smart_turn_golden.json");
  ASSERT_TRUE(golden.is_object());
  const std::vector<float> clip = ReadClip(golden["features"]["clip"].get<std::string>());
  std::vector<float> window(128000);
  ASSERT_LT(clip.size(), window.size());
  std::copy(clip.begin(), clip.end(), window.end() - std::ssize(clip));
  double sum = 0.0;
  double squares = 0.0;
  for (const float sample : window) {
    sum += static_cast<double>(sample);
    squares += static_cast<double>(sample) * static_cast<double>(sample);
  }
  const double mean = sum / 128000.0;
  const double spread = std::sqrt(squares / 128000.0 - mean * mean + 1e-7);
  for (float& sample : window) {
    sample = static_cast<float>((static_cast<double>(sample) - mean) / spread);
  }
  const MelSpectrogram mel({.num_mels = 80});
  std::vector<double> powers(80 * 800);
  std::vector<double> scratch(mel.scratch_values());
  mel.Power(window, 0, 800, powers, scratch);
  std::vector<float> features(80 * 800);
  WhisperLog(powers, features);
  const Json& rows = golden["features"];
  for (size_t m = 0; m < rows["mels"].size(); ++m) {
    for (size_t t = 0; t < rows["frames"].size(); ++t) {
      const size_t at = rows["mels"][m].get<size_t>() * 800 + rows["frames"][t].get<size_t>();
      EXPECT_NEAR(features[at], rows["values"][m][t].get<float>(), 2e-5f) << m << " " << t;
    }
  }
}

TEST(SmartTurnGolden, ScoresEqualThePublishedPipeline) {
  const auto model = MakeSmartTurn(ModelPath("turn/smart-turn-v3.2-cpu.onnx"), {});
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const Json golden = ReadJson("smart_turn_golden.json");
  ASSERT_GE(golden["scores"].size(), 20u);
  for (const Json& row : golden["scores"]) {
    std::vector<float> samples = ReadClip(row["clip"].get<std::string>());
    samples.resize(std::min(samples.size(), row["num_samples"].get<size_t>()));
    samples.resize(samples.size() + row["tail_ms"].get<size_t>() * 16);
    const auto score = (*model)->Score(samples, {});
    ASSERT_TRUE(score.ok()) << score.status().ToString();
    EXPECT_NEAR(*score, row["score"].get<float>(), 1e-3f) << row.dump();
  }
}

// --- Speaker ---------------------------------------------------------------------------------

float Cosine(std::span<const float> a, std::span<const float> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0f);
}

TEST(Speaker, TellsReadersApart) {
  const auto encoder = MakeSpeakerEncoder(ModelPath("speaker/resemblyzer_voice_encoder.onnx"), {});
  ASSERT_TRUE(encoder.ok()) << encoder.status().ToString();
  std::vector<std::vector<float>> reader;
  for (const char* clip : {"librivox_0870", "librivox_0880", "librivox_0930", "librivox_0920"}) {
    const auto vector = (*encoder)->Encode(ReadClip(clip), {});
    ASSERT_TRUE(vector.ok()) << vector.status().ToString();
    ASSERT_EQ(std::ssize(*vector), (*encoder)->dimensions());
    EXPECT_NEAR(Cosine(*vector, *vector), 1.0f, 1e-4f);
    reader.push_back(*vector);
  }
  const auto other = (*encoder)->Encode(ReadClip("jfk"), {});
  ASSERT_TRUE(other.ok());
  for (size_t i = 0; i < reader.size(); ++i) {
    EXPECT_LT(Cosine(reader[i], *other), 0.65f);
    for (size_t j = 0; j < i; ++j) {
      EXPECT_GT(Cosine(reader[i], reader[j]), 0.72f) << i << " " << j;
    }
  }
}

TEST(Speaker, LevelDoesNotMatterAndShortAudioIsRefused) {
  const auto encoder = MakeSpeakerEncoder(ModelPath("speaker/resemblyzer_voice_encoder.onnx"), {});
  ASSERT_TRUE(encoder.ok()) << encoder.status().ToString();
  const std::vector<float> clip = ReadClip("librivox_0880");
  std::vector<float> quiet = clip;
  for (float& sample : quiet) {
    sample *= 0.05f;
  }
  const auto one = (*encoder)->Encode(clip, {});
  const auto other = (*encoder)->Encode(quiet, {});
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_GT(Cosine(*one, *other), 0.9f);
  EXPECT_EQ((*encoder)->Encode(std::span(clip).first(7999), {}).status().code(),
            Code::kInvalidArgument);
  EXPECT_TRUE((*encoder)->Encode(std::span(clip).first(8000), {}).ok());
  CancelSource source;
  source.Cancel(CancelReason::kShutdown);
  EXPECT_EQ((*encoder)->Encode(clip, source.token()).status().code(), Code::kCancelled);
}

// --- Kokoro ----------------------------------------------------------------------------------

Result<std::unique_ptr<Tts>> MakeKokoro() {
  return MakeKokoroTts(
      {ModelPath("tts/kokoro-82m-int8.onnx"), ModelPath("tts/vocab.json"), ModelPath("tts/voices")},
      std::make_shared<LetterPhonemizer>(), {});
}

TEST(Kokoro, HasItsEnglishVoices) {
  const auto tts = MakeKokoro();
  ASSERT_TRUE(tts.ok()) << tts.status().ToString();
  EXPECT_EQ((*tts)->info().voices.front(), "af_heart");
  EXPECT_EQ((*tts)->info().voices.size(), 28u);
}

TEST(Kokoro, LongTextComesInPiecesWithShortJoins) {
  const auto tts = MakeKokoro();
  ASSERT_TRUE(tts.ok()) << tts.status().ToString();
  std::string text;
  while (text.size() < 430) {
    text += "when the river rises the old mill wheel turns ";
  }
  const Spoken spoken = SpeakAll(**tts, {.text = text, .voice = {}});
  ASSERT_TRUE(spoken.status.ok()) << spoken.status.ToString();
  EXPECT_GE(spoken.num_blocks, 2);
  EXPECT_LT(LongestSilence(spoken.samples), 24000 * 6 / 10);
  ASSERT_FALSE(spoken.marks.empty());
  EXPECT_GT(spoken.marks.back().start_sample, std::ssize(spoken.samples) * 9 / 10);
}

TEST(Kokoro, ACancellationReachesIntoARun) {
  const auto tts = MakeKokoro();
  ASSERT_TRUE(tts.ok()) << tts.status().ToString();
  CancelSource source;
  auto stream = (*tts)->Speak({.text = std::string(380, 'a'), .voice = {}}, source.token());
  ASSERT_TRUE(stream.ok()) << stream.status().ToString();
  // Twenty seconds of speech take seconds to make: the interruption falls before or into the run.
  std::thread interrupter([&] { source.Cancel(CancelReason::kBargeIn); });
  const auto block = (*stream)->Next();
  interrupter.join();
  EXPECT_EQ(block.status().code(), Code::kCancelled);
  EXPECT_TRUE(SpeakAll(**tts, {.text = "hello", .voice = {}}).status.ok());
}

}  // namespace
}  // namespace sotto
