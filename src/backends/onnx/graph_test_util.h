// Builds small ONNX models byte by byte, for tests.
#ifndef SOTTO_BACKENDS_ONNX_GRAPH_TEST_UTIL_H_
#define SOTTO_BACKENDS_ONNX_GRAPH_TEST_UTIL_H_

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backends/onnx/graph.h"
#include "backends/onnx/wire.h"

namespace sotto {

struct TestAttribute {
  std::string name;
  int64_t value = 0;            // used when `values` is empty
  std::vector<int64_t> values;  // INTS
};

class TestModel {
 public:
  TestModel& Input(const std::string& name, std::vector<int64_t> dims,
                   OnnxType type = OnnxType::kFloat) {
    WireWriter(graph_).Bytes(11, ValueInfo(name, type, dims));
    return *this;
  }
  TestModel& Output(const std::string& name, OnnxType type = OnnxType::kFloat) {
    WireWriter(graph_).Bytes(12, ValueInfo(name, type, {}));
    return *this;
  }
  TestModel& Floats(const std::string& name, std::vector<int64_t> dims,
                    const std::vector<float>& values) {
    std::string raw;
    for (const float value : values) {
      const auto bits = std::bit_cast<uint32_t>(value);
      for (int shift = 0; shift < 32; shift += 8) {
        raw.push_back(static_cast<char>((bits >> shift) & 0xffu));
      }
    }
    return Tensor(name, OnnxType::kFloat, dims, raw);
  }
  TestModel& Ints(const std::string& name, const std::vector<int64_t>& values) {
    std::string raw;
    for (const int64_t value : values) {
      for (int shift = 0; shift < 64; shift += 8) {
        raw.push_back(static_cast<char>((static_cast<uint64_t>(value) >> shift) & 0xffu));
      }
    }
    return Tensor(name, OnnxType::kInt64, {static_cast<int64_t>(values.size())}, raw);
  }
  TestModel& Node(const std::string& op, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& outputs,
                  const std::vector<TestAttribute>& attributes = {}) {
    std::string node;
    WireWriter writer(node);
    for (const std::string& input : inputs) {
      writer.Bytes(1, input);
    }
    for (const std::string& output : outputs) {
      writer.Bytes(2, output);
    }
    writer.Bytes(4, op);
    for (const TestAttribute& attribute : attributes) {
      writer.Bytes(5, Attribute(attribute));
    }
    WireWriter(graph_).Bytes(1, node);
    return *this;
  }
  std::string Build() const {
    std::string opset;
    WireWriter(opset).Varint(2, 15);
    std::string model;
    WireWriter writer(model);
    writer.Varint(1, 8);
    std::string graph = graph_;
    WireWriter(graph).Bytes(2, "test");
    writer.Bytes(7, graph);
    writer.Bytes(8, opset);
    return model;
  }

 private:
  static std::string ValueInfo(const std::string& name, OnnxType type,
                               const std::vector<int64_t>& dims) {
    std::string tensor;
    WireWriter(tensor).Varint(1, static_cast<uint64_t>(type));
    if (!dims.empty()) {
      std::string shape;
      for (const int64_t size : dims) {
        std::string dim;
        if (size >= 0) {
          WireWriter(dim).Varint(1, static_cast<uint64_t>(size));
        }
        WireWriter(shape).Bytes(1, dim);
      }
      WireWriter(tensor).Bytes(2, shape);
    }
    std::string type_message;
    WireWriter(type_message).Bytes(1, tensor);
    std::string info;
    WireWriter(info).Bytes(1, name);
    WireWriter(info).Bytes(2, type_message);
    return info;
  }
  static std::string Attribute(const TestAttribute& attribute) {
    std::string message;
    WireWriter writer(message);
    writer.Bytes(1, attribute.name);
    if (attribute.values.empty()) {
      writer.Varint(3, static_cast<uint64_t>(attribute.value));
      writer.Varint(20, 2);
    } else {
      for (const int64_t value : attribute.values) {
        writer.Varint(8, static_cast<uint64_t>(value));
      }
      writer.Varint(20, 7);
    }
    return message;
  }
  TestModel& Tensor(const std::string& name, OnnxType type, const std::vector<int64_t>& dims,
                    const std::string& raw) {
    std::string tensor;
    WireWriter writer(tensor);
    for (const int64_t size : dims) {
      writer.Varint(1, static_cast<uint64_t>(size));
    }
    writer.Varint(2, static_cast<uint64_t>(type));
    writer.Bytes(8, name);
    writer.Bytes(9, raw);
    WireWriter(graph_).Bytes(5, tensor);
    return *this;
  }

  std::string graph_;
};

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_GRAPH_TEST_UTIL_H_
