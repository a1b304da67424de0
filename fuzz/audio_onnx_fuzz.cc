// Any bytes as a VAD model: refused, or a model whose tensors lie within the bytes.
#include <cstdint>
#include <cstdlib>

#include "backends/gates/onnx_tensors.h"
#include "backends/gates/silero_vad.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto graphs = sotto::ReadOnnxTensors(bytes);
  if (graphs.ok()) {
    for (const sotto::OnnxGraph& graph : *graphs) {
      for (const sotto::OnnxTensor& tensor : graph) {
        if (!tensor.data.empty() &&
            (tensor.data.data() < bytes.data() ||
             tensor.data.data() + tensor.data.size() > bytes.data() + bytes.size())) {
          std::abort();
        }
      }
    }
  }
  const auto vad = sotto::MakeSileroVad(bytes, sotto::KernelTable());
  if (vad.ok() && !(*vad)->Process(std::vector<float>(512, 0.1f)).ok()) {
    std::abort();
  }
  return 0;
}
