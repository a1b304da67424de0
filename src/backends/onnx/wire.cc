#include "backends/onnx/wire.h"

namespace sotto {
namespace {

constexpr int kMaxVarintBytes = 10;

// Takes one varint off the front of `rest`; false if it is cut short or too long.
bool TakeVarint(std::string_view& rest, uint64_t& value) {
  value = 0;
  for (int i = 0; i < kMaxVarintBytes; ++i) {
    if (static_cast<size_t>(i) >= rest.size()) {
      return false;
    }
    const auto byte = static_cast<uint8_t>(rest[static_cast<size_t>(i)]);
    value |= static_cast<uint64_t>(byte & 0x7fu) << (7 * i);
    if ((byte & 0x80u) == 0) {
      rest.remove_prefix(static_cast<size_t>(i) + 1);
      return true;
    }
  }
  return false;
}

}  // namespace

bool WireReader::Fail(const char* reason) {
  status_ = DataLossError(std::string("protobuf: ") + reason + ": the message is malformed");
  rest_ = {};
  return false;
}

bool WireReader::ReadVarint(uint64_t& value) { return TakeVarint(rest_, value); }

bool WireReader::ReadFixed(size_t num_bytes, uint64_t& value) {
  if (rest_.size() < num_bytes) {
    return false;
  }
  value = 0;
  for (size_t i = 0; i < num_bytes; ++i) {
    value |= static_cast<uint64_t>(static_cast<uint8_t>(rest_[i])) << (8 * i);
  }
  rest_.remove_prefix(num_bytes);
  return true;
}

bool WireReader::Next(WireField& field) {
  if (rest_.empty()) {
    return false;
  }
  const char* start = rest_.data();
  uint64_t tag = 0;
  if (!ReadVarint(tag)) {
    return Fail("bad tag");
  }
  field = WireField();
  if ((tag >> 3) == 0 || (tag >> 3) > 0x1fffffffu) {
    return Fail("bad field number");
  }
  field.number = static_cast<uint32_t>(tag >> 3);
  switch (tag & 7) {
    case 0:
      field.type = WireType::kVarint;
      if (!ReadVarint(field.value)) {
        return Fail("bad varint");
      }
      break;
    case 1:
      field.type = WireType::kFixed64;
      if (!ReadFixed(8, field.value)) {
        return Fail("truncated fixed64");
      }
      break;
    case 2: {
      field.type = WireType::kBytes;
      uint64_t size_bytes = 0;
      if (!ReadVarint(size_bytes) || size_bytes > rest_.size()) {
        return Fail("length beyond the end");
      }
      field.bytes = rest_.substr(0, static_cast<size_t>(size_bytes));
      rest_.remove_prefix(static_cast<size_t>(size_bytes));
      break;
    }
    case 5:
      field.type = WireType::kFixed32;
      if (!ReadFixed(4, field.value)) {
        return Fail("truncated fixed32");
      }
      break;
    default:
      return Fail("unknown wire type");
  }
  field.raw = std::string_view(start, static_cast<size_t>(rest_.data() - start));
  return true;
}

bool PackedVarints::Next(int64_t& value) {
  if (rest_.empty()) {
    return false;
  }
  uint64_t bits = 0;
  if (!TakeVarint(rest_, bits)) {
    ok_ = false;
    rest_ = {};
    return false;
  }
  value = static_cast<int64_t>(bits);
  return true;
}

void WireWriter::PutVarint(uint64_t value) {
  while (value >= 0x80u) {
    out_.push_back(static_cast<char>((value & 0x7fu) | 0x80u));
    value >>= 7;
  }
  out_.push_back(static_cast<char>(value));
}

void WireWriter::Varint(uint32_t number, uint64_t value) {
  PutVarint(static_cast<uint64_t>(number) << 3);
  PutVarint(value);
}

void WireWriter::Bytes(uint32_t number, std::string_view bytes) {
  PutVarint((static_cast<uint64_t>(number) << 3) | 2u);
  PutVarint(bytes.size());
  out_.append(bytes);
}

}  // namespace sotto
