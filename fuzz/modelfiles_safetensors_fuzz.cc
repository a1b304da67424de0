#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "convert/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto tensors = sotto::ReadSafetensors("fuzz", std::as_bytes(std::span(data, size)));
  if (!tensors.ok()) {
    if (tensors.status().code() != sotto::Code::kDataLoss) {
      std::abort();
    }
    return 0;
  }
  for (const auto& [name, tensor] : *tensors) {
    std::vector<float> values(std::min<uint64_t>(tensor.elements(), 4096));
    sotto::DecodeFloats(tensor, tensor.elements() - values.size(), values);
  }
  return 0;
}
