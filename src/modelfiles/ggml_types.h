// Sizes of the tensor types of ggml 0.25.1.
#ifndef SOTTO_MODELFILES_GGML_TYPES_H_
#define SOTTO_MODELFILES_GGML_TYPES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sotto {

struct GgmlTypeInfo {
  uint32_t number = 0;  // in ggml.h
  std::string_view name;
  uint64_t block_elements = 0;
  uint64_t block_bytes = 0;
  bool is_weight = false;  // multiplications take it; false for integers and intermediate types
};

// nullptr for numbers that are free, retired or unknown.
const GgmlTypeInfo* FindGgmlType(uint32_t number);

// Bytes of a tensor with the given dims, fastest first. nullopt if a dim is zero, a row is no
// multiple of the block, or a product overflows 63 bits.
std::optional<uint64_t> GgmlTensorBytes(const GgmlTypeInfo& type, std::span<const uint64_t> dims);

}  // namespace sotto

#endif  // SOTTO_MODELFILES_GGML_TYPES_H_
