#include "text/phones.h"

#include "text/utf8.h"

namespace sotto::phones {
namespace {

struct Letter {
  char phone;
  char32_t misaki;
};
// Those whose phone is not the letter itself.
constexpr Letter kLetters[] = {
    {'1', 0x2C8}, {'2', 0x2CC}, {'@', 0x259},  {'r', 0x279},  {'y', 0x26A},
    {'a', 0x251}, {'c', 0x254}, {'E', 0x25B},  {'&', 0xE6},   {'^', 0x28C},
    {'U', 0x28A}, {'3', 0x25C}, {'%', 0x1D4A}, {'#', 0x1D7B}, {'D', 0x27E},
    {'G', 0x14B}, {'S', 0x283}, {'Z', 0x292},  {'T', 0x3B8},  {'H', 0xF0},
    {'J', 0x2A4}, {'C', 0x2A7}, {'?', 0x294},  {'g', 0x261},  {'6', 0x250}};
constexpr std::string_view kSame = "AIOWYiubdfhjklmnpstvwz";

}  // namespace

bool BeginsWithVowel(std::string_view phones) {
  for (const char c : phones) {
    if (!IsStress(c)) return IsVowel(c);
  }
  return false;
}

std::optional<std::string> FromMisaki(std::string_view utf8) {
  std::string phones;
  for (size_t i = 0; i < utf8.size();) {
    const CodePoint c = DecodeUtf8(utf8, i);
    i += c.size_bytes;
    char phone = 0;
    for (const Letter& letter : kLetters) {
      if (letter.misaki == c.value) phone = letter.phone;
    }
    if (phone == 0 && c.value < 0x80 && kSame.find(static_cast<char>(c.value)) != kSame.npos) {
      phone = static_cast<char>(c.value);
    }
    if (phone == 0) return std::nullopt;
    phones += phone;
  }
  return phones;
}

std::string ToMisaki(std::string_view phones) {
  std::string utf8;
  for (const char phone : phones) {
    char32_t c = static_cast<unsigned char>(phone);
    for (const Letter& letter : kLetters) {
      if (letter.phone == phone) c = letter.misaki;
    }
    AppendUtf8(c, utf8);
  }
  return utf8;
}

std::string Weakened(std::string_view phones) {
  std::string weak;
  for (const char c : phones) {
    if (c != '2') weak += c == '1' ? '2' : c;
  }
  return weak;
}

std::string Unstressed(std::string_view phones) {
  std::string bare;
  for (const char c : phones) {
    if (!IsStress(c)) bare += c;
  }
  return bare;
}

}  // namespace sotto::phones
