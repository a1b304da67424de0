#include "backends/gates/synthetic_model.h"

#include <cmath>
#include <random>

namespace sotto::testing_support {
namespace {

std::string Varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) {
    out.push_back(static_cast<char>(value | 0x80));
  }
  out.push_back(static_cast<char>(value));
  return out;
}

// Windowed cosines, then sines, of `size` points.
std::vector<float> Basis(size_t size) {
  const size_t bins = size / 2 + 1;
  std::vector<float> basis(2 * bins * size);
  for (size_t bin = 0; bin < bins; ++bin) {
    for (size_t n = 0; n < size; ++n) {
      const double phase = 2.0 * M_PI * static_cast<double>(n) / static_cast<double>(size);
      const double window = 0.5 - 0.5 * std::cos(phase);
      const double turn = phase * static_cast<double>(bin);
      basis[bin * size + n] = static_cast<float>(window * std::cos(turn));
      basis[(bins + bin) * size + n] = static_cast<float>(-window * std::sin(turn));
    }
  }
  return basis;
}

}  // namespace

std::string VarintField(uint32_t number, uint64_t value) {
  return Varint(uint64_t{number} << 3) + Varint(value);
}

std::string BlockField(uint32_t number, std::string_view bytes) {
  return Varint(uint64_t{number} << 3 | 2) + Varint(bytes.size()) + std::string(bytes);
}

std::string TensorBytes(std::string_view name, const std::vector<int64_t>& dims,
                        const std::vector<float>& values) {
  std::string tensor;
  for (const int64_t dim : dims) {
    tensor += VarintField(1, static_cast<uint64_t>(dim));
  }
  tensor += VarintField(2, 1) + BlockField(8, name);
  const auto* raw = reinterpret_cast<const char*>(values.data());
  return tensor + BlockField(9, std::string(raw, raw + values.size() * sizeof(float)));
}

std::string SileroGraph(uint32_t seed, bool nested, std::string_view without) {
  static const struct {
    const char* name;
    std::vector<int64_t> dims;
  } kTensors[] = {{"encoder.0.reparam_conv.weight", {128, 129, 3}},
                  {"encoder.0.reparam_conv.bias", {128}},
                  {"encoder.1.reparam_conv.weight", {64, 128, 3}},
                  {"encoder.1.reparam_conv.bias", {64}},
                  {"encoder.2.reparam_conv.weight", {64, 64, 3}},
                  {"encoder.2.reparam_conv.bias", {64}},
                  {"encoder.3.reparam_conv.weight", {128, 64, 3}},
                  {"encoder.3.reparam_conv.bias", {128}},
                  {"decoder.rnn.weight_ih", {512, 128}},
                  {"decoder.rnn.weight_hh", {512, 128}},
                  {"decoder.rnn.bias_ih", {512}},
                  {"decoder.rnn.bias_hh", {512}},
                  {"decoder.decoder.2.weight", {1, 128, 1}},
                  {"decoder.decoder.2.bias", {1}}};
  std::mt19937 random(seed);
  std::normal_distribution<float> gauss(0.0f, 0.08f);
  std::string graph;
  const auto add = [&](const std::string& tensor) {
    // A Constant node: type, and an attribute that holds the tensor.
    graph += nested
                 ? BlockField(1, BlockField(4, "Constant") +
                                     BlockField(5, BlockField(1, "value") + BlockField(5, tensor)))
                 : BlockField(5, tensor);
  };
  if (without != "stft") {
    add(TensorBytes("model.stft.forward_basis_buffer", {258, 1, 256}, Basis(256)));
  }
  for (const auto& [name, dims] : kTensors) {
    size_t count = 1;
    for (const int64_t dim : dims) {
      count *= static_cast<size_t>(dim);
    }
    std::vector<float> values(count);
    for (float& value : values) {
      value = gauss(random);
    }
    if (without != name) {
      add(TensorBytes(std::string("model.") + name, dims, values));
    }
  }
  return graph;
}

std::string SileroModel(uint32_t seed, bool nested, std::string_view without) {
  const std::string graph = SileroGraph(seed, nested, without);
  if (!nested) {
    return VarintField(1, 8) + BlockField(7, graph);
  }
  const std::string decoy =
      BlockField(5, TensorBytes("stft.forward_basis_buffer", {130, 1, 128}, Basis(128)));
  const std::string branches = BlockField(5, BlockField(1, "else_branch") + BlockField(6, decoy)) +
                               BlockField(5, BlockField(1, "then_branch") + BlockField(6, graph));
  return VarintField(1, 8) + BlockField(7, BlockField(1, BlockField(4, "If") + branches));
}

}  // namespace sotto::testing_support
