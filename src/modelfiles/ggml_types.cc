#include "modelfiles/ggml_types.h"

#include <array>
#include <limits>

#include "modelfiles/byte_reader.h"

namespace sotto {
namespace {

// ggml.h and ggml-common.h of ggml 0.25.1. Numbers 4, 5, 31-33 and 36-38 are retired.
constexpr std::array<GgmlTypeInfo, 35> kTypes{{
    {0, "f32", 1, 4, true},         {1, "f16", 1, 2, true},         {2, "q4_0", 32, 18, true},
    {3, "q4_1", 32, 20, true},      {6, "q5_0", 32, 22, true},      {7, "q5_1", 32, 24, true},
    {8, "q8_0", 32, 34, true},      {9, "q8_1", 32, 36, false},     {10, "q2_K", 256, 84, true},
    {11, "q3_K", 256, 110, true},   {12, "q4_K", 256, 144, true},   {13, "q5_K", 256, 176, true},
    {14, "q6_K", 256, 210, true},   {15, "q8_K", 256, 292, false},  {16, "iq2_xxs", 256, 66, true},
    {17, "iq2_xs", 256, 74, true},  {18, "iq3_xxs", 256, 98, true}, {19, "iq1_s", 256, 50, true},
    {20, "iq4_nl", 32, 18, true},   {21, "iq3_s", 256, 110, true},  {22, "iq2_s", 256, 82, true},
    {23, "iq4_xs", 256, 136, true}, {24, "i8", 1, 1, false},        {25, "i16", 1, 2, false},
    {26, "i32", 1, 4, false},       {27, "i64", 1, 8, false},       {28, "f64", 1, 8, false},
    {29, "iq1_m", 256, 56, true},   {30, "bf16", 1, 2, true},       {34, "tq1_0", 256, 54, true},
    {35, "tq2_0", 256, 66, true},   {39, "mxfp4", 32, 17, true},    {40, "nvfp4", 64, 36, true},
    {41, "q1_0", 128, 18, true},    {42, "q2_0", 64, 18, true},
}};

constexpr uint64_t kMaxBytes = std::numeric_limits<int64_t>::max();

}  // namespace

const GgmlTypeInfo* FindGgmlType(uint32_t number) {
  for (const GgmlTypeInfo& type : kTypes) {
    if (type.number == number) {
      return &type;
    }
  }
  return nullptr;
}

std::optional<uint64_t> GgmlTensorBytes(const GgmlTypeInfo& type, std::span<const uint64_t> dims) {
  if (dims.empty() || dims[0] % type.block_elements != 0) {
    return std::nullopt;
  }
  uint64_t elements = 1;
  for (const uint64_t dim : dims) {
    if (dim == 0 || !CheckedMul(elements, dim, elements) || elements > kMaxBytes) {
      return std::nullopt;
    }
  }
  uint64_t size_bytes = 0;
  if (!CheckedMul(elements / type.block_elements, type.block_bytes, size_bytes) ||
      size_bytes > kMaxBytes) {
    return std::nullopt;
  }
  return size_bytes;
}

}  // namespace sotto
