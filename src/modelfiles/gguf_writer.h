// Builds the part of a GGUF v3 file that precedes the tensor data.
//
//   GgufWriter w("bert");
//   w.AddU32("bert.block_count", 6);
//   w.AddTensor("token_embd.weight", {384, 30522}, kGgmlTypeF16, 384 * 30522 * 2);
//   file.Append(w.Header());   // then each tensor's bytes, each padded to kGgufAlignmentBytes
//
// It writes what it is told and checks nothing: tests build malformed files with it.
#ifndef SOTTO_MODELFILES_GGUF_WRITER_H_
#define SOTTO_MODELFILES_GGUF_WRITER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

// The default of general.alignment.
inline constexpr uint64_t kGgufAlignmentBytes = 32;

// Numbers of the tensor types the converters write, as in ggml.h.
inline constexpr uint32_t kGgmlTypeF32 = 0;
inline constexpr uint32_t kGgmlTypeF16 = 1;
inline constexpr uint32_t kGgmlTypeQ5_0 = 6;
inline constexpr uint32_t kGgmlTypeQ5_1 = 7;
inline constexpr uint32_t kGgmlTypeQ8_0 = 8;

class GgufWriter {
 public:
  // Writes general.architecture as the first key.
  explicit GgufWriter(std::string_view architecture);

  void AddString(std::string_view key, std::string_view value);
  void AddU32(std::string_view key, uint32_t value);
  void AddF32(std::string_view key, float value);
  void AddBool(std::string_view key, bool value);
  void AddStrings(std::string_view key, const std::vector<std::string>& values);
  void AddI32s(std::string_view key, std::span<const int32_t> values);
  void AddU32s(std::string_view key, std::span<const uint32_t> values);
  void AddF32s(std::string_view key, std::span<const float> values);
  void AddBools(std::string_view key, const std::vector<bool>& values);
  // Any value: `type` and then `value` as they are stored.
  void AddRaw(std::string_view key, uint32_t type, std::string_view value);

  // `dims` fastest first. Tensors lie in the order of the calls, each on an aligned offset.
  void AddTensor(std::string_view name, std::span<const uint64_t> dims, uint32_t type,
                 uint64_t size_bytes);

  // Header, keys and tensor infos, padded to the alignment.
  std::string Header() const;

  // Bytes of the data section, every tensor padded.
  uint64_t data_bytes() const { return data_bytes_; }

 private:
  void AddKey(std::string_view key, uint32_t type);
  void AddArray(std::string_view key, uint32_t type, uint64_t count);

  std::string keys_;
  std::string infos_;
  uint64_t key_count_ = 0;
  uint64_t tensor_count_ = 0;
  uint64_t data_bytes_ = 0;
};

}  // namespace sotto

#endif  // SOTTO_MODELFILES_GGUF_WRITER_H_
