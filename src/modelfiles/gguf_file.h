// The structure of a GGUF file: keys and tensor infos, every length checked against the file.
#ifndef SOTTO_MODELFILES_GGUF_FILE_H_
#define SOTTO_MODELFILES_GGUF_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "modelfiles/ggml_types.h"

namespace sotto {

// Value types of the GGUF specification.
enum class GgufType : uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};

struct GgufValue {
  GgufType type = GgufType::kU8;  // of the value, or of the elements when is_array
  bool is_array = false;
  uint64_t count = 1;
  // As stored, without the type and the count of an array.
  std::span<const std::byte> bytes;
};

struct GgufTensor {
  std::string_view name;
  std::vector<uint64_t> dims;  // fastest first, 1 to 4
  const GgmlTypeInfo* type = nullptr;
  uint64_t offset_bytes = 0;  // from the start of the file
  uint64_t size_bytes = 0;
};

// Views into the bytes given to Parse.
class GgufFile {
 public:
  // DATA_LOSS "model: FILE: gguf field FIELD: VALUE: REASON". Time and memory are linear in the
  // part before the tensor data; that data is not touched. What ggml's own reader refuses is
  // refused: versions other than 2 and 3, arrays of arrays, gaps between tensors.
  static Result<GgufFile> Parse(const std::string& file, std::span<const std::byte> bytes);

  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  const GgufTensor* FindTensor(std::string_view name) const;
  const std::unordered_map<std::string_view, GgufValue>& values() const { return values_; }
  uint64_t data_bytes() const { return data_bytes_; }

  // nullptr if the key is absent.
  const GgufValue* Find(std::string_view key) const;

  // The value if the key is there with exactly this type, as llama.cpp demands it.
  std::optional<uint32_t> U32(std::string_view key) const;
  std::optional<float> F32(std::string_view key) const;
  std::optional<bool> Bool(std::string_view key) const;
  std::optional<std::string_view> String(std::string_view key) const;
  // An array of u32, i32 or bool, as unsigned numbers; negative ones wrap.
  std::optional<std::vector<uint32_t>> U32Array(std::string_view key) const;
  std::optional<std::vector<std::string_view>> Strings(std::string_view key) const;

 private:
  friend class GgufParser;

  std::unordered_map<std::string_view, GgufValue> values_;
  std::vector<GgufTensor> tensors_;
  std::unordered_map<std::string_view, size_t> tensor_index_;
  uint64_t data_bytes_ = 0;
};

// DATA_LOSS in the shape that GgufFile::Parse uses.
Status GgufError(const std::string& file, std::string_view field, std::string_view what);

}  // namespace sotto

#endif  // SOTTO_MODELFILES_GGUF_FILE_H_
