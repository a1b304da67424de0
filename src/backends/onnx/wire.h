// The protocol-buffer wire format: a bounded reader over bytes held elsewhere, and a writer.
//
// Knows fields, not messages. Every length is checked against the bytes that are left, so
// malformed input ends the iteration with DATA_LOSS and never reads outside the view.
#ifndef SOTTO_BACKENDS_ONNX_WIRE_H_
#define SOTTO_BACKENDS_ONNX_WIRE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace sotto {

enum class WireType : int32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;      // kVarint, kFixed64, kFixed32
  std::string_view bytes;  // kBytes: the contents
  std::string_view raw;    // tag, length and contents as they stand in the message
};

// Reads the fields of one message in order.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  // True with the next field in `field`; false at the end or at the first malformed byte.
  bool Next(WireField& field);

  // DATA_LOSS once Next() met malformed bytes.
  const Status& status() const { return status_; }

 private:
  bool ReadVarint(uint64_t& value);
  bool ReadFixed(size_t num_bytes, uint64_t& value);
  bool Fail(const char* reason);

  std::string_view rest_;
  Status status_;
};

// The varints of a packed repeated field.
class PackedVarints {
 public:
  explicit PackedVarints(std::string_view bytes) : rest_(bytes) {}

  // False at the end or at malformed bytes; ok() tells which.
  bool Next(int64_t& value);
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// Appends fields to a string.
class WireWriter {
 public:
  explicit WireWriter(std::string& out) : out_(out) {}

  void Varint(uint32_t number, uint64_t value);
  void Bytes(uint32_t number, std::string_view bytes);
  // A field exactly as WireField::raw gave it.
  void Raw(std::string_view field) { out_.append(field); }

 private:
  void PutVarint(uint64_t value);
  std::string& out_;
};

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_WIRE_H_
