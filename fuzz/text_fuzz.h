// What the fuzz targets of src/text share: a law is stated with Require(), and an input is cut into
// pieces by its own first bytes.
#ifndef SOTTO_FUZZ_TEXT_FUZZ_H_
#define SOTTO_FUZZ_TEXT_FUZZ_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace sotto::fuzz {

inline void Require(bool law, const char* what) {
  if (law) return;
  std::fprintf(stderr, "broken law: %s\n", what);
  std::abort();
}

// Pieces of 1..8 bytes, their sizes drawn from a generator seeded by the input.
class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text), state_(0x9E3779B97F4A7C15ull) {
    for (const char c : text.substr(0, 8)) state_ = state_ * 31 + static_cast<uint8_t>(c);
  }
  bool Next(std::string_view& piece) {
    if (text_.empty()) return false;
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    piece = text_.substr(0, 1 + (state_ >> 61));
    text_.remove_prefix(piece.size());
    return true;
  }

 private:
  std::string_view text_;
  uint64_t state_;
};

inline std::string_view AsText(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace sotto::fuzz

#endif  // SOTTO_FUZZ_TEXT_FUZZ_H_
