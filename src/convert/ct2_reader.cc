#include "convert/ct2_reader.h"

#include <optional>
#include <utility>

#include "modelfiles/byte_reader.h"

namespace sotto {
namespace {

constexpr uint32_t kMaxVariables = 65536;  // Whisper large has 1300
constexpr uint8_t kMaxRank = 8;

// Type numbers of CTranslate2's DataType; int16 and int32 hold no weights of Whisper.
std::optional<ElementType> WeightType(uint8_t number) {
  switch (number) {
    case 0:
      return ElementType::kF32;
    case 1:
      return ElementType::kI8;
    case 4:
      return ElementType::kF16;
    case 5:
      return ElementType::kBf16;
    default:
      return std::nullopt;
  }
}

class Reader {
 public:
  Reader(const std::string& file, std::span<const std::byte> bytes) : file_(file), in_(bytes) {}

  Result<Ct2Model> Run() {
    uint32_t version = 0;
    uint32_t revision = 0;
    uint32_t count = 0;
    std::string_view spec;
    if (!in_.Read(version)) {
      return Bad("version", "missing");
    }
    if (version < 4 || version > 6) {
      return Bad("version",
                 std::to_string(version) + ": not a CTranslate2 model of version 4 to 6");
    }
    if (!ReadName(spec) || !in_.Read(revision) || !in_.Read(count)) {
      return Bad("header", "cut short");
    }
    if (count > kMaxVariables) {
      return Bad("variable count",
                 std::to_string(count) + ": limit " + std::to_string(kMaxVariables));
    }
    model_.spec = spec;
    for (uint32_t i = 0; i < count; ++i) {
      SOTTO_RETURN_IF_ERROR(ReadVariable(i));
    }
    SOTTO_RETURN_IF_ERROR(AttachScales());
    SOTTO_RETURN_IF_ERROR(ReadAliases());
    return std::move(model_);
  }

 private:
  Status Bad(const std::string& field, const std::string& what) const {
    return DataLossError("convert: " + file_ + ": " + field + ": " + what);
  }

  // A u16 length that counts the closing zero.
  bool ReadName(std::string_view& out) {
    uint16_t length = 0;
    if (!in_.Read(length) || length == 0 || !in_.ReadText(length, out) || out.back() != '\0') {
      return false;
    }
    out.remove_suffix(1);
    return true;
  }

  Status ReadVariable(uint32_t index) {
    const std::string field = "variable " + std::to_string(index);
    std::string_view name;
    uint8_t rank = 0;
    if (!ReadName(name) || !in_.Read(rank)) {
      return Bad(field, "cut short");
    }
    if (rank > kMaxRank) {
      return Bad(field, "rank " + std::to_string(rank) + ": limit " + std::to_string(kMaxRank));
    }
    WeightView tensor;
    uint64_t elements = 1;
    for (uint8_t d = 0; d < rank; ++d) {
      uint32_t dim = 0;
      if (!in_.Read(dim)) {
        return Bad(field, "cut short");
      }
      if (dim == 0 || !CheckedMul(elements, dim, elements)) {
        return Bad(field, "dimension " + std::to_string(dim) + ": zero or too large");
      }
      tensor.dims.push_back(dim);
    }
    uint8_t type = 0;
    uint32_t size_bytes = 0;
    if (!in_.Read(type) || !in_.Read(size_bytes) || !in_.ReadSpan(size_bytes, tensor.data)) {
      return Bad(field, "cut short");
    }
    const std::optional<ElementType> known = WeightType(type);
    if (!known || rank == 0) {
      return OkStatus();  // a setting
    }
    tensor.type = *known;
    uint64_t expected_bytes = 0;
    if (!CheckedMul(elements, ElementBytes(*known), expected_bytes) ||
        expected_bytes != size_bytes) {
      return Bad(field, std::to_string(size_bytes) + " bytes: shape and type say otherwise");
    }
    if (!model_.variables.emplace(name, std::move(tensor)).second) {
      return Bad(field, "its name appears twice");
    }
    return OkStatus();
  }

  Status ReadAliases() {
    uint32_t count = 0;
    if (!in_.Read(count)) {
      return Bad("alias count", "cut short");
    }
    if (count > kMaxVariables) {
      return Bad("alias count", std::to_string(count) + ": limit " + std::to_string(kMaxVariables));
    }
    for (uint32_t i = 0; i < count; ++i) {
      std::string_view alias;
      std::string_view name;
      if (!ReadName(alias) || !ReadName(name)) {
        return Bad("alias " + std::to_string(i), "cut short");
      }
      if (const auto found = model_.variables.find(name); found != model_.variables.end()) {
        model_.variables.emplace(alias, found->second);
      }
    }
    return OkStatus();
  }

  // `x_scale` belongs to an int8 `x`.
  Status AttachScales() {
    for (auto& [name, tensor] : model_.variables) {
      if (tensor.type != ElementType::kI8) {
        continue;
      }
      const auto scale = model_.variables.find(name + "_scale");
      if (scale == model_.variables.end() || scale->second.type != ElementType::kF32 ||
          (scale->second.elements() != 1 && scale->second.elements() != tensor.dims[0])) {
        return Bad("an int8 variable", "no float32 scale for each of its rows");
      }
      tensor.scales = scale->second.data;
    }
    return OkStatus();
  }

  const std::string& file_;
  ByteReader in_;
  Ct2Model model_;
};

}  // namespace

Result<Ct2Model> ReadCt2Model(const std::string& file, std::span<const std::byte> bytes) {
  return Reader(file, bytes).Run();
}

}  // namespace sotto
