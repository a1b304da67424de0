// Weights in the types they are stored in, and their conversion to the types we write.
#ifndef SOTTO_CONVERT_ELEMENTS_H_
#define SOTTO_CONVERT_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sotto {

// How a source stores an element.
enum class ElementType { kF32, kF16, kBf16, kI8, kI64 };

uint64_t ElementBytes(ElementType type);

// How a converter writes an element.
enum class OutputType { kF32, kF16, kQ8_0, kQ5_0, kQ5_1 };

// "q8_0" -> kQ8_0.
std::optional<OutputType> ParseOutputType(std::string_view name);
// The number of the type in ggml.h.
uint32_t GgmlTypeOf(OutputType type);
// Elements of a block, and the bytes that a block takes. Rows are whole blocks.
uint64_t BlockElements(OutputType type);
uint64_t BlockBytes(OutputType type);

// A weight inside a mapped file; owns nothing but its dims.
struct WeightView {
  ElementType type = ElementType::kF32;
  std::vector<uint64_t> dims;  // slowest first
  std::span<const std::byte> data;
  // For kI8: float32, one per row (of dims[0]) or one for all; the weight is element / scale.
  std::span<const std::byte> scales;

  uint64_t elements() const { return data.size() / ElementBytes(type); }

  // Rows [first, first + count) along dims[0]. REQUIRES: they exist.
  WeightView Rows(uint64_t first, uint64_t count) const;
};

// Decodes elements [first, first + out.size()). REQUIRES: they exist.
void DecodeFloats(const WeightView& tensor, uint64_t first, std::span<float> out);

// True if every value is finite and, for other types than kF32, rounds to a finite float16.
bool FitsType(OutputType type, std::span<const float> values);

// Encodes whole blocks; `out` has BlockBytes for each. REQUIRES: FitsType(type, values). The bits
// are those of ggml's reference quantisers: products and sums are rounded one by one.
void EncodeFloats(OutputType type, std::span<const float> values, std::span<std::byte> out);

// Round to nearest even, as numpy and F16C do; and the exact inverse.
uint16_t HalfFromFloat(float value);
float FloatFromHalf(uint16_t half);

}  // namespace sotto

#endif  // SOTTO_CONVERT_ELEMENTS_H_
