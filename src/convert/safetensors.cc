#include "convert/safetensors.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "modelfiles/byte_reader.h"

namespace sotto {
namespace {

using Json = nlohmann::json;

// A BERT of twelve layers takes 24 KB.
constexpr uint64_t kMaxHeaderBytes = 8u << 20;
constexpr size_t kMaxRank = 8;

struct Entry {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string name;
  WeightView view;
};

std::optional<ElementType> TypeOfName(const std::string& name) {
  if (name == "F32") return ElementType::kF32;
  if (name == "F16") return ElementType::kF16;
  if (name == "BF16") return ElementType::kBf16;
  if (name == "I64") return ElementType::kI64;
  return std::nullopt;
}

// An unsigned integer member of an array; false for anything else.
bool ReadUnsigned(const Json& value, uint64_t& out) {
  if (!value.is_number_unsigned()) {
    return false;
  }
  out = value.get<uint64_t>();
  return true;
}

// What is wrong with the entry, or empty.
std::string ReadEntry(const Json& json, std::span<const std::byte> data, Entry& entry) {
  if (!json.is_object() || !json.contains("dtype") || !json.contains("shape") ||
      !json.contains("data_offsets") || !json["dtype"].is_string() || !json["shape"].is_array() ||
      !json["data_offsets"].is_array()) {
    return "dtype, shape or data_offsets missing";
  }
  const std::optional<ElementType> type = TypeOfName(json["dtype"].get<std::string>());
  if (!type) {
    return "dtype: not F32, F16, BF16 or I64";
  }
  entry.view.type = *type;
  uint64_t size_bytes = ElementBytes(*type);
  if (json["shape"].size() > kMaxRank) {
    return "shape: too many dimensions";
  }
  for (const Json& value : json["shape"]) {
    uint64_t dim = 0;
    if (!ReadUnsigned(value, dim) || dim == 0 || !CheckedMul(size_bytes, dim, size_bytes)) {
      return "shape: a dimension is zero, too large or no number";
    }
    entry.view.dims.push_back(dim);
  }
  const Json& offsets = json["data_offsets"];
  if (offsets.size() != 2 || !ReadUnsigned(offsets[0], entry.begin) ||
      !ReadUnsigned(offsets[1], entry.end) || entry.begin > entry.end || entry.end > data.size() ||
      entry.end - entry.begin != size_bytes) {
    return "data_offsets: outside of the file, or not the size of the shape";
  }
  entry.view.data = data.subspan(entry.begin, size_bytes);
  return {};
}

}  // namespace

Result<std::vector<std::pair<std::string, WeightView>>> ReadSafetensors(
    const std::string& file, std::span<const std::byte> bytes) {
  const auto bad = [&](const std::string& what) {
    return DataLossError("convert: " + file + ": " + what);
  };
  ByteReader in(bytes);
  uint64_t header_bytes = 0;
  std::string_view header;
  if (!in.Read(header_bytes) || header_bytes > kMaxHeaderBytes ||
      !in.ReadText(header_bytes, header)) {
    return bad("header size: missing, cut or too large; not a safetensors file");
  }
  std::span<const std::byte> data;
  if (!in.ReadSpan(in.remaining_bytes(), data)) {
    return bad("data: missing");
  }
  const Json json = Json::parse(header, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return bad("header: not a JSON object");
  }
  std::vector<Entry> entries;
  for (const auto& [name, value] : json.items()) {
    if (name == "__metadata__") {
      continue;
    }
    Entry entry;
    entry.name = name;
    if (const std::string what = ReadEntry(value, data, entry); !what.empty()) {
      return bad("tensor " + std::to_string(entries.size()) + " of the header: " + what);
    }
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.begin < b.begin; });
  std::vector<std::pair<std::string, WeightView>> tensors;
  uint64_t end = 0;
  for (Entry& entry : entries) {
    if (entry.begin < end) {
      return bad("data_offsets: tensors overlap");
    }
    end = entry.end;
    tensors.emplace_back(std::move(entry.name), std::move(entry.view));
  }
  return tensors;
}

}  // namespace sotto
