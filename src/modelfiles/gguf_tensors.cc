#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "modelfiles/gguf_checks.h"

namespace sotto {
namespace {

// Integer tables that some architectures look tokens up in.
bool IsTable(std::string_view name) {
  return name.find("tid2eid") != std::string_view::npos ||
         name.find("ordering") != std::string_view::npos || name.starts_with("d2t") ||
         name.starts_with("t2d");
}

Status CheckType(const std::string& file, const GgufTensor& tensor) {
  const std::string name(tensor.name);
  if (!tensor.type->is_weight && !IsTable(tensor.name)) {
    return GgufError(file, "tensor " + name + ".type",
                     std::string(tensor.type->name) + ": not a type of weights");
  }
  // ggml-cpu stops the process at a product of f32 with a vector of another type.
  if (tensor.dims.size() == 1 && tensor.type->is_weight && tensor.type->number != 0) {
    return GgufError(file, "tensor " + name + ".type",
                     std::string(tensor.type->name) + ": norms and biases are f32");
  }
  return OkStatus();
}

// blk.N. with an N that is a block.
Status CheckBlockNumber(const std::string& file, const GgufTensor& tensor, uint32_t blocks) {
  constexpr std::string_view kPrefix = "blk.";
  if (!tensor.name.starts_with(kPrefix)) {
    return OkStatus();
  }
  uint32_t block = 0;
  const char* first = tensor.name.data() + kPrefix.size();
  const char* last = tensor.name.data() + tensor.name.size();
  const auto [end, error] = std::from_chars(first, last, block);
  if (error != std::errc() || end == last || *end != '.' || block >= blocks) {
    return GgufError(file, "tensor " + std::string(tensor.name) + ".name",
                     "not of one of the " + std::to_string(blocks) + " blocks");
  }
  return OkStatus();
}

std::string DescribeTypes(const std::map<std::string_view, uint64_t>& bytes_by_type,
                          uint64_t total_bytes) {
  std::vector<std::pair<uint64_t, std::string_view>> sorted;
  for (const auto& [name, size_bytes] : bytes_by_type) {
    sorted.emplace_back(size_bytes, name);
  }
  std::sort(sorted.rbegin(), sorted.rend());
  std::string text;
  for (const auto& [size_bytes, name] : sorted) {
    const double percent =
        100.0 * static_cast<double>(size_bytes) / static_cast<double>(total_bytes);
    text += text.empty() ? "" : ", ";
    text += std::string(name) + " " + std::to_string(static_cast<int>(percent + 0.5)) + "%";
  }
  return text;
}

}  // namespace

Status CheckTensors(const std::string& file, const GgufFile& gguf, GgufSummary& summary) {
  if (gguf.tensors().empty()) {
    return GgufError(file, "tensor_count", "0: the file holds no weights");
  }
  std::map<std::string_view, uint64_t> bytes_by_type;
  for (const GgufTensor& tensor : gguf.tensors()) {
    SOTTO_RETURN_IF_ERROR(CheckType(file, tensor));
    SOTTO_RETURN_IF_ERROR(CheckBlockNumber(file, tensor, summary.block_count()));
    uint64_t elements = 1;
    for (const uint64_t dim : tensor.dims) {
      elements *= dim;  // GgmlTensorBytes has checked the product
    }
    summary.parameter_count += elements;
    summary.weights_bytes += tensor.size_bytes;
    bytes_by_type[tensor.type->name] += tensor.size_bytes;
  }
  summary.tensor_count = gguf.tensors().size();
  summary.quantisation = DescribeTypes(bytes_by_type, summary.weights_bytes);

  const GgufTensor* tokens = gguf.FindTensor("token_embd.weight");
  if (tokens == nullptr) {
    return summary.needs_target ? OkStatus() : GgufError(file, "token_embd.weight", "missing");
  }
  if (tokens->dims.size() != 2 || tokens->dims[0] != summary.embedding_dim ||
      tokens->dims[1] != summary.vocab_size) {
    return GgufError(file, "token_embd.weight.dims",
                     "want " + std::to_string(summary.embedding_dim) + " x " +
                         std::to_string(summary.vocab_size) + ", embedding by vocabulary");
  }
  return OkStatus();
}

}  // namespace sotto
