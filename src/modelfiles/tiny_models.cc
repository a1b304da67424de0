#include "modelfiles/tiny_models.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "modelfiles/gguf_file.h"
#include "modelfiles/gguf_writer.h"

namespace sotto {
namespace {

constexpr uint64_t kEmbedding = 64;
constexpr uint64_t kHeads = 2;
constexpr uint64_t kFeedForward = 96;
constexpr uint64_t kContext = 256;
constexpr std::array<std::string_view, 5> kFamilies{"llama", "qwen2", "gemma3", "gemma4", "bert"};

struct Vocabulary {
  std::vector<std::string> tokens;
  std::vector<int32_t> types;  // LLAMA_TOKEN_TYPE_*: 1 normal, 2 unknown, 3 control, 6 byte
};

void Put(Vocabulary& vocabulary, std::string token, int32_t type) {
  vocabulary.tokens.push_back(std::move(token));
  vocabulary.types.push_back(type);
}

std::string Utf8(uint32_t code) {
  if (code < 0x80) {
    return {static_cast<char>(code)};
  }
  return {static_cast<char>(0xC0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3F))};
}

// Every byte by its GPT-2 character.
Vocabulary ByteLevel() {
  Vocabulary vocabulary;
  uint32_t next = 256;
  for (uint32_t b = 0; b < 256; ++b) {
    const bool printable = (b >= 33 && b < 127) || (b >= 161 && b < 173) || b >= 174;
    Put(vocabulary, Utf8(printable ? b : next++), 1);
  }
  Put(vocabulary, "he", 1);
  Put(vocabulary, "<|endoftext|>", 3);
  return vocabulary;
}

// Specials, byte tokens, characters.
Vocabulary SentencePiece() {
  Vocabulary vocabulary;
  Put(vocabulary, "<unk>", 2);
  Put(vocabulary, "<s>", 3);
  Put(vocabulary, "</s>", 3);
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (size_t b = 0; b < 256; ++b) {
    Put(vocabulary, std::string("<0x") + kHex[b / 16] + kHex[b % 16] + ">", 6);
  }
  Put(vocabulary, "\u2581", 1);
  for (char c = '!'; c <= '~'; ++c) {
    Put(vocabulary, std::string(1, c), 1);
  }
  Put(vocabulary, "he", 1);
  return vocabulary;
}

Vocabulary WordPiece() {
  Vocabulary vocabulary;
  for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
    Put(vocabulary, special, 3);
  }
  for (char c = 'a'; c <= 'z'; ++c) {
    Put(vocabulary, std::string("\u2581") + c, 1);
    Put(vocabulary, std::string(1, c), 1);
  }
  return vocabulary;
}

// Keys and tensors of one model; the data is made at the end.
class Builder {
 public:
  Builder(std::string_view family, uint32_t blocks, Vocabulary vocabulary,
          uint64_t embedding = kEmbedding)
      : family_(family), blocks_(blocks), vocabulary_(std::move(vocabulary)), gguf_(family) {
    gguf_.AddString("general.name", "tiny");
    U32("context_length", kContext);
    U32("embedding_length", embedding);
    U32("block_count", blocks);
    U32("feed_forward_length", kFeedForward);
    U32("attention.head_count", kHeads);
  }

  GgufWriter& gguf() { return gguf_; }
  uint32_t blocks() const { return blocks_; }
  uint64_t vocab() const { return vocabulary_.tokens.size(); }
  std::string Key(std::string_view field) const { return family_ + "." + std::string(field); }
  void U32(std::string_view field, uint64_t value) {
    gguf_.AddU32(Key(field), static_cast<uint32_t>(value));
  }
  void F32(std::string_view field, float value) { gguf_.AddF32(Key(field), value); }

  void Tokenizer(std::string_view model) {
    gguf_.AddString("tokenizer.ggml.model", model);
    gguf_.AddStrings("tokenizer.ggml.tokens", vocabulary_.tokens);
    gguf_.AddI32s("tokenizer.ggml.token_type", vocabulary_.types);
    gguf_.AddF32s("tokenizer.ggml.scores", std::vector<float>(vocab(), 0.0f));
  }
  void Special(std::string_view field, uint32_t id) {
    gguf_.AddU32("tokenizer.ggml." + std::string(field), id);
  }

  void Tensor(const std::string& name, const std::vector<uint64_t>& dims) {
    uint64_t elements = 1;
    for (const uint64_t dim : dims) {
      elements *= dim;
    }
    const bool is_matrix =
        dims.size() > 1 && !name.starts_with("position_embd") && !name.starts_with("token_types");
    gguf_.AddTensor(name, dims, is_matrix ? kGgmlTypeQ8_0 : kGgmlTypeF32,
                    is_matrix ? elements / 32 * 34 : elements * 4);
    tensors_.push_back({elements, is_matrix});
  }
  void Vector(const std::string& name, uint64_t size) { Tensor(name + ".weight", {size}); }
  void Norm(const std::string& name, uint64_t size) {
    Vector(name, size);
    Tensor(name + ".bias", {size});
  }
  void Linear(const std::string& name, uint64_t in, uint64_t out, bool has_bias) {
    Tensor(name + ".weight", {in, out});
    if (has_bias) {
      Tensor(name + ".bias", {out});
    }
  }

  std::string Finish() const {
    std::string out = gguf_.Header();
    std::mt19937 random(7);
    for (const auto& [elements, is_matrix] : tensors_) {
      const size_t start = out.size();
      for (uint64_t i = 0; i < (is_matrix ? elements / 32 : elements); ++i) {
        is_matrix ? PutBlock(out, random) : PutFloat(out, 1.0f);
      }
      out.resize(start + (out.size() - start + kGgufAlignmentBytes - 1) / kGgufAlignmentBytes *
                             kGgufAlignmentBytes);
    }
    return out;
  }

 private:
  static void PutFloat(std::string& out, float value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  // q8_0: the scale 2^-10 as float16, then 32 numbers.
  static void PutBlock(std::string& out, std::mt19937& random) {
    out += '\0';
    out += '\x14';
    for (int i = 0; i < 32; ++i) {
      out += static_cast<char>(random());
    }
  }

  std::string family_;
  uint32_t blocks_;
  Vocabulary vocabulary_;
  GgufWriter gguf_;
  std::vector<std::pair<uint64_t, bool>> tensors_;
};

void AddGatedFeedForward(Builder& b, const std::string& at) {
  b.Linear(at + "ffn_gate", kEmbedding, kFeedForward, false);
  b.Linear(at + "ffn_up", kEmbedding, kFeedForward, false);
  b.Linear(at + "ffn_down", kFeedForward, kEmbedding, false);
}

std::string MakeLlama(std::string_view family) {
  const bool is_qwen = family == "qwen2";
  const uint64_t kv = kEmbedding / 2;
  Builder b(family, 2, ByteLevel());
  b.U32("attention.head_count_kv", 1);
  b.F32("attention.layer_norm_rms_epsilon", 1e-5f);
  b.F32("rope.freq_base", 10000.0f);
  b.U32("rope.dimension_count", kEmbedding / kHeads);
  b.Tokenizer("gpt2");
  b.gguf().AddString("tokenizer.ggml.pre", is_qwen ? "qwen2" : "default");
  b.gguf().AddStrings("tokenizer.ggml.merges", {"h e"});
  b.Special("bos_token_id", static_cast<uint32_t>(b.vocab() - 1));
  b.Special("eos_token_id", static_cast<uint32_t>(b.vocab() - 1));
  b.Tensor("token_embd.weight", {kEmbedding, b.vocab()});
  b.Vector("output_norm", kEmbedding);
  for (uint32_t i = 0; i < b.blocks(); ++i) {
    const std::string at = "blk." + std::to_string(i) + ".";
    b.Vector(at + "attn_norm", kEmbedding);
    b.Linear(at + "attn_q", kEmbedding, kEmbedding, is_qwen);
    b.Linear(at + "attn_k", kEmbedding, kv, is_qwen);
    b.Linear(at + "attn_v", kEmbedding, kv, is_qwen);
    b.Linear(at + "attn_output", kEmbedding, kEmbedding, false);
    b.Vector(at + "ffn_norm", kEmbedding);
    AddGatedFeedForward(b, at);
  }
  return b.Finish();
}

void AddGemmaNorms(Builder& b, const std::string& at, uint64_t head) {
  b.Vector(at + "attn_norm", kEmbedding);
  b.Vector(at + "attn_q_norm", head);
  b.Vector(at + "attn_k_norm", head);
  b.Vector(at + "post_attention_norm", kEmbedding);
  b.Vector(at + "ffn_norm", kEmbedding);
  b.Vector(at + "post_ffw_norm", kEmbedding);
}

std::string MakeGemma3() {
  const uint64_t head = 32;
  Builder b("gemma3", 3, SentencePiece());
  b.U32("attention.head_count_kv", 1);
  b.U32("attention.key_length", head);
  b.U32("attention.value_length", head);
  b.F32("attention.layer_norm_rms_epsilon", 1e-6f);
  b.F32("rope.freq_base", 1e6f);
  b.U32("attention.sliding_window", 16);
  b.U32("attention.sliding_window_pattern", 3);
  b.Tokenizer("llama");
  b.Special("bos_token_id", 1);
  b.Special("eos_token_id", 2);
  b.Special("unknown_token_id", 0);
  b.gguf().AddBool("tokenizer.ggml.add_bos_token", true);
  b.gguf().AddString("tokenizer.chat_template", "{{ messages }}");
  b.Tensor("token_embd.weight", {kEmbedding, b.vocab()});
  b.Vector("output_norm", kEmbedding);
  for (uint32_t i = 0; i < b.blocks(); ++i) {
    const std::string at = "blk." + std::to_string(i) + ".";
    AddGemmaNorms(b, at, head);
    b.Linear(at + "attn_q", kEmbedding, head * kHeads, false);
    b.Linear(at + "attn_k", kEmbedding, head, false);
    b.Linear(at + "attn_v", kEmbedding, head, false);
    b.Linear(at + "attn_output", head * kHeads, kEmbedding, false);
    AddGatedFeedForward(b, at);
  }
  return b.Finish();
}

// Drafts for MakeGemma4: two blocks, sliding and full, that attend to the target's keys.
std::string MakeGemma4Assistant() {
  const uint64_t embedding = 32;
  Builder b("gemma4-assistant", 2, SentencePiece(), embedding);
  b.U32("embedding_length_out", kEmbedding);
  b.U32("nextn_predict_layers", 2);
  b.U32("attention.head_count_kv", 1);
  b.U32("attention.key_length", 64);
  b.U32("attention.value_length", 64);
  b.U32("attention.key_length_swa", 32);
  b.U32("attention.value_length_swa", 32);
  b.U32("rope.dimension_count", 64);
  b.U32("rope.dimension_count_swa", 32);
  b.F32("attention.layer_norm_rms_epsilon", 1e-6f);
  b.F32("rope.freq_base", 1e6f);
  b.F32("rope.freq_base_swa", 1e4f);
  b.U32("attention.sliding_window", 16);
  b.gguf().AddBools(b.Key("attention.sliding_window_pattern"), {true, false});
  b.U32("attention.shared_kv_layers", 2);
  b.U32("embedding_length_per_layer_input", 0);
  b.Tokenizer("gemma4");
  b.gguf().AddStrings("tokenizer.ggml.merges", {"h e"});
  b.Special("bos_token_id", 1);
  b.Special("eos_token_id", 2);
  b.Tensor("token_embd.weight", {embedding, b.vocab()});
  b.Vector("output_norm", embedding);
  b.Vector("rope_freqs", 32);
  b.Linear("nextn.pre_projection", 2 * kEmbedding, embedding, false);
  b.Linear("nextn.post_projection", embedding, kEmbedding, false);
  for (uint32_t i = 0; i < b.blocks(); ++i) {
    const std::string at = "blk." + std::to_string(i) + ".";
    const uint64_t head = i == 0 ? 32 : 64;
    for (const char* norm : {"attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"}) {
      b.Vector(at + norm, embedding);
    }
    b.Vector(at + "attn_q_norm", head);
    b.Vector(at + "layer_output_scale", 1);
    b.Linear(at + "attn_q", embedding, head * kHeads, false);
    b.Linear(at + "attn_output", head * kHeads, embedding, false);
    b.Linear(at + "ffn_gate", embedding, kFeedForward, false);
    b.Linear(at + "ffn_up", embedding, kFeedForward, false);
    b.Linear(at + "ffn_down", kFeedForward, embedding, false);
  }
  return b.Finish();
}

// Blocks: sliding, full, sliding (shared), full (shared).
std::string MakeGemma4() {
  Builder b("gemma4", 4, SentencePiece());
  b.gguf().AddU32s(b.Key("attention.head_count_kv"), std::vector<uint32_t>(4, 1));
  b.U32("attention.key_length", 64);
  b.U32("attention.value_length", 64);
  b.U32("attention.key_length_swa", 32);
  b.U32("attention.value_length_swa", 32);
  b.U32("rope.dimension_count", 64);
  b.U32("rope.dimension_count_swa", 32);
  b.F32("attention.layer_norm_rms_epsilon", 1e-6f);
  b.F32("rope.freq_base", 1e6f);
  b.F32("rope.freq_base_swa", 1e4f);
  b.F32("final_logit_softcapping", 30.0f);
  b.U32("attention.sliding_window", 16);
  b.gguf().AddBools(b.Key("attention.sliding_window_pattern"), {true, false, true, false});
  b.U32("attention.shared_kv_layers", 2);
  b.U32("embedding_length_per_layer_input", 0);
  b.Tokenizer("gemma4");
  b.gguf().AddStrings("tokenizer.ggml.merges", {"h e"});
  b.Special("bos_token_id", 1);
  b.Special("eos_token_id", 2);
  b.Special("unknown_token_id", 0);
  b.Tensor("token_embd.weight", {kEmbedding, b.vocab()});
  b.Vector("output_norm", kEmbedding);
  b.Vector("rope_freqs", 32);
  for (uint32_t i = 0; i < b.blocks(); ++i) {
    const std::string at = "blk." + std::to_string(i) + ".";
    const uint64_t head = i % 2 == 0 ? 32 : 64;
    AddGemmaNorms(b, at, head);
    b.Linear(at + "attn_q", kEmbedding, head * kHeads, false);
    if (i < 2) {
      b.Linear(at + "attn_k", kEmbedding, head, false);
    }
    if (i == 0) {
      b.Linear(at + "attn_v", kEmbedding, head, false);  // full blocks take the keys
    }
    b.Vector(at + "layer_output_scale", 1);
    b.Linear(at + "attn_output", head * kHeads, kEmbedding, false);
    AddGatedFeedForward(b, at);
  }
  return b.Finish();
}

std::string MakeBert() {
  Builder b("bert", 2, WordPiece());
  b.F32("attention.layer_norm_epsilon", 1e-12f);
  b.gguf().AddBool("bert.attention.causal", false);
  b.U32("pooling_type", 1);
  b.Tokenizer("bert");
  b.gguf().AddU32("tokenizer.ggml.token_type_count", 2);
  b.Special("unknown_token_id", 1);
  b.Special("seperator_token_id", 3);
  b.Special("mask_token_id", 4);
  b.Special("bos_token_id", 2);
  b.Special("eos_token_id", 3);
  b.Tensor("token_embd.weight", {kEmbedding, b.vocab()});
  b.Tensor("position_embd.weight", {kEmbedding, kContext});
  b.Tensor("token_types.weight", {kEmbedding, 2});
  b.Norm("token_embd_norm", kEmbedding);
  for (uint32_t i = 0; i < b.blocks(); ++i) {
    const std::string at = "blk." + std::to_string(i) + ".";
    for (const char* name : {"attn_q", "attn_k", "attn_v", "attn_output"}) {
      b.Linear(at + name, kEmbedding, kEmbedding, true);
    }
    b.Norm(at + "attn_output_norm", kEmbedding);
    b.Linear(at + "ffn_up", kEmbedding, kFeedForward, true);
    b.Linear(at + "ffn_down", kFeedForward, kEmbedding, true);
    b.Norm(at + "layer_output_norm", kEmbedding);
  }
  return b.Finish();
}

template <typename T>
void PutRaw(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

class WhisperBuilder {
 public:
  static constexpr uint32_t kState = 64;
  static constexpr uint32_t kVocab = 51864;

  std::string Run() {
    PutRaw<uint32_t>(out_, 0x67676d6c);
    for (const uint32_t size : {kVocab, 1500u, kState, 1u, 1u, 448u, kState, 1u, 1u, 80u, 2007u}) {
      PutRaw(out_, size);
    }
    PutRaw<uint32_t>(out_, 80);
    PutRaw<uint32_t>(out_, 201);
    out_.append(80 * 201 * sizeof(float), '\0');
    PutRaw<uint32_t>(out_, 50257);
    for (uint32_t i = 0; i < 50257; ++i) {
      PutRaw<uint32_t>(out_, 1);
      out_ += i == 0 ? ' ' : 'a';
    }
    Tensor("encoder.conv1.weight", {3, 80, kState}, kGgmlTypeF16);
    Tensor("encoder.conv1.bias", {1, kState}, kGgmlTypeF32);
    Tensor("encoder.conv2.weight", {3, kState, kState}, kGgmlTypeF16);
    Tensor("encoder.conv2.bias", {1, kState}, kGgmlTypeF32);
    Tensor("encoder.positional_embedding", {kState, 1500}, kGgmlTypeF32);
    Norm("encoder.ln_post");
    Tensor("decoder.positional_embedding", {kState, 448}, kGgmlTypeF32);
    Tensor("decoder.token_embedding.weight", {kState, kVocab}, kGgmlTypeQ8_0);
    Norm("decoder.ln");
    Block("encoder.blocks.0", {"attn"});
    Block("decoder.blocks.0", {"attn", "cross_attn"});
    return std::move(out_);
  }

 private:
  void Tensor(const std::string& name, const std::vector<uint32_t>& dims, uint32_t type) {
    PutRaw(out_, static_cast<uint32_t>(dims.size()));
    PutRaw(out_, static_cast<uint32_t>(name.size()));
    PutRaw(out_, type);
    uint64_t elements = 1;
    for (const uint32_t dim : dims) {
      PutRaw(out_, dim);
      elements *= dim;
    }
    out_ += name;
    const uint64_t size_bytes = type == kGgmlTypeF32   ? elements * 4
                                : type == kGgmlTypeF16 ? elements * 2
                                                       : elements / 32 * 34;
    out_.append(size_bytes, '\0');
  }
  void Norm(const std::string& name) {
    Tensor(name + ".weight", {kState}, kGgmlTypeF32);
    Tensor(name + ".bias", {kState}, kGgmlTypeF32);
  }
  void Linear(const std::string& name, uint32_t in, uint32_t out, bool has_bias) {
    Tensor(name + ".weight", {in, out}, kGgmlTypeQ8_0);
    if (has_bias) {
      Tensor(name + ".bias", {out}, kGgmlTypeF32);
    }
  }
  void Block(const std::string& block, std::initializer_list<const char*> attentions) {
    for (const char* attention : attentions) {
      const std::string at = block + "." + attention;
      Norm(at + "_ln");
      Linear(at + ".query", kState, kState, true);
      Linear(at + ".key", kState, kState, false);
      Linear(at + ".value", kState, kState, true);
      Linear(at + ".out", kState, kState, true);
    }
    Norm(block + ".mlp_ln");
    Linear(block + ".mlp.0", kState, 4 * kState, true);
    Linear(block + ".mlp.2", 4 * kState, kState, true);
  }

  std::string out_;
};

// A length-delimited protobuf field of up to 127 bytes.
std::string Field(uint8_t number, std::string_view value) {
  std::string out;
  out += static_cast<char>((number << 3) | 2);
  out += static_cast<char>(value.size());
  return out + std::string(value);
}
std::string Field(uint8_t number, uint8_t value) {
  return {static_cast<char>(number << 3), static_cast<char>(value)};
}

// Numbers that break arithmetic somewhere.
constexpr std::array<uint64_t, 24> kTelling{
    0,  1,  2,  3,  4,  5,   7,   8,   15,    16,         17,         31,
    32, 33, 63, 64, 65, 127, 255, 256, 65535, 0x7FFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF};

}  // namespace

std::span<const std::string_view> TinyGgufFamilies() { return kFamilies; }

std::string MakeTinyGguf(std::string_view family) {
  if (family == "gemma3") return MakeGemma3();
  if (family == "gemma4") return MakeGemma4();
  if (family == "gemma4-assistant") return MakeGemma4Assistant();
  if (family == "bert") return MakeBert();
  return MakeLlama(family);
}

std::string MakeTinyWhisper() { return WhisperBuilder().Run(); }

std::string MakeTinyOnnx() {
  const std::string dims = Field(1, Field(1, uint8_t{1})) + Field(1, Field(1, uint8_t{4}));
  const std::string type = Field(1, Field(1, uint8_t{1}) + Field(2, dims));
  const std::string weight =
      Field(1, uint8_t{4}) + Field(2, uint8_t{1}) + Field(8, "w") + Field(9, std::string(16, '\0'));
  const std::string node = Field(1, "x") + Field(1, "w") + Field(2, "y") + Field(4, "Add");
  const std::string graph = Field(1, node) + Field(2, "g") + Field(5, weight) +
                            Field(11, Field(1, "x") + Field(2, type)) +
                            Field(12, Field(1, "y") + Field(2, type));
  // The graph is longer than Field() takes.
  std::string out = Field(1, uint8_t{8});
  out += '\x3A';
  out += static_cast<char>(0x80 | (graph.size() & 0x7F));
  out += static_cast<char>(graph.size() >> 7);
  return out + graph + Field(8, Field(2, uint8_t{15}));
}

std::vector<GgufSite> FindGgufSites(const std::string& gguf) {
  const Result<GgufFile> file = GgufFile::Parse("sites", AsBytes(gguf));
  std::vector<GgufSite> sites;
  if (!file.ok()) {
    return sites;
  }
  const auto offset_of = [&](const void* at) {
    return static_cast<uint64_t>(static_cast<const char*>(at) - gguf.data());
  };
  // Hash order is no order: sort, so that a seed means the same damage everywhere.
  for (const auto& [key, value] : file->values()) {
    sites.push_back({offset_of(key.data()), key.size()});
    sites.push_back({offset_of(value.bytes.data()), value.bytes.size()});
  }
  for (const GgufTensor& tensor : file->tensors()) {
    const uint64_t name = offset_of(tensor.name.data());
    const uint64_t dims = name + tensor.name.size() + 4;
    sites.push_back({name, tensor.name.size()});
    for (size_t i = 0; i < tensor.dims.size(); ++i) {
      sites.push_back({dims + 8 * i, 8});
    }
    sites.push_back({dims + 8 * tensor.dims.size(), 4});  // the type
  }
  std::sort(sites.begin(), sites.end(),
            [](const GgufSite& a, const GgufSite& b) { return a.offset_bytes < b.offset_bytes; });
  return sites;
}

std::string MutateGguf(const std::string& gguf, std::span<const GgufSite> sites,
                       uint64_t header_bytes, std::mt19937& random) {
  std::string mutant = gguf;
  const uint64_t changes = 1 + random() % 3;
  for (uint64_t change = 0; change < changes; ++change) {
    if (sites.empty() || random() % 8 == 0) {
      mutant[random() % header_bytes] ^= static_cast<char>(1u << (random() % 8));
      continue;
    }
    const GgufSite& site = sites[random() % sites.size()];
    if (site.size_bytes == 0) {
      continue;
    }
    const uint64_t value = kTelling[random() % kTelling.size()];
    if (site.size_bytes <= 8) {
      std::memcpy(mutant.data() + site.offset_bytes, &value, site.size_bytes);
    } else if (random() % 2 == 0) {
      // One element of an array, or some of a string.
      const uint64_t at = random() % ((site.size_bytes + 3) / 4) * 4;
      std::memcpy(mutant.data() + site.offset_bytes + at, &value,
                  std::min<uint64_t>(4, site.size_bytes - at));
    } else {
      mutant[site.offset_bytes + random() % site.size_bytes] ^=
          static_cast<char>(1u << (random() % 8));
    }
  }
  return mutant;
}

}  // namespace sotto
