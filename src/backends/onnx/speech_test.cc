// The parts of a voice that need no weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "backends/onnx/kokoro_files.h"
#include "backends/onnx/noise.h"
#include "backends/onnx/phrase_pieces.h"
#include "backends/onnx/piper_config.h"
#include "backends/onnx/speech_shaper.h"
#include "backends/onnx/stage_chain.h"
#include "backends/onnx/symbol_table.h"
#include "backends/onnx/word_align.h"

namespace sotto {
namespace {

// --- Windows equal the whole ----------------------------------------------------------------

// A stage that sums its reach exactly: out[t] = sum of (offset + 2) * in[u], zeros outside.
ChainStage SummingStage(Reach reach, int64_t in_channels, int64_t min_input = 1) {
  return {reach, min_input, [reach, in_channels](std::span<const float> input, int64_t length) {
            std::vector<float> out(static_cast<size_t>(length * reach.rate));
            for (int64_t t = 0; t < length * reach.rate; ++t) {
              double sum = 0.0;
              for (int64_t u = 0; u < length; ++u) {
                const int64_t offset = u * reach.rate - t;
                if (offset < -reach.left || offset > reach.right) {
                  continue;
                }
                for (int64_t c = 0; c < in_channels; ++c) {
                  sum += static_cast<double>(offset + 2 + c) *
                         static_cast<double>(input[static_cast<size_t>(c * length + u)]);
                }
              }
              out[static_cast<size_t>(t)] = static_cast<float>(std::fmod(sum, 64.0));
            }
            return Result<Tensor>(Tensor::FromValues(std::move(out), {1, 1, length * reach.rate}));
          }};
}

std::vector<float> RunChain(const std::vector<ChainStage>& stages, int64_t frames,
                            const std::vector<int64_t>& windows) {
  int64_t asked = 0;
  StageChain chain(stages, frames, 2, [&](int64_t begin, int64_t end, std::span<float> out) {
    EXPECT_EQ(begin, asked) << "in order, once";
    asked = end;
    for (int64_t t = begin; t < end; ++t) {
      out[static_cast<size_t>(t - begin)] = static_cast<float>(t % 11);
      out[static_cast<size_t>(end - begin + t - begin)] = static_cast<float>(t % 7);
    }
  });
  std::vector<float> all;
  size_t next = 0;
  while (!chain.done()) {
    const auto block = chain.Next(windows[std::min(next++, windows.size() - 1)], {});
    EXPECT_TRUE(block.ok()) << block.status().ToString();
    if (!block.ok()) {
      break;
    }
    all.insert(all.end(), block->begin(), block->end());
  }
  EXPECT_EQ(asked, frames);
  return all;
}

TEST(StageChainTest, AnyWindowsEqualOneWindow) {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<ChainStage> stages;
    const int num_stages = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < num_stages; ++i) {
      const Reach reach{1 + static_cast<int64_t>(random() % 4), static_cast<int64_t>(random() % 9),
                        static_cast<int64_t>(random() % 9)};
      stages.push_back(
          SummingStage(reach, i == 0 ? 2 : 1, static_cast<int64_t>(1 + random() % 30)));
    }
    const auto frames = static_cast<int64_t>(1 + random() % 40);
    std::vector<int64_t> windows;
    for (int i = 0; i < 10; ++i) {
      windows.push_back(static_cast<int64_t>(1 + random() % 12));
    }
    ASSERT_EQ(RunChain(stages, frames, windows), RunChain(stages, frames, {1000})) << round;
  }
}

TEST(StageChainTest, CancelledStaysWhereItWas) {
  const std::vector<ChainStage> stages{SummingStage({2, 3, 3}, 2), SummingStage({1, 2, 2}, 1)};
  StageChain chain(stages, 20, 2, [](int64_t, int64_t, std::span<float> out) {
    std::fill(out.begin(), out.end(), 1.0f);
  });
  ASSERT_TRUE(chain.Next(5, {}).ok());
  CancelSource source;
  source.Cancel(CancelReason::kBargeIn);
  EXPECT_EQ(chain.Next(5, source.token()).status().code(), Code::kCancelled);
  EXPECT_EQ(chain.produced_samples(), 10);
  EXPECT_TRUE(chain.Next(5, {}).ok());
  EXPECT_EQ(chain.produced_samples(), 20);
}

TEST(StageChainTest, AStageThatGivesTheWrongLengthIsAnError) {
  const ChainStage bad{{1, 0, 0}, 1, [](std::span<const float>, int64_t length) {
                         return Result<Tensor>(Tensor::FromValues(
                             std::vector<float>(static_cast<size_t>(length + 1)), {length + 1}));
                       }};
  StageChain chain({bad}, 20, 1, [](int64_t, int64_t, std::span<float> out) {
    std::fill(out.begin(), out.end(), 1.0f);
  });
  EXPECT_EQ(chain.Next(5, {}).status().code(), Code::kInternal);
}

TEST(Noise, IsNormalAndSeeded) {
  NormalNoise one(7, 0);
  NormalNoise same(7, 0);
  NormalNoise other(8, 0);
  NormalNoise stream(7, 1);
  double sum = 0.0;
  double squares = 0.0;
  int equal_other = 0;
  int equal_stream = 0;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    const float value = one.Next();
    ASSERT_EQ(value, same.Next());
    equal_other += value == other.Next() ? 1 : 0;
    equal_stream += value == stream.Next() ? 1 : 0;
    ASSERT_TRUE(std::isfinite(value));
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  EXPECT_NEAR(sum / kCount, 0.0, 0.02);
  EXPECT_NEAR(squares / kCount, 1.0, 0.02);
  EXPECT_LT(equal_other, 10);
  EXPECT_LT(equal_stream, 10);
}

// --- Shape of the audio ----------------------------------------------------------------------

std::vector<float> Shaped(const SpeechShape& shape, std::span<const float> samples, size_t step) {
  SpeechShaper shaper(shape);
  std::vector<float> out;
  for (size_t at = 0; at < samples.size(); at += step) {
    shaper.Push(samples.subspan(at, std::min(step, samples.size() - at)), out);
  }
  shaper.Finish(out);
  return out;
}

// `lead` silent samples, `tone` of a tone, `tail` silent ones, at 1 kHz: a sample is 1 ms.
std::vector<float> ToneInSilence(size_t lead, size_t tone, size_t tail) {
  std::vector<float> samples(lead + tone + tail);
  for (size_t i = 0; i < tone; ++i) {
    samples[lead + i] = i % 2 == 0 ? 0.5f : -0.5f;
  }
  return samples;
}

const SpeechShape kShape{.rate_hz = 1000, .max_lead_ms = 30, .min_tail_ms = 60, .max_tail_ms = 120};

TEST(Case051, JoinsDoNotDependOnTheChunks) {
  std::mt19937 random(3);
  std::vector<float> samples = ToneInSilence(50, 300, 0);
  const std::vector<float> more = ToneInSilence(80, 200, 200);
  samples.insert(samples.end(), more.begin(), more.end());
  const std::vector<float> whole = Shaped(kShape, samples, samples.size());
  for (size_t step = 1; step < 100; step += 7) {
    ASSERT_EQ(Shaped(kShape, samples, step), whole) << step;
  }
}

TEST(Case051, EndsFadeToZero) {
  const std::vector<float> out = Shaped(kShape, ToneInSilence(0, 300, 0), 50);
  EXPECT_EQ(out.front(), 0.0f);
  EXPECT_LT(std::fabs(out[1]), 0.11f);
  EXPECT_EQ(out[299], 0.0f) << "the last sample of the sound";
  EXPECT_LT(std::fabs(out[298]), 0.11f);
}

TEST(Case053, SilenceAtTheEndsIsCut) {
  const std::vector<float> out = Shaped(kShape, ToneInSilence(500, 100, 900), 64);
  EXPECT_EQ(out.size(), 30u + 100u + 120u);
  SpeechShaper shaper(kShape);
  std::vector<float> first;
  shaper.Push(ToneInSilence(500, 100, 0), first);
  EXPECT_EQ(shaper.dropped_lead_samples(), 470);
}

TEST(Case053, JoinsAreShort) {
  for (const auto& [end, limit_ms] : std::vector<std::pair<PieceEnd, int32_t>>{
           {PieceEnd::kNone, 90}, {PieceEnd::kClause, 150}, {PieceEnd::kSentence, 280}}) {
    const SpeechShape shape = ShapeOf(end, 24000);
    EXPECT_LE(shape.max_tail_ms + shape.max_lead_ms, limit_ms);
    EXPECT_LE(shape.min_tail_ms, shape.max_tail_ms);
  }
}

TEST(Case055, NothingOfTheSoundIsLost) {
  for (size_t tone = 1; tone < 40; ++tone) {
    const std::vector<float> out = Shaped(kShape, ToneInSilence(0, tone, 0), 7);
    EXPECT_EQ(out.size(), tone + 60);
  }
}

TEST(Case059, SilenceFollowsTheLastSound) {
  const std::vector<float> out = Shaped(kShape, ToneInSilence(10, 100, 5), 64);
  ASSERT_EQ(out.size(), 10u + 100u + 60u);
  EXPECT_TRUE(std::all_of(out.end() - 60, out.end(), [](float s) { return s == 0.0f; }));
}

TEST(SpeechShaperTest, PeaksStayUnderFullScale) {
  std::vector<float> loud(1000);
  for (size_t i = 0; i < loud.size(); ++i) {
    loud[i] = (i % 2 == 0 ? 1.0f : -1.0f) * static_cast<float>(i) / 100.0f;
  }
  loud[500] = std::nanf("");
  for (const float sample : Shaped(kShape, loud, 100)) {
    EXPECT_LT(std::fabs(sample), 0.999f);
  }
  SpeechShaper quiet(kShape);
  std::vector<float> out;
  quiet.Push(std::vector<float>(100, 0.4f), out);
  EXPECT_EQ(out[50], 0.4f) << "under the knee nothing changes";
}

TEST(SpeechShaperTest, SilenceAloneIsNothing) {
  EXPECT_TRUE(Shaped(kShape, std::vector<float>(5000), 100).empty());
}

// --- Symbols ---------------------------------------------------------------------------------

SymbolTable Letters() {
  SymbolTable table;
  for (char32_t c = U'a'; c <= U'f'; ++c) {
    table.Add(c, {static_cast<int64_t>(c)});
  }
  table.Add(U' ', {3});
  table.Add(U'.', {4});
  table.Add(U',', {5});
  table.Add(U'\u0261', {99});
  return table;
}

TEST(Case047, UnknownSymbolsAreNeverDroppedSilently) {
  const EncodedSymbols encoded = Letters().Encode("ab7\u4e2d");
  EXPECT_EQ(encoded.ids.size(), 2u);
  EXPECT_EQ(encoded.unknown, (std::vector<char32_t>{U'7', U'\u4e2d'}));
  OnnxOptions strict;
  strict.unknown_symbols_fail = true;
  const auto refused = CutPhrase("ab7", "ab7", Letters(), {.soft = 10, .hard = 20}, strict);
  EXPECT_EQ(refused.status().code(), Code::kInvalidArgument);
  EXPECT_NE(refused.status().message().find("U+0037"), std::string::npos);
  std::vector<std::string> lines;
  OnnxOptions lenient;
  lenient.unknown_symbols_fail = false;
  lenient.log = LogSink([&](LogLevel, std::string_view line) { lines.emplace_back(line); },
                        LogLevel::kWarning);
  EXPECT_TRUE(CutPhrase("ab7", "ab7", Letters(), {.soft = 10, .hard = 20}, lenient).ok());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("1 of the phrase"), std::string::npos);
}

TEST(SymbolTableTest, SpellingsAreNotUnknown) {
  const EncodedSymbols encoded = Letters().Encode("g\u2014\u0361");
  EXPECT_EQ(encoded.ids, (std::vector<int64_t>{99, 5}));
  EXPECT_TRUE(encoded.unknown.empty());
}

TEST(Case054, LongPhrasesAreCutAtPauses) {
  const std::string text = "aaa aaa, bbb bbb. ccc ccc, ddd";
  const auto pieces = SplitPhonemes(text, {.soft = 8, .hard = 100});
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_EQ(pieces[0], "aaa aaa,");
  EXPECT_EQ(pieces[1], " bbb bbb.");
  EXPECT_EQ(SplitPhonemes(text, {.soft = 100, .hard = 200}).size(), 1u);
}

TEST(Case057, TextWithoutPausesIsCutToo) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += "abcdef ";
  }
  size_t total = 0;
  for (const std::string_view piece : SplitPhonemes(text, {.soft = 20, .hard = 40})) {
    EXPECT_LE(piece.size(), 40u);
    EXPECT_EQ(piece.back(), ' ') << "between words";
    total += piece.size();
  }
  EXPECT_EQ(total, text.size());
  const std::string unbroken(1000, 'a');
  total = 0;
  for (const std::string_view piece : SplitPhonemes(unbroken, {.soft = 20, .hard = 40})) {
    total += piece.size();
  }
  EXPECT_EQ(total, unbroken.size());
}

TEST(Case058, WordsAreFoundInTheirPieces) {
  const std::string text = "ab cd, ef ab. cd";
  const auto pieces = CutPhrase(text, text, Letters(), {.soft = 3, .hard = 50}, {});
  ASSERT_TRUE(pieces.ok()) << pieces.status().ToString();
  std::vector<size_t> offsets;
  for (const PhrasePiece& piece : *pieces) {
    for (const auto& [symbol, offset] : piece.words) {
      EXPECT_LT(symbol, piece.symbols.starts.size());
      offsets.push_back(offset);
    }
  }
  EXPECT_EQ(offsets, (std::vector<size_t>{0, 3, 7, 10, 14}));
}

TEST(WordAlign, MoreSpokenWordsThanWrittenStayInOrder) {
  const auto aligned = AlignWords("U.S.A. now", "juu es ei nau");
  ASSERT_EQ(aligned.size(), 4u);
  EXPECT_TRUE(std::is_sorted(aligned.begin(), aligned.end()));
  EXPECT_EQ(aligned.front().second, 0u);
  EXPECT_EQ(aligned.back().second, 7u);
  EXPECT_TRUE(AlignWords("...", "abc").empty());
  EXPECT_TRUE(AlignWords("abc", "").empty());
}

// --- Files -----------------------------------------------------------------------------------

constexpr const char* kGoodConfig = R"({"audio": {"sample_rate": 22050},
  "espeak": {"voice": "en-us"}, "inference": {"noise_scale": 0.5, "length_scale": 1.1, "noise_w": 0.7},
  "phoneme_type": "espeak", "phoneme_map": {"x": ["a", "b"]}, "num_speakers": 2,
  "speaker_id_map": {"anna": 1, "ben": 0},
  "phoneme_id_map": {"_": [0], "^": [1], "$": [2], "a": [3], "b": [4]}})";

TEST(PiperConfigTest, ReadsAVoice) {
  const Result<PiperConfig> config = ParsePiperConfig(kGoodConfig);
  ASSERT_TRUE(config.ok()) << config.status().ToString();
  EXPECT_EQ(config->rate_hz, 22050);
  EXPECT_FLOAT_EQ(config->noise_w, 0.7f);
  EXPECT_FLOAT_EQ(config->length_scale, 1.1f);
  EXPECT_EQ(config->language, "en");
  EXPECT_EQ(config->speakers, (std::vector<std::string>{"ben", "anna"}));
  EXPECT_EQ(config->symbols.Encode("ax").ids, (std::vector<int64_t>{3, 3, 0, 4}));
}

TEST(PiperConfigTest, RefusesWhatIsNotAVoice) {
  const std::string good = kGoodConfig;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const std::string& json :
       {std::string(), std::string("[]"), std::string("{}"), std::string("{\"audio\""),
        with("22050", "\"fast\""), with("22050", "0"), with("22050", "1e9"), with("0.5", "-1"),
        with("1.1", "0"), with("[3]", "3"), with("[3]", "[-3]"), with("[3]", "[\"c\"]"),
        with("\"^\"", "\"q\""), with("\"b\"]", "\"z\"]"), with("\"ben\": 0", "\"ben\": 1"),
        with("\"ben\": 0", "\"ben\": 7")}) {
    EXPECT_EQ(ParsePiperConfig(json).status().code(), Code::kDataLoss) << json;
  }
  EXPECT_EQ(ParsePiperConfig(with("\"phoneme_type\": \"espeak\"", "\"phoneme_type\": \"text\""))
                .status()
                .code(),
            Code::kUnimplemented);
}

TEST(PiperConfigTest, DamagedTextNeverCrashes) {
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    std::string json = kGoodConfig;
    for (int i = 0; i < 3; ++i) {
      json[random() % json.size()] = static_cast<char>(random());
    }
    (void)ParsePiperConfig(json).ok();
  }
}

TEST(KokoroVocab, ReadsBothFormsAndRefusesOthers) {
  EXPECT_EQ(ParseKokoroVocab(R"({"vocab": {"a": 43, ";": 1}})")->size(), 2u);
  EXPECT_EQ(ParseKokoroVocab(R"({"a": 43})")->Encode("a").ids, (std::vector<int64_t>{43}));
  for (const char* json : {"", "[]", "{}", R"({"ab": 1})", R"({"a": "x"})", R"({"a": -1})"}) {
    EXPECT_EQ(ParseKokoroVocab(json).status().code(), Code::kDataLoss) << json;
  }
}

TEST(KokoroVoices, AFolderThatIsNotThereIsNotFound) {
  EXPECT_EQ(ListKokoroVoices("/no/such/folder").status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace sotto
