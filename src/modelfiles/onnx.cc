#include "modelfiles/onnx.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "modelfiles/byte_reader.h"
#include "modelfiles/protobuf_reader.h"

namespace sotto {
namespace {

constexpr int kMaxDepth = 32;
constexpr int64_t kMinIr = 3;  // initializers outside of the inputs, and so on, came with it
constexpr int64_t kMaxIr = 14;
constexpr int64_t kMinOpset = 7;
constexpr int64_t kMaxOpset = 30;
constexpr uint64_t kMaxNodes = 1u << 20;
constexpr size_t kMaxRank = 32;
constexpr uint64_t kExternal = 1;  // TensorProto.DataLocation

// Field numbers of onnx.proto.
namespace model {
constexpr uint32_t kIrVersion = 1, kProducer = 2, kGraph = 7, kOpset = 8, kFunctions = 25;
}
namespace graph {
constexpr uint32_t kNode = 1, kInitializer = 5, kInput = 11, kOutput = 12, kSparse = 15;
}
namespace node {
constexpr uint32_t kAttribute = 5, kDomain = 7;
}
namespace attribute {
constexpr uint32_t kTensor = 5, kGraph = 6, kTensors = 10, kGraphs = 11;
}
namespace tensor {
constexpr uint32_t kDims = 1, kType = 2, kName = 8, kRaw = 9, kExternalData = 13, kLocation = 14;
}

// Bytes of an element in raw_data; nullopt for strings, packed and unknown types.
std::optional<uint64_t> RawElementBytes(uint64_t type) {
  switch (type) {
    case 2:  // uint8
    case 3:  // int8
    case 9:  // bool
      return 1;
    case 4:   // uint16
    case 5:   // int16
    case 10:  // float16
    case 16:  // bfloat16
      return 2;
    case 1:   // float
    case 6:   // int32
    case 12:  // uint32
      return 4;
    case 7:   // int64
    case 11:  // double
    case 13:  // uint64
      return 8;
    default:
      return std::nullopt;
  }
}

bool IsKnownDomain(std::string_view domain) {
  constexpr std::array<std::string_view, 4> kDomains{"", "ai.onnx", "ai.onnx.ml", "com.microsoft"};
  return std::find(kDomains.begin(), kDomains.end(), domain) != kDomains.end();
}

Status OnnxError(const std::string& file, std::string_view field, std::string_view what) {
  std::string message = "model: " + file + ": onnx field ";
  message += field;
  message += ": ";
  message += what;
  return DataLossError(std::move(message));
}

class Validator {
 public:
  explicit Validator(const std::string& file) : file_(file) {}

  Result<OnnxSummary> Run(std::span<const std::byte> bytes) {
    std::optional<std::span<const std::byte>> main_graph;
    ProtobufReader message(bytes);
    while (message.Next()) {
      switch (message.field()) {
        case model::kIrVersion:
          out_.ir_version = static_cast<int64_t>(message.number());
          break;
        case model::kProducer:
          out_.producer = message.text().substr(0, 256);
          break;
        case model::kGraph:
          if (main_graph) {
            return Bad("graph", "appears twice");
          }
          main_graph = message.bytes();
          break;
        case model::kOpset:
          SOTTO_RETURN_IF_ERROR(ReadOpset(message.bytes()));
          break;
        case model::kFunctions:
          return Bad("functions", "models with functions of their own are not taken");
        default:
          break;
      }
    }
    if (!message.ok() || !main_graph) {
      return Bad("model", message.ok() ? "has no graph: not an ONNX model"
                                       : "is no protobuf message: cut short or damaged");
    }
    SOTTO_RETURN_IF_ERROR(CheckVersions());
    SOTTO_RETURN_IF_ERROR(ReadGraph(*main_graph, 0));
    std::erase_if(out_.inputs,
                  [&](const OnnxValue& input) { return initializers_.contains(input.name); });
    return std::move(out_);
  }

 private:
  Status Bad(std::string_view field, std::string_view what) const {
    return OnnxError(file_, field, what);
  }
  Status Broken(std::string_view field) const { return Bad(field, "cut short or damaged"); }

  Status ReadOpset(std::span<const std::byte> bytes) {
    ProtobufReader message(bytes);
    std::string_view domain;
    int64_t version = 0;
    while (message.Next()) {
      if (message.field() == 1) {
        domain = message.text();
      } else if (message.field() == 2) {
        version = static_cast<int64_t>(message.number());
      }
    }
    if (!message.ok()) {
      return Broken("opset_import");
    }
    // Exporters list domains that they do not use, so only nodes are held to the known ones.
    out_.opsets.emplace(domain == "ai.onnx" ? "" : domain, version);
    return OkStatus();
  }

  Status CheckVersions() const {
    if (out_.ir_version < kMinIr || out_.ir_version > kMaxIr) {
      return Bad("ir_version", std::to_string(out_.ir_version) + ": 3 to 14 are taken");
    }
    const auto opset = out_.opsets.find("");
    if (opset == out_.opsets.end() || opset->second < kMinOpset || opset->second > kMaxOpset) {
      return Bad("opset_import", "missing, or not 7 to 30");
    }
    return OkStatus();
  }

  Status ReadGraph(std::span<const std::byte> bytes, int depth) {
    if (depth > kMaxDepth) {
      return Bad("graph", "nested deeper than 32");
    }
    ProtobufReader message(bytes);
    while (message.Next()) {
      switch (message.field()) {
        case graph::kNode:
          SOTTO_RETURN_IF_ERROR(ReadNode(message.bytes(), depth));
          break;
        case graph::kInitializer:
          SOTTO_RETURN_IF_ERROR(ReadTensor(message.bytes(), depth == 0));
          break;
        case graph::kSparse:
          return Bad("sparse_initializer", "sparse weights are not taken");
        case graph::kInput:
        case graph::kOutput: {
          SOTTO_ASSIGN_OR_RETURN(OnnxValue value, ReadValue(message.bytes()));
          if (depth == 0) {
            (message.field() == graph::kInput ? out_.inputs : out_.outputs)
                .push_back(std::move(value));
          }
          break;
        }
        default:
          break;
      }
    }
    return message.ok() ? OkStatus() : Broken("graph");
  }

  Status ReadNode(std::span<const std::byte> bytes, int depth) {
    if (++out_.node_count > kMaxNodes) {
      return Bad("node", "more than 1048576");
    }
    ProtobufReader message(bytes);
    while (message.Next()) {
      if (message.field() == node::kDomain && !IsKnownDomain(message.text())) {
        return Bad("node[" + std::to_string(out_.node_count - 1) + "].domain",
                   "an operator that ONNX Runtime does not have");
      }
      if (message.field() == node::kAttribute) {
        SOTTO_RETURN_IF_ERROR(ReadAttribute(message.bytes(), depth));
      }
    }
    return message.ok() ? OkStatus() : Broken("node");
  }

  Status ReadAttribute(std::span<const std::byte> bytes, int depth) {
    ProtobufReader message(bytes);
    while (message.Next()) {
      if (message.field() == attribute::kGraph || message.field() == attribute::kGraphs) {
        SOTTO_RETURN_IF_ERROR(ReadGraph(message.bytes(), depth + 1));
      } else if (message.field() == attribute::kTensor || message.field() == attribute::kTensors) {
        SOTTO_RETURN_IF_ERROR(ReadTensor(message.bytes(), false));
      }
    }
    return message.ok() ? OkStatus() : Broken("attribute");
  }

  // Dims are a repeated int64, each in a field of its own or packed into one.
  static bool ReadDims(const ProtobufReader& message, std::vector<uint64_t>& dims) {
    if (message.is_number()) {
      dims.push_back(message.number());
      return dims.size() <= kMaxRank;
    }
    uint64_t value = 0;
    uint32_t shift = 0;
    for (const std::byte byte : message.bytes()) {
      if (shift > 63 || dims.size() > kMaxRank) {
        return false;
      }
      value |= uint64_t{std::to_integer<uint8_t>(byte) & 0x7Fu} << shift;
      shift += 7;
      if ((std::to_integer<uint8_t>(byte) & 0x80u) == 0) {
        dims.push_back(value);
        value = 0;
        shift = 0;
      }
    }
    return shift == 0 && dims.size() <= kMaxRank;
  }

  Status ReadTensor(std::span<const std::byte> bytes, bool is_main_initializer) {
    ProtobufReader message(bytes);
    std::vector<uint64_t> dims;
    uint64_t type = 0;
    std::optional<uint64_t> raw_bytes;
    std::string_view name;
    while (message.Next()) {
      switch (message.field()) {
        case tensor::kDims:
          if (!ReadDims(message, dims)) {
            return Broken("initializer.dims");
          }
          break;
        case tensor::kType:
          type = message.number();
          break;
        case tensor::kName:
          name = message.text();
          break;
        case tensor::kRaw:
          raw_bytes = message.bytes().size();
          break;
        case tensor::kExternalData:
          return Bad("initializer.external_data", "weights in another file are not taken");
        case tensor::kLocation:
          if (message.number() == kExternal) {
            return Bad("initializer.data_location", "weights in another file are not taken");
          }
          break;
        default:
          break;
      }
    }
    if (!message.ok()) {
      return Broken("initializer");
    }
    uint64_t size_bytes = RawElementBytes(type).value_or(1);
    for (const uint64_t dim : dims) {
      if (!CheckedMul(size_bytes, dim, size_bytes)) {
        return Bad("initializer.dims", "too large");
      }
    }
    if (raw_bytes && RawElementBytes(type) && *raw_bytes != size_bytes) {
      return Bad("initializer.raw_data", std::to_string(*raw_bytes) + " bytes: the shape says " +
                                             std::to_string(size_bytes));
    }
    if (is_main_initializer) {
      ++out_.initializer_count;
      initializers_.insert(name);
    }
    out_.weights_bytes += raw_bytes.value_or(0);
    return OkStatus();
  }

  Result<OnnxValue> ReadValue(std::span<const std::byte> bytes) const {
    OnnxValue value;
    ProtobufReader message(bytes);
    while (message.Next()) {
      if (message.field() == 1) {
        value.name = message.text();
      } else if (message.field() == 2) {
        SOTTO_RETURN_IF_ERROR(ReadType(message.bytes(), value));
      }
    }
    if (!message.ok()) {
      return Broken("value");
    }
    return value;
  }

  // TypeProto; only tensors (field 1) have an element type here.
  Status ReadType(std::span<const std::byte> bytes, OnnxValue& value) const {
    ProtobufReader type(bytes);
    while (type.Next()) {
      if (type.field() != 1) {
        continue;
      }
      ProtobufReader message(type.bytes());
      while (message.Next()) {
        if (message.field() == 1) {
          value.element_type = static_cast<int32_t>(std::min<uint64_t>(message.number(), 1000));
        } else if (message.field() == 2) {
          SOTTO_RETURN_IF_ERROR(ReadShape(message.bytes(), value));
        }
      }
      if (!message.ok()) {
        return Broken("value.type");
      }
    }
    return type.ok() ? OkStatus() : Broken("value.type");
  }

  Status ReadShape(std::span<const std::byte> bytes, OnnxValue& value) const {
    value.has_shape = true;
    ProtobufReader shape(bytes);
    while (shape.Next()) {
      if (shape.field() != 1) {
        continue;
      }
      int64_t size = kOnnxAnyDim;
      ProtobufReader dim(shape.bytes());
      while (dim.Next()) {
        if (dim.field() == 1 && dim.is_number()) {
          size = static_cast<int64_t>(dim.number());
        }
      }
      if (!dim.ok() || value.dims.size() >= kMaxRank) {
        return Broken("value.shape");
      }
      value.dims.push_back(size < 0 ? kOnnxAnyDim : size);
    }
    return shape.ok() ? OkStatus() : Broken("value.shape");
  }

  const std::string& file_;
  OnnxSummary out_;
  std::set<std::string_view, std::less<>> initializers_;
};

const OnnxValue* FindValue(std::span<const OnnxValue> values, std::string_view name) {
  for (const OnnxValue& value : values) {
    if (value.name == name) {
      return &value;
    }
  }
  return nullptr;
}

Status CheckValues(const std::string& file, std::string_view side,
                   std::span<const OnnxValue> wanted, std::span<const OnnxValue> found) {
  for (const OnnxValue& want : wanted) {
    const std::string field = std::string(side) + " " + want.name;
    const OnnxValue* value = FindValue(found, want.name);
    if (value == nullptr) {
      return OnnxError(file, field, "missing: the file is another model");
    }
    if (value->element_type != want.element_type) {
      return OnnxError(file, field,
                       "element type " + std::to_string(value->element_type) + ": want " +
                           std::to_string(want.element_type));
    }
    if (!want.has_shape || !value->has_shape) {
      continue;
    }
    if (value->dims.size() != want.dims.size()) {
      return OnnxError(file, field,
                       "rank " + std::to_string(value->dims.size()) + ": want " +
                           std::to_string(want.dims.size()));
    }
    for (size_t i = 0; i < want.dims.size(); ++i) {
      if (want.dims[i] != kOnnxAnyDim && value->dims[i] != kOnnxAnyDim &&
          want.dims[i] != value->dims[i]) {
        return OnnxError(file, field,
                         "dimension " + std::to_string(i) + " is " +
                             std::to_string(value->dims[i]) + ": want " +
                             std::to_string(want.dims[i]));
      }
    }
  }
  return OkStatus();
}

}  // namespace

Result<OnnxSummary> ValidateOnnx(const std::string& file, std::span<const std::byte> bytes) {
  return Validator(file).Run(bytes);
}

Status CheckOnnxIo(const std::string& file, const OnnxSummary& summary,
                   std::span<const OnnxValue> inputs, std::span<const OnnxValue> outputs) {
  SOTTO_RETURN_IF_ERROR(CheckValues(file, "input", inputs, summary.inputs));
  SOTTO_RETURN_IF_ERROR(CheckValues(file, "output", outputs, summary.outputs));
  for (const OnnxValue& input : summary.inputs) {
    if (FindValue(inputs, input.name) == nullptr) {
      return OnnxError(file, "input", "one more than this model has: the file is another model");
    }
  }
  return OkStatus();
}

}  // namespace sotto
