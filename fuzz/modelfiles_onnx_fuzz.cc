#include <cstdint>
#include <cstdlib>
#include <span>

#include "modelfiles/onnx.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const sotto::Result<sotto::OnnxSummary> summary =
      sotto::ValidateOnnx("fuzz", std::as_bytes(std::span(data, size)));
  if (summary.ok()) {
    if (!sotto::CheckOnnxIo("fuzz", *summary, summary->inputs, summary->outputs).ok() &&
        summary->inputs.size() < 2 && summary->outputs.size() < 2) {
      std::abort();  // a model has its own inputs and outputs
    }
  } else if (summary.status().code() != sotto::Code::kDataLoss) {
    std::abort();
  }
  return 0;
}
