#include "convert/torch_legacy.h"

#include <optional>
#include <vector>

#include "convert/pickle.h"
#include "modelfiles/byte_reader.h"

namespace sotto {
namespace {

constexpr size_t kMaxRank = 8;

struct Storage {
  ElementType type = ElementType::kF32;
  std::span<const std::byte> data;
};

// Storages that can follow; others would need a size that nobody here knows.
std::optional<ElementType> TypeOfStorage(std::string_view global) {
  if (global == "torch\nFloatStorage") return ElementType::kF32;
  if (global == "torch\nHalfStorage") return ElementType::kF16;
  if (global == "torch\nLongStorage") return ElementType::kI64;
  return std::nullopt;
}

class Reader {
 public:
  Reader(const std::string& file, std::span<const std::byte> bytes) : file_(file), in_(bytes) {}

  Result<StateDict> Run(std::string_view key) {
    // Magic number, protocol version, system information.
    for (int i = 0; i < 3; ++i) {
      Pickle ignored;
      if (const std::string what = ignored.Read(in_); !what.empty()) {
        return Bad(what + "; not a legacy torch file");
      }
    }
    if (const std::string what = pickle_.Read(in_); !what.empty()) {
      return Bad(what);
    }
    SOTTO_RETURN_IF_ERROR(CollectTypes());
    SOTTO_RETURN_IF_ERROR(ReadStorages());
    const PickleValue* state = pickle_.Find(pickle_.root(), key);
    if (state == nullptr || state->kind != PickleValue::Kind::kDict) {
      return Bad(std::string(key) + ": missing");
    }
    StateDict tensors;
    for (size_t i = 0; i + 1 < state->items.size(); i += 2) {
      const PickleValue& name = pickle_.at(state->items[i]);
      const PickleValue& value = pickle_.at(state->items[i + 1]);
      if (name.kind != PickleValue::Kind::kText || value.kind != PickleValue::Kind::kTensor) {
        continue;
      }
      WeightView view;
      if (const std::string what = MakeView(value, view); !what.empty()) {
        return Bad("tensor " + std::to_string(i / 2) + ": " + what);
      }
      tensors.insert_or_assign(std::string(name.text), std::move(view));
    }
    return tensors;
  }

 private:
  Status Bad(const std::string& what) const {
    return DataLossError("convert: " + file_ + ": " + what);
  }

  // Persistent ids: ("storage", type, key, device, elements, view).
  Status CollectTypes() {
    for (const PickleValue& value : pickle_.values()) {
      if (value.kind != PickleValue::Kind::kStorage) {
        continue;
      }
      const PickleValue& type = pickle_.at(value.items[1]);
      const PickleValue& key = pickle_.at(value.items[2]);
      const std::optional<ElementType> known = TypeOfStorage(type.text);
      if (type.kind != PickleValue::Kind::kGlobal || key.kind != PickleValue::Kind::kText ||
          !known) {
        return Bad("a storage: not of float, half or long");
      }
      storages_[std::string(key.text)].type = *known;
    }
    return OkStatus();
  }

  // The keys, then for each an element count and the elements.
  Status ReadStorages() {
    Pickle keys;
    if (const std::string what = keys.Read(in_); !what.empty()) {
      return Bad(what);
    }
    if (keys.root().kind != PickleValue::Kind::kSequence) {
      return Bad("storage keys: not a list");
    }
    for (const uint32_t index : keys.root().items) {
      const PickleValue& key = keys.at(index);
      const auto storage =
          key.kind == PickleValue::Kind::kText ? storages_.find(key.text) : storages_.end();
      if (storage == storages_.end()) {
        return Bad("storage keys: one is of no tensor");
      }
      int64_t elements = 0;
      uint64_t size_bytes = 0;
      if (!in_.Read(elements) || elements < 0 ||
          !CheckedMul(static_cast<uint64_t>(elements), ElementBytes(storage->second.type),
                      size_bytes) ||
          !in_.ReadSpan(size_bytes, storage->second.data)) {
        return Bad("storages: cut short");
      }
    }
    return OkStatus();
  }

  // Nonnegative integers of a tuple.
  bool ReadNumbers(const PickleValue& tuple, std::vector<uint64_t>& out) const {
    if (tuple.kind != PickleValue::Kind::kSequence || tuple.items.size() > kMaxRank) {
      return false;
    }
    for (const uint32_t index : tuple.items) {
      const PickleValue& number = pickle_.at(index);
      if (number.kind != PickleValue::Kind::kInt || number.number < 0) {
        return false;
      }
      out.push_back(static_cast<uint64_t>(number.number));
    }
    return true;
  }

  // What is wrong with the tensor, or empty.
  std::string MakeView(const PickleValue& tensor, WeightView& view) const {
    const PickleValue& storage_value = pickle_.at(tensor.items[0]);
    const PickleValue& offset = pickle_.at(tensor.items[1]);
    std::vector<uint64_t> strides;
    if (storage_value.kind != PickleValue::Kind::kStorage ||
        offset.kind != PickleValue::Kind::kInt || offset.number < 0 ||
        !ReadNumbers(pickle_.at(tensor.items[2]), view.dims) ||
        !ReadNumbers(pickle_.at(tensor.items[3]), strides) || strides.size() != view.dims.size()) {
      return "malformed";
    }
    const auto storage = storages_.find(pickle_.at(storage_value.items[2]).text);
    if (storage == storages_.end()) {
      return "its storage is missing";
    }
    view.type = storage->second.type;
    uint64_t elements = 1;
    for (size_t d = view.dims.size(); d > 0; --d) {
      if (view.dims[d - 1] > 1 && strides[d - 1] != elements) {
        return "not contiguous";
      }
      if (view.dims[d - 1] == 0 || !CheckedMul(elements, view.dims[d - 1], elements)) {
        return "a dimension is zero or too large";
      }
    }
    ByteReader in(storage->second.data);
    uint64_t skip_bytes = 0;
    uint64_t size_bytes = 0;
    if (!CheckedMul(static_cast<uint64_t>(offset.number), ElementBytes(view.type), skip_bytes) ||
        !CheckedMul(elements, ElementBytes(view.type), size_bytes) || !in.Skip(skip_bytes) ||
        !in.ReadSpan(size_bytes, view.data)) {
      return "reaches past its storage";
    }
    return {};
  }

  const std::string& file_;
  ByteReader in_;
  Pickle pickle_;
  std::map<std::string, Storage, std::less<>> storages_;
};

}  // namespace

Result<StateDict> ReadTorchLegacy(const std::string& file, std::span<const std::byte> bytes,
                                  std::string_view key) {
  return Reader(file, bytes).Run(key);
}

}  // namespace sotto
