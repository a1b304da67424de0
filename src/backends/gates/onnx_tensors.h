// Finds weights in an ONNX file: a reader for exactly that, over the wire format of protobuf.
#ifndef SOTTO_BACKENDS_GATES_ONNX_TENSORS_H_
#define SOTTO_BACKENDS_GATES_ONNX_TENSORS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace sotto {

// A tensor of 32-bit floats inside the file's bytes. Valid as long as they are.
struct OnnxTensor {
  std::string_view name;
  std::vector<int64_t> dims;
  std::span<const std::byte> data;  // little end first, 4 bytes a value

  bool HasShape(std::span<const int64_t> shape) const;
};

// The float tensors of one graph: its initializers and the values of its Constant nodes, not
// those of graphs nested in it.
using OnnxGraph = std::vector<OnnxTensor>;

// Every graph of the model, outer ones before those nested in their If and Loop nodes. DATA_LOSS
// if the bytes are no ONNX model, are cut, or nest, repeat or count beyond sane limits. Tensors
// whose data is not as long as their shape says are an error; tensors of other types are skipped.
// Copies no data; cost is linear in the size.
Result<std::vector<OnnxGraph>> ReadOnnxTensors(std::span<const std::byte> bytes);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_GATES_ONNX_TENSORS_H_
