#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "modelfiles/gguf_checks.h"

namespace sotto {
namespace {

constexpr uint32_t kMaxBlocks = 512;    // LLAMA_MAX_LAYERS
constexpr uint32_t kMaxExperts = 1024;  // LLAMA_MAX_EXPERTS
constexpr uint32_t kMaxContext = 1u << 28;
constexpr uint32_t kMaxEmbedding = 1u << 17;
constexpr uint32_t kMaxHeads = 1u << 12;
constexpr uint32_t kMaxHeadDim = 1u << 13;
constexpr uint32_t kMaxFeedForward = 1u << 21;
constexpr uint32_t kMaxWindow = 1u << 22;  // times 256 sequences it still fits 32 bits
constexpr uint32_t kMaxPooling = 4;        // LLAMA_POOLING_TYPE_RANK

class Checker {
 public:
  Checker(const std::string& file, const GgufFile& gguf, const LlamaArchitecture& architecture,
          GgufSummary& summary)
      : file_(file), gguf_(gguf), architecture_(architecture), summary_(summary) {}

  Status Run() {
    SOTTO_RETURN_IF_ERROR(CheckSizes());
    SOTTO_RETURN_IF_ERROR(CheckHeads());
    SOTTO_RETURN_IF_ERROR(CheckHeadDims());
    SOTTO_RETURN_IF_ERROR(CheckWindow());
    SOTTO_RETURN_IF_ERROR(CheckSharing());
    SOTTO_RETURN_IF_ERROR(CheckExperts());
    SOTTO_RETURN_IF_ERROR(CheckStateSpace());
    return CheckNumbers();
  }

 private:
  std::string Key(std::string_view field) const {
    return std::string(architecture_.name) + "." + std::string(field);
  }
  Status Bad(std::string_view field, std::string_view what) const {
    return GgufError(file_, Key(field), what);
  }
  bool Has(std::string_view field) const { return gguf_.Find(Key(field)) != nullptr; }
  bool Is(uint32_t flag) const { return (architecture_.flags & flag) != 0; }
  bool IsNamed(std::initializer_list<std::string_view> names) const {
    return std::find(names.begin(), names.end(), architecture_.name) != names.end();
  }

  // `out` keeps its value when the key is absent.
  Status ReadU32(std::string_view field, uint32_t min, uint32_t max, uint32_t& out) const {
    if (!Has(field)) {
      return OkStatus();
    }
    const std::optional<uint32_t> value = gguf_.U32(Key(field));
    if (!value) {
      return Bad(field, "not a u32");
    }
    if (*value < min || *value > max) {
      return Bad(field, std::to_string(*value) + ": want " + std::to_string(min) + " to " +
                            std::to_string(max));
    }
    out = *value;
    return OkStatus();
  }
  Status ReadRequired(std::string_view field, uint32_t min, uint32_t max, uint32_t& out) const {
    return Has(field) ? ReadU32(field, min, max, out) : Bad(field, "missing");
  }

  // One number for all blocks, or one for each.
  Status ReadPerBlock(std::string_view field, uint32_t max, std::vector<uint32_t>& out) const {
    const GgufValue* value = gguf_.Find(Key(field));
    if (value == nullptr) {
      return OkStatus();
    }
    if (!value->is_array) {
      uint32_t all = 0;
      SOTTO_RETURN_IF_ERROR(ReadU32(field, 0, max, all));
      out.assign(blocks_, all);
      return OkStatus();
    }
    const bool is_integer = value->type == GgufType::kU32 || value->type == GgufType::kI32;
    if (!is_integer || value->count != blocks_) {
      return Bad(field, "not one u32 or i32 for each block");
    }
    out = *gguf_.U32Array(Key(field));
    for (const uint32_t number : out) {
      if (number > max) {
        return Bad(field, std::to_string(number) + ": limit " + std::to_string(max));
      }
    }
    return OkStatus();
  }

  Status CheckSizes() {
    SOTTO_RETURN_IF_ERROR(ReadRequired("context_length", 1, kMaxContext, summary_.context_tokens));
    SOTTO_RETURN_IF_ERROR(
        ReadRequired("embedding_length", 1, kMaxEmbedding, summary_.embedding_dim));
    SOTTO_RETURN_IF_ERROR(ReadRequired("block_count", 1, kMaxBlocks, blocks_));
    summary_.output_dim = summary_.embedding_dim;
    SOTTO_RETURN_IF_ERROR(ReadU32("embedding_length_out", 1, kMaxEmbedding, summary_.output_dim));
    uint32_t ignored = 0;
    SOTTO_RETURN_IF_ERROR(ReadU32("nextn_predict_layers", 0, blocks_, ignored));
    SOTTO_RETURN_IF_ERROR(ReadU32("embedding_length_per_layer_input", 0, kMaxEmbedding, ignored));
    SOTTO_RETURN_IF_ERROR(ReadU32("pooling_type", 0, kMaxPooling, summary_.pooling_type));
    std::vector<uint32_t> widths;
    SOTTO_RETURN_IF_ERROR(ReadPerBlock("feed_forward_length", kMaxFeedForward, widths));
    SOTTO_RETURN_IF_ERROR(ReadPerBlock("expert_feed_forward_length", kMaxFeedForward, widths));
    if (Has("attention.causal")) {
      const std::optional<bool> causal = gguf_.Bool(Key("attention.causal"));
      if (!causal) {
        return Bad("attention.causal", "not a bool");
      }
      summary_.is_causal = *causal;
    }
    return OkStatus();
  }

  Status CheckHeads() {
    std::vector<uint32_t> heads(blocks_, 0);
    SOTTO_RETURN_IF_ERROR(ReadPerBlock("attention.head_count", kMaxHeads, heads));
    std::vector<uint32_t> kv_heads = heads;
    SOTTO_RETURN_IF_ERROR(ReadPerBlock("attention.head_count_kv", kMaxHeads, kv_heads));
    summary_.layers.resize(blocks_);
    for (uint32_t i = 0; i < blocks_; ++i) {
      summary_.layers[i].heads = heads[i];
      summary_.layers[i].kv_heads = kv_heads[i];
      if (kv_heads[i] > 0 && (heads[i] == 0 || heads[i] % kv_heads[i] != 0)) {
        return Bad("attention.head_count_kv", std::to_string(kv_heads[i]) + ": does not divide " +
                                                  std::to_string(heads[i]) + " heads");
      }
    }
    const bool any = std::any_of(heads.begin(), heads.end(), [](uint32_t n) { return n > 0; });
    if (!any && !Is(kRecurrent)) {
      return Bad("attention.head_count", "missing or zero");
    }
    return OkStatus();
  }

  Status CheckHeadDims() {
    const uint32_t heads = summary_.layers[0].heads;
    if (heads == 0) {
      return OkStatus();  // llama.cpp takes the sizes from the first block
    }
    uint32_t key = summary_.embedding_dim / heads;
    uint32_t value = key;
    if ((!Has("attention.key_length") || !Has("attention.value_length")) &&
        summary_.embedding_dim % heads != 0) {
      return Bad("attention.head_count", std::to_string(heads) + ": does not divide " +
                                             std::to_string(summary_.embedding_dim));
    }
    SOTTO_RETURN_IF_ERROR(ReadU32("attention.key_length", 1, kMaxHeadDim, key));
    SOTTO_RETURN_IF_ERROR(ReadU32("attention.value_length", 1, kMaxHeadDim, value));
    uint32_t key_sliding = key;
    uint32_t value_sliding = value;
    SOTTO_RETURN_IF_ERROR(ReadU32("attention.key_length_swa", 1, kMaxHeadDim, key_sliding));
    SOTTO_RETURN_IF_ERROR(ReadU32("attention.value_length_swa", 1, kMaxHeadDim, value_sliding));
    uint32_t rope = key;
    SOTTO_RETURN_IF_ERROR(CheckRope(key, key_sliding, rope));
    if (Is(kSquareHeads) && (key != value || key_sliding != value_sliding)) {
      return Bad("attention.value_length",
                 std::to_string(value) + ": keys have " + std::to_string(key));
    }
    if (Is(kFullRope) && rope != key) {
      return Bad("rope.dimension_count", std::to_string(rope) + ": want " + std::to_string(key));
    }
    for (GgufLayer& layer : summary_.layers) {
      layer.key_head_dim = key;
      layer.value_head_dim = value;
    }
    key_sliding_ = key_sliding;
    value_sliding_ = value_sliding;
    return OkStatus();
  }

  // ggml's rotation does not end for a size of zero, and stops the process for one larger than the
  // head. `rope` has the size that an absent key stands for.
  Status CheckRope(uint32_t key, uint32_t key_sliding, uint32_t& rope) const {
    if (Is(kNoRope)) {
      return OkStatus();
    }
    SOTTO_RETURN_IF_ERROR(ReadU32("rope.dimension_count", 2, key, rope));
    uint32_t rope_sliding = rope;
    SOTTO_RETURN_IF_ERROR(ReadU32("rope.dimension_count_swa", 2, key_sliding, rope_sliding));
    if (rope_sliding > key_sliding) {
      return Bad("rope.dimension_count_swa",
                 std::to_string(rope_sliding) + ": heads have " + std::to_string(key_sliding));
    }
    if (rope % 2 != 0 || rope_sliding % 2 != 0) {
      return Bad("rope.dimension_count", std::to_string(rope) + ": odd");
    }
    const std::string_view sections_field = "rope.dimension_sections";
    if (!Has(sections_field)) {
      return OkStatus();
    }
    const std::optional<std::vector<uint32_t>> sections = gguf_.U32Array(Key(sections_field));
    uint64_t total = 0;
    for (const uint32_t section : sections.value_or(std::vector<uint32_t>())) {
      total += section;
    }
    return sections && sections->size() <= 4 && total > 0 && total <= rope
               ? OkStatus()
               : Bad(sections_field, "not up to four numbers within the rotation");
  }

  // Where an architecture lays its sliding layers when the file does not: every block whose
  // number modulo the period is below period - 1. llama.cpp's load_swa_pattern calls.
  uint32_t DefaultPeriod() const {
    if (IsNamed({"gemma3", "gemma-embedding"})) return 6;
    if (IsNamed({"cohere2", "exaone4", "llama4"})) return 4;
    if (IsNamed({"gemma2", "gpt-oss"})) return 2;
    return 1;
  }

  Status CheckWindow() {
    uint32_t window = 0;
    SOTTO_RETURN_IF_ERROR(ReadU32("attention.sliding_window", 0, kMaxWindow, window));
    const bool needs_window = IsNamed({"gemma4", "gemma4-assistant", "gemma3n", "gemma-embedding"});
    if (needs_window && window == 0) {
      return Bad("attention.sliding_window", "missing or zero");
    }
    summary_.sliding_window_tokens = window;
    const std::string_view pattern_field = "attention.sliding_window_pattern";
    const GgufValue* pattern = gguf_.Find(Key(pattern_field));
    if (pattern == nullptr) {
      if (IsNamed({"gemma4", "gemma4-assistant", "gemma3n"})) {
        return Bad(pattern_field, "missing");
      }
      return MarkSliding(window > 0 ? DefaultPeriod() : 1);
    }
    if (!pattern->is_array) {
      uint32_t period = 0;
      SOTTO_RETURN_IF_ERROR(ReadU32(pattern_field, 0, kMaxBlocks, period));
      return period == 1 && window > 0
                 ? Bad(pattern_field, "1: no block slides, but there is a window")
                 : MarkSliding(period);
    }
    const std::optional<std::vector<uint32_t>> flags = gguf_.U32Array(Key(pattern_field));
    if (!flags || flags->size() > blocks_) {
      return Bad(pattern_field, "not one bool or number for each block");
    }
    if (window > 0 &&
        std::all_of(flags->begin(), flags->end(), [](uint32_t f) { return f == 0; })) {
      return Bad(pattern_field, "no block slides, but there is a window");
    }
    for (size_t i = 0; i < flags->size(); ++i) {
      SetSliding(summary_.layers[i], (*flags)[i] != 0);
    }
    return OkStatus();
  }

  Status MarkSliding(uint32_t period) {
    for (uint32_t i = 0; i < blocks_; ++i) {
      SetSliding(summary_.layers[i], period == 0 || i % period < period - 1);
    }
    return OkStatus();
  }
  void SetSliding(GgufLayer& layer, bool is_sliding) const {
    layer.is_sliding = is_sliding;
    if (is_sliding && key_sliding_ > 0) {
      layer.key_head_dim = key_sliding_;
      layer.value_head_dim = value_sliding_;
    }
  }

  // Blocks past the own ones read the last own block of their kind, which llama.cpp takes to be
  // the last but one (sliding) and the last (full).
  Status CheckSharing() {
    const std::string_view field = "attention.shared_kv_layers";
    if (!IsNamed({"gemma4", "gemma3n"})) {
      return OkStatus();
    }
    uint32_t shared = architecture_.name == "gemma3n" ? std::min(blocks_, 15u) : 0;
    SOTTO_RETURN_IF_ERROR(ReadU32(field, 0, blocks_, shared));
    const uint32_t own = blocks_ - shared;
    if (own < 2) {
      return Bad(field, std::to_string(shared) + ": leaves fewer than 2 of " +
                            std::to_string(blocks_) + " blocks");
    }
    for (uint32_t i = own; i < blocks_; ++i) {
      GgufLayer& layer = summary_.layers[i];
      const GgufLayer& source = summary_.layers[layer.is_sliding ? own - 2 : own - 1];
      if (source.is_sliding != layer.is_sliding) {
        return Bad(field, "block " + std::to_string(i) + " would read a block of the other kind");
      }
      if (source.kv_heads != layer.kv_heads) {
        return Bad(field, "block " + std::to_string(i) + " would read a block with other heads");
      }
    }
    for (uint32_t i = own; i < blocks_; ++i) {
      summary_.layers[i].kv_heads = 0;
    }
    return OkStatus();
  }

  Status CheckExperts() {
    uint32_t experts = 0;
    uint32_t groups = 0;
    uint32_t groups_used = 0;
    std::vector<uint32_t> used(blocks_, 0);
    SOTTO_RETURN_IF_ERROR(ReadU32("expert_count", 0, kMaxExperts, experts));
    SOTTO_RETURN_IF_ERROR(ReadPerBlock("expert_used_count", kMaxExperts, used));
    SOTTO_RETURN_IF_ERROR(ReadU32("expert_group_count", 0, kMaxExperts, groups));
    SOTTO_RETURN_IF_ERROR(ReadU32("expert_group_used_count", 0, kMaxExperts, groups_used));
    if (Is(kExperts) && experts == 0) {
      return Bad("expert_count", "missing or zero");
    }
    const uint32_t most_used = *std::max_element(used.begin(), used.end());
    if (most_used > experts || (experts > 0 && most_used == 0)) {
      return Bad("expert_used_count",
                 std::to_string(most_used) + " of " + std::to_string(experts) + " experts");
    }
    if (groups > 0 && groups >= experts) {
      return Bad("expert_group_count",
                 std::to_string(groups) + " of " + std::to_string(experts) + " experts");
    }
    if (groups > 1 && (experts % groups != 0 || groups_used == 0 || groups_used >= groups)) {
      return Bad("expert_group_used_count",
                 std::to_string(groups_used) + " of " + std::to_string(groups) + " groups");
    }
    return OkStatus();
  }

  // Numbers that the graphs divide by.
  Status CheckStateSpace() const {
    constexpr uint32_t kMaxSize = 1u << 20;
    uint32_t interval = 1;
    uint32_t cache = 2;
    SOTTO_RETURN_IF_ERROR(ReadU32("full_attention_interval", 1, kMaxBlocks, interval));
    SOTTO_RETURN_IF_ERROR(ReadU32("shortconv.l_cache", 2, 1024, cache));
    if (!Is(kDeltaNet)) {
      return OkStatus();
    }
    uint32_t kernel = 0;
    uint32_t inner = 0;
    uint32_t state = 0;
    uint32_t rank = 0;
    uint32_t groups = 0;
    SOTTO_RETURN_IF_ERROR(ReadRequired("ssm.conv_kernel", 2, 1024, kernel));
    SOTTO_RETURN_IF_ERROR(ReadRequired("ssm.inner_size", 1, kMaxSize, inner));
    SOTTO_RETURN_IF_ERROR(ReadRequired("ssm.state_size", 1, kMaxSize, state));
    SOTTO_RETURN_IF_ERROR(ReadRequired("ssm.time_step_rank", 1, kMaxSize, rank));
    SOTTO_RETURN_IF_ERROR(ReadRequired("ssm.group_count", 1, kMaxSize, groups));
    return inner % rank == 0 && rank % groups == 0
               ? OkStatus()
               : Bad("ssm.time_step_rank", std::to_string(rank) +
                                               ": does not divide the inner "
                                               "size or into the groups");
  }

  Status CheckFloat(std::string_view field, float min, float max) const {
    if (!Has(field)) {
      return OkStatus();
    }
    const std::optional<float> value = gguf_.F32(Key(field));
    if (!value) {
      return Bad(field, "not an f32");
    }
    // A NaN fails both comparisons.
    if (!(*value >= min && *value <= max)) {
      return Bad(field, std::to_string(*value) + ": want " + std::to_string(min) + " to " +
                            std::to_string(max));
    }
    return OkStatus();
  }

  Status CheckNumbers() const {
    constexpr float kTiny = 1e-30f;
    constexpr float kHuge = 1e12f;
    SOTTO_RETURN_IF_ERROR(CheckFloat("attention.layer_norm_epsilon", 0.0f, 1.0f));
    SOTTO_RETURN_IF_ERROR(CheckFloat("attention.layer_norm_rms_epsilon", 0.0f, 1.0f));
    SOTTO_RETURN_IF_ERROR(CheckFloat("attention.group_norm_epsilon", 0.0f, 1.0f));
    SOTTO_RETURN_IF_ERROR(CheckFloat("rope.freq_base", kTiny, kHuge));
    SOTTO_RETURN_IF_ERROR(CheckFloat("rope.freq_base_swa", kTiny, kHuge));
    SOTTO_RETURN_IF_ERROR(CheckFloat("rope.scaling.factor", 0.0f, kHuge));
    SOTTO_RETURN_IF_ERROR(CheckFloat("rope.scale_linear", 0.0f, kHuge));
    SOTTO_RETURN_IF_ERROR(CheckFloat("attention.max_alibi_bias", 0.0f, kHuge));
    SOTTO_RETURN_IF_ERROR(CheckFloat("final_logit_softcapping", 0.0f, kHuge));
    SOTTO_RETURN_IF_ERROR(CheckFloat("attn_logit_softcapping", 0.0f, kHuge));
    const std::string_view scaling_field = "rope.scaling.type";
    if (Has(scaling_field)) {
      const std::string_view scaling = gguf_.String(Key(scaling_field)).value_or("");
      if (scaling != "none" && scaling != "linear" && scaling != "yarn" && scaling != "longrope") {
        return Bad(scaling_field, "not none, linear, yarn or longrope");
      }
    }
    return OkStatus();
  }

  const std::string& file_;
  const GgufFile& gguf_;
  const LlamaArchitecture& architecture_;
  GgufSummary& summary_;
  uint32_t blocks_ = 0;
  uint32_t key_sliding_ = 0;
  uint32_t value_sliding_ = 0;
};

}  // namespace

Status CheckHyperParameters(const std::string& file, const GgufFile& gguf,
                            const LlamaArchitecture& architecture, GgufSummary& summary) {
  return Checker(file, gguf, architecture, summary).Run();
}

}  // namespace sotto
