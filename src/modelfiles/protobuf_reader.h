// Walks the fields of one protobuf message in wire format.
//
//   ProtobufReader message(bytes);
//   while (message.Next()) {
//     if (message.field() == 7) Use(message.bytes());
//   }
//   if (!message.ok()) ...;
#ifndef SOTTO_MODELFILES_PROTOBUF_READER_H_
#define SOTTO_MODELFILES_PROTOBUF_READER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "modelfiles/byte_reader.h"

namespace sotto {

class ProtobufReader {
 public:
  explicit ProtobufReader(std::span<const std::byte> bytes) : in_(bytes) {}

  // Moves to the next field; false at the end and at the first fault.
  bool Next() {
    if (!ok_ || in_.remaining_bytes() == 0) {
      return false;
    }
    ok_ = ReadField();
    return ok_;
  }

  // False once something did not parse.
  bool ok() const { return ok_; }

  uint32_t field() const { return field_; }
  bool is_number() const { return wire_type_ == 0; }
  bool is_bytes() const { return wire_type_ == 2; }
  // Of a varint field; 0 for others.
  uint64_t number() const { return number_; }
  // Of a length-delimited field; empty for others.
  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  bool ReadVarint(uint64_t& out) {
    out = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
      uint8_t byte = 0;
      if (!in_.Read(byte)) {
        return false;
      }
      out |= uint64_t{byte & 0x7Fu} << shift;
      if ((byte & 0x80u) == 0) {
        return true;
      }
    }
    return false;
  }

  bool ReadField() {
    uint64_t key = 0;
    number_ = 0;
    bytes_ = {};
    if (!ReadVarint(key) || key > UINT32_MAX || (key >> 3) == 0) {
      return false;
    }
    field_ = static_cast<uint32_t>(key >> 3);
    wire_type_ = static_cast<uint32_t>(key & 7);
    uint64_t length_bytes = 0;
    switch (wire_type_) {
      case 0:
        return ReadVarint(number_);
      case 1:
        return in_.Skip(8);
      case 2:
        return ReadVarint(length_bytes) && in_.ReadSpan(length_bytes, bytes_);
      case 5:
        return in_.Skip(4);
      default:
        return false;  // groups are retired, 6 and 7 never were
    }
  }

  ByteReader in_;
  bool ok_ = true;
  uint32_t field_ = 0;
  uint32_t wire_type_ = 0;
  uint64_t number_ = 0;
  std::span<const std::byte> bytes_;
};

}  // namespace sotto

#endif  // SOTTO_MODELFILES_PROTOBUF_READER_H_
