#include "modelfiles/gguf.h"
#include "modelfiles/gguf_file.h"

namespace sotto {
namespace {

Status Differs(const std::string& file, std::string_view what, uint64_t drafter, uint64_t target) {
  return GgufError(
      file, what,
      std::to_string(drafter) + ": the model it is to draft for has " + std::to_string(target));
}

// The layer whose keys block `block` of `model` attends to: its own, or the last own one of its
// kind.
const GgufLayer* KeysOf(const GgufSummary& model, size_t block) {
  for (size_t i = block + 1; i > 0; --i) {
    const GgufLayer& layer = model.layers[i - 1];
    if (layer.is_sliding == model.layers[block].is_sliding && layer.kv_heads > 0) {
      return &layer;
    }
  }
  return nullptr;
}

}  // namespace

Status CheckDrafter(const std::string& file, const GgufSummary& drafter,
                    const GgufSummary& target) {
  if (drafter.architecture != "gemma4-assistant" || target.architecture != "gemma4") {
    return GgufError(file, "general.architecture",
                     "only gemma4-assistant drafts, and only for gemma4");
  }
  if (drafter.vocab_size != target.vocab_size) {
    return Differs(file, "tokenizer.ggml.tokens", drafter.vocab_size, target.vocab_size);
  }
  if (drafter.output_dim != target.embedding_dim) {
    return Differs(file, "gemma4-assistant.embedding_length_out", drafter.output_dim,
                   target.embedding_dim);
  }
  // llama.cpp lends the keys of the target's last but one block to sliding blocks of the drafter,
  // and those of its last to full ones.
  const size_t blocks = target.layers.size();
  for (const GgufLayer& layer : drafter.layers) {
    const size_t lender = layer.is_sliding ? blocks - 2 : blocks - 1;
    const GgufLayer* keys = blocks < 2 ? nullptr : KeysOf(target, lender);
    if (keys == nullptr || keys->is_sliding != layer.is_sliding) {
      return GgufError(file, "gemma4-assistant.attention.sliding_window_pattern",
                       "the model it is to draft for does not end in a sliding and a full block");
    }
    if (keys->key_head_dim != layer.key_head_dim) {
      return Differs(file, "gemma4-assistant.attention.key_length", layer.key_head_dim,
                     keys->key_head_dim);
    }
    if (keys->value_head_dim != layer.value_head_dim) {
      return Differs(file, "gemma4-assistant.attention.value_length", layer.value_head_dim,
                     keys->value_head_dim);
    }
    if (layer.kv_heads != keys->kv_heads) {
      return Differs(file, "gemma4-assistant.attention.head_count_kv", layer.kv_heads,
                     keys->kv_heads);
    }
  }
  return OkStatus();
}

}  // namespace sotto
