#include "backends/onnx/surgery.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "backends/onnx/wire.h"

namespace sotto {
namespace {

std::string EncodeValueInfo(const SubmodelValue& value) {
  std::string tensor_type;
  WireWriter tensor_writer(tensor_type);
  tensor_writer.Varint(1, static_cast<uint64_t>(value.type));
  if (!value.dims.empty()) {
    std::string shape;
    WireWriter shape_writer(shape);
    for (const int64_t size : value.dims) {
      std::string dim;
      if (size >= 0) {
        WireWriter(dim).Varint(1, static_cast<uint64_t>(size));
      }
      shape_writer.Bytes(1, dim);
    }
    tensor_writer.Bytes(2, shape);
  }
  std::string type;
  WireWriter(type).Bytes(1, tensor_type);
  std::string info;
  WireWriter info_writer(info);
  info_writer.Bytes(1, value.name);
  info_writer.Bytes(2, type);
  return info;
}

// What the part consists of: flags per node and per initializer.
struct Part {
  std::vector<bool> nodes;
  std::vector<bool> initializers;
};

// Walks from the outputs back to the inputs.
Result<Part> CollectPart(const OnnxGraph& graph, const SubmodelSpec& spec) {
  Part part{std::vector<bool>(graph.nodes().size()),
            std::vector<bool>(graph.initializers().size())};
  std::unordered_set<std::string_view> seen;
  for (const SubmodelValue& input : spec.inputs) {
    seen.insert(input.name);
  }
  std::vector<std::string_view> open;
  for (const SubmodelNode& node : spec.added) {
    seen.insert(node.output);
    open.push_back(node.input);
  }
  for (const SubmodelValue& output : spec.outputs) {
    if (seen.contains(output.name)) {
      continue;
    }
    if (graph.ProducerOf(output.name) < 0) {
      return InvalidArgumentError("onnx: output " + output.name + ": no node makes it");
    }
    open.push_back(output.name);
  }
  while (!open.empty()) {
    const std::string_view tensor = open.back();
    open.pop_back();
    if (tensor.empty() || !seen.insert(tensor).second) {
      continue;
    }
    if (const int32_t initializer = graph.InitializerOf(tensor); initializer >= 0) {
      part.initializers[static_cast<size_t>(initializer)] = true;
      continue;
    }
    const int32_t producer = graph.ProducerOf(tensor);
    if (producer < 0) {
      if (graph.IsInput(tensor)) {
        return InvalidArgumentError("onnx: part needs " + std::string(tensor) +
                                    ": it is not among the part's inputs");
      }
      continue;  // a name of a body's own
    }
    if (!part.nodes[static_cast<size_t>(producer)]) {
      part.nodes[static_cast<size_t>(producer)] = true;
      const OnnxNode& node = graph.nodes()[static_cast<size_t>(producer)];
      open.insert(open.end(), node.inputs.begin(), node.inputs.end());
      open.insert(open.end(), node.body_uses.begin(), node.body_uses.end());
    }
  }
  return part;
}

}  // namespace

Result<std::string> ExtractSubmodel(const OnnxGraph& graph, const SubmodelSpec& spec) {
  SOTTO_ASSIGN_OR_RETURN(const Part part, CollectPart(graph, spec));
  size_t size_bytes = 0;
  for (size_t i = 0; i < part.nodes.size(); ++i) {
    size_bytes += part.nodes[i] ? graph.nodes()[i].raw.size() : 0;
  }
  for (size_t i = 0; i < part.initializers.size(); ++i) {
    size_bytes += part.initializers[i] ? graph.initializers()[i].raw.size() : 0;
  }
  std::string body;
  body.reserve(size_bytes + 4096);
  WireWriter writer(body);
  for (size_t i = 0; i < part.nodes.size(); ++i) {
    if (part.nodes[i]) {
      writer.Raw(graph.nodes()[i].raw);
    }
  }
  for (const SubmodelNode& added : spec.added) {
    std::string node;
    WireWriter node_writer(node);
    node_writer.Bytes(1, added.input);
    node_writer.Bytes(2, added.output);
    node_writer.Bytes(4, added.op_type);
    writer.Bytes(1, node);
  }
  writer.Bytes(2, "part");
  for (size_t i = 0; i < part.initializers.size(); ++i) {
    if (part.initializers[i]) {
      writer.Raw(graph.initializers()[i].raw);
    }
  }
  for (const SubmodelValue& input : spec.inputs) {
    writer.Bytes(11, EncodeValueInfo(input));
  }
  for (const SubmodelValue& output : spec.outputs) {
    writer.Bytes(12, EncodeValueInfo(output));
  }
  std::string model;
  model.reserve(body.size() + 256);
  WireWriter model_writer(model);
  for (const std::string_view field : graph.model_fields()) {
    model_writer.Raw(field);
  }
  model_writer.Bytes(7, body);
  return model;
}

}  // namespace sotto
