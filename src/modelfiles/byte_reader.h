// A cursor over bytes that never reads past their end.
//
// Numbers are little-endian. A read that does not fit returns false and leaves the cursor and the
// output as they were.
#ifndef SOTTO_MODELFILES_BYTE_READER_H_
#define SOTTO_MODELFILES_BYTE_READER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace sotto {

static_assert(std::endian::native == std::endian::little, "model files are read in place");

class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint64_t position_bytes() const { return position_; }
  uint64_t remaining_bytes() const { return bytes_.size() - position_; }

  template <typename T>
  [[nodiscard]] bool Read(T& out) {
    static_assert(std::is_arithmetic_v<T>);
    if (remaining_bytes() < sizeof(T)) {
      return false;
    }
    std::memcpy(&out, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return true;
  }

  [[nodiscard]] bool ReadSpan(uint64_t count_bytes, std::span<const std::byte>& out) {
    if (remaining_bytes() < count_bytes) {
      return false;
    }
    out = bytes_.subspan(position_, count_bytes);
    position_ += count_bytes;
    return true;
  }

  [[nodiscard]] bool ReadText(uint64_t count_bytes, std::string_view& out) {
    std::span<const std::byte> span;
    if (!ReadSpan(count_bytes, span)) {
      return false;
    }
    out = {reinterpret_cast<const char*>(span.data()), span.size()};
    return true;
  }

  [[nodiscard]] bool Skip(uint64_t count_bytes) {
    if (remaining_bytes() < count_bytes) {
      return false;
    }
    position_ += count_bytes;
    return true;
  }

 private:
  std::span<const std::byte> bytes_;
  uint64_t position_ = 0;
};

// a * b and a + b; false on overflow.
[[nodiscard]] inline bool CheckedMul(uint64_t a, uint64_t b, uint64_t& out) {
  return !__builtin_mul_overflow(a, b, &out);
}
[[nodiscard]] inline bool CheckedAdd(uint64_t a, uint64_t b, uint64_t& out) {
  return !__builtin_add_overflow(a, b, &out);
}

}  // namespace sotto

#endif  // SOTTO_MODELFILES_BYTE_READER_H_
