#include "backends/onnx/graph.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "backends/onnx/wire.h"

namespace sotto {
namespace {

// onnx.proto3 field numbers.
constexpr uint32_t kModelIrVersion = 1;
constexpr uint32_t kModelGraph = 7;
constexpr uint32_t kModelOpsetImport = 8;
constexpr uint32_t kModelFunctions = 25;
constexpr uint32_t kGraphNode = 1;
constexpr uint32_t kGraphInitializer = 5;
constexpr uint32_t kGraphInput = 11;
constexpr uint32_t kGraphOutput = 12;
constexpr uint32_t kGraphSparseInitializer = 15;
constexpr uint32_t kNodeInput = 1;
constexpr uint32_t kNodeOutput = 2;
constexpr uint32_t kNodeName = 3;
constexpr uint32_t kNodeOpType = 4;
constexpr uint32_t kNodeAttribute = 5;
constexpr uint32_t kAttributeName = 1;
constexpr uint32_t kAttributeInt = 3;
constexpr uint32_t kAttributeString = 4;
constexpr uint32_t kAttributeTensor = 5;
constexpr uint32_t kAttributeGraph = 6;
constexpr uint32_t kAttributeInts = 8;
constexpr uint32_t kAttributeGraphs = 11;
constexpr uint32_t kTensorDims = 1;
constexpr uint32_t kTensorDataType = 2;
constexpr uint32_t kTensorInt32Data = 5;
constexpr uint32_t kTensorInt64Data = 7;
constexpr uint32_t kTensorName = 8;
constexpr uint32_t kTensorRawData = 9;
constexpr uint32_t kTensorDataLocation = 14;

constexpr size_t kMaxNodes = 1000000;
constexpr int kMaxBodyDepth = 8;
constexpr size_t kMaxConstantInts = 64;
constexpr size_t kMaxDims = 16;

bool AppendInts(const WireField& field, std::vector<int64_t>& out, size_t limit) {
  if (field.type == WireType::kVarint) {
    out.push_back(static_cast<int64_t>(field.value));
    return out.size() <= limit;
  }
  if (field.type != WireType::kBytes) {
    return false;
  }
  PackedVarints packed(field.bytes);
  int64_t value = 0;
  while (packed.Next(value)) {
    out.push_back(value);
    if (out.size() > limit) {
      return false;
    }
  }
  return packed.ok();
}

// The attribute's message, or empty.
std::string_view FindAttribute(std::string_view node, std::string_view attribute) {
  WireReader reader(node);
  WireField field;
  while (reader.Next(field)) {
    if (field.number != kNodeAttribute || field.type != WireType::kBytes) {
      continue;
    }
    WireReader inner(field.bytes);
    WireField part;
    while (inner.Next(part)) {
      if (part.number == kAttributeName && part.bytes == attribute) {
        return field.bytes;
      }
    }
  }
  return {};
}

std::string_view BytesAttribute(std::string_view node, std::string_view attribute,
                                uint32_t field_number) {
  WireReader reader(FindAttribute(node, attribute));
  WireField field;
  while (reader.Next(field)) {
    if (field.number == field_number && field.type == WireType::kBytes) {
      return field.bytes;
    }
  }
  return {};
}

// Collects every name that the nodes of a body read, bodies inside bodies included.
Status CollectBodyUses(std::string_view graph, int depth, std::vector<std::string_view>& uses) {
  if (depth > kMaxBodyDepth) {
    return DataLossError("onnx: graph bodies nested deeper than 8: the file is malformed");
  }
  WireReader reader(graph);
  WireField field;
  while (reader.Next(field)) {
    if (field.type != WireType::kBytes) {
      continue;
    }
    if (field.number == kGraphOutput) {
      // A body may hand an outer value through as its output.
      WireReader output(field.bytes);
      WireField part;
      while (output.Next(part)) {
        if (part.number == 1 && part.type == WireType::kBytes) {
          uses.push_back(part.bytes);
        }
      }
    }
    if (field.number != kGraphNode) {
      continue;
    }
    WireReader node(field.bytes);
    WireField part;
    while (node.Next(part)) {
      if (part.number == kNodeInput && part.type == WireType::kBytes) {
        uses.push_back(part.bytes);
      } else if (part.number == kNodeAttribute && part.type == WireType::kBytes) {
        WireReader attribute(part.bytes);
        WireField value;
        while (attribute.Next(value)) {
          if ((value.number == kAttributeGraph || value.number == kAttributeGraphs) &&
              value.type == WireType::kBytes) {
            SOTTO_RETURN_IF_ERROR(CollectBodyUses(value.bytes, depth + 1, uses));
          }
        }
        SOTTO_RETURN_IF_ERROR(attribute.status());
      }
    }
    SOTTO_RETURN_IF_ERROR(node.status());
  }
  return reader.status();
}

OnnxTensorHead TensorHead(std::string_view tensor) {
  OnnxTensorHead head;
  WireReader reader(tensor);
  WireField field;
  while (reader.Next(field)) {
    if (field.number == kTensorDims) {
      if (!AppendInts(field, head.dims, kMaxDims)) {
        break;
      }
    } else if (field.number == kTensorDataType && field.type == WireType::kVarint) {
      head.type = static_cast<OnnxType>(static_cast<int32_t>(field.value));
    }
  }
  return head;
}

template <typename T>
bool AppendRaw(std::string_view raw, std::vector<int64_t>& out) {
  if (raw.size() % sizeof(T) != 0 || raw.size() / sizeof(T) > kMaxConstantInts) {
    return false;
  }
  for (size_t at = 0; at < raw.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, raw.data() + at, sizeof(T));
    out.push_back(static_cast<int64_t>(value));
  }
  return true;
}

std::optional<std::vector<int64_t>> TensorInts(std::string_view tensor) {
  const OnnxTensorHead head = TensorHead(tensor);
  if (head.type != OnnxType::kInt64 && head.type != OnnxType::kInt32) {
    return std::nullopt;
  }
  std::vector<int64_t> values;
  WireReader reader(tensor);
  WireField field;
  while (reader.Next(field)) {
    bool good = true;
    if (field.number == kTensorRawData && field.type == WireType::kBytes) {
      good = head.type == OnnxType::kInt64 ? AppendRaw<int64_t>(field.bytes, values)
                                           : AppendRaw<int32_t>(field.bytes, values);
    } else if (field.number == kTensorInt64Data || field.number == kTensorInt32Data) {
      good = AppendInts(field, values, kMaxConstantInts);
    }
    if (!good) {
      return std::nullopt;
    }
  }
  if (!reader.status().ok()) {
    return std::nullopt;
  }
  return values;
}

// ValueInfoProto: name = 1, type = 2 { tensor_type = 1 { elem_type = 1, shape = 2 { dim = 1 {
// dim_value = 1 } } } }.
Status ParseShape(std::string_view shape, std::vector<int64_t>& dims) {
  WireReader reader(shape);
  WireField field;
  while (reader.Next(field)) {
    if (field.number != 1 || field.type != WireType::kBytes) {
      continue;
    }
    if (dims.size() >= kMaxDims) {
      return DataLossError("onnx: more than 16 dimensions: the file is malformed");
    }
    int64_t size = -1;
    WireReader dim(field.bytes);
    WireField part;
    while (dim.Next(part)) {
      if (part.number == 1 && part.type == WireType::kVarint) {
        size = static_cast<int64_t>(part.value);
      }
    }
    SOTTO_RETURN_IF_ERROR(dim.status());
    dims.push_back(size < 0 ? -1 : size);
  }
  return reader.status();
}

Status ParseTensorType(std::string_view type, OnnxValueInfo& info) {
  WireReader reader(type);
  WireField field;
  while (reader.Next(field)) {
    if (field.number == 1 && field.type == WireType::kVarint) {
      info.type = static_cast<OnnxType>(static_cast<int32_t>(field.value));
    } else if (field.number == 2 && field.type == WireType::kBytes) {
      SOTTO_RETURN_IF_ERROR(ParseShape(field.bytes, info.dims));
    }
  }
  return reader.status();
}

Result<OnnxValueInfo> ParseValueInfo(std::string_view message) {
  OnnxValueInfo info;
  WireReader reader(message);
  WireField field;
  while (reader.Next(field)) {
    if (field.type != WireType::kBytes) {
      continue;
    }
    if (field.number == 1) {
      info.name = field.bytes;
    } else if (field.number == 2) {
      WireReader type(field.bytes);
      WireField part;
      while (type.Next(part)) {
        if (part.number == 1 && part.type == WireType::kBytes) {
          SOTTO_RETURN_IF_ERROR(ParseTensorType(part.bytes, info));
        }
      }
      SOTTO_RETURN_IF_ERROR(type.status());
    }
  }
  SOTTO_RETURN_IF_ERROR(reader.status());
  return info;
}

}  // namespace

std::optional<int64_t> OnnxNode::IntAttribute(std::string_view attribute) const {
  WireReader reader(FindAttribute(message, attribute));
  WireField field;
  while (reader.Next(field)) {
    if (field.number == kAttributeInt && field.type == WireType::kVarint) {
      return static_cast<int64_t>(field.value);
    }
  }
  return std::nullopt;
}

std::vector<int64_t> OnnxNode::IntsAttribute(std::string_view attribute) const {
  std::vector<int64_t> values;
  WireReader reader(FindAttribute(message, attribute));
  WireField field;
  while (reader.Next(field)) {
    if (field.number == kAttributeInts && !AppendInts(field, values, kMaxConstantInts)) {
      return {};
    }
  }
  return values;
}

std::string_view OnnxNode::StringAttribute(std::string_view attribute) const {
  return BytesAttribute(message, attribute, kAttributeString);
}

std::string_view OnnxNode::TensorAttribute(std::string_view attribute) const {
  return BytesAttribute(message, attribute, kAttributeTensor);
}

Result<OnnxGraph> OnnxGraph::Parse(std::string_view model) {
  OnnxGraph graph;
  std::string_view graph_message;
  bool has_graph = false;
  WireReader reader(model);
  WireField field;
  while (reader.Next(field)) {
    if (field.number == kModelGraph && field.type == WireType::kBytes) {
      graph_message = field.bytes;
      has_graph = true;
    } else if (field.number == kModelIrVersion || field.number == kModelOpsetImport ||
               field.number == kModelFunctions) {
      graph.model_fields_.push_back(field.raw);
    }
  }
  SOTTO_RETURN_IF_ERROR(reader.status());
  if (!has_graph) {
    return DataLossError("onnx: no graph in the file: not an ONNX model");
  }
  SOTTO_RETURN_IF_ERROR(graph.ParseGraph(graph_message));
  SOTTO_RETURN_IF_ERROR(graph.Index());
  return graph;
}

Status OnnxGraph::ParseGraph(std::string_view graph) {
  WireReader reader(graph);
  WireField field;
  while (reader.Next(field)) {
    if (field.type != WireType::kBytes) {
      continue;
    }
    switch (field.number) {
      case kGraphNode:
        SOTTO_RETURN_IF_ERROR(AddNode(field.bytes, field.raw));
        break;
      case kGraphInitializer:
        SOTTO_RETURN_IF_ERROR(AddInitializer(field.bytes, field.raw));
        break;
      case kGraphSparseInitializer:
        return UnimplementedError("onnx: sparse weights: not supported");
      case kGraphInput:
      case kGraphOutput: {
        SOTTO_ASSIGN_OR_RETURN(OnnxValueInfo info, ParseValueInfo(field.bytes));
        (field.number == kGraphInput ? inputs_ : outputs_).push_back(std::move(info));
        break;
      }
      default:
        break;
    }
  }
  return reader.status();
}

Status OnnxGraph::AddNode(std::string_view message, std::string_view raw) {
  if (nodes_.size() >= kMaxNodes) {
    return ResourceExhaustedError("onnx: more than 1000000 nodes: no voice is that large");
  }
  OnnxNode node;
  node.message = message;
  node.raw = raw;
  WireReader reader(message);
  WireField field;
  while (reader.Next(field)) {
    if (field.type != WireType::kBytes) {
      continue;
    }
    switch (field.number) {
      case kNodeInput:
        node.inputs.push_back(field.bytes);
        break;
      case kNodeOutput:
        node.outputs.push_back(field.bytes);
        break;
      case kNodeName:
        node.name = field.bytes;
        break;
      case kNodeOpType:
        node.op_type = field.bytes;
        break;
      case kNodeAttribute: {
        WireReader attribute(field.bytes);
        WireField part;
        while (attribute.Next(part)) {
          if ((part.number == kAttributeGraph || part.number == kAttributeGraphs) &&
              part.type == WireType::kBytes) {
            SOTTO_RETURN_IF_ERROR(CollectBodyUses(part.bytes, 1, node.body_uses));
          }
        }
        SOTTO_RETURN_IF_ERROR(attribute.status());
        break;
      }
      default:
        break;
    }
  }
  SOTTO_RETURN_IF_ERROR(reader.status());
  nodes_.push_back(std::move(node));
  return OkStatus();
}

Status OnnxGraph::AddInitializer(std::string_view message, std::string_view raw) {
  OnnxInitializer initializer;
  initializer.message = message;
  initializer.raw = raw;
  WireReader reader(message);
  WireField field;
  while (reader.Next(field)) {
    if (field.number == kTensorName && field.type == WireType::kBytes) {
      initializer.name = field.bytes;
    } else if (field.number == kTensorDataLocation && field.value == 1) {
      return UnimplementedError("onnx: weights in another file: only one-file models are read");
    }
  }
  SOTTO_RETURN_IF_ERROR(reader.status());
  initializers_.push_back(initializer);
  return OkStatus();
}

Status OnnxGraph::Index() {
  for (size_t i = 0; i < initializers_.size(); ++i) {
    initializer_index_.emplace(initializers_[i].name, static_cast<int32_t>(i));
  }
  // Older exporters list every weight among the inputs too.
  std::erase_if(inputs_,
                [&](const OnnxValueInfo& input) { return InitializerOf(input.name) >= 0; });
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const auto index = static_cast<int32_t>(i);
    for (std::string_view output : nodes_[i].outputs) {
      if (!output.empty() && !producers_.emplace(output, index).second) {
        return DataLossError("onnx: a tensor is made twice: the file is malformed");
      }
    }
    for (const auto* reads : {&nodes_[i].inputs, &nodes_[i].body_uses}) {
      for (std::string_view input : *reads) {
        std::vector<int32_t>& readers = consumers_[input];
        if (readers.empty() || readers.back() != index) {
          readers.push_back(index);
        }
      }
    }
  }
  return OkStatus();
}

int32_t OnnxGraph::ProducerOf(std::string_view tensor) const {
  const auto found = producers_.find(tensor);
  return found == producers_.end() ? -1 : found->second;
}

int32_t OnnxGraph::InitializerOf(std::string_view tensor) const {
  const auto found = initializer_index_.find(tensor);
  return found == initializer_index_.end() ? -1 : found->second;
}

bool OnnxGraph::IsInput(std::string_view tensor) const {
  return std::any_of(inputs_.begin(), inputs_.end(),
                     [&](const OnnxValueInfo& input) { return input.name == tensor; });
}

const std::vector<int32_t>& OnnxGraph::ConsumersOf(std::string_view tensor) const {
  static const std::vector<int32_t> kNone;
  const auto found = consumers_.find(tensor);
  return found == consumers_.end() ? kNone : found->second;
}

std::optional<std::vector<int64_t>> OnnxGraph::ConstantInts(std::string_view tensor) const {
  if (const int32_t index = InitializerOf(tensor); index >= 0) {
    return TensorInts(initializers_[static_cast<size_t>(index)].message);
  }
  const int32_t producer = ProducerOf(tensor);
  if (producer < 0 || nodes_[static_cast<size_t>(producer)].op_type != "Constant") {
    return std::nullopt;
  }
  const std::string_view value = nodes_[static_cast<size_t>(producer)].TensorAttribute("value");
  return value.empty() ? std::nullopt : TensorInts(value);
}

std::optional<OnnxTensorHead> OnnxGraph::InitializerHead(std::string_view tensor) const {
  const int32_t index = InitializerOf(tensor);
  if (index < 0) {
    return std::nullopt;
  }
  return TensorHead(initializers_[static_cast<size_t>(index)].message);
}

}  // namespace sotto
