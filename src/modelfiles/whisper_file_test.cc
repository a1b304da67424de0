#include "modelfiles/whisper_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "modelfiles/tiny_models.h"

namespace sotto {
namespace {

constexpr const char* kFile = "tiny.bin";
// Magic, eleven sizes, the filters' two sizes and data, the count of the vocabulary.
constexpr size_t kVocabularyAt = 48 + 8 + 80 * 201 * 4;
constexpr size_t kTensorsAt = kVocabularyAt + 4 + 50257 * 5;

const std::string& Tiny() {
  static const std::string tiny = MakeTinyWhisper();
  return tiny;
}

Result<WhisperSummary> Validate(const std::string& bytes) {
  return ValidateWhisper(kFile, AsBytes(bytes));
}

std::string WithU32(size_t at, uint32_t value) {
  std::string bytes = Tiny();
  std::memcpy(bytes.data() + at, &value, 4);
  return bytes;
}

void ExpectRefused(const std::string& bytes, const std::string& field) {
  const Result<WhisperSummary> summary = Validate(bytes);
  ASSERT_FALSE(summary.ok()) << field;
  EXPECT_EQ(summary.status().code(), Code::kDataLoss);
  EXPECT_NE(summary.status().message().find(kFile), std::string::npos);
  EXPECT_NE(summary.status().message().find(field), std::string::npos)
      << summary.status().ToString();
}

TEST(WhisperFile, ASoundModelIsDescribed) {
  const Result<WhisperSummary> summary = Validate(Tiny());
  ASSERT_TRUE(summary.ok()) << summary.status().ToString();
  EXPECT_EQ(summary->vocab_size, 51864u);
  EXPECT_EQ(summary->state_dim, 64u);
  EXPECT_EQ(summary->type, "q8_0");
  EXPECT_FALSE(summary->is_multilingual());
}

TEST(WhisperFile, SizesAreThoseOfWhisper) {
  ExpectRefused(WithU32(0, 0), "magic");
  const char* names[] = {"n_vocab",       "n_audio_ctx", "n_audio_state", "n_audio_head",
                         "n_audio_layer", "n_text_ctx",  "n_text_state",  "n_text_head",
                         "n_text_layer",  "n_mels"};
  for (size_t i = 0; i < 10; ++i) {
    for (const uint32_t value : {0u, 3u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
      EXPECT_FALSE(Validate(WithU32(4 + 4 * i, value)).ok()) << names[i] << " " << value;
    }
    ExpectRefused(WithU32(4 + 4 * i, 0xFFFFFFFF), names[i]);
  }
  ExpectRefused(WithU32(44, 4), "ftype");
  ExpectRefused(WithU32(44, 99007), "ftype");
  ExpectRefused(WithU32(48, 128), "filters");
  ExpectRefused(WithU32(kVocabularyAt, 0x7FFFFFFF), "vocabulary");
  ExpectRefused(WithU32(kVocabularyAt + 4, 0xFFFFFF), "vocabulary[0]");
  std::string no_blank = Tiny();
  no_blank[kVocabularyAt + 8] = 'a';
  ExpectRefused(no_blank, "no token for a blank");
}

TEST(WhisperFile, TensorsAreTheOnesExpected) {
  ExpectRefused(WithU32(kTensorsAt, 5), "tensor[0].dims");
  ExpectRefused(WithU32(kTensorsAt + 8, 99), "tensor[0].type");
  ExpectRefused(WithU32(kTensorsAt + 12, 5), "conv1");
  ExpectRefused(WithU32(kTensorsAt + 4, 0xFFFFFFFF), "tensor[0]");
  std::string renamed = Tiny();
  renamed[kTensorsAt + 24] = 'x';
  ExpectRefused(renamed, "tensor[0].name");
  ExpectRefused(Tiny() + "x", "tensor[");
}

// ggml-org/llama.cpp#5904, for the other format.
TEST(Case071, ACutRecogniserIsRefused) {
  for (size_t size = 0; size < Tiny().size(); size += 30011) {
    ExpectRefused(Tiny().substr(0, size), "whisper field");
  }
  ExpectRefused(Tiny().substr(0, Tiny().size() - 1), ".data");
}

}  // namespace
}  // namespace sotto
