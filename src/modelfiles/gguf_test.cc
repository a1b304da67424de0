#include "modelfiles/gguf.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "modelfiles/gguf_file.h"
#include "modelfiles/gguf_writer.h"
#include "modelfiles/tiny_models.h"

namespace sotto {
namespace {

constexpr const char* kFile = "tiny.gguf";

Result<GgufSummary> Validate(const std::string& gguf) { return ValidateGguf(kFile, AsBytes(gguf)); }

// Where the tensor data begins.
uint64_t HeaderBytes(const std::string& gguf) {
  const Result<GgufFile> file = GgufFile::Parse(kFile, AsBytes(gguf));
  return file.ok() ? file->tensors()[0].offset_bytes : 0;
}

// `gguf` with the 4 bytes behind the first `key` and its type replaced.
std::string WithU32(std::string gguf, const std::string& key, uint32_t value) {
  const size_t at = gguf.find(key);
  EXPECT_NE(at, std::string::npos) << key;
  std::memcpy(gguf.data() + at + key.size() + 4, &value, 4);
  return gguf;
}

// `gguf` with the first `from` replaced by the equally long `to`.
std::string Replaced(std::string gguf, const std::string& from, const std::string& to) {
  EXPECT_EQ(from.size(), to.size());
  const size_t at = gguf.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return gguf.replace(at, from.size(), to);
}

void ExpectRefused(const std::string& gguf, const std::string& field) {
  const Result<GgufSummary> summary = Validate(gguf);
  ASSERT_FALSE(summary.ok()) << field;
  EXPECT_EQ(summary.status().code(), Code::kDataLoss) << summary.status().ToString();
  EXPECT_NE(summary.status().message().find(kFile), std::string::npos);
  EXPECT_NE(summary.status().message().find(field), std::string::npos)
      << summary.status().ToString();
}

TEST(Gguf, SoundModelsAreDescribed) {
  for (const std::string_view family : TinyGgufFamilies()) {
    const Result<GgufSummary> summary = Validate(MakeTinyGguf(family));
    ASSERT_TRUE(summary.ok()) << family << ": " << summary.status().ToString();
    EXPECT_EQ(summary->architecture, family);
    EXPECT_EQ(summary->name, "tiny");
    EXPECT_EQ(summary->context_tokens, 256u);
    EXPECT_EQ(summary->embedding_dim, 64u);
    EXPECT_EQ(summary->is_embedder, family == "bert");
    EXPECT_EQ(summary->is_causal, family != "bert");
    EXPECT_EQ(summary->has_chat_template, family == "gemma3");
    EXPECT_EQ(summary->metadata.at("general.name"), "tiny");
    EXPECT_NE(summary->quantisation.find("q8_0"), std::string::npos) << summary->quantisation;
    EXPECT_GT(summary->weights_bytes, summary->parameter_count);
  }
}

TEST(Gguf, KvBytesCountWindowsAndSharedLayers) {
  // gemma4: sliding (1 head of 32), full (1 of 64), and two that share.
  const Result<GgufSummary> summary = Validate(MakeTinyGguf("gemma4"));
  ASSERT_TRUE(summary.ok()) << summary.status().ToString();
  const uint64_t sliding = (16 + 8) * (32 + 32) * 2;
  const uint64_t full = 100 * (64 + 64) * 2;
  EXPECT_EQ(summary->KvBytes(100, 2.0, 8), sliding + full);
  EXPECT_EQ(summary->KvBytes(4, 1.0, 8), 4u * (64 + 128));
}

TEST(Gguf, EveryCutIsRefused) {
  for (const std::string_view family : TinyGgufFamilies()) {
    const std::string gguf = MakeTinyGguf(family);
    const uint64_t header_bytes = HeaderBytes(gguf);
    ASSERT_GT(header_bytes, 0u);
    // One tensor's end may be followed by padding, so the cut must take data.
    for (uint64_t size = 0; size < header_bytes; size += size < 2000 ? 1 : 7) {
      ExpectRefused(gguf.substr(0, size), "gguf field");
    }
    ExpectRefused(gguf.substr(0, gguf.size() - 64), ".data");
  }
}

TEST(Gguf, EveryChangedByteIsAnAnswer) {
  const std::string gguf = MakeTinyGguf("gemma3");
  const uint64_t header_bytes = HeaderBytes(gguf);
  std::string mutant = gguf;
  int refused = 0;
  for (uint64_t i = 0; i < header_bytes; ++i) {
    for (const char change : {'\x01', '\x80', '\xFF'}) {
      mutant[i] = static_cast<char>(gguf[i] ^ change);
      const Result<GgufSummary> summary = Validate(mutant);
      if (!summary.ok()) {
        ++refused;
        EXPECT_EQ(summary.status().code(), Code::kDataLoss);
        EXPECT_NE(summary.status().message().find(kFile), std::string::npos);
      }
    }
    mutant[i] = gguf[i];
  }
  EXPECT_GT(refused, 1000);
}

TEST(Gguf, MutantsAreAnAnswer) {
  std::mt19937 random(5);
  for (const std::string_view family : TinyGgufFamilies()) {
    const std::string gguf = MakeTinyGguf(family);
    const std::vector<GgufSite> sites = FindGgufSites(gguf);
    ASSERT_GT(sites.size(), 60u);
    for (int i = 0; i < 400; ++i) {
      const Result<GgufSummary> summary =
          Validate(MutateGguf(gguf, sites, HeaderBytes(gguf), random));
      EXPECT_TRUE(summary.ok() || summary.status().code() == Code::kDataLoss);
    }
  }
}

TEST(Gguf, HeaderLimits) {
  const std::string gguf = MakeTinyGguf("llama");
  std::string bad = gguf;
  bad[3] = 'X';
  ExpectRefused(bad, "magic");
  bad = gguf;
  bad[4] = 99;
  ExpectRefused(bad, "version: 99");
  bad = gguf;
  bad[15] = 0x40;  // 2^62 tensors
  ExpectRefused(bad, "tensor_count");
  bad = gguf;
  bad[23] = 0x40;
  ExpectRefused(bad, "key_count");
}

TEST(Gguf, KeysOfEveryKind) {
  const auto with = [](uint32_t type, const std::string& value) {
    GgufWriter writer("llama");
    writer.AddRaw("some.key", type, value);
    return writer.Header();
  };
  const auto parse = [](const std::string& gguf) { return GgufFile::Parse(kFile, AsBytes(gguf)); };
  const std::string zero(8, '\0');
  // u8 i8 u16 i16 u32 i32 f32 bool - - u64 i64 f64
  const int sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  for (uint32_t type = 0; type <= 12; ++type) {
    if (sizes[type] == 0) {
      continue;
    }
    const std::string value = zero.substr(0, static_cast<size_t>(sizes[type]));
    EXPECT_TRUE(parse(with(type, value)).ok()) << type;
    // An array of two.
    std::string array(12, '\0');
    array[0] = static_cast<char>(type);
    array[4] = 2;
    EXPECT_TRUE(parse(with(9, array + value + value)).ok()) << type;
  }
  EXPECT_TRUE(parse(with(8, std::string("\x02\0\0\0\0\0\0\0ab", 10))).ok());
  EXPECT_FALSE(parse(with(13, zero)).ok());
  EXPECT_FALSE(parse(with(77, zero)).ok());
  // An array of arrays, and one of 2^60 elements.
  EXPECT_FALSE(parse(with(9, std::string("\x09\0\0\0\x01\0\0\0\0\0\0\0", 12) + zero)).ok());
  EXPECT_FALSE(parse(with(9, std::string("\x04\0\0\0\0\0\0\0\0\0\0\x10", 12) + zero)).ok());
  // A string of 2^63 bytes.
  EXPECT_FALSE(parse(with(8, std::string("\0\0\0\0\0\0\0\x80", 8))).ok());
}

TEST(Gguf, KeysAreNamedAndUnique) {
  GgufWriter twice("llama");
  twice.AddU32("a", 1);
  twice.AddU32("a", 2);
  ExpectRefused(twice.Header(), "key[2]: a key of this name");
  GgufWriter empty("llama");
  empty.AddU32("", 1);
  ExpectRefused(empty.Header(), "key[1]: 0 bytes");
  GgufWriter lengthy("llama");
  lengthy.AddU32(std::string(2000, 'k'), 1);
  ExpectRefused(lengthy.Header(), "key[1]: 2000 bytes");
}

TEST(Gguf, Alignment) {
  for (const uint32_t bad : {0u, 1u, 16u, 33u, 1u << 20}) {
    GgufWriter writer("llama");
    writer.AddU32("general.alignment", bad);
    ExpectRefused(writer.Header(), "general.alignment");
  }
}

TEST(Gguf, TensorInfos) {
  const auto with = [](const std::string& name, std::vector<uint64_t> dims, uint32_t type,
                       uint64_t data_bytes) {
    GgufWriter writer("llama");
    writer.AddTensor(name, dims, type, 0);
    return writer.Header() + std::string(data_bytes, '\0');
  };
  EXPECT_TRUE(GgufFile::Parse(kFile, AsBytes(with("t", {8}, 0, 32))).ok());
  ExpectRefused(with("t", {8}, 0, 31), "tensor[0].data");
  ExpectRefused(with(std::string(64, 'n'), {8}, 0, 32), "tensor[0].name");
  ExpectRefused(with("", {8}, 0, 32), "tensor[0].name");
  ExpectRefused(with("t", {}, 0, 32), "tensor[0].dims");
  ExpectRefused(with("t", {1, 1, 1, 1, 1}, 0, 32), "tensor[0].dims");
  ExpectRefused(with("t", {0}, 0, 32), "tensor[0].dims");
  ExpectRefused(with("t", {uint64_t{1} << 40, uint64_t{1} << 40}, 0, 32), "tensor[0].dims");
  ExpectRefused(with("t", {uint64_t{1} << 62}, 0, 32), "tensor[0].dims: 4611686018427387904");
  ExpectRefused(with("t", {33}, 8, 64), "tensor[0].dims");
  ExpectRefused(with("t", {32}, 4, 64), "tensor[0].type: 4");
  ExpectRefused(with("t", {32}, 43, 64), "tensor[0].type: 43");
}

TEST(Gguf, TensorsNeitherOverlapNorLeaveGaps) {
  GgufWriter writer("llama");
  writer.AddTensor("a", std::vector<uint64_t>{32}, kGgmlTypeF32, 32);  // says 32 bytes, has 128
  writer.AddTensor("b", std::vector<uint64_t>{8}, kGgmlTypeF32, 32);
  ExpectRefused(writer.Header() + std::string(256, '\0'), "tensor[1].offset: 32: want 128");
  GgufWriter twice("llama");
  twice.AddTensor("a", std::vector<uint64_t>{8}, kGgmlTypeF32, 32);
  twice.AddTensor("a", std::vector<uint64_t>{8}, kGgmlTypeF32, 32);
  ExpectRefused(twice.Header() + std::string(64, '\0'), "tensor[1].name");
}

TEST(Gguf, HyperParametersThatStopLlamaCpp) {
  const std::string llama = MakeTinyGguf("llama");
  ExpectRefused(WithU32(llama, "llama.block_count", 0), "llama.block_count");
  ExpectRefused(WithU32(llama, "llama.block_count", 513), "llama.block_count");
  ExpectRefused(WithU32(llama, "llama.block_count", 1), "blk.1.attn_norm.weight");
  ExpectRefused(WithU32(llama, "llama.context_length", 0), "llama.context_length");
  ExpectRefused(WithU32(llama, "llama.embedding_length", 0xFFFFFFFF), "llama.embedding_length");
  ExpectRefused(WithU32(llama, "llama.attention.head_count", 0), "llama.attention.head_count");
  ExpectRefused(WithU32(llama, "llama.attention.head_count_kv", 3), "head_count_kv");
  ExpectRefused(WithU32(llama, "llama.rope.dimension_count", 16), "rope.dimension_count");
  ExpectRefused(WithU32(llama, "llama.rope.dimension_count", 0), "rope.dimension_count");
  ExpectRefused(WithU32(llama, "llama.rope.freq_base", 0x7FC00000), "rope.freq_base");
  ExpectRefused(WithU32(llama, "layer_norm_rms_epsilon", 0xBF800000), "layer_norm_rms_epsilon");
  ExpectRefused(Replaced(llama, "llama.block_count", "llama.block_counx"), "llama.block_count");
  const std::string gemma = MakeTinyGguf("gemma3");
  ExpectRefused(WithU32(gemma, "sliding_window_pattern", 1), "sliding_window_pattern");
  const std::string gemma4 = MakeTinyGguf("gemma4");
  ExpectRefused(WithU32(gemma4, "shared_kv_layers", 3), "shared_kv_layers");
  ExpectRefused(WithU32(gemma4, "shared_kv_layers", 1), "a block of the other kind");
  ExpectRefused(WithU32(gemma4, "attention.value_length", 32), "attention.value_length");
  ExpectRefused(WithU32(gemma4, "rope.dimension_count_swa", 64), "rope.dimension_count_swa");
  const std::string bert = MakeTinyGguf("bert");
  ExpectRefused(WithU32(bert, "bert.pooling_type", 9), "bert.pooling_type");
}

TEST(Gguf, TokenizersThatStopLlamaCpp) {
  const std::string llama = MakeTinyGguf("llama");
  ExpectRefused(WithU32(llama, "bos_token_id", 100000), "bos_token_id: 100000");
  ExpectRefused(WithU32(llama, "eos_token_id", 0xFFFFFFFF), "eos_token_id");
  ExpectRefused(Replaced(llama, "ggml.merges", "ggml.mergex"), "merges");
  ExpectRefused(Replaced(llama, "ggml.tokens", "ggml.tokenx"), "tokens");
  const std::string gemma = MakeTinyGguf("gemma3");
  ExpectRefused(Replaced(gemma, "<0x0A>", "<0x0B>"), "the same token came before");
  ExpectRefused(Replaced(gemma, "<0x0A>", "<0x0G>"), "byte token");
  ExpectRefused(Replaced(MakeTinyGguf("gemma4"), "bos_token_id", "bos_token_ix"),
                "bos_token_id: missing");
}

TEST(Gguf, ADrafterFitsItsTarget) {
  const Result<GgufSummary> target = Validate(MakeTinyGguf("gemma4"));
  const std::string assistant = MakeTinyGguf("gemma4-assistant");
  const Result<GgufSummary> drafter = Validate(assistant);
  ASSERT_TRUE(target.ok() && drafter.ok()) << drafter.status().ToString();
  EXPECT_TRUE(drafter->needs_target);
  EXPECT_TRUE(CheckDrafter(kFile, *drafter, *target).ok());
  EXPECT_FALSE(CheckDrafter(kFile, *target, *drafter).ok());
  const auto refused = [&](const std::string& key, uint32_t value) {
    const Result<GgufSummary> changed = Validate(WithU32(assistant, key, value));
    ASSERT_TRUE(changed.ok()) << changed.status().ToString();
    EXPECT_EQ(CheckDrafter(kFile, *changed, *target).code(), Code::kDataLoss) << key;
  };
  refused("attention.head_count_kv", 2);
  refused("embedding_length_out", 96);
}

TEST(Gguf, ArchitecturesThatAreNoTextModels) {
  GgufWriter projector("clip");
  ExpectRefused(projector.Header(), "a vision or audio projector");
  GgufWriter unknown("nosuch");
  ExpectRefused(unknown.Header(), "not an architecture that is known");
}

// ggml-org/llama.cpp#3637: a projector given as the model was a null pointer later on.
TEST(Case070, AProjectorIsNamedAsOne) {
  GgufWriter projector("clip");
  projector.AddTensor("v.blk.0.attn_q.weight", std::vector<uint64_t>{32, 32}, kGgmlTypeF32, 4096);
  ExpectRefused(projector.Header() + std::string(4096, '\0'), "give the model's own file");
}

// ggml-org/llama.cpp#5904: a damaged download answered in garbled text.
TEST(Case071, ACutFileIsRefusedWhereverItIsCut) {
  const std::string gguf = MakeTinyGguf("qwen2");
  for (size_t size = 0; size < gguf.size() - 32; size += 997) {
    EXPECT_FALSE(Validate(gguf.substr(0, size)).ok()) << size;
  }
}

// RunanywhereAI/runanywhere-sdks#577: keys of some types crashed the reader at every load.
TEST(Case073, ScalarKeysOfEveryTypeBecomeText) {
  GgufWriter writer("llama");
  writer.AddRaw("k.u8", 0, "\x07");
  writer.AddRaw("k.i16", 3, "\xFE\xFF");
  writer.AddRaw("k.u64", 10, std::string("\x01\0\0\0\x01\0\0\0", 8));
  writer.AddRaw("k.f64", 12, std::string("\0\0\0\0\0\0\xF0\x3F", 8));
  writer.AddBool("k.bool", true);
  writer.AddString("k.empty", "");
  writer.AddString("k.text", "text");
  writer.AddStrings("k.none", {});
  // Spliced in front of a sound model's keys.
  const std::string tiny = MakeTinyGguf("llama");
  const std::string extra = writer.Header();
  const size_t own_key = 24 + 8 + 20 + 4 + 8 + 5;  // header and general.architecture
  const size_t extra_end = extra.find("k.none") + 6 + 4 + 4 + 8;
  const std::string keys = extra.substr(own_key, extra_end - own_key);
  std::string gguf = tiny.substr(0, own_key) + keys + tiny.substr(own_key);
  gguf[16] = static_cast<char>(gguf[16] + 8);
  // Keys moved the data: pad to the alignment again.
  const uint64_t data_at = HeaderBytes(tiny);
  const size_t moved = keys.size() % 32;
  gguf.insert(data_at + keys.size(), moved == 0 ? 0 : 32 - moved, '\0');
  const Result<GgufSummary> summary = Validate(gguf);
  ASSERT_TRUE(summary.ok()) << summary.status().ToString();
  EXPECT_EQ(summary->metadata.at("k.u8"), "7");
  EXPECT_EQ(summary->metadata.at("k.i16"), "-2");
  EXPECT_EQ(summary->metadata.at("k.u64"), "4294967297");
  EXPECT_EQ(summary->metadata.at("k.f64"), "1.000000");
  EXPECT_EQ(summary->metadata.at("k.bool"), "true");
  EXPECT_EQ(summary->metadata.at("k.text"), "text");
}

}  // namespace
}  // namespace sotto
