#include "backends/gates/onnx_tensors.h"

#include <algorithm>
#include <string>
#include <utility>

namespace sotto {
namespace {

// The gate models nest 4 deep and hold about 60 tensors a graph.
constexpr int kMaxDepth = 16;
constexpr size_t kMaxGraphs = 256;
constexpr size_t kMaxTensors = 4096;
constexpr size_t kMaxDims = 8;

// Field numbers of onnx.proto (ONNX 1.x, unchanged since IR version 3).
constexpr uint32_t kModelGraph = 7;
constexpr uint32_t kGraphNode = 1;
constexpr uint32_t kGraphInitializer = 5;
constexpr uint32_t kNodeAttribute = 5;
constexpr uint32_t kAttributeTensor = 5;
constexpr uint32_t kAttributeGraph = 6;
constexpr uint32_t kAttributeGraphs = 11;
constexpr uint32_t kTensorDims = 1;
constexpr uint32_t kTensorType = 2;
constexpr uint32_t kTensorName = 8;
constexpr uint32_t kTensorRaw = 9;
constexpr uint64_t kTypeFloat = 1;

Status Malformed(std::string_view what) {
  return DataLossError("onnx: " + std::string(what) + ": malformed or cut");
}

struct Field {
  uint32_t number = 0;
  uint32_t wire_type = 0;
  uint64_t value = 0;                // wire type 0
  std::span<const std::byte> bytes;  // wire type 2
};

// Reads the fields of one message, one after another.
class FieldReader {
 public:
  explicit FieldReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool done() const { return bytes_.empty(); }

  Result<Field> Next() {
    uint64_t key = 0;
    if (!Varint(&key) || key >> 3 == 0 || key >> 3 > 0x1fffffff) {
      return Malformed("field key");
    }
    Field field;
    field.number = static_cast<uint32_t>(key >> 3);
    field.wire_type = static_cast<uint32_t>(key & 7);
    switch (field.wire_type) {
      case 0:
        return Varint(&field.value) ? Result<Field>(field) : Malformed("number");
      case 1:
        return Take(8, &field.bytes) ? Result<Field>(field) : Malformed("64-bit value");
      case 2: {
        uint64_t length = 0;
        return Varint(&length) && Take(length, &field.bytes) ? Result<Field>(field)
                                                             : Malformed("block");
      }
      case 5:
        return Take(4, &field.bytes) ? Result<Field>(field) : Malformed("32-bit value");
      default:
        return Malformed("wire type");
    }
  }

  bool Varint(uint64_t* value) {
    *value = 0;
    for (size_t k = 0; k < 10 && k < bytes_.size(); ++k) {
      const uint64_t byte = std::to_integer<uint64_t>(bytes_[k]);
      if (k == 9 && byte > 1) {
        return false;  // more than 64 bits
      }
      *value |= (byte & 0x7f) << (7 * k);
      if ((byte & 0x80) == 0) {
        bytes_ = bytes_.subspan(k + 1);
        return true;
      }
    }
    return false;
  }

 private:
  bool Take(uint64_t count, std::span<const std::byte>* out) {
    if (count > bytes_.size()) {
      return false;
    }
    *out = bytes_.first(static_cast<size_t>(count));
    bytes_ = bytes_.subspan(static_cast<size_t>(count));
    return true;
  }

  std::span<const std::byte> bytes_;
};

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Walker {
 public:
  Status Model(std::span<const std::byte> bytes) {
    FieldReader fields(bytes);
    while (!fields.done()) {
      SOTTO_ASSIGN_OR_RETURN(const Field field, fields.Next());
      if (field.number == kModelGraph && field.wire_type == 2) {
        SOTTO_RETURN_IF_ERROR(Graph(field.bytes, 0));
      }
    }
    return graphs_.empty() ? Malformed("no graph") : OkStatus();
  }

  std::vector<OnnxGraph> TakeGraphs() { return std::move(graphs_); }

 private:
  Status Graph(std::span<const std::byte> bytes, int depth) {
    if (depth > kMaxDepth || graphs_.size() >= kMaxGraphs) {
      return DataLossError("onnx: graphs nested too deep or too many");
    }
    const size_t graph = graphs_.size();
    graphs_.emplace_back();
    FieldReader fields(bytes);
    while (!fields.done()) {
      SOTTO_ASSIGN_OR_RETURN(const Field field, fields.Next());
      if (field.wire_type != 2) {
        continue;
      }
      if (field.number == kGraphInitializer) {
        SOTTO_RETURN_IF_ERROR(Tensor(field.bytes, graph));
      } else if (field.number == kGraphNode) {
        SOTTO_RETURN_IF_ERROR(Node(field.bytes, graph, depth));
      }
    }
    return OkStatus();
  }

  Status Node(std::span<const std::byte> bytes, size_t graph, int depth) {
    FieldReader fields(bytes);
    while (!fields.done()) {
      SOTTO_ASSIGN_OR_RETURN(const Field field, fields.Next());
      if (field.number == kNodeAttribute && field.wire_type == 2) {
        SOTTO_RETURN_IF_ERROR(Attribute(field.bytes, graph, depth));
      }
    }
    return OkStatus();
  }

  Status Attribute(std::span<const std::byte> bytes, size_t graph, int depth) {
    FieldReader fields(bytes);
    while (!fields.done()) {
      SOTTO_ASSIGN_OR_RETURN(const Field field, fields.Next());
      if (field.wire_type != 2) {
        continue;
      }
      if (field.number == kAttributeTensor) {
        SOTTO_RETURN_IF_ERROR(Tensor(field.bytes, graph));
      } else if (field.number == kAttributeGraph || field.number == kAttributeGraphs) {
        SOTTO_RETURN_IF_ERROR(Graph(field.bytes, depth + 1));
      }
    }
    return OkStatus();
  }

  // Dimensions come one a field or packed into one.
  static Status Dims(const Field& field, std::vector<int64_t>* dims) {
    if (field.wire_type == 0) {
      dims->push_back(static_cast<int64_t>(field.value));
    } else if (field.wire_type == 2) {
      FieldReader packed(field.bytes);
      while (!packed.done()) {
        uint64_t value = 0;
        if (!packed.Varint(&value)) {
          return Malformed("tensor shape");
        }
        dims->push_back(static_cast<int64_t>(value));
        if (dims->size() > kMaxDims) {
          break;
        }
      }
    }
    return dims->size() > kMaxDims ? Malformed("tensor shape") : OkStatus();
  }

  Status Tensor(std::span<const std::byte> bytes, size_t graph) {
    OnnxTensor tensor;
    uint64_t type = 0;
    FieldReader fields(bytes);
    while (!fields.done()) {
      SOTTO_ASSIGN_OR_RETURN(const Field field, fields.Next());
      if (field.number == kTensorDims) {
        SOTTO_RETURN_IF_ERROR(Dims(field, &tensor.dims));
      } else if (field.number == kTensorType && field.wire_type == 0) {
        type = field.value;
      } else if (field.number == kTensorName && field.wire_type == 2) {
        tensor.name = AsText(field.bytes);
      } else if (field.number == kTensorRaw && field.wire_type == 2) {
        tensor.data = field.bytes;
      }
    }
    if (type != kTypeFloat) {
      return OkStatus();
    }
    uint64_t count = 1;
    for (const int64_t dim : tensor.dims) {
      if (dim < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(dim), &count)) {
        return Malformed("tensor shape");
      }
    }
    if (tensor.data.size() % 4 != 0 || tensor.data.size() / 4 != count) {
      return Malformed("tensor data");
    }
    if (++tensors_ > kMaxTensors) {
      return DataLossError("onnx: more than " + std::to_string(kMaxTensors) + " tensors");
    }
    graphs_[graph].push_back(std::move(tensor));
    return OkStatus();
  }

  std::vector<OnnxGraph> graphs_;
  size_t tensors_ = 0;
};

}  // namespace

bool OnnxTensor::HasShape(std::span<const int64_t> shape) const {
  return std::equal(dims.begin(), dims.end(), shape.begin(), shape.end());
}

Result<std::vector<OnnxGraph>> ReadOnnxTensors(std::span<const std::byte> bytes) {
  Walker walker;
  SOTTO_RETURN_IF_ERROR(walker.Model(bytes));
  return walker.TakeGraphs();
}

}  // namespace sotto
