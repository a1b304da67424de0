#include "modelfiles/gguf_file.h"

#include <bit>
#include <cstring>
#include <utility>

#include "modelfiles/byte_reader.h"

namespace sotto {
namespace {

constexpr uint32_t kOldestVersion = 2;
constexpr uint32_t kNewestVersion = 3;
// Keys are under 100 and tensors under 3000 in published models.
constexpr uint64_t kMaxKeys = 16384;
constexpr uint64_t kMaxTensors = 65536;
constexpr uint64_t kMaxKeyBytes = 1024;
constexpr uint64_t kMaxNameBytes = 63;       // GGML_MAX_NAME less the closing zero
constexpr uint32_t kMaxDims = 4;             // GGML_MAX_DIMS
constexpr uint64_t kMaxElements = 1u << 30;  // GGUF_MAX_ARRAY_ELEMENTS
constexpr uint64_t kMinAlignmentBytes = 32;  // ggml-cpu maps tensors in place and wants this
constexpr uint64_t kMaxAlignmentBytes = 65536;
constexpr uint64_t kDefaultAlignmentBytes = 32;

// Bytes of a value of fixed size; 0 for strings, arrays and unknown types.
uint64_t FixedBytes(GgufType type) {
  switch (type) {
    case GgufType::kU8:
    case GgufType::kI8:
    case GgufType::kBool:
      return 1;
    case GgufType::kU16:
    case GgufType::kI16:
      return 2;
    case GgufType::kU32:
    case GgufType::kI32:
    case GgufType::kF32:
      return 4;
    case GgufType::kU64:
    case GgufType::kI64:
    case GgufType::kF64:
      return 8;
    case GgufType::kString:
    case GgufType::kArray:
      return 0;
  }
  return 0;
}

template <typename T>
T Load(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

}  // namespace

Status GgufError(const std::string& file, std::string_view field, std::string_view what) {
  std::string message = "model: " + file + ": gguf field ";
  message += field;
  message += ": ";
  message += what;
  return DataLossError(std::move(message));
}

class GgufParser {
 public:
  GgufParser(const std::string& file, std::span<const std::byte> bytes)
      : file_(file), size_bytes_(bytes.size()), in_(bytes) {}

  Result<GgufFile> Run() {
    uint64_t tensor_count = 0;
    uint64_t key_count = 0;
    SOTTO_RETURN_IF_ERROR(ReadHeader(tensor_count, key_count));
    for (uint64_t i = 0; i < key_count; ++i) {
      SOTTO_RETURN_IF_ERROR(ReadKey("key[" + std::to_string(i) + "]"));
    }
    SOTTO_RETURN_IF_ERROR(ReadAlignment());
    for (uint64_t i = 0; i < tensor_count; ++i) {
      SOTTO_RETURN_IF_ERROR(ReadTensor("tensor[" + std::to_string(i) + "]"));
    }
    SOTTO_RETURN_IF_ERROR(PlaceTensors());
    return std::move(out_);
  }

 private:
  Status Bad(std::string_view field, std::string_view what) const {
    return GgufError(file_, field, what);
  }
  Status Cut(std::string_view field) const {
    return Bad(field, "reaches past the end of the file (" + std::to_string(size_bytes_) +
                          " bytes): the file is cut short or damaged; fetch it again");
  }

  Status ReadHeader(uint64_t& tensor_count, uint64_t& key_count) {
    std::string_view magic;
    uint32_t version = 0;
    if (!in_.ReadText(4, magic) || magic != "GGUF") {
      return Bad("magic", "not a GGUF file");
    }
    if (!in_.Read(version)) {
      return Cut("version");
    }
    if (version < kOldestVersion || version > kNewestVersion) {
      return Bad("version", std::to_string(version) + ": versions 2 and 3 are read");
    }
    if (!in_.Read(tensor_count) || !in_.Read(key_count)) {
      return Cut("header");
    }
    if (tensor_count > kMaxTensors) {
      return Bad("tensor_count",
                 std::to_string(tensor_count) + ": limit " + std::to_string(kMaxTensors));
    }
    if (key_count > kMaxKeys) {
      return Bad("key_count", std::to_string(key_count) + ": limit " + std::to_string(kMaxKeys));
    }
    return OkStatus();
  }

  Status ReadKey(const std::string& field) {
    uint64_t length_bytes = 0;
    std::string_view key;
    if (!in_.Read(length_bytes)) {
      return Cut(field);
    }
    if (length_bytes == 0 || length_bytes > kMaxKeyBytes) {
      return Bad(field, std::to_string(length_bytes) + " bytes long: want 1 to " +
                            std::to_string(kMaxKeyBytes));
    }
    uint32_t type = 0;
    if (!in_.ReadText(length_bytes, key) || !in_.Read(type)) {
      return Cut(field);
    }
    GgufValue value;
    value.type = static_cast<GgufType>(type);
    if (value.type == GgufType::kArray) {
      if (!in_.Read(type) || !in_.Read(value.count)) {
        return Cut(field);
      }
      value.is_array = true;
      value.type = static_cast<GgufType>(type);
      if (value.count > kMaxElements) {
        return Bad(field, std::to_string(value.count) + " elements: limit " +
                              std::to_string(kMaxElements));
      }
    }
    SOTTO_RETURN_IF_ERROR(ReadValue(field, type, value));
    if (!out_.values_.emplace(key, value).second) {
      return Bad(field, "a key of this name came before");
    }
    return OkStatus();
  }

  Status ReadValue(const std::string& field, uint32_t type, GgufValue& value) {
    ByteReader start = in_;
    uint64_t value_bytes = 0;
    if (value.type == GgufType::kString) {
      for (uint64_t i = 0; i < value.count; ++i) {
        uint64_t length_bytes = 0;
        if (!in_.Read(length_bytes) || !in_.Skip(length_bytes)) {
          return Cut(field);
        }
      }
      value_bytes = in_.position_bytes() - start.position_bytes();
    } else {
      const uint64_t fixed_bytes = FixedBytes(value.type);
      if (fixed_bytes == 0) {
        return Bad(field, "value type " + std::to_string(type) + ": " +
                              (value.type == GgufType::kArray ? "an array of arrays is not read"
                                                              : "unknown"));
      }
      // In range: at most 2^30 elements of 8 bytes.
      value_bytes = value.count * fixed_bytes;
      if (!in_.Skip(value_bytes)) {
        return Cut(field);
      }
    }
    return start.ReadSpan(value_bytes, value.bytes) ? OkStatus() : Cut(field);
  }

  Status ReadAlignment() {
    const GgufValue* value = out_.Find("general.alignment");
    if (value == nullptr) {
      return OkStatus();
    }
    const std::optional<uint32_t> alignment = out_.U32("general.alignment");
    if (!alignment) {
      return Bad("general.alignment", "not a u32");
    }
    if (!std::has_single_bit(*alignment) || *alignment < kMinAlignmentBytes ||
        *alignment > kMaxAlignmentBytes) {
      return Bad("general.alignment",
                 std::to_string(*alignment) + ": want a power of two from 32 to 65536");
    }
    alignment_bytes_ = *alignment;
    return OkStatus();
  }

  Status ReadTensor(const std::string& field) {
    GgufTensor tensor;
    uint64_t name_bytes = 0;
    if (!in_.Read(name_bytes)) {
      return Cut(field);
    }
    if (name_bytes == 0 || name_bytes > kMaxNameBytes) {
      return Bad(field + ".name", std::to_string(name_bytes) + " bytes long: want 1 to " +
                                      std::to_string(kMaxNameBytes));
    }
    uint32_t dim_count = 0;
    if (!in_.ReadText(name_bytes, tensor.name) || !in_.Read(dim_count)) {
      return Cut(field);
    }
    if (tensor.name.find('\0') != std::string_view::npos) {
      return Bad(field + ".name", "has a zero byte");
    }
    if (dim_count == 0 || dim_count > kMaxDims) {
      return Bad(field + ".dims", std::to_string(dim_count) + " dimensions: want 1 to 4");
    }
    tensor.dims.resize(dim_count);
    for (uint64_t& dim : tensor.dims) {
      if (!in_.Read(dim)) {
        return Cut(field + ".dims");
      }
    }
    uint32_t type = 0;
    if (!in_.Read(type) || !in_.Read(tensor.offset_bytes)) {
      return Cut(field);
    }
    SOTTO_RETURN_IF_ERROR(SizeTensor(field, type, tensor));
    if (!out_.tensor_index_.emplace(tensor.name, out_.tensors_.size()).second) {
      return Bad(field + ".name", "a tensor of this name came before");
    }
    out_.tensors_.push_back(std::move(tensor));
    return OkStatus();
  }

  Status SizeTensor(const std::string& field, uint32_t type, GgufTensor& tensor) const {
    tensor.type = FindGgmlType(type);
    if (tensor.type == nullptr) {
      return Bad(field + ".type", std::to_string(type) + ": not a type of ggml 0.25");
    }
    const std::optional<uint64_t> size_bytes = GgmlTensorBytes(*tensor.type, tensor.dims);
    if (!size_bytes) {
      std::string dims;
      for (const uint64_t dim : tensor.dims) {
        dims += (dims.empty() ? "" : " x ") + std::to_string(dim);
      }
      return Bad(field + ".dims", dims + " of " + std::string(tensor.type->name) +
                                      ": zero, too large, or rows that are no whole blocks");
    }
    tensor.size_bytes = *size_bytes;
    return OkStatus();
  }

  // Offsets are stored from the start of the data section.
  Status PlaceTensors() {
    const auto pad = [&](uint64_t value, uint64_t& out) {
      if (!CheckedAdd(value, alignment_bytes_ - 1, out)) {
        return false;
      }
      out -= out % alignment_bytes_;
      return true;
    };
    uint64_t data_start = 0;
    if (!pad(in_.position_bytes(), data_start)) {
      return Cut("data");
    }
    uint64_t next_bytes = 0;
    for (size_t i = 0; i < out_.tensors_.size(); ++i) {
      GgufTensor& tensor = out_.tensors_[i];
      const std::string field = "tensor[" + std::to_string(i) + "]";
      if (tensor.offset_bytes != next_bytes) {
        return Bad(field + ".offset", std::to_string(tensor.offset_bytes) + ": want " +
                                          std::to_string(next_bytes) +
                                          ", right behind the tensor before");
      }
      uint64_t end_bytes = 0;
      if (!CheckedAdd(data_start, tensor.offset_bytes, tensor.offset_bytes) ||
          !CheckedAdd(tensor.offset_bytes, tensor.size_bytes, end_bytes) ||
          end_bytes > size_bytes_) {
        return Cut(field + ".data");
      }
      // In range: `end_bytes` lies in the file.
      if (!pad(end_bytes - data_start, next_bytes)) {
        return Cut(field + ".data");
      }
      out_.data_bytes_ = end_bytes - data_start;
    }
    return OkStatus();
  }

  const std::string& file_;
  uint64_t size_bytes_;
  ByteReader in_;
  uint64_t alignment_bytes_ = kDefaultAlignmentBytes;
  GgufFile out_;
};

Result<GgufFile> GgufFile::Parse(const std::string& file, std::span<const std::byte> bytes) {
  return GgufParser(file, bytes).Run();
}

const GgufTensor* GgufFile::FindTensor(std::string_view name) const {
  const auto found = tensor_index_.find(name);
  return found == tensor_index_.end() ? nullptr : &tensors_[found->second];
}

const GgufValue* GgufFile::Find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<uint32_t> GgufFile::U32(std::string_view key) const {
  const GgufValue* value = Find(key);
  if (value == nullptr || value->is_array || value->type != GgufType::kU32) {
    return std::nullopt;
  }
  return Load<uint32_t>(value->bytes);
}

std::optional<float> GgufFile::F32(std::string_view key) const {
  const GgufValue* value = Find(key);
  if (value == nullptr || value->is_array || value->type != GgufType::kF32) {
    return std::nullopt;
  }
  return Load<float>(value->bytes);
}

std::optional<bool> GgufFile::Bool(std::string_view key) const {
  const GgufValue* value = Find(key);
  if (value == nullptr || value->is_array || value->type != GgufType::kBool) {
    return std::nullopt;
  }
  return Load<uint8_t>(value->bytes) != 0;
}

std::optional<std::string_view> GgufFile::String(std::string_view key) const {
  const GgufValue* value = Find(key);
  if (value == nullptr || value->is_array || value->type != GgufType::kString) {
    return std::nullopt;
  }
  return std::string_view(reinterpret_cast<const char*>(value->bytes.data()), value->bytes.size())
      .substr(sizeof(uint64_t));
}

std::optional<std::vector<uint32_t>> GgufFile::U32Array(std::string_view key) const {
  const GgufValue* value = Find(key);
  if (value == nullptr || !value->is_array) {
    return std::nullopt;
  }
  std::vector<uint32_t> out(value->count);
  if (value->type == GgufType::kU32 || value->type == GgufType::kI32) {
    if (!out.empty()) {
      std::memcpy(out.data(), value->bytes.data(), value->bytes.size());
    }
    return out;
  }
  if (value->type == GgufType::kBool) {
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = value->bytes[i] != std::byte{0} ? 1 : 0;
    }
    return out;
  }
  return std::nullopt;
}

std::optional<std::vector<std::string_view>> GgufFile::Strings(std::string_view key) const {
  const GgufValue* value = Find(key);
  if (value == nullptr || !value->is_array || value->type != GgufType::kString) {
    return std::nullopt;
  }
  std::vector<std::string_view> out(value->count);
  ByteReader in(value->bytes);
  for (std::string_view& text : out) {
    uint64_t length_bytes = 0;
    if (!in.Read(length_bytes) || !in.ReadText(length_bytes, text)) {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace sotto
