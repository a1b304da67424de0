#include "modelfiles/onnx.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "modelfiles/tiny_models.h"

namespace sotto {
namespace {

constexpr const char* kFile = "tiny.onnx";

Result<OnnxSummary> Validate(const std::string& bytes) {
  return ValidateOnnx(kFile, AsBytes(bytes));
}

std::string Replaced(std::string bytes, const std::string& from, const std::string& to) {
  const size_t at = bytes.find(from);
  EXPECT_NE(at, std::string::npos);
  return bytes.replace(at, from.size(), to);
}

TEST(Onnx, ASoundModelIsDescribed) {
  const Result<OnnxSummary> summary = Validate(MakeTinyOnnx());
  ASSERT_TRUE(summary.ok()) << summary.status().ToString();
  EXPECT_EQ(summary->ir_version, 8);
  EXPECT_EQ(summary->opsets.at(""), 15);
  EXPECT_EQ(summary->node_count, 1u);
  EXPECT_EQ(summary->initializer_count, 1u);
  EXPECT_EQ(summary->weights_bytes, 16u);
  ASSERT_EQ(summary->inputs.size(), 1u);
  EXPECT_EQ(summary->inputs[0].name, "x");
  EXPECT_EQ(summary->inputs[0].element_type, kOnnxFloat);
  EXPECT_EQ(summary->inputs[0].dims, (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(summary->outputs[0].name, "y");
}

TEST(Onnx, EveryCutIsRefused) {
  const std::string model = MakeTinyOnnx();
  for (size_t size = 0; size < model.size(); ++size) {
    const Result<OnnxSummary> summary = Validate(model.substr(0, size));
    ASSERT_FALSE(summary.ok()) << size;
    EXPECT_EQ(summary.status().code(), Code::kDataLoss);
  }
}

TEST(Onnx, EveryChangedByteIsAnAnswer) {
  const std::string model = MakeTinyOnnx();
  for (size_t i = 0; i < model.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string mutant = model;
      mutant[i] = static_cast<char>(value);
      const Result<OnnxSummary> summary = Validate(mutant);
      EXPECT_TRUE(summary.ok() || summary.status().code() == Code::kDataLoss);
    }
  }
}

TEST(Onnx, WeightsElsewhereAreRefused) {
  // data_location (field 14) = EXTERNAL in place of the name.
  const Result<OnnxSummary> summary =
      Validate(Replaced(MakeTinyOnnx(), "\x42\x01w", std::string("\x70\x01\x58", 3) /*, pad*/));
  EXPECT_FALSE(summary.ok());
}

TEST(Onnx, NestedGraphsEnd) {
  // Graphs in attributes of nodes in graphs: 60 of them.
  std::string graph;
  const auto field = [](int number, const std::string& value) {
    std::string out(1, static_cast<char>((number << 3) | 2));
    size_t size = value.size();
    for (; size >= 0x80; size >>= 7) {
      out += static_cast<char>((size & 0x7F) | 0x80);
    }
    return out + static_cast<char>(size) + value;
  };
  for (int depth = 0; depth < 60; ++depth) {
    graph = field(1, field(5, field(6, graph)));
  }
  const std::string model =
      std::string("\x08\x08", 2) + field(7, graph) + field(8, std::string("\x10\x0F", 2));
  const Result<OnnxSummary> summary = Validate(model);
  ASSERT_FALSE(summary.ok());
  EXPECT_NE(summary.status().message().find("nested deeper"), std::string::npos);
}

TEST(Onnx, IoIsHeldAgainstTheBackendsList) {
  const Result<OnnxSummary> summary = Validate(MakeTinyOnnx());
  ASSERT_TRUE(summary.ok());
  const std::vector<OnnxValue> x{{"x", kOnnxFloat, true, {kOnnxAnyDim, 4}}};
  const std::vector<OnnxValue> y{{"y", kOnnxFloat, false, {}}};
  EXPECT_TRUE(CheckOnnxIo(kFile, *summary, x, y).ok());
  const auto refused = [&](const std::vector<OnnxValue>& inputs,
                           const std::vector<OnnxValue>& outputs, const std::string& what) {
    const Status status = CheckOnnxIo(kFile, *summary, inputs, outputs);
    EXPECT_EQ(status.code(), Code::kDataLoss);
    EXPECT_NE(status.message().find(what), std::string::npos) << status.message();
  };
  refused({{"z", kOnnxFloat, false, {}}}, y, "input z: missing");
  refused({{"x", kOnnxInt64, false, {}}}, y, "element type 1: want 7");
  refused({{"x", kOnnxFloat, true, {4}}}, y, "rank 2: want 1");
  refused({{"x", kOnnxFloat, true, {1, 5}}}, y, "dimension 1 is 4: want 5");
  refused({}, y, "one more than this model has");
}

}  // namespace
}  // namespace sotto
