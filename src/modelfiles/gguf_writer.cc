#include "modelfiles/gguf_writer.h"

#include <type_traits>

namespace sotto {
namespace {

// Value types of the GGUF specification.
constexpr uint32_t kTypeU32 = 4;
constexpr uint32_t kTypeI32 = 5;
constexpr uint32_t kTypeF32 = 6;
constexpr uint32_t kTypeBool = 7;
constexpr uint32_t kTypeString = 8;
constexpr uint32_t kTypeArray = 9;

template <typename T>
void Put(std::string& out, T value) {
  static_assert(std::is_arithmetic_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void PutText(std::string& out, std::string_view text) {
  Put<uint64_t>(out, text.size());
  out.append(text);
}

template <typename T>
void PutAll(std::string& out, std::span<const T> values) {
  out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

uint64_t Padded(uint64_t size_bytes) {
  return (size_bytes + kGgufAlignmentBytes - 1) / kGgufAlignmentBytes * kGgufAlignmentBytes;
}

}  // namespace

GgufWriter::GgufWriter(std::string_view architecture) {
  AddString("general.architecture", architecture);
}

void GgufWriter::AddKey(std::string_view key, uint32_t type) {
  PutText(keys_, key);
  Put(keys_, type);
  ++key_count_;
}

void GgufWriter::AddArray(std::string_view key, uint32_t type, uint64_t count) {
  AddKey(key, kTypeArray);
  Put(keys_, type);
  Put(keys_, count);
}

void GgufWriter::AddString(std::string_view key, std::string_view value) {
  AddKey(key, kTypeString);
  PutText(keys_, value);
}

void GgufWriter::AddU32(std::string_view key, uint32_t value) {
  AddKey(key, kTypeU32);
  Put(keys_, value);
}

void GgufWriter::AddF32(std::string_view key, float value) {
  AddKey(key, kTypeF32);
  Put(keys_, value);
}

void GgufWriter::AddBool(std::string_view key, bool value) {
  AddKey(key, kTypeBool);
  Put<uint8_t>(keys_, value ? 1 : 0);
}

void GgufWriter::AddStrings(std::string_view key, const std::vector<std::string>& values) {
  AddArray(key, kTypeString, values.size());
  for (const std::string& value : values) {
    PutText(keys_, value);
  }
}

void GgufWriter::AddI32s(std::string_view key, std::span<const int32_t> values) {
  AddArray(key, kTypeI32, values.size());
  PutAll(keys_, values);
}

void GgufWriter::AddU32s(std::string_view key, std::span<const uint32_t> values) {
  AddArray(key, kTypeU32, values.size());
  PutAll(keys_, values);
}

void GgufWriter::AddF32s(std::string_view key, std::span<const float> values) {
  AddArray(key, kTypeF32, values.size());
  PutAll(keys_, values);
}

void GgufWriter::AddBools(std::string_view key, const std::vector<bool>& values) {
  AddArray(key, kTypeBool, values.size());
  for (const bool value : values) {
    Put<uint8_t>(keys_, value ? 1 : 0);
  }
}

void GgufWriter::AddRaw(std::string_view key, uint32_t type, std::string_view value) {
  AddKey(key, type);
  keys_.append(value);
}

void GgufWriter::AddTensor(std::string_view name, std::span<const uint64_t> dims, uint32_t type,
                           uint64_t size_bytes) {
  PutText(infos_, name);
  Put(infos_, static_cast<uint32_t>(dims.size()));
  PutAll(infos_, dims);
  Put(infos_, type);
  Put(infos_, data_bytes_);
  data_bytes_ += Padded(size_bytes);
  ++tensor_count_;
}

std::string GgufWriter::Header() const {
  std::string out = "GGUF";
  Put<uint32_t>(out, 3);
  Put(out, tensor_count_);
  Put(out, key_count_);
  out += keys_;
  out += infos_;
  out.resize(Padded(out.size()), '\0');
  return out;
}

}  // namespace sotto
