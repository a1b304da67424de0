// Whether a GGUF file is a model that llama.cpp loads without aborting, and what is in it.
//
//   SOTTO_ASSIGN_OR_RETURN(const MappedFile map, MappedFile::Open(path));
//   SOTTO_ASSIGN_OR_RETURN(const GgufSummary summary, ValidateGguf(path, map.bytes()));
#ifndef SOTTO_MODELFILES_GGUF_H_
#define SOTTO_MODELFILES_GGUF_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace sotto {

// What attention keeps of one layer.
struct GgufLayer {
  uint32_t heads = 0;
  uint32_t kv_heads = 0;  // 0: the layer keeps nothing, or shares another layer's
  uint32_t key_head_dim = 0;
  uint32_t value_head_dim = 0;
  bool is_sliding = false;
};

struct GgufSummary {
  std::string architecture;  // "gemma3"
  std::string name;          // general.name, or empty
  std::string tokenizer;     // tokenizer.ggml.model
  std::string
      quantisation;  // the types by their share of the weights: "q4_K 62%, q6_K 37%, f32 1%"
  uint64_t parameter_count = 0;
  uint64_t weights_bytes = 0;
  uint64_t tensor_count = 0;
  uint32_t context_tokens = 0;  // trained for
  uint32_t embedding_dim = 0;
  uint32_t output_dim = 0;  // of embeddings; embedding_dim unless the model says other
  uint32_t vocab_size = 0;
  uint32_t sliding_window_tokens = 0;  // 0: none
  uint32_t pooling_type = 0;           // LLAMA_POOLING_TYPE_*; 0 when not stated
  bool is_causal = true;
  bool is_embedder = false;   // an encoder: embeds, does not generate
  bool needs_target = false;  // a drafter: works only beside the model it drafts for
  bool has_chat_template = false;
  std::vector<GgufLayer> layers;
  // Scalar keys as text: integers, numbers, true/false, strings of up to 256 bytes.
  std::map<std::string, std::string, std::less<>> metadata;

  uint32_t block_count() const { return static_cast<uint32_t>(layers.size()); }
  // Bytes that the keys and values of `tokens` tokens take in every layer together, at
  // `bytes_per_element` for each number (2 for f16). Sliding layers hold at most their window
  // and `batch_tokens` more.
  uint64_t KvBytes(uint64_t tokens, double bytes_per_element, uint64_t batch_tokens) const;
};

// DATA_LOSS "model: FILE: gguf field FIELD: VALUE: REASON" for a file that is malformed, cut short
// or inconsistent; UNIMPLEMENTED for a sound file that is no text model or of an architecture that
// is not known. The tensor data is not touched. Under 100 ms for a
// vocabulary of 260 000.
Result<GgufSummary> ValidateGguf(const std::string& file, std::span<const std::byte> bytes);

// Whether `drafter`, of the file `file`, can draft for `target`: one vocabulary, hidden states of
// one size, and heads that fit the keys it borrows. DATA_LOSS names what differs; llama.cpp does
// not check all of it and stops the process.
Status CheckDrafter(const std::string& file, const GgufSummary& drafter, const GgufSummary& target);

}  // namespace sotto

#endif  // SOTTO_MODELFILES_GGUF_H_
