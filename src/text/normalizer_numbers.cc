// Everything that begins with a digit and is not money, a date or a time.
#include <algorithm>

#include "text/normalizer_internal.h"
#include "text/number_words.h"
#include "text/utf8.h"
#include "text/word_classes.h"

namespace sotto::normalizer {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return IsAsciiUpper(static_cast<unsigned char>(c)); }
bool IsAlpha(char c) { return IsAsciiAlpha(static_cast<unsigned char>(c)); }

// The digits of `text` without its separators.
std::string OnlyDigits(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (IsDigit(c)) digits += c;
  }
  return digits;
}

uint32_t SmallValue(std::string_view digits) {
  uint32_t value = 0;
  for (const char c : digits.substr(0, 6)) value = value * 10 + static_cast<uint32_t>(c - '0');
  return value;
}

// "5-km run"; in "5-A" the letter is a letter.
const Unit* HyphenUnit(std::string_view text) {
  return text.size() > 1 || text == "m" || text == "g" ? FindUnit(text) : nullptr;
}

bool IsOrdinalSuffix(std::string_view suffix) {
  const std::string lower = AsciiLower(suffix);
  return lower == "st" || lower == "nd" || lower == "rd" || lower == "th";
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
  static constexpr Rule kRules[] = {
      &Speaker::TryScientific, &Speaker::TryAlgebra,       &Speaker::TryVersion,
      &Speaker::TryDecade,     &Speaker::TryOrdinal,       &Speaker::TryFraction,
      &Speaker::TryRange,      &Speaker::TryColons,        &Speaker::TryDimension,
      &Speaker::TryAngle,      &Speaker::TryFeetAndInches, &Speaker::TryMeasure};
  for (const Rule rule : kRules) {
    if (const size_t used = (this->*rule)(i); used > 0) return used;
  }
  return 0;
}

// v2, v1.2.3, 1.2.3, 192.168.1.1, 192.168.1.1:8080, 10.0.0.0/8
size_t Speaker::TryVersion(size_t i) {
  std::string_view text = Core(i);
  const bool named = text[0] == 'v' || text[0] == 'V';
  if (named) text.remove_prefix(1);
  const size_t end = text.find_first_of(":/");
  const std::string_view port =
      end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  if (end != std::string_view::npos) {
    if (named || !IsDigits(port) || port.size() > 5) return 0;
    if (std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(end), '.') != 3) return 0;
    text = text.substr(0, end);
  }
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
  if (port.empty()) return 1;
  Say(Core(i)[end] == ':' ? "port" : "slash");
  Say(PairWords(port));
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
  const size_t digits = LeadingDigits(below);
  std::string_view attached;  // 1/2-inch, 3/4"
  if (below.substr(digits) == "\"" ||
      (below.size() > digits + 1 && below[digits] == '-' && IsAlpha(below[digits + 1]))) {
    attached = below.substr(digits);
    below = below.substr(0, digits);
  }
  std::string_view suffix = below.substr(digits);
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
    SayMixed(attached);
    return 1;
  }
  if (!joined.empty()) Say(CardinalWords(joined));
  const bool mixed = !joined.empty() || (i > 0 && At(i - 1).trail.empty() && IsDigits(Core(i - 1)));
  if (mixed) Say("and");
  Say(mixed && n == 1 ? "a" : CardinalWords(uint64_t{n}));
  const std::string part = d == 2 ? "half" : d == 4 ? "quarter" : OrdinalWords(uint64_t{d});
  Say(n == 1 ? part : d == 2 ? "halves" : PluralOf(part));
  if (attached == "\"") {
    Say(mixed ? "inches" : "inch");
  } else if (const Unit* unit = attached.empty() ? nullptr : HyphenUnit(attached.substr(1))) {
    Say(unit->one);
  } else {
    SayMixed(attached);
  }
  return attached.empty() ? 1 + SayNextUnit(i, !mixed) : 1;
}

// 13:60, 99:99, 100:30:05: two digits on both sides are neither a ratio nor, here, a time.
size_t Speaker::TryColons(size_t i) {
  const std::vector<std::string_view> parts = Split(Core(i), ':');
  if (parts.size() < 2 || parts.size() > 8) return 0;
  if (parts.size() == 2 && AfterAny(i, {"ratio", "scale", "aspect", "odds"}, 2)) return 0;
  for (size_t p = 0; p < parts.size(); ++p) {
    const size_t bytes = parts[p].size();
    const bool first = p == 0 && parts.size() > 2 && bytes >= 1 && bytes <= 4;
    if (!IsDigits(parts[p]) || !(first || bytes == 2)) return 0;
  }
  for (const std::string_view part : parts) Say(CardinalWords(part));
  return 1;
}

// 10-20, 1990-95, 5-10%, 3-5 km, -3-5, -10--5
size_t Speaker::TryRange(size_t i) {
  std::string_view text = Core(i);
  const bool negative = text[0] == '-';
  if (negative) text.remove_prefix(1);
  const Number from = ParseNumber(text);
  if (from.bytes == 0 || from.bytes + 1 >= text.size()) return 0;
  std::string_view rest = text.substr(from.bytes);
  const std::string_view unit_text = rest.substr(0, rest.find_first_of("-~"));
  const Unit* unit = unit_text.empty() ? nullptr : FindUnit(unit_text);
  if (!unit_text.empty() && unit == nullptr) return 0;
  rest.remove_prefix(unit_text.size());
  const bool to_negative = rest.size() > 2 && rest[1] == '-';
  if (to_negative) rest.remove_prefix(1);
  if (rest.size() < 2 || !IsDigit(rest[1])) return 0;
  rest.remove_prefix(1);
  const Number to = ParseNumber(rest);
  const std::string_view after = rest.substr(to.bytes);
  if (to.bytes == 0 || after.starts_with('-')) return 0;
  const bool years = !negative && !to_negative && after.empty() && !from.has_comma &&
                     from.is_integer() && to.is_integer() && from.whole.size() == 4 &&
                     from.whole[0] != '0' && (to.whole.size() == 4 || to.whole.size() == 2);
  if (years) {
    Say(YearWords(SmallValue(from.whole)));
    Say("to");
    Say(to.whole.size() == 4 ? YearWords(SmallValue(to.whole)) : CardinalWords(to.whole));
    return 1;
  }
  if (negative) Say("minus");
  Say(from.Words());
  if (unit != nullptr && unit_text != after) Say(unit->many);
  Say("to");
  if (to_negative) Say("minus");
  return SayMeasure(i, to, after);
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

// "1066 AD", "AD 1066", "died 1066"; "in 1066" where nothing is counted.
bool Speaker::BesideEra(size_t i, uint32_t year) const {
  static constexpr std::string_view kEras[] = {"AD", "BC", "CE", "BCE", "A.D", "B.C", "C.E"};
  const auto is_era = [](std::string_view word) {
    return std::find(std::begin(kEras), std::end(kEras), word) != std::end(kEras);
  };
  if (year < 1000) return false;
  const bool open = At(i).trail.empty();
  if (open && At(i + 1).lead.empty() && is_era(Core(i + 1))) return true;
  if (i > 0 && is_era(Core(i - 1))) return true;
  if (year >= 1100 || CountsNoun(i)) return false;
  const std::string_view next = Core(i + 1);
  const bool ends = !open || next.empty() || IsUpper(next[0]) || IsSentenceStarter(next);
  return ends && AfterAny(i, {"died", "born", "circa", "year", "in", "since"}, 1);
}

bool Speaker::ReadsAsYear(size_t i, std::string_view digits) const {
  if (digits.size() != 4) return false;
  const uint32_t value = SmallValue(digits);
  if (BesideEra(i, value)) return true;
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
  if (!sign.empty() && rest.size() > 1 && rest[0] == '-' && IsDigit(rest[1])) {  // -3-5-7
    Say(number.Words());
    Say("to");
    SayMixed(rest.substr(1));
    return 1;
  }
  if (rest.empty() && sign.empty() && TryBareInteger(i, number) > 0) return 1;
  if (rest.starts_with('-') && rest.size() > 1 && IsAlpha(rest[1])) {  // 5-year-old
    Say(number.Words());
    const Unit* unit = HyphenUnit(rest.substr(1));  // a 5-km run
    unit != nullptr ? Say(unit->one) : SayMixed(rest.substr(1));
    return 1;
  }
  return SayMeasure(i, number, rest);
}

}  // namespace sotto::normalizer
