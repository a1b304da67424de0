#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "convert/torch_legacy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const sotto::Result<sotto::StateDict> state =
      sotto::ReadTorchLegacy("fuzz", std::as_bytes(std::span(data, size)), "model_state");
  if (!state.ok()) {
    if (state.status().code() != sotto::Code::kDataLoss) {
      std::abort();
    }
    return 0;
  }
  for (const auto& [name, tensor] : *state) {
    std::vector<float> values(std::min<uint64_t>(tensor.elements(), 4096));
    sotto::DecodeFloats(tensor, tensor.elements() - values.size(), values);
  }
  return 0;
}
