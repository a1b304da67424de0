// UTF-8: strict validation, reading and writing of code points, an incremental gate for bytes that
// arrive in arbitrary pieces, and the few classes of characters that speech cares about.
//
// Strict means Unicode 15 table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
// Pure; any thread.
#ifndef SOTTO_TEXT_UTF8_H_
#define SOTTO_TEXT_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sotto {

inline constexpr size_t kValidUtf8 = std::string_view::npos;
inline constexpr char32_t kReplacementCharacter = 0xFFFD;

// Offset of the first byte that does not begin or continue a whole valid character; kValidUtf8 if
// there is none. O(bytes).
size_t ValidateUtf8(std::string_view text);

struct CodePoint {
  char32_t value = 0;
  uint32_t size_bytes = 0;  // 1..4
};

// The character at `offset`. An invalid byte reads as U+FFFD of one byte, so that a loop over any
// bytes ends. REQUIRES: offset < text.size().
CodePoint DecodeUtf8(std::string_view text, size_t offset);

// Appends `value`; a surrogate or a value above U+10FFFF appends U+FFFD.
void AppendUtf8(char32_t value, std::string& out);

// Length of the longest prefix of `text` that does not end inside a character, at most
// `limit_bytes`. For text that is valid.
size_t FloorToCharacter(std::string_view text, size_t limit_bytes);

// Length of `text` without an unfinished character at its end (0..3 bytes shorter).
size_t WholeCharactersPrefix(std::string_view text);

// "U+4E2D": how messages name a character.
std::string CodePointName(char32_t value);

// Bytes in, whole valid characters out. The output of a sequence of Feed() and Finish() depends on
// the bytes alone, not on how they were cut.
class Utf8Gate {
 public:
  enum class Policy : int32_t {
    kDrop = 0,     // invalid bytes become nothing
    kReplace = 1,  // each maximal invalid sequence becomes one U+FFFD
  };

  explicit Utf8Gate(Policy policy = Policy::kDrop) : policy_(policy) {}

  // The characters that are complete. Up to three bytes of an unfinished one are held back.
  std::string Feed(std::string_view bytes);

  // Ends the stream: what is held back is invalid by now. The gate is ready for a new stream.
  std::string Finish();

  size_t held_bytes() const { return held_; }

 private:
  void Take(uint8_t byte, std::string& out);
  void Reject(std::string& out);

  Policy policy_;
  char pending_[4] = {};
  size_t held_ = 0;
  size_t wanted_ = 0;        // size of the character that is being collected
  uint8_t next_min_ = 0x80;  // range of the byte that may follow
  uint8_t next_max_ = 0xBF;
};

enum class Script : int32_t {
  kCommon = 0,  // digits, punctuation, symbols, white space, marks
  kLatin,
  kGreek,
  kCyrillic,
  kHan,
  kKana,
  kHangul,
  kOther,  // letters of any other script
};

Script ScriptOf(char32_t c);

// A letter of any script (combining marks are not letters).
bool IsLetter(char32_t c);
// Written without spaces between words: Han, kana, and their full-width neighbours.
bool IsCjk(char32_t c);
// U+3002, full-width ! ? . and the half-width ideographic stop.
bool IsCjkStop(char32_t c);
// Emoji, pictographs, dingbats, flags, skin tones, box drawing, geometric shapes.
bool IsPictograph(char32_t c);
// Takes no space and has no sound: zero-width characters, variation selectors, bidi controls,
// soft hyphen, byte order mark, tags, keycap.
bool IsInvisible(char32_t c);
// Space of any width except newline.
bool IsBlank(char32_t c);
bool IsCombiningMark(char32_t c);

constexpr bool IsAsciiDigit(char32_t c) { return c >= '0' && c <= '9'; }
constexpr bool IsAsciiUpper(char32_t c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsAsciiLower(char32_t c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsAsciiAlpha(char32_t c) { return IsAsciiUpper(c) || IsAsciiLower(c); }
constexpr char AsciiLower(char c) {
  return IsAsciiUpper(static_cast<unsigned char>(c)) ? static_cast<char>(c + 32) : c;
}
constexpr char AsciiUpper(char c) {
  return IsAsciiLower(static_cast<unsigned char>(c)) ? static_cast<char>(c - 32) : c;
}
std::string AsciiLower(std::string_view text);

}  // namespace sotto

#endif  // SOTTO_TEXT_UTF8_H_
