#include "convert/elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "modelfiles/gguf_writer.h"

namespace sotto {
namespace {

constexpr uint64_t kQuantBlock = 32;  // elements; QK8_0 = QK5_0 = QK5_1 in ggml-common.h

// The smallest magnitude that rounds to infinity in float16: 65520, halfway past 65504.
constexpr uint32_t kHalfOverflowBits = 0x477FF000;

template <typename T>
T Load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <typename T>
void Store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof(T));
}

// 1 / d, and 0 where that is not a finite number.
float Inverse(float d) {
  const float inverse = 1.0f / d;
  return std::isfinite(inverse) ? inverse : 0.0f;
}

// [scale f16][32 x int8]
void EncodeQ8Block(const float* x, std::byte* out) {
  float max = 0.0f;
  for (uint64_t i = 0; i < kQuantBlock; ++i) {
    max = std::max(max, std::fabs(x[i]));
  }
  const float d = max / 127.0f;
  const float inverse = Inverse(d);
  Store(out, HalfFromFloat(d));
  int8_t q[kQuantBlock];
  for (uint64_t i = 0; i < kQuantBlock; ++i) {
    const float scaled = x[i] * inverse;
    const float magnitude = std::fabs(scaled);
    const auto floored = static_cast<int32_t>(magnitude);
    const auto up = static_cast<int32_t>(2.0f * (magnitude - static_cast<float>(floored)));
    const int32_t rounded = floored + up;
    q[i] = static_cast<int8_t>(scaled < 0.0f ? -rounded : rounded);
  }
  std::memcpy(out + 2, q, sizeof(q));
}

// The fifth bits of 32 numbers, then their low nibbles: i and i + 16 share a byte.
void PackFiveBits(const uint8_t* q, std::byte* out) {
  uint32_t high = 0;
  for (uint64_t i = 0; i < kQuantBlock; ++i) {
    high |= static_cast<uint32_t>(q[i] >> 4) << i;
  }
  Store(out, high);
  for (uint64_t i = 0; i < kQuantBlock / 2; ++i) {
    const uint32_t pair = (q[i] & 0x0Fu) | ((q[i + kQuantBlock / 2] & 0x0Fu) << 4);
    out[4 + i] = static_cast<std::byte>(pair);
  }
}

uint8_t ToFiveBits(float value) {
  return static_cast<uint8_t>(std::clamp(static_cast<int32_t>(value), 0, 31));
}

// [scale f16][32 fifth bits][16 x two nibbles]
void EncodeQ5SymmetricBlock(const float* x, std::byte* out) {
  float extreme = 0.0f;  // the first of the largest magnitudes, with its sign
  for (uint64_t i = 0; i < kQuantBlock; ++i) {
    extreme = std::fabs(x[i]) > std::fabs(extreme) ? x[i] : extreme;
  }
  const float d = extreme / -16.0f;
  const float inverse = Inverse(d);
  Store(out, HalfFromFloat(d));
  uint8_t q[kQuantBlock];
  for (uint64_t i = 0; i < kQuantBlock; ++i) {
    q[i] = ToFiveBits(x[i] * inverse + 16.5f);
  }
  PackFiveBits(q, out + 2);
}

// [scale f16][minimum f16][32 fifth bits][16 x two nibbles]
void EncodeQ5OffsetBlock(const float* x, std::byte* out) {
  float min = x[0];
  float max = x[0];
  for (uint64_t i = 1; i < kQuantBlock; ++i) {
    min = std::min(min, x[i]);
    max = std::max(max, x[i]);
  }
  const float d = (max - min) / 31.0f;
  const float inverse = Inverse(d);
  Store(out, HalfFromFloat(d));
  Store(out + 2, HalfFromFloat(min));
  uint8_t q[kQuantBlock];
  for (uint64_t i = 0; i < kQuantBlock; ++i) {
    q[i] = ToFiveBits((x[i] - min) * inverse + 0.5f);
  }
  PackFiveBits(q, out + 4);
}

}  // namespace

uint16_t HalfFromFloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  // Subnormal results: adding 0.5 leaves the rounded mantissa in the low bits.
  const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
  const uint32_t subnormal = std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5f);
  // Normal results: rebias the exponent (127 -> 15) and round the 13 dropped bits to even.
  const uint32_t odd = (magnitude >> 13) & 1u;
  const uint32_t normal = (magnitude - (112u << 23) + 0xFFFu + odd) >> 13;
  uint32_t half = magnitude < (113u << 23) ? subnormal : normal;
  half = magnitude >= kHalfOverflowBits ? 0x7C00u : half;
  half = magnitude > 0x7F800000u ? 0x7E00u : half;
  return static_cast<uint16_t>(sign | half);
}

float FloatFromHalf(uint16_t half) {
  const uint32_t sign = (half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 31u;
  const uint32_t mantissa = half & 0x3FFu;
  // Subnormals are mantissa * 2^-24, exact in float.
  const uint32_t subnormal =
      std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(mantissa)) * 0x1p-24f);
  const uint32_t normal = ((exponent + 112u) << 23) | (mantissa << 13);
  const uint32_t special = 0x7F800000u | (mantissa << 13);
  const uint32_t magnitude = exponent == 0 ? subnormal : (exponent == 31 ? special : normal);
  return std::bit_cast<float>(sign | magnitude);
}

uint64_t ElementBytes(ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return 4;
    case ElementType::kF16:
    case ElementType::kBf16:
      return 2;
    case ElementType::kI8:
      return 1;
    case ElementType::kI64:
      return 8;
  }
  return 1;
}

std::optional<OutputType> ParseOutputType(std::string_view name) {
  if (name == "f32") return OutputType::kF32;
  if (name == "f16") return OutputType::kF16;
  if (name == "q8_0") return OutputType::kQ8_0;
  if (name == "q5_0") return OutputType::kQ5_0;
  if (name == "q5_1") return OutputType::kQ5_1;
  return std::nullopt;
}

uint32_t GgmlTypeOf(OutputType type) {
  switch (type) {
    case OutputType::kF32:
      return kGgmlTypeF32;
    case OutputType::kF16:
      return kGgmlTypeF16;
    case OutputType::kQ8_0:
      return kGgmlTypeQ8_0;
    case OutputType::kQ5_0:
      return kGgmlTypeQ5_0;
    case OutputType::kQ5_1:
      return kGgmlTypeQ5_1;
  }
  return kGgmlTypeF32;
}

uint64_t BlockElements(OutputType type) {
  return type == OutputType::kF32 || type == OutputType::kF16 ? 1 : kQuantBlock;
}

uint64_t BlockBytes(OutputType type) {
  switch (type) {
    case OutputType::kF32:
      return 4;
    case OutputType::kF16:
      return 2;
    case OutputType::kQ8_0:
      return 2 + kQuantBlock;
    case OutputType::kQ5_0:
      return 2 + 4 + kQuantBlock / 2;
    case OutputType::kQ5_1:
      return 4 + 4 + kQuantBlock / 2;
  }
  return 4;
}

WeightView WeightView::Rows(uint64_t first, uint64_t count) const {
  WeightView rows = *this;
  const uint64_t row_bytes = data.size() / dims[0];
  rows.dims[0] = count;
  rows.data = data.subspan(first * row_bytes, count * row_bytes);
  if (scales.size() > sizeof(float)) {
    rows.scales = scales.subspan(first * sizeof(float), count * sizeof(float));
  }
  return rows;
}

void DecodeFloats(const WeightView& tensor, uint64_t first, std::span<float> out) {
  const std::byte* data = tensor.data.data() + first * ElementBytes(tensor.type);
  switch (tensor.type) {
    case ElementType::kF32:
      std::memcpy(out.data(), data, out.size_bytes());
      return;
    case ElementType::kF16:
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] = FloatFromHalf(Load<uint16_t>(data + 2 * i));
      }
      return;
    case ElementType::kBf16:
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] = std::bit_cast<float>(static_cast<uint32_t>(Load<uint16_t>(data + 2 * i)) << 16);
      }
      return;
    case ElementType::kI8: {
      const uint64_t rows = tensor.scales.size() / sizeof(float);
      const uint64_t row_elements = tensor.elements() / rows;
      for (size_t i = 0; i < out.size(); ++i) {
        const uint64_t row = (first + i) / row_elements;
        out[i] = static_cast<float>(Load<int8_t>(data + i)) /
                 Load<float>(tensor.scales.data() + row * sizeof(float));
      }
      return;
    }
    case ElementType::kI64:
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<float>(Load<int64_t>(data + 8 * i));
      }
      return;
  }
}

bool FitsType(OutputType type, std::span<const float> values) {
  uint32_t largest = 0;
  for (const float value : values) {
    largest = std::max(largest, std::bit_cast<uint32_t>(value) & 0x7FFFFFFFu);
  }
  return largest < (type == OutputType::kF32 ? 0x7F800000u : kHalfOverflowBits);
}

void EncodeFloats(OutputType type, std::span<const float> values, std::span<std::byte> out) {
  if (type == OutputType::kF32) {
    std::memcpy(out.data(), values.data(), values.size_bytes());
    return;
  }
  if (type == OutputType::kF16) {
    for (size_t i = 0; i < values.size(); ++i) {
      Store(out.data() + 2 * i, HalfFromFloat(values[i]));
    }
    return;
  }
  const auto encode = type == OutputType::kQ8_0   ? EncodeQ8Block
                      : type == OutputType::kQ5_0 ? EncodeQ5SymmetricBlock
                                                  : EncodeQ5OffsetBlock;
  const uint64_t block_bytes = BlockBytes(type);
  for (uint64_t block = 0; block < values.size() / kQuantBlock; ++block) {
    encode(values.data() + block * kQuantBlock, out.data() + block * block_bytes);
  }
}

}  // namespace sotto
