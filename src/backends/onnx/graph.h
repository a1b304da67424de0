// An ONNX model read as a graph: views into the file's bytes, no weights copied.
//
// For cutting a model into parts (surgery.h) and for reasoning about it (reach.h, vits_plan.h).
// It is not an interpreter: attributes and tensors stay raw unless a question needs them.
#ifndef SOTTO_BACKENDS_ONNX_GRAPH_H_
#define SOTTO_BACKENDS_ONNX_GRAPH_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"

namespace sotto {

// TensorProto.DataType, the ones that voices and encoders use.
enum class OnnxType : int32_t { kUndefined = 0, kFloat = 1, kInt32 = 6, kInt64 = 7, kBool = 9 };

struct OnnxNode {
  std::string_view op_type;
  std::string_view name;
  std::vector<std::string_view> inputs;  // an optional input that is left out is ""
  std::vector<std::string_view> outputs;
  // Names that the bodies of If/Loop/Scan use; some of them may be the body's own.
  std::vector<std::string_view> body_uses;
  std::string_view raw;  // the NodeProto field in the GraphProto, tag included
  std::string_view message;

  // Attribute values; empty when the node has no such attribute of that kind.
  std::optional<int64_t> IntAttribute(std::string_view attribute) const;
  std::vector<int64_t> IntsAttribute(std::string_view attribute) const;
  std::string_view StringAttribute(std::string_view attribute) const;
  std::string_view TensorAttribute(std::string_view attribute) const;  // a TensorProto
};

struct OnnxInitializer {
  std::string_view name;
  std::string_view message;  // TensorProto
  std::string_view raw;
};

struct OnnxValueInfo {
  std::string_view name;
  OnnxType type = OnnxType::kUndefined;
  std::vector<int64_t> dims;  // -1 where it is not fixed
};

struct OnnxTensorHead {
  OnnxType type = OnnxType::kUndefined;
  std::vector<int64_t> dims;
};

class OnnxGraph {
 public:
  // `model` is a ModelProto and must outlive the graph. DATA_LOSS if it is malformed, names a
  // tensor twice or keeps weights in other files; RESOURCE_EXHAUSTED beyond a million nodes.
  static Result<OnnxGraph> Parse(std::string_view model);

  const std::vector<OnnxNode>& nodes() const { return nodes_; }
  const std::vector<OnnxInitializer>& initializers() const { return initializers_; }
  // Inputs that are not initializers.
  const std::vector<OnnxValueInfo>& inputs() const { return inputs_; }
  const std::vector<OnnxValueInfo>& outputs() const { return outputs_; }
  // ir_version, opset_import and functions, as raw ModelProto fields.
  const std::vector<std::string_view>& model_fields() const { return model_fields_; }

  // Index of the node that makes `tensor`; -1 for inputs, initializers and unknown names.
  int32_t ProducerOf(std::string_view tensor) const;
  // Index into initializers(), or -1.
  int32_t InitializerOf(std::string_view tensor) const;
  bool IsInput(std::string_view tensor) const;
  // Nodes that read `tensor`, in graph order; a node that reads it twice is listed once.
  const std::vector<int32_t>& ConsumersOf(std::string_view tensor) const;

  // The values of an integer tensor that is an initializer or a Constant; nullopt for anything
  // else, and for more than 64 elements.
  std::optional<std::vector<int64_t>> ConstantInts(std::string_view tensor) const;
  // Type and shape of an initializer.
  std::optional<OnnxTensorHead> InitializerHead(std::string_view tensor) const;

 private:
  Status ParseGraph(std::string_view graph);
  Status AddNode(std::string_view message, std::string_view raw);
  Status AddInitializer(std::string_view message, std::string_view raw);
  Status Index();

  std::vector<OnnxNode> nodes_;
  std::vector<OnnxInitializer> initializers_;
  std::vector<OnnxValueInfo> inputs_;
  std::vector<OnnxValueInfo> outputs_;
  std::vector<std::string_view> model_fields_;
  std::unordered_map<std::string_view, int32_t> producers_;
  std::unordered_map<std::string_view, int32_t> initializer_index_;
  std::unordered_map<std::string_view, std::vector<int32_t>> consumers_;
};

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_GRAPH_H_
