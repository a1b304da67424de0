#include "text/normalizer_internal.h"
#include "text/utf8.h"

namespace sotto::normalizer {
namespace {

// First digits of the decimal digit runs (general category Nd, Unicode 15.0) that occur in text.
constexpr char32_t kDigitZeros[] = {0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6,
                                    0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50,
                                    0x0ED0, 0x0F20, 0x1040, 0x17E0, 0x1810, 0xFF10};

struct Fraction {
  char32_t c;
  std::string_view text;
};
constexpr Fraction kFractions[] = {
    {0xBC, "1/4"},    {0xBD, "1/2"},   {0xBE, "3/4"},   {0x2150, "1/7"}, {0x2151, "1/9"},
    {0x2152, "1/10"}, {0x2153, "1/3"}, {0x2154, "2/3"}, {0x2155, "1/5"}, {0x2156, "2/5"},
    {0x2157, "3/5"},  {0x2158, "4/5"}, {0x2159, "1/6"}, {0x215A, "5/6"}, {0x215B, "1/8"},
    {0x215C, "3/8"},  {0x215D, "5/8"}, {0x215E, "7/8"}};

constexpr std::string_view kRoman[] = {"I",  "II", "III", "IV",  "V", "VI", "VII", "VIII",
                                       "IX", "X",  "XI",  "XII", "L", "C",  "D",   "M"};
constexpr std::string_view kLigatures[] = {"ff", "fi", "fl", "ffi", "ffl", "st", "st"};

// 0..9 for a superscript digit, -1 otherwise.
int SuperscriptDigit(char32_t c) {
  if (c == 0xB9) return 1;
  if (c == 0xB2 || c == 0xB3) return static_cast<int>(c - 0xB0);
  if (c == 0x2070 || (c >= 0x2074 && c <= 0x2079)) return static_cast<int>(c - 0x2070);
  return -1;
}

int ForeignDigit(char32_t c) {
  for (const char32_t zero : kDigitZeros) {
    if (c >= zero && c <= zero + 9) return static_cast<int>(c - zero);
  }
  if (c >= 0x1D7CE && c <= 0x1D7FF) return static_cast<int>((c - 0x1D7CE) % 10);
  if (c >= 0x2080 && c <= 0x2089) return static_cast<int>(c - 0x2080);
  return -1;
}

// A mathematical alphanumeric letter as ASCII, 0 otherwise.
char MathLetter(char32_t c) {
  if (c < 0x1D400 || c > 0x1D6A3) return 0;
  const char32_t letter = (c - 0x1D400) % 52;
  return static_cast<char>(letter < 26 ? 'A' + letter : 'a' + letter - 26);
}

bool AppendNumberForm(char32_t c, std::string& out) {
  for (const Fraction& fraction : kFractions) {
    if (fraction.c != c) continue;
    out += ' ';
    out += fraction.text;
    return true;
  }
  const auto spaced = [&](std::string_view text) {
    out += ' ';
    out += text;
    out += ' ';
    return true;
  };
  if (c >= 0x2460 && c <= 0x2473) return spaced(std::to_string(c - 0x2460 + 1));
  if (c >= 0x2474 && c <= 0x2487) return spaced(std::to_string(c - 0x2474 + 1));
  if (c >= 0x2488 && c <= 0x249B) return spaced(std::to_string(c - 0x2488 + 1));
  if (c == 0x24EA) return spaced("0");
  if (c >= 0x24B6 && c <= 0x24CF)
    return spaced(std::string(1, static_cast<char>('A' + c - 0x24B6)));
  if (c >= 0x24D0 && c <= 0x24E9)
    return spaced(std::string(1, static_cast<char>('a' + c - 0x24D0)));
  if (c >= 0x2776 && c <= 0x2793) return spaced(std::to_string((c - 0x2776) % 10 + 1));
  if (c >= 0x2160 && c <= 0x216F) {
    out += kRoman[c - 0x2160];
    return true;
  }
  if (c >= 0x2170 && c <= 0x217F) {
    out += kRoman[c - 0x2170];
    return true;
  }
  return false;
}

bool AppendPunctuation(char32_t c, std::string& out) {
  switch (c) {
    case 0x2018:
    case 0x2019:
    case 0x201A:
    case 0x201B:
    case 0x2032:
    case 0x02BC:
    case 0xFF07:
    case '`':
    case 0xB4:
      out += '\'';
      return true;
    case 0x201C:
    case 0x201D:
    case 0x201E:
    case 0x201F:
    case 0x2033:
    case 0xAB:
    case 0xBB:
    case 0x300C:
    case 0x300D:
      out += '"';
      return true;
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2212:
    case 0xFE63:
    case 0xFF0D:
      out += '-';
      return true;
    case 0x2014:
    case 0x2015:
    case 0x2E3A:
    case 0x2022:
    case 0xB7:
      out += " , ";
      return true;
    case 0x2026:
      out += "...";
      return true;
    case 0x3001:
    case 0xFF0C:
      out += ", ";
      return true;
    case 0x3002:
    case 0xFF61:
      out += ". ";
      return true;
    case 0x2044:
    case 0x2215:
      out += '/';
      return true;
    case 0x2217:
    case 0x22C5:
      out += '*';
      return true;
    case 0x37E:
      out += ';';
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string Fold(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  bool in_superscript = false;
  for (size_t i = 0; i < text.size();) {
    const CodePoint c = DecodeUtf8(text, i);
    i += c.size_bytes;
    const int superscript = SuperscriptDigit(c.value);
    if (superscript >= 0) {
      if (!in_superscript) out += '^';
      out += static_cast<char>('0' + superscript);
      in_superscript = true;
      continue;
    }
    if (c.value == 0x207B || c.value == 0x207A) {  // a sign in an exponent
      if (!in_superscript) out += '^';
      out += c.value == 0x207B ? '-' : '+';
      in_superscript = true;
      continue;
    }
    in_superscript = false;
    const int digit = ForeignDigit(c.value);
    if (digit >= 0) {
      out += static_cast<char>('0' + digit);
    } else if (const char letter = MathLetter(c.value); letter != 0) {
      out += letter;
    } else if (c.value == 0x2013) {  // a range between digits, a pause elsewhere
      const bool range = !out.empty() && !IsBlank(static_cast<unsigned char>(out.back())) &&
                         i < text.size() && !IsBlank(DecodeUtf8(text, i).value);
      out += range ? "-" : " , ";
    } else if (c.value >= 0xFF01 && c.value <= 0xFF5E && c.value != 0xFF07 && c.value != 0xFF0C &&
               c.value != 0xFF0D) {
      out += static_cast<char>(c.value - 0xFEE0);
    } else if (c.value >= 0xFB00 && c.value <= 0xFB06) {
      out += kLigatures[c.value - 0xFB00];
    } else if (AppendNumberForm(c.value, out) || AppendPunctuation(c.value, out)) {
    } else if (IsBlank(c.value) || c.value == '\n' || c.value == '\r' || c.value == '\v' ||
               c.value == 0x85 || c.value == 0x2028 || c.value == 0x2029) {
      out += ' ';
    } else if (c.value == 0x2122 || c.value == 0xA9 || c.value == 0xAE || IsInvisible(c.value) ||
               c.value == kReplacementCharacter) {
    } else if (c.value != 0x2103 && c.value != 0x2109 && IsPictograph(c.value)) {
      out += ' ';
    } else {
      AppendUtf8(c.value, out);
    }
  }
  return out;
}

}  // namespace sotto::normalizer
