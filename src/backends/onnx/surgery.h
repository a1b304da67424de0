// Cutting an ONNX model into smaller models.
//
//   SubmodelSpec spec;
//   spec.inputs = {{"z", OnnxType::kFloat, {1, -1, -1}}};
//   spec.outputs = {{"audio", OnnxType::kFloat, {}}};
//   SOTTO_ASSIGN_OR_RETURN(std::string model, ExtractSubmodel(graph, spec));
//
// A node whose output is named as an input is left out together with everything that only it
// needed: that is how a random node becomes an input that the caller fills.
#ifndef SOTTO_BACKENDS_ONNX_SURGERY_H_
#define SOTTO_BACKENDS_ONNX_SURGERY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "backends/onnx/graph.h"
#include "base/status.h"

namespace sotto {

struct SubmodelValue {
  std::string name;
  OnnxType type = OnnxType::kFloat;
  std::vector<int64_t> dims;  // -1: not fixed; empty: shape unknown
};

// A node that the whole model does not have: output = op(input), without attributes.
struct SubmodelNode {
  std::string op_type;
  std::string input;
  std::string output;
};

struct SubmodelSpec {
  std::vector<SubmodelValue> inputs;
  std::vector<SubmodelValue> outputs;
  std::vector<SubmodelNode> added{};  // their outputs may be among `outputs`
};

// A ModelProto with the nodes and weights that `spec.outputs` need, each weight once.
// INVALID_ARGUMENT if an output exists nowhere in the graph, or if the part would need an input
// of the whole model that is not among `spec.inputs`; the message names the tensor.
Result<std::string> ExtractSubmodel(const OnnxGraph& graph, const SubmodelSpec& spec);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_SURGERY_H_
