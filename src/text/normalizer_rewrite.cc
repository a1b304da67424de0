// What is settled on the whole text, before it is cut into words.
#include <algorithm>
#include <iterator>

#include "text/normalizer_internal.h"
#include "text/utf8.h"

namespace sotto::normalizer {
namespace {

constexpr size_t kMaxTypeBytes = 128;  // of "<...>" after the name of a type

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlpha(char c) { return IsAsciiAlpha(static_cast<unsigned char>(c)); }
bool IsWordByte(char c) { return IsAlpha(c) || IsDigit(c) || c == '_'; }

struct Operator {
  std::string_view text;
  std::string_view words;
  std::string_view tight;  // where no space stands before it; empty: the same
  bool compares;           // said with "is" after an operand
};
// Longest first where one begins another.
constexpr Operator kOperators[] = {
    {"!==", "not equal to", "", true},
    {"===", "equals", "", false},
    {"==>", "arrow", "", false},
    {"-->", "to", "arrow", false},
    {"<->", "double arrow", "", false},
    {"<=>", "double arrow", "", false},
    {"!=", "not equal to", "", true},
    {"==", "equals", "", false},
    {">=", "greater than or equal to", "", true},
    {"<=", "less than or equal to", "", true},
    {"=>", "arrow", "", false},
    {"->", "to", "arrow", false},
    {":=", "equals", "", false},
    {"&&", "and", "", false},
    {"\u2260", "not equal to", "", true},
    {"\u2264", "less than or equal to", "", true},
    {"\u2265", "greater than or equal to", "", true},
};

const Operator* OperatorAt(std::string_view text) {
  for (const Operator& known : kOperators) {
    if (text.starts_with(known.text)) return &known;
  }
  return nullptr;
}

// A line of one sign is a divider: "=====".
bool IsDivider(std::string_view text, std::string_view before, size_t bytes) {
  return (text.size() > bytes && text[bytes] == text[bytes - 1]) ||
         (!before.empty() && before.back() == text[0]);
}

bool EndsInOperand(std::string_view before) {
  while (before.ends_with(' ')) before.remove_suffix(1);
  if (before.empty()) return false;
  const char c = before.back();
  return IsWordByte(c) || c == ')' || c == ']' || c == '\'' || c == '"' ||
         (static_cast<uint8_t>(c) & 0x80) != 0;
}

// Bytes of "<int>", "<string, vector<int>>" at the front of `text`; 0: it is no list of types.
size_t TypeListBytes(std::string_view text) {
  if (text.size() < 3 || !IsAlpha(text[1])) return 0;
  size_t depth = 0;
  for (size_t i = 0; i < text.size() && i < kMaxTypeBytes; ++i) {
    const char c = text[i];
    if (c == '<') {
      ++depth;
    } else if (c == '>') {
      if (--depth == 0) return i + 1;
    } else if (c == ' ') {
      if (text[i - 1] != ',') return 0;
    } else if (!IsWordByte(c) && std::string_view(":,*&?.").find(c) == std::string_view::npos) {
      return 0;
    }
  }
  return 0;
}

// "<string, vector<int>>" -> " string, vector int"
void AppendTypes(std::string_view list, std::string& out) {
  for (const char c : list) {
    if (c == '<') out += ' ';
    if (c != '<' && c != '>') out += c;
  }
}

struct Phone {
  std::string_view area;
  std::string_view local;
  size_t bytes = 0;  // 0: none
};

// "(212)555-0100", "(212)-555.0100", "(0)20": digits tight after digits in brackets.
Phone PhoneAt(std::string_view text, std::string_view before) {
  Phone phone;
  const size_t area = LeadingDigits(text.substr(1, 6));
  if (area == 0 || area > 5 || text.size() < area + 3 || text[area + 1] != ')') return phone;
  size_t at = area + 2;
  if (text[at] == '-' || text[at] == '.') ++at;
  size_t end = at;
  while (end < text.size() && end < at + 16 &&
         (IsDigit(text[end]) || ((text[end] == '-' || text[end] == '.') && end + 1 < text.size() &&
                                 IsDigit(text[end + 1])))) {
    ++end;
  }
  if (end == at || !IsDigit(text[at])) return phone;
  size_t country = before.size();
  while (country > 0 && before.size() - country < 4 && IsDigit(before[country - 1])) --country;
  const bool international = country < before.size() && country > 0 && before[country - 1] == '+';
  const bool function = !before.empty() && IsAlpha(before.back());
  const auto digits =
      static_cast<size_t>(std::count_if(text.begin() + static_cast<ptrdiff_t>(at),
                                        text.begin() + static_cast<ptrdiff_t>(end), IsDigit));
  if (!international && (area != 3 || digits != 7 || function)) return phone;
  phone.area = text.substr(0, area + 2);
  phone.local = text.substr(at, end - at);
  phone.bytes = end;
  return phone;
}

void AppendPhone(const Phone& phone, std::string& out) {
  while (out.ends_with('-') || out.ends_with('.')) out.pop_back();  // 1-(212)-555-0100
  if (!out.empty() && out.back() != ' ' && out.back() != ':') out += ' ';
  if (out.ends_with(':')) out += ' ';
  if (phone.area.size() == 5) {
    out += phone.area;
  } else {  // +44(0)20
    out += phone.area.substr(1, phone.area.size() - 2);
  }
  if (phone.area.size() > 3) out += ' ';
  for (const char c : phone.local) out += c == '.' ? '-' : c;
}

bool IsAddress(std::string_view word) {
  return word.find("://") != std::string_view::npos || word.starts_with("www.");
}

// Rewrites what begins at `text`; how many bytes of it that was, 0 for none.
size_t RewriteAt(std::string_view text, std::string& out) {
  if (text[0] == '(') {
    const Phone phone = PhoneAt(text, out);
    if (phone.bytes > 0) AppendPhone(phone, out);
    return phone.bytes;
  }
  if (text[0] == '<' && !out.empty() && IsWordByte(out.back())) {
    const size_t bytes = TypeListBytes(text);
    if (bytes > 0) {
      AppendTypes(text.substr(0, bytes), out);
      if (bytes < text.size() && IsWordByte(text[bytes])) out += ' ';
      return bytes;
    }
  }
  const bool spaced = out.empty() || out.back() == ' ';
  // "x <y": no placeholder like "<name>".
  if (text[0] == '<' && text.size() > 1 && IsAlpha(text[1]) && spaced && EndsInOperand(out) &&
      TypeListBytes(text) == 0) {
    out += "less than ";
    return 1;
  }
  if (text.starts_with("|| ") && spaced) {
    out += "or";
    return 2;
  }
  if (text.starts_with("<- ") && spaced) {
    out += "left arrow";
    return 2;
  }
  const Operator* found = OperatorAt(text);
  if (found == nullptr || IsDivider(text, out, found->text.size())) return 0;
  const bool is = found->compares && EndsInOperand(out);
  if (!spaced) out += ' ';
  if (is) out += "is ";
  out += spaced || found->tight.empty() ? found->words : found->tight;
  out += ' ';
  return found->text.size();
}

}  // namespace

std::string Rewrite(std::string_view folded) {
  std::string out;
  out.reserve(folded.size() + 16);
  for (size_t i = 0; i < folded.size();) {
    if (i == 0 || folded[i - 1] == ' ') {
      const size_t end = std::min(folded.find(' ', i), folded.size());
      const std::string_view word = folded.substr(i, end - i);
      if (IsAddress(word)) {
        out += word;
        i = end;
        continue;
      }
    }
    const bool special =
        std::string_view("(<>!=-:&|\xE2").find(folded[i]) != std::string_view::npos;
    const size_t used = special ? RewriteAt(folded.substr(i), out) : 0;
    if (used == 0) out += folded[i];
    i += std::max<size_t>(used, 1);
  }
  return out;
}

}  // namespace sotto::normalizer
