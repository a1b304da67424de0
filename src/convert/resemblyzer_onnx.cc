// Resemblyzer's voice encoder (GE2E: three LSTMs, a linear layer, a norm) to ONNX.
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "convert/converters.h"
#include "convert/output.h"
#include "convert/torch_legacy.h"

namespace sotto {
namespace {

constexpr uint64_t kMels = 40;
constexpr uint64_t kHidden = 256;
constexpr int kLayers = 3;
constexpr int64_t kIrVersion = 8;
constexpr int64_t kOpset = 15;  // Squeeze takes its axes as an input since 13

// Field numbers and enumerators below are those of onnx.proto.
constexpr uint64_t kOnnxFloat = 1;
constexpr uint64_t kOnnxInt64 = 7;
constexpr uint64_t kAttributeInt = 2;
constexpr uint64_t kAttributeInts = 7;

// A protobuf message in the making; fields are written in the order of the calls.
class Message {
 public:
  Message& Number(uint32_t field, uint64_t value) {
    Varint(uint64_t{field} << 3);
    Varint(value);
    return *this;
  }
  Message& Bytes(uint32_t field, std::string_view value) {
    Varint((uint64_t{field} << 3) | 2);
    Varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& Sub(uint32_t field, const Message& value) { return Bytes(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
      bytes_ += static_cast<char>((value & 0x7F) | 0x80);
    }
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

Message Attribute(std::string_view name, const std::vector<uint64_t>& values, uint64_t type) {
  Message attribute;
  attribute.Bytes(1, name);
  for (const uint64_t value : values) {
    attribute.Number(type == kAttributeInt ? 3 : 8, value);
  }
  return attribute.Number(20, type);
}

Message Node(std::string_view op, const std::vector<std::string>& inputs,
             const std::vector<std::string>& outputs, const std::vector<Message>& attributes) {
  Message node;
  for (const std::string& input : inputs) {
    node.Bytes(1, input);
  }
  for (const std::string& output : outputs) {
    node.Bytes(2, output);
  }
  node.Bytes(4, op);
  for (const Message& attribute : attributes) {
    node.Sub(5, attribute);
  }
  return node;
}

Message Initializer(std::string_view name, const std::vector<uint64_t>& dims, uint64_t type,
                    std::string_view data) {
  Message tensor;
  for (const uint64_t dim : dims) {
    tensor.Number(1, dim);
  }
  return tensor.Number(2, type).Bytes(8, name).Bytes(9, data);
}

Message ValueInfo(std::string_view name, const std::vector<Message>& dims) {
  Message shape;
  for (const Message& dim : dims) {
    shape.Sub(1, dim);
  }
  Message tensor;
  tensor.Number(1, kOnnxFloat).Sub(2, shape);
  Message type;
  type.Sub(1, tensor);
  Message info;
  return info.Bytes(1, name).Sub(2, type);
}

Message NamedDim(std::string_view name) { return Message().Bytes(2, name); }
Message FixedDim(uint64_t size) { return Message().Number(1, size); }

// Weights of the state dict with the shapes that the network needs.
class Weights {
 public:
  Weights(const std::string& file, const StateDict& state) : file_(file), state_(state) {}

  const Status& status() const { return status_; }

  // The tensor's bytes; empty, and status() set, when it is absent or of another shape.
  std::string_view Get(const std::string& name, const std::vector<uint64_t>& dims) {
    const auto found = state_.find(name);
    if (found == state_.end() || found->second.dims != dims ||
        found->second.type != ElementType::kF32) {
      status_ = DataLossError("convert: " + file_ + ": " + name +
                              ": missing or of another shape; not Resemblyzer's encoder");
      return {};
    }
    const WeightView& view = found->second;
    std::vector<float> values(view.elements());
    DecodeFloats(view, 0, values);
    if (!FitsType(OutputType::kF32, values)) {
      status_ = DataLossError("convert: " + file_ + ": " + name + ": a weight is not finite");
      return {};
    }
    return {reinterpret_cast<const char*>(view.data.data()), view.data.size()};
  }

  // The same with its four gates reordered: torch has i f g o, ONNX i o f g.
  std::string Gates(const std::string& name, const std::vector<uint64_t>& dims) {
    const std::string_view data = Get(name, dims);
    const size_t gate_bytes = data.size() / 4;
    std::string out;
    out.reserve(data.size());
    for (const size_t gate : {0, 3, 1, 2}) {
      out += data.substr(gate * gate_bytes, gate_bytes);
    }
    return out;
  }

 private:
  const std::string& file_;
  const StateDict& state_;
  Status status_;
};

std::string Int64Bytes(int64_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

struct Graph {
  std::vector<Message> nodes;
  std::vector<Message> initializers;
};

void AddLayer(int layer, Weights& weights, Graph& graph) {
  const std::string n = std::to_string(layer);
  const uint64_t in = layer == 0 ? kMels : kHidden;
  graph.initializers.push_back(
      Initializer("W" + n, {1, 4 * kHidden, in}, kOnnxFloat,
                  weights.Gates("lstm.weight_ih_l" + n, {4 * kHidden, in})));
  graph.initializers.push_back(
      Initializer("R" + n, {1, 4 * kHidden, kHidden}, kOnnxFloat,
                  weights.Gates("lstm.weight_hh_l" + n, {4 * kHidden, kHidden})));
  graph.initializers.push_back(Initializer("B" + n, {1, 8 * kHidden}, kOnnxFloat,
                                           weights.Gates("lstm.bias_ih_l" + n, {4 * kHidden}) +
                                               weights.Gates("lstm.bias_hh_l" + n, {4 * kHidden})));
  graph.nodes.push_back(Node("LSTM", {"x" + n, "W" + n, "R" + n, "B" + n}, {"y" + n, "h" + n},
                             {Attribute("hidden_size", {kHidden}, kAttributeInt)}));
  if (layer + 1 < kLayers) {
    graph.initializers.push_back(Initializer("ax" + n, {1}, kOnnxInt64, Int64Bytes(1)));
    graph.nodes.push_back(
        Node("Squeeze", {"y" + n, "ax" + n}, {"x" + std::to_string(layer + 1)}, {}));
  }
}

void AddHead(Weights& weights, Graph& graph) {
  graph.initializers.push_back(Initializer("ax2", {1}, kOnnxInt64, Int64Bytes(0)));
  graph.initializers.push_back(Initializer("LW", {kHidden, kHidden}, kOnnxFloat,
                                           weights.Get("linear.weight", {kHidden, kHidden})));
  graph.initializers.push_back(
      Initializer("LB", {kHidden}, kOnnxFloat, weights.Get("linear.bias", {kHidden})));
  graph.nodes.push_back(Node("Squeeze", {"h2", "ax2"}, {"hid"}, {}));
  graph.nodes.push_back(
      Node("Gemm", {"hid", "LW", "LB"}, {"lin"}, {Attribute("transB", {1}, kAttributeInt)}));
  graph.nodes.push_back(Node("Relu", {"lin"}, {"rel"}, {}));
  graph.nodes.push_back(
      Node("LpNormalization", {"rel"}, {"embedding"},
           {Attribute("axis", {1}, kAttributeInt), Attribute("p", {2}, kAttributeInt)}));
}

std::string Serialize(const Graph& parts) {
  Message graph;
  for (const Message& node : parts.nodes) {
    graph.Sub(1, node);
  }
  graph.Bytes(2, "voice_encoder");
  for (const Message& initializer : parts.initializers) {
    graph.Sub(5, initializer);
  }
  graph.Sub(11, ValueInfo("mels", {NamedDim("B"), NamedDim("T"), FixedDim(kMels)}));
  graph.Sub(12, ValueInfo("embedding", {NamedDim("B"), FixedDim(kHidden)}));
  Message opset;
  opset.Bytes(1, "").Number(2, kOpset);
  Message model;
  return model.Number(1, kIrVersion).Sub(7, graph).Sub(8, opset).bytes();
}

}  // namespace

Status ConvertResemblyzer(const ConvertRequest& request) {
  const std::string& file = request.inputs[0];
  SOTTO_ASSIGN_OR_RETURN(const MappedFile mapped, MappedFile::Open(file));
  SOTTO_ASSIGN_OR_RETURN(const StateDict state,
                         ReadTorchLegacy(file, mapped.bytes(), "model_state"));
  Weights weights(file, state);
  Graph graph;
  // [batch, time, mel] -> [time, batch, mel], as ONNX's LSTM wants it.
  graph.nodes.push_back(
      Node("Transpose", {"mels"}, {"x0"}, {Attribute("perm", {1, 0, 2}, kAttributeInts)}));
  for (int layer = 0; layer < kLayers; ++layer) {
    AddLayer(layer, weights, graph);
  }
  AddHead(weights, graph);
  SOTTO_RETURN_IF_ERROR(weights.status());
  SOTTO_ASSIGN_OR_RETURN(ConvertOutput output,
                         ConvertOutput::Create(request.output, 0, request.on_progress));
  SOTTO_RETURN_IF_ERROR(output.Write(Serialize(graph)));
  return output.Commit();
}

}  // namespace sotto
