#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "convert/ct2_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const sotto::Result<sotto::Ct2Model> model =
      sotto::ReadCt2Model("fuzz", std::as_bytes(std::span(data, size)));
  if (!model.ok()) {
    if (model.status().code() != sotto::Code::kDataLoss) {
      std::abort();
    }
    return 0;
  }
  for (const auto& [name, tensor] : model->variables) {
    std::vector<float> values(std::min<uint64_t>(tensor.elements(), 4096));
    sotto::DecodeFloats(tensor, tensor.elements() - values.size(), values);
    const sotto::WeightView last = tensor.Rows(tensor.dims[0] - 1, 1);
    values.resize(std::min<uint64_t>(last.elements(), 4096));
    sotto::DecodeFloats(last, 0, values);
  }
  return 0;
}
