#include "text/phones.h"

#include <array>

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

constexpr size_t kTableSize = 0x400;  // all letters but two lie below

std::array<char, kTableSize> MisakiTable() {
  std::array<char, kTableSize> table = {};
  for (const char c : kSame) table[static_cast<unsigned char>(c)] = c;
  for (const Letter& letter : kLetters) {
    if (letter.misaki < kTableSize) table[letter.misaki] = letter.phone;
  }
  return table;
}

struct ArpabetPhone {
  std::string_view name;
  char phone;
};
constexpr ArpabetPhone kArpabet[] = {
    {"AA", 'a'}, {"AE", '&'}, {"AH", '^'}, {"AO", 'c'}, {"AW", 'W'}, {"AY", 'I'}, {"B", 'b'},
    {"CH", 'C'}, {"D", 'd'},  {"DH", 'H'}, {"EH", 'E'}, {"ER", '3'}, {"EY", 'A'}, {"F", 'f'},
    {"G", 'g'},  {"HH", 'h'}, {"IH", 'y'}, {"IY", 'i'}, {"JH", 'J'}, {"K", 'k'},  {"L", 'l'},
    {"M", 'm'},  {"N", 'n'},  {"NG", 'G'}, {"OW", 'O'}, {"OY", 'Y'}, {"P", 'p'},  {"R", 'r'},
    {"S", 's'},  {"SH", 'S'}, {"T", 't'},  {"TH", 'T'}, {"UH", 'U'}, {"UW", 'u'}, {"V", 'v'},
    {"W", 'w'},  {"Y", 'j'},  {"Z", 'z'},  {"ZH", 'Z'}};

// 0, which no phoneme has, for what is not one or two capitals.
size_t ArpabetIndex(std::string_view name) {
  for (const char c : name) {
    if (c < 'A' || c > 'Z') return 0;
  }
  const auto second = name.size() > 1 ? static_cast<unsigned char>(name[1]) & 31u : 0u;
  return (static_cast<unsigned char>(name[0]) & 31u) * 32 + second;
}

std::array<char, 1024> ArpabetTable() {
  std::array<char, 1024> table = {};
  for (const ArpabetPhone& entry : kArpabet) table[ArpabetIndex(entry.name)] = entry.phone;
  return table;
}

}  // namespace

bool BeginsWithVowel(std::string_view phones) {
  for (const char c : phones) {
    if (!IsStress(c)) return IsVowel(c);
  }
  return false;
}

std::optional<std::string> FromMisaki(std::string_view utf8) {
  static const std::array<char, kTableSize> table = MisakiTable();
  std::string phones;
  phones.reserve(utf8.size());
  for (size_t i = 0; i < utf8.size();) {
    const CodePoint c = DecodeUtf8(utf8, i);
    i += c.size_bytes;
    char phone = 0;
    if (c.value < kTableSize) phone = table[c.value];
    if (c.value == 0x1D4A) phone = '%';
    if (c.value == 0x1D7B) phone = '#';
    if (phone == 0) return std::nullopt;
    phones += phone;
  }
  return phones;
}

std::optional<std::string> FromArpabet(std::string_view pronunciation) {
  static const std::array<char, 1024> table = ArpabetTable();
  std::string phones;
  while (!pronunciation.empty()) {
    const size_t space = pronunciation.find(' ');
    std::string_view name = pronunciation.substr(0, space);
    pronunciation.remove_prefix(space == std::string_view::npos ? pronunciation.size() : space + 1);
    if (name.empty()) continue;
    char stress = '\0';
    if (name.back() >= '0' && name.back() <= '2') {
      stress = name.back();
      name.remove_suffix(1);
    }
    const char phone = name.size() <= 2 && !name.empty() ? table[ArpabetIndex(name)] : '\0';
    if (phone == 0) return std::nullopt;
    if (stress == '1' || stress == '2') phones += stress;
    const bool reduced = stress == '0' && (phone == '^' || phone == '3');
    phones += reduced ? '@' : phone;
    if (phone == '3') phones += 'r';
  }
  return Flapped(std::move(phones));
}

std::string Flapped(std::string phones) {
  for (size_t i = 1; i + 1 < phones.size(); ++i) {
    if (phones[i] != 't' || !IsVowel(phones[i + 1])) continue;
    if (IsVowel(phones[i - 1]) || phones[i - 1] == 'r') phones[i] = 'D';
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
