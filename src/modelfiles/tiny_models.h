// Models of a few kilobytes for tests: sound ones, and damage done to them.
#ifndef SOTTO_MODELFILES_TINY_MODELS_H_
#define SOTTO_MODELFILES_TINY_MODELS_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

// Families MakeTinyGguf knows: "llama" (byte-level tokenizer), "qwen2", "gemma3" (SentencePiece),
// "gemma4", "bert" (WordPiece).
std::span<const std::string_view> TinyGgufFamilies();

// The bytes of a GGUF with two to four blocks of random weights, which llama.cpp loads and runs.
// Also "gemma4-assistant", the drafter of "gemma4".
std::string MakeTinyGguf(std::string_view family);

// A one-layer Whisper of 64 dims, 2 x 1500 KB for its positions, whatever whisper.cpp demands.
std::string MakeTinyWhisper();

// An ONNX model: y[1, 4] = x[1, 4] + an initializer.
std::string MakeTinyOnnx();

// Where values lie in a GGUF, for damage that keeps the structure.
struct GgufSite {
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
};
std::vector<GgufSite> FindGgufSites(const std::string& gguf);

// One to three changes: values set to telling numbers, keys renamed, bits flipped anywhere in the
// header. `header_bytes` is where the tensor data begins.
std::string MutateGguf(const std::string& gguf, std::span<const GgufSite> sites,
                       uint64_t header_bytes, std::mt19937& random);

inline std::span<const std::byte> AsBytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace sotto

#endif  // SOTTO_MODELFILES_TINY_MODELS_H_
