// Everything that begins with a digit and is not money, a date or a time.
#include <algorithm>

#include "text/normalizer_internal.h"
#include "text/number_words.h"
#include "text/utf8.h"

namespace sotto::normalizer {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return IsAsciiUpper(static_cast<unsigned char>(c)); }
bool IsAlpha(char c) { return IsAsciiAlpha(static_cast<unsigned char>(c)); }

size_t LeadingDigits(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && IsDigit(text[n])) ++n;
  return n;
}

// The digits of `text` without its separators.
std::string OnlyDigits(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (IsDigit(c)) digits += c;
  }
  return digits;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] != separator) continue;
    parts.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  return parts;
}

uint32_t SmallValue(std::string_view digits) {
  uint32_t value = 0;
  for (const char c : digits.substr(0, 6)) value = value * 10 + static_cast<uint32_t>(c - '0');
  return value;
}

bool IsOrdinalSuffix(std::string_view suffix) {
  const std::string lower = AsciiLower(suffix);
  return lower == "st" || lower == "nd" || lower == "rd" || lower == "th";
}

// A plural noun in lower case: what a plain number counts.
bool LooksPlural(std::string_view word) {
  return word.size() > 2 && word.back() == 's' && !word.ends_with("ss") && !word.ends_with("'s") &&
         std::all_of(word.begin(), word.end(),
                     [](char c) { return IsAsciiLower(static_cast<unsigned char>(c)); }) &&
         word != "was" && word != "is" && word != "has" && word != "does" && word != "this";
}

}  // namespace

bool Speaker::PhoneContext(size_t i) const {
  return AfterAny(i,
                  {"call", "phone", "dial", "text", "tel", "telephone", "fax", "contact", "mobile",
                   "cell", "hotline", "reach", "ring"},
                  5);
}

// Groups of digits that are read one by one.
size_t Speaker::TryPhone(size_t i) {
  const std::string_view text = Core(i);
  if (text.empty() || !(IsDigit(text[0]) || text[0] == '+')) return 0;
  if (const size_t used = TryPhoneWords(i); used > 0) return used;
  const char separator = text.find('-') != std::string_view::npos ? '-' : '.';
  const std::vector<std::string_view> groups = Split(text, separator);
  if (groups.size() < 2 || groups.size() > 8) return 0;
  bool plain = true;
  for (size_t g = 0; g < groups.size(); ++g) {
    std::string_view group = groups[g];
    if (g == 0 && group.starts_with('+')) group.remove_prefix(1);
    plain = plain && IsDigits(group);
  }
  if (!plain) return 0;
  const size_t last = groups.back().size();
  const bool local = groups.size() == 2 && groups[0].size() == 3 && last == 4 &&
                     (groups[0] == "555" || groups[1][0] == '0' || PhoneContext(i));
  const bool dotted = separator == '.' && groups.size() == 3 && groups[0].size() == 3 &&
                      groups[1].size() == 3 && last == 4;
  const bool hyphened = separator == '-' && groups.size() >= 3;
  if (!local && !dotted && !hyphened) return 0;
  if (text[0] == '+') Say("plus");
  for (size_t g = 0; g < groups.size(); ++g) {
    if (g > 0) Mark(',');
    Say(DigitWords(OnlyDigits(groups[g])));
  }
  return 1;
}

// "555 0199", "(555) 123-4567", "555 123 4567", "+44 20 7946 0018"
size_t Speaker::TryPhoneWords(size_t i) {
  const std::string_view first = Core(i);
  const bool plus = first[0] == '+';
  if (!IsDigits(plus ? first.substr(1) : first)) return 0;
  const bool bracketed = At(i).lead == "(" && At(i).trail == ")";
  if (!plus && first.size() != 3 && first != "1") return 0;
  size_t count = 1;
  size_t total = first.size();
  std::string_view last = first;
  while (count < 6 && i + count < tokens_.size()) {
    const Token& before = tokens_[i + count - 1];
    const Token& token = tokens_[i + count];
    const bool closed = before.trail == ")" && before.lead == "(";
    if (!(before.trail.empty() || closed)) break;
    if (!(token.lead.empty() || token.lead == "(")) break;
    const std::string digits = OnlyDigits(token.core);
    const bool grouped = std::all_of(token.core.begin(), token.core.end(),
                                     [](char c) { return IsDigit(c) || c == '-'; });
    if (!grouped || digits.size() < 2 || !IsDigit(token.core[0]) || digits.size() > 8) break;
    last = token.core;
    total += digits.size();
    ++count;
  }
  const bool shaped = last.size() >= 4 && (plus ? total >= 7 : total >= 7 && total <= 11);
  const bool certain = plus || bracketed || count >= 3 || last.size() > 4 || last[0] == '0' ||
                       first == "555" || PhoneContext(i);
  if (count < 2 || !shaped || !certain) return 0;
  if (plus) Say("plus");
  for (size_t n = 0; n < count; ++n) {
    for (const std::string_view group : Split(Core(i + n), '-')) {
      if (n > 0 || group.data() != Core(i + n).data()) Mark(',');
      Say(DigitWords(OnlyDigits(group)));
    }
  }
  return count;
}

size_t Speaker::TryNumber(size_t i) {
  using Rule = size_t (Speaker::*)(size_t);
  const std::string_view text = Core(i);
  const bool begins = IsDigit(text[0]) ||
                      ((text[0] == '-' || text[0] == '+' || text[0] == '~' || text[0] == '.' ||
                        text[0] == '\'' || text[0] == '<' || text[0] == 'v' || text[0] == 'V') &&
                       text.size() > 1 && (IsDigit(text[1]) || text[1] == '.'));
  if (!begins) return 0;
  static constexpr Rule kRules[] = {&Speaker::TryScientific,    &Speaker::TryAlgebra,
                                    &Speaker::TryVersion,       &Speaker::TryDecade,
                                    &Speaker::TryOrdinal,       &Speaker::TryFraction,
                                    &Speaker::TryRange,         &Speaker::TryDimension,
                                    &Speaker::TryFeetAndInches, &Speaker::TryMeasure};
  for (const Rule rule : kRules) {
    if (const size_t used = (this->*rule)(i); used > 0) return used;
  }
  return 0;
}

// v2, v1.2.3, 1.2.3, 192.168.1.1
size_t Speaker::TryVersion(size_t i) {
  std::string_view text = Core(i);
  const bool named = text[0] == 'v' || text[0] == 'V';
  if (named) text.remove_prefix(1);
  const std::vector<std::string_view> parts = Split(text, '.');
  if (!std::all_of(parts.begin(), parts.end(), IsDigits)) return 0;
  if (!named && parts.size() < 3) return 0;
  if (named && text.size() == 1 && Core(i)[0] == 'V') return 0;  // an engine
  if (named && PreviousWord(i) != "version") Say("version");
  const bool address = !named && parts.size() == 4;
  for (size_t p = 0; p < parts.size(); ++p) {
    if (p > 0) Say(address ? "dot" : "point");
    Say(address && parts[p].size() == 3 ? PairWords(parts[p]) : CardinalWords(parts[p]));
  }
  return 1;
}

// 1990s, 1990's, '90s, 90s, 2000s
size_t Speaker::TryDecade(size_t i) {
  std::string_view text = Core(i);
  if (text.starts_with('\'')) text.remove_prefix(1);
  const size_t digits = LeadingDigits(text);
  std::string_view rest = text.substr(digits);
  if (rest.starts_with('\'')) rest.remove_prefix(1);
  if (rest != "s" || (digits != 2 && digits != 4) || text[digits - 1] != '0') return 0;
  const uint32_t value = SmallValue(text.substr(0, digits));
  if (digits == 4) {
    if (value < 1000) return 0;
    Say(DecadeWords(value));
    return 1;
  }
  if (value < 20) return 0;
  Say(PluralOf(CardinalWords(uint64_t{value})));
  return 1;
}

size_t Speaker::TryOrdinal(size_t i) {
  const std::string_view text = Core(i);
  const Number number = ParseNumber(text);
  if (!number.is_integer()) return 0;
  std::string_view rest = text.substr(number.bytes);
  const std::string_view suffix = rest.substr(0, 2);
  if (!IsOrdinalSuffix(suffix)) return 0;
  rest.remove_prefix(2);
  if (!rest.empty() && rest[0] != '-' && rest[0] != '/' && rest != "s") return 0;
  const std::string words = OrdinalWords(number.whole);
  if (rest.size() > 1 && rest[0] == '-') {  // 1st-3rd
    const Number last = ParseNumber(rest.substr(1));
    if (last.is_integer() && IsOrdinalSuffix(rest.substr(1 + last.bytes))) {
      Say(words);
      Say("to");
      Say(OrdinalWords(last.whole));
      return 1;
    }
  }
  Say(rest == "s" ? PluralOf(words) : words);
  if (rest.size() > 1) SayMixed(rest);
  return 1;
}

// 1/2, 3/4, 2 1/2 (the whole number was said before), 24/7
size_t Speaker::TryFraction(size_t i) {
  const std::string_view text = Core(i);
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return 0;
  std::string_view above = text.substr(0, slash);
  std::string_view below = text.substr(slash + 1);
  std::string_view suffix = below.substr(std::min(LeadingDigits(below), below.size()));
  if (suffix.size() == 3 && suffix.back() == 's') suffix.remove_suffix(1);
  if (IsOrdinalSuffix(suffix)) below = below.substr(0, LeadingDigits(below));  // 2/3rds
  std::string_view joined;                                                     // 3-1/2
  if (const size_t dash = above.find('-'); dash != std::string_view::npos) {
    joined = above.substr(0, dash);
    above = above.substr(dash + 1);
    const bool proper = above.size() <= 2 && below.size() <= 2 && SmallValue(above) > 0 &&
                        SmallValue(above) < SmallValue(below);
    if (!IsDigits(joined) || !IsDigits(above) || !proper) return 0;
  }
  if (!IsDigits(above) || !IsDigits(below)) return 0;
  const bool small = above.size() <= 3 && below.size() <= 4;
  const uint32_t n = SmallValue(above);
  const uint32_t d = SmallValue(below);
  // Names, not quotients.
  const bool idiom = text == "24/7" || text == "9/11" || text == "50/50" || text == "20/20";
  if (idiom || !small || n >= d || n == 0 || above[0] == '0' || below[0] == '0') {
    Say(CardinalWords(above));
    if (!idiom) Say(small ? "over" : "slash");
    Say(CardinalWords(below));
    return 1;
  }
  if (!joined.empty()) Say(CardinalWords(joined));
  const bool mixed = !joined.empty() || (i > 0 && At(i - 1).trail.empty() && IsDigits(Core(i - 1)));
  if (mixed) Say("and");
  Say(mixed && n == 1 ? "a" : CardinalWords(uint64_t{n}));
  const std::string part = d == 2 ? "half" : d == 4 ? "quarter" : OrdinalWords(uint64_t{d});
  Say(n == 1 ? part : d == 2 ? "halves" : PluralOf(part));
  return 1;
}

// 10-20, 1990-95, 5-10%, 3-5 km
size_t Speaker::TryRange(size_t i) {
  const std::string_view text = Core(i);
  const Number from = ParseNumber(text);
  if (from.bytes == 0 || from.bytes + 1 >= text.size()) return 0;
  std::string_view rest = text.substr(from.bytes);
  const std::string_view unit_text = rest.substr(0, rest.find_first_of("-~"));
  const Unit* unit = unit_text.empty() ? nullptr : FindUnit(unit_text);
  if (!unit_text.empty() && unit == nullptr) return 0;
  rest.remove_prefix(unit_text.size());
  if (rest.size() < 2 || !IsDigit(rest[1])) return 0;
  rest.remove_prefix(1);
  const Number to = ParseNumber(rest);
  const std::string_view after = rest.substr(to.bytes);
  if (to.bytes == 0 || after.starts_with('-')) return 0;
  const bool years = after.empty() && !from.has_comma && from.is_integer() && to.is_integer() &&
                     from.whole.size() == 4 && from.whole[0] != '0' &&
                     (to.whole.size() == 4 || to.whole.size() == 2);
  if (years) {
    Say(YearWords(SmallValue(from.whole)));
    Say("to");
    Say(to.whole.size() == 4 ? YearWords(SmallValue(to.whole)) : CardinalWords(to.whole));
    return 1;
  }
  Say(from.Words());
  if (unit != nullptr && unit_text != after) Say(unit->many);
  Say("to");
  return SayMeasure(i, to, after);
}

// 3x4, 1920x1080, 3x4x5, 10x
size_t Speaker::TryDimension(size_t i) {
  const std::string_view text = Core(i);
  std::string joined;
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = DecodeUtf8(text, at);
    joined += c.value == 0xD7 || c.value == 'X' ? std::string("x")
                                                : std::string(text.substr(at, c.size_bytes));
    at += c.size_bytes;
  }
  const std::vector<std::string_view> parts = Split(joined, 'x');
  if (parts.size() < 2 || parts.size() > 4) return 0;
  if (parts.size() == 2 && parts[1].empty() && ParseNumber(parts[0]).bytes == parts[0].size()) {
    Say(ParseNumber(parts[0]).Words());
    Say("times");
    return 1;
  }
  for (size_t p = 0; p < parts.size(); ++p) {
    const size_t bytes = ParseNumber(parts[p]).bytes;
    if (bytes == 0 || (bytes < parts[p].size() && p + 1 < parts.size())) return 0;
  }
  for (size_t p = 0; p + 1 < parts.size(); ++p) {
    Say(ParseNumber(parts[p]).Words());
    Say("by");
  }
  const Number last = ParseNumber(parts.back());
  const std::string_view rest = parts.back().substr(last.bytes);
  return SayMeasure(i, last, text.substr(text.size() - rest.size()));
}

// 6'2", 5'11, 12"
size_t Speaker::TryFeetAndInches(size_t i) {
  const std::string_view text = Core(i);
  const size_t feet = LeadingDigits(text);
  if (feet == 0 || feet > 3 || feet >= text.size() || text[feet] != '\'') return 0;
  std::string_view rest = text.substr(feet + 1);
  const size_t inches = LeadingDigits(rest);
  rest.remove_prefix(inches);
  if (inches == 0 && rest.empty()) {  // 6'
    Say(CardinalWords(text.substr(0, feet)));
    Say(text.substr(0, feet) == "1" ? "foot" : "feet");
    return 1;
  }
  if (inches == 0 || inches > 2 || !(rest.empty() || rest == "\"" || rest == "''")) return 0;
  Say(CardinalWords(text.substr(0, feet)));
  Say(text.substr(0, feet) == "1" ? "foot" : "feet");
  Say(CardinalWords(text.substr(feet + 1, inches)));
  return 1;
}

bool Speaker::SayUnit(std::string_view symbol, bool one, bool spaced) {
  const Unit* unit = FindUnit(symbol);
  if (unit != nullptr && (!spaced || unit->spaced)) {
    Say(one ? unit->one : unit->many);
    return true;
  }
  const size_t slash = symbol.find('/');
  if (slash == std::string_view::npos || slash == 0) return false;
  const Unit* above = FindUnit(symbol.substr(0, slash));
  std::string_view below_text = symbol.substr(slash + 1);
  const bool squared = below_text.ends_with("^2");
  if (squared) below_text.remove_suffix(2);
  const Unit* below = FindUnit(below_text);
  if (above == nullptr || below == nullptr) return false;
  Say(one ? above->one : above->many);
  Say("per");
  Say(below->one);
  if (squared) Say("squared");
  return true;
}

// Says a number and what is written tight after it, or the unit in the next token.
size_t Speaker::SayMeasure(size_t i, const Number& number, std::string_view rest) {
  const bool one = number.is_one();
  Say(number.Words());
  if (rest.empty()) {
    if (!TightlyFollowed(i)) return 1;
    const std::string_view next = Core(i + 1);
    std::string_view symbol = next;
    const bool square = next.ends_with("^2") || next.ends_with("^3");
    if (square) symbol.remove_suffix(2);
    const Unit* unit = FindUnit(symbol);
    if (square && unit != nullptr) {
      Say(next.back() == '2' ? "square" : "cubic");
      Say(one ? unit->one : unit->many);
      return 2;
    }
    // "6 in. wide", "5 ft 10 in"; a bare "in" is a word.
    const bool inches = next == "in" && (At(i + 1).dotted() || (i > 0 && Core(i - 1) == "ft"));
    if (!SayUnit(next, one, !inches)) return 1;
    swallow_dot_ = true;
    return 2;
  }
  if (rest == "\"") {
    Say(one ? "inch" : "inches");
    return 1;
  }
  if (rest.starts_with('+')) {
    Say("plus");
    rest.remove_prefix(1);
  }
  const bool square = rest.ends_with("^2") || rest.ends_with("^3");
  if (square && FindUnit(rest.substr(0, rest.size() - 2)) != nullptr) {
    Say(rest.back() == '2' ? "square" : "cubic");
    rest.remove_suffix(2);
  }
  const bool counted = TightlyFollowed(i) && LooksPlural(Core(i + 1));
  if (rest == "K" || rest == "k") {
    Say(counted ? "thousand" : "K");
  } else if (rest == "M") {
    Say("million");
  } else if (rest == "B" && !number.has_point && !counted) {
    Say("B");
  } else if (rest == "B" || rest == "bn") {
    Say("billion");
  } else if (!rest.empty() && !SayUnit(rest, one, false)) {
    SayMixed(rest);
  } else if (!rest.empty()) {
    swallow_dot_ = true;
  }
  return 1;
}

bool Speaker::IsHouseNumber(size_t i) const {
  if (!At(i).trail.empty()) return false;
  for (size_t n = 1; n <= 4 && i + n < tokens_.size(); ++n) {
    const Token& token = tokens_[i + n];
    if (token.core.empty() || !(IsUpper(token.core[0]) || IsDigit(token.core[0]))) return false;
    const std::string lower = AsciiLower(token.core);
    if (n > 1 && !StreetName(lower).empty()) return true;
    for (const std::string_view street :
         {"street", "avenue", "road", "boulevard", "drive", "lane", "court", "place", "way",
          "highway", "parkway", "square", "terrace", "circle"}) {
      if (n > 1 && lower == street) return true;
    }
    if (!token.trail.empty() && token.trail != ".") return false;
  }
  return false;
}

bool Speaker::ReadsAsYear(size_t i, std::string_view digits) const {
  if (digits.size() != 4) return false;
  const uint32_t value = SmallValue(digits);
  const bool century = (value >= 1100 && value <= 1999) || (value >= 2000 && value <= 2099);
  if (!century) return false;
  if (AfterAny(i,
               {"in", "since", "by", "until", "till", "year", "circa", "around", "early", "late",
                "mid", "spring", "summer", "autumn", "fall", "winter", "before", "after"},
               1) ||
      (i > 0 && MonthOf(Core(i - 1)) != 0)) {
    return true;
  }
  if (!At(i).trail.empty() || i + 1 >= tokens_.size()) return true;
  return !CountsNoun(i);
}

// The next word is what a number counts.
bool Speaker::CountsNoun(size_t i) const {
  if (!At(i).trail.empty()) return false;
  const std::string_view next = Core(i + 1);
  return LooksPlural(next) || next == "people" || next == "men" || next == "women" ||
         next == "children";
}

// A number that stands alone: how it is read depends on its neighbours.
size_t Speaker::TryBareInteger(size_t i, const Number& number) {
  const std::string_view digits = number.whole;
  if (number.has_comma || number.has_point) return 0;
  if (AfterAny(i,
               {"pin", "code", "passcode", "password", "zip", "extension", "ext", "serial",
                "confirmation", "tracking", "isbn", "combination"},
               2) &&
      digits.size() >= 3) {
    Say(DigitWords(digits));
    return 1;
  }
  const bool state =
      i > 0 && Core(i - 1).size() == 2 && IsUpper(Core(i - 1)[0]) && IsUpper(Core(i - 1)[1]);
  if (digits.size() == 5 && state) {
    Say(DigitWords(digits));
    return 1;
  }
  if (digits.size() >= 3 && digits.size() <= 5 &&
      (IsHouseNumber(i) ||
       (digits.size() == 3 &&
        AfterAny(i,
                 {"room", "rm", "flight", "suite", "highway", "route", "apartment", "interstate"},
                 1)))) {
    Say(PairWords(digits));
    return 1;
  }
  const bool dialed = digits.size() >= 3 && digits.size() <= 15 && !CountsNoun(i) &&
                      AfterAny(i,
                               {"call", "calls", "called", "calling", "dial", "dials", "dialed",
                                "dialing", "phone", "ring", "text"},
                               1);
  if (dialed || (digits.size() >= 7 && digits.size() <= 15 && PhoneContext(i))) {
    Say(DigitWords(digits));
    return 1;
  }
  if (ReadsAsYear(i, digits)) {
    Say(YearWords(SmallValue(digits)));
    return 1;
  }
  return 0;
}

size_t Speaker::TryMeasure(size_t i) {
  std::string_view text = Core(i);
  std::string_view sign;
  if (text[0] == '-') sign = "minus";
  if (text[0] == '+') sign = "plus";
  if (text[0] == '~') sign = "about";
  if (text[0] == '<') sign = "less than";
  if (!sign.empty()) text.remove_prefix(1);
  if (text[0] == '\'') return 0;
  const Number number = ParseNumber(text);
  if (number.bytes == 0) return 0;
  const std::string_view rest = text.substr(number.bytes);
  // A formula or a code is read piece by piece.
  if (!rest.empty() && rest.find_first_of("=*^:@_,.'") != std::string_view::npos &&
      !(rest.ends_with("^2") || rest.ends_with("^3"))) {
    return 0;
  }
  if (!rest.empty() && (rest[0] == '+' || rest[0] == '/') && rest.size() > 1) return 0;
  Say(sign);
  if (rest.empty() && sign.empty() && TryBareInteger(i, number) > 0) return 1;
  if (rest.starts_with('-') && rest.size() > 1 && IsAlpha(rest[1])) {  // 5-year-old
    Say(number.Words());
    SayMixed(rest.substr(1));
    return 1;
  }
  return SayMeasure(i, number, rest);
}

}  // namespace sotto::normalizer
