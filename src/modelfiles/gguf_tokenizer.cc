#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "modelfiles/gguf_checks.h"

namespace sotto {
namespace {

constexpr uint64_t kMaxTokens = 1u << 22;  // 16 times the largest published vocabulary
constexpr size_t kMaxTokenBytes = 1u << 16;
constexpr uint32_t kNoToken = UINT32_MAX;
constexpr uint32_t kTokenTypeByte = 6;  // llama.h, LLAMA_TOKEN_TYPE_BYTE

// Tokenizers of llama-vocab.cpp with the ids that it assumes when the file names none.
struct Tokenizer {
  std::string_view name;
  uint32_t default_bos;
  uint32_t default_eos;
  uint32_t default_sep;
  bool adds_bos;  // unless the file says other
  bool adds_eos;
  bool adds_sep;
  bool has_merges;
};
constexpr std::array<Tokenizer, 7> kTokenizers{{
    {"llama", 1, 2, kNoToken, true, false, false, false},
    {"bert", 101, kNoToken, 102, true, false, true, false},
    // The pre-tokenizers of Llama 3 add a start token without being told.
    {"gpt2", 11, 11, kNoToken, true, false, false, true},
    {"t5", kNoToken, 1, kNoToken, false, true, false, false},
    {"rwkv", kNoToken, kNoToken, kNoToken, false, false, false, false},
    {"plamo2", 1, 2, kNoToken, true, false, false, false},
    {"gemma4", kNoToken, kNoToken, kNoToken, true, false, false, true},
}};

class Checker {
 public:
  Checker(const std::string& file, const GgufFile& gguf, GgufSummary& summary)
      : file_(file), gguf_(gguf), summary_(summary) {}

  Status Run() {
    const std::optional<std::string_view> name = gguf_.String("tokenizer.ggml.model");
    if (!name) {
      return Bad("model", "missing or not a string");
    }
    const auto* found = std::find_if(kTokenizers.begin(), kTokenizers.end(),
                                     [&](const Tokenizer& t) { return t.name == *name; });
    if (found == kTokenizers.end()) {
      return Bad("model", "not a tokenizer that is known");
    }
    summary_.tokenizer = *name;
    summary_.has_chat_template = gguf_.String("tokenizer.chat_template").has_value();
    SOTTO_RETURN_IF_ERROR(CheckTokens());
    SOTTO_RETURN_IF_ERROR(CheckParallelArrays());
    if (found->has_merges && !gguf_.Strings("tokenizer.ggml.merges")) {
      return Bad("merges", "missing or not an array of strings");
    }
    SOTTO_RETURN_IF_ERROR(CheckFlags());
    return CheckSpecialIds(*found);
  }

 private:
  Status Bad(std::string_view field, std::string_view what) const {
    return GgufError(file_, "tokenizer.ggml." + std::string(field), what);
  }
  static std::string Key(std::string_view field) { return "tokenizer.ggml." + std::string(field); }

  // Distinct after llama.cpp's renaming of empty ones.
  Status CheckTokens() {
    std::optional<std::vector<std::string_view>> tokens = gguf_.Strings(Key("tokens"));
    if (!tokens || tokens->empty() || tokens->size() > kMaxTokens) {
      return Bad("tokens", "missing, empty, too many or not an array of strings");
    }
    tokens_ = std::move(*tokens);
    summary_.vocab_size = static_cast<uint32_t>(tokens_.size());
    std::unordered_set<std::string_view> seen;
    seen.reserve(tokens_.size());
    std::vector<std::string> renamed;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].size() > kMaxTokenBytes) {
        return Bad("tokens[" + std::to_string(i) + "]", "longer than 65536 bytes");
      }
      if (tokens_[i].empty()) {
        renamed.push_back("[EMPTY_" + std::to_string(i) + "]");
      } else if (!seen.insert(tokens_[i]).second) {
        return Bad("tokens[" + std::to_string(i) + "]", "the same token came before");
      }
    }
    for (const std::string& name : renamed) {
      if (seen.contains(name)) {
        return Bad("tokens", "one is named like the stand-in of an empty token");
      }
    }
    return OkStatus();
  }

  Status CheckParallelArrays() {
    if (const GgufValue* scores = gguf_.Find(Key("scores"))) {
      const bool is_number = scores->type == GgufType::kF32 || scores->type == GgufType::kI32;
      if (!scores->is_array || !is_number || scores->count != tokens_.size()) {
        return Bad("scores", "not one number for each token");
      }
    }
    const GgufValue* types = gguf_.Find(Key("token_type"));
    if (types == nullptr) {
      return OkStatus();
    }
    if (!types->is_array || types->type != GgufType::kI32 || types->count != tokens_.size()) {
      return Bad("token_type", "not one i32 for each token");
    }
    const std::vector<uint32_t> numbers = *gguf_.U32Array(Key("token_type"));
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == kTokenTypeByte && !IsByteToken(tokens_[i])) {
        return Bad("tokens[" + std::to_string(i) + "]", "a byte token is not of the form <0xHH>");
      }
    }
    return OkStatus();
  }

  static bool IsByteToken(std::string_view token) {
    const auto is_hex = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
    };
    return token.size() == 6 && token.starts_with("<0x") && is_hex(token[3]) && is_hex(token[4]) &&
           token[5] == '>';
  }

  Status CheckFlags() {
    for (const std::string_view field :
         {"add_bos_token", "add_eos_token", "add_sep_token", "add_space_prefix",
          "remove_extra_whitespaces", "normalizer.lowercase", "normalizer.strip_accents"}) {
      if (gguf_.Find(Key(field)) != nullptr && !gguf_.Bool(Key(field))) {
        return Bad(field, "not a bool");
      }
    }
    if (gguf_.Find(Key("pre")) != nullptr && !gguf_.String(Key("pre"))) {
      return Bad("pre", "not a string");
    }
    return OkStatus();
  }

  // The id of the file, or the default where that exists, or kNoToken.
  Status ReadId(std::string_view field, uint32_t fallback, uint32_t& out) const {
    out = fallback < tokens_.size() ? fallback : kNoToken;
    const std::string key = Key(field);
    if (gguf_.Find(key) == nullptr) {
      return OkStatus();
    }
    const std::optional<uint32_t> id = gguf_.U32(key);
    if (!id) {
      return Bad(field, "not a u32");
    }
    if (*id >= tokens_.size()) {
      return Bad(field, std::to_string(*id) + ": the vocabulary has " +
                            std::to_string(tokens_.size()) + " tokens");
    }
    out = *id;
    return OkStatus();
  }

  // Every id that is stated is in range, and every id that the tokenizer will put in exists.
  Status CheckSpecialIds(const Tokenizer& tokenizer) {
    uint32_t ignored = kNoToken;
    for (const std::string_view field :
         {"eot_token_id", "eom_token_id", "unknown_token_id", "cls_token_id", "mask_token_id"}) {
      SOTTO_RETURN_IF_ERROR(ReadId(field, kNoToken, ignored));
    }
    struct Need {
      std::string_view field;
      std::string_view flag;
      uint32_t fallback;
      bool added;
    };
    const std::array<Need, 3> needs{{
        {"bos_token_id", "add_bos_token", tokenizer.default_bos, tokenizer.adds_bos},
        {"eos_token_id", "add_eos_token", tokenizer.default_eos, tokenizer.adds_eos},
        {"seperator_token_id", "add_sep_token", tokenizer.default_sep, tokenizer.adds_sep},
    }};
    for (const Need& need : needs) {
      uint32_t id = kNoToken;
      SOTTO_RETURN_IF_ERROR(ReadId(need.field, need.fallback, id));
      // gemma4 adds its start token and bert both of its own whatever the flag says.
      const bool forced = need.added && (tokenizer.name == "gemma4" || tokenizer.name == "bert");
      const bool added = forced || gguf_.Bool(Key(need.flag)).value_or(need.added);
      if (added && id == kNoToken) {
        return Bad(need.field, "missing, though the tokenizer adds that token");
      }
    }
    return OkStatus();
  }

  const std::string& file_;
  const GgufFile& gguf_;
  GgufSummary& summary_;
  std::vector<std::string_view> tokens_;
};

}  // namespace

Status CheckTokenizer(const std::string& file, const GgufFile& gguf, GgufSummary& summary) {
  return Checker(file, gguf, summary).Run();
}

}  // namespace sotto
