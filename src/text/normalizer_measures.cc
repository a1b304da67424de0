// Numbers with units: dimensions, feet and inches, angles, and units that stand alone.
#include <algorithm>
#include <array>

#include "text/normalizer_internal.h"
#include "text/number_words.h"
#include "text/utf8.h"

namespace sotto::normalizer {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The unit of one side of a shape: 3"x5", 3'x5', 3mx5m.
std::string_view SideUnit(std::string_view text) {
  if (text == "\"" || text == "''") return "inch";
  if (text == "'") return "foot";
  const Unit* unit = FindUnit(text);
  return unit == nullptr ? std::string_view() : unit->one;
}

// "m", "m^2": what has an area and a volume.
bool IsLength(std::string_view symbol) {
  static constexpr std::string_view kLengths[] = {"km", "m",  "cm", "mm", "nm",
                                                  "um", "mi", "ft", "in", "yd"};
  symbol = symbol.substr(0, symbol.find('^'));
  return std::find(std::begin(kLengths), std::end(kLengths), symbol) != std::end(kLengths);
}

bool IsUnitOrPower(std::string_view symbol) {
  if (symbol.ends_with("^2") || symbol.ends_with("^3")) symbol.remove_suffix(2);
  return FindUnit(symbol) != nullptr;
}

std::string_view DirectionName(std::string_view letter) {
  if (letter == "N") return "north";
  if (letter == "S") return "south";
  if (letter == "E") return "east";
  return letter == "W" ? "west" : "";
}

struct Angle {
  bool valid = false;           // and more than degrees alone
  std::array<Number, 3> parts;  // degrees, minutes, seconds
  size_t count = 0;
  std::string_view direction;
};

Angle ParseAngle(std::string_view text) {
  Angle angle;
  for (const std::string_view mark : {"\u00b0", "'", "\""}) {
    const Number number = ParseNumber(text);
    std::string_view rest = text.substr(number.bytes);
    const bool seconds = angle.count == 2 && rest.starts_with("''");
    if (number.bytes == 0 || !(seconds || rest.starts_with(mark))) break;
    angle.parts[angle.count++] = number;
    text = rest.substr(seconds ? 2 : mark.size());
  }
  angle.direction = DirectionName(text);
  const bool whole = text.empty() || !angle.direction.empty();
  angle.valid = whole && (angle.count > 1 || (angle.count == 1 && !angle.direction.empty()));
  return angle;
}

}  // namespace

size_t LeadingDigits(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && IsDigit(text[n])) ++n;
  return n;
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

// A plural noun in lower case: what a plain number counts.
bool LooksPlural(std::string_view word) {
  return word.size() > 2 && word.back() == 's' && !word.ends_with("ss") && !word.ends_with("'s") &&
         std::all_of(word.begin(), word.end(),
                     [](char c) { return IsAsciiLower(static_cast<unsigned char>(c)); }) &&
         word != "was" && word != "is" && word != "has" && word != "does" && word != "this";
}

// 3x4, 1920x1080, 3x4x5, 10x, 3"x5"
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
    const std::string_view rest = parts[p].substr(bytes);
    const bool unit = rest.empty() || !SideUnit(rest).empty();
    if (bytes == 0 || (!unit && p + 1 < parts.size())) return 0;
  }
  const std::string_view first = parts[0].substr(ParseNumber(parts[0]).bytes);
  for (size_t p = 0; p < parts.size(); ++p) {
    const Number number = ParseNumber(parts[p]);
    const std::string_view rest = parts[p].substr(number.bytes);
    if (p > 0) Say("by");
    const bool adjective = !first.empty() && !SideUnit(rest).empty();
    if (p + 1 == parts.size() && !adjective) {
      return SayMeasure(i, number, text.substr(text.size() - rest.size()));
    }
    Say(number.Words());
    if (!rest.empty()) Say(SideUnit(rest));
  }
  return 1;
}

// 6'2", 5'11, 12"
size_t Speaker::TryFeetAndInches(size_t i) {
  const std::string_view text = Core(i);
  const size_t feet = LeadingDigits(text);
  if (feet == 0 || feet > 3 || feet >= text.size() || text[feet] != '\'') return 0;
  std::string_view rest = text.substr(feet + 1);
  const size_t inches = LeadingDigits(rest);
  const std::string_view count = rest.substr(0, inches);
  rest.remove_prefix(inches);
  const bool marked = rest == "\"" || rest == "''";
  if (inches > 2 || !(rest.empty() || (marked && inches > 0))) return 0;
  Say(CardinalWords(text.substr(0, feet)));
  Say(text.substr(0, feet) == "1" ? "foot" : "feet");
  if (inches == 0) return 1;
  Say(CardinalWords(count));
  if (marked) Say(count == "1" ? "inch" : "inches");
  return 1;
}

// 40\u00b026'46"N, 40\u00b0 26' 46" N, 79.98\u00b0W
size_t Speaker::TryAngle(size_t i) {
  // Degrees, minutes, seconds and the direction may stand apart.
  constexpr size_t kMaxTokens = 4;
  const size_t sign = Core(i).find("\u00b0");
  if (sign == std::string_view::npos || sign > 16) return 0;
  std::string joined;
  Angle best;
  size_t used = 0;
  for (size_t n = 0; n < kMaxTokens && (n == 0 || TightlyFollowed(i + n - 1)); ++n) {
    joined += Core(i + n);
    const Angle angle = ParseAngle(joined);
    if (!angle.valid) continue;
    best = angle;
    used = n + 1;
  }
  if (used == 0) return 0;
  static constexpr std::string_view kParts[][2] = {
      {"degree", "degrees"}, {"minute", "minutes"}, {"second", "seconds"}};
  for (size_t part = 0; part < best.count; ++part) {
    Say(best.parts[part].Words());
    Say(kParts[part][best.parts[part].is_one() ? 0 : 1]);
  }
  Say(best.direction);
  return used;
}

// "km\u00b2", "kg/m\u00b3", "kWh" without a number.
size_t Speaker::TryLoneUnit(size_t i) {
  const std::string_view text = Core(i);
  if (text.size() < 2 || text.size() > 16) return 0;
  const bool one = AfterAny(i, {"per", "a", "an", "each", "every", "one"}, 1);
  static constexpr std::string_view kLone[] = {"kWh", "MWh", "Wh",   "kHz",  "MHz", "GHz", "kW",
                                               "mph", "km",  "cm",   "kg",   "kPa", "hPa", "Mbps",
                                               "dB",  "mAh", "kbps", "Gbps", "kcal"};
  const size_t slash = text.find('/');
  const std::string_view first = text.substr(0, slash);
  const bool power = first.size() > 2 && text[first.size() - 2] == '^';
  if (power && slash == std::string_view::npos) return IsLength(first) && SayPower(text, one);
  const bool known =
      std::find(std::begin(kLone), std::end(kLone), first) != std::end(kLone) ||
      (slash != std::string_view::npos && (text.ends_with("^2") || text.ends_with("^3")));
  return known && SayUnit(text, one, false);
}

// "m^2", "km^3", but for units of time and what else has no area: "s^2".
bool Speaker::SayPower(std::string_view symbol, bool one) {
  if (!symbol.ends_with("^2") && !symbol.ends_with("^3")) return false;
  const bool square = symbol.back() == '2';
  const Unit* unit = FindUnit(symbol.substr(0, symbol.size() - 2));
  if (unit == nullptr) return false;
  const std::string_view name = one ? unit->one : unit->many;
  if (IsLength(symbol)) {
    Say(square ? "square" : "cubic");
    Say(name);
  } else {
    Say(name);
    Say(square ? "squared" : "cubed");
  }
  return true;
}

bool Speaker::SayUnit(std::string_view symbol, bool one, bool spaced) {
  const Unit* unit = FindUnit(symbol);
  if (unit != nullptr && (!spaced || unit->spaced)) {
    Say(one ? unit->one : unit->many);
    return true;
  }
  const size_t slash = symbol.find('/');
  if (slash == std::string_view::npos) return SayPower(symbol, one);
  const std::string_view above = symbol.substr(0, slash);
  const std::string_view below = symbol.substr(slash + 1);
  const bool units = IsUnitOrPower(above) && IsUnitOrPower(below);
  if (!units || below.empty()) return false;
  if (!SayPower(above, one)) Say(one ? FindUnit(above)->one : FindUnit(above)->many);
  Say("per");
  if (!SayPower(below, true)) Say(FindUnit(below)->one);
  return true;
}

// "6 in. wide", "5 ft 10 in", "6 in wide", "6 in x 4 in": token i is the number. A bare "in" is a
// word elsewhere.
bool Speaker::MeansInches(size_t i) const {
  if (Core(i + 1) != "in") return false;
  if (At(i + 1).dotted() || (i > 0 && (Core(i - 1) == "ft" || Core(i - 1) == "x"))) return true;
  const std::string side = AsciiLower(Core(i + 2));
  if (!TightlyFollowed(i + 1)) return false;
  if (side == "x" || side == "by") return !Core(i + 3).empty() && IsDigit(Core(i + 3)[0]);
  const std::string_view noun = Core(i + 3);
  const bool idiom = noun.starts_with("school") || noun.starts_with("spirit");
  for (const std::string_view word : {"wide", "long", "tall", "deep", "high", "thick", "across"}) {
    if (side == word) return !idiom;
  }
  return false;
}

// The unit in the token after the number at token i; how many tokens it is.
size_t Speaker::SayNextUnit(size_t i, bool one) {
  if (!TightlyFollowed(i)) return 0;
  const std::string_view next = Core(i + 1);
  static constexpr std::string_view kKinds[][2] = {
      {"sq", "square"}, {"cu", "cubic"}, {"fl", "fluid"}};
  for (const auto& [symbol, word] : kKinds) {  // "5 sq. ft"
    const Unit* unit = next == symbol && At(i + 2).lead.empty() ? FindUnit(Core(i + 2)) : nullptr;
    if (unit == nullptr || !(At(i + 1).trail.empty() || At(i + 1).trail == ".")) continue;
    Say(word);
    Say(one ? unit->one : unit->many);
    swallow_dot_ = true;
    return 2;
  }
  if (!SayUnit(next, one, !MeansInches(i))) return 0;
  swallow_dot_ = true;
  return 1;
}

// Says a number and what is written tight after it, or the unit in the next token.
size_t Speaker::SayMeasure(size_t i, const Number& number, std::string_view rest) {
  const bool one = number.is_one();
  Say(number.Words());
  if (rest.empty()) return 1 + SayNextUnit(i, one);
  if (rest == "\"") {
    Say(one ? "inch" : "inches");
    return 1;
  }
  if (rest.starts_with('+')) {
    Say("plus");
    rest.remove_prefix(1);
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

}  // namespace sotto::normalizer
