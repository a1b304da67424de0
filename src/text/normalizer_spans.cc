// What a sign joins: date-times, ranges of times, days and months, lone operators, powers of ten,
// and numbers that are written in groups.
#include <algorithm>

#include "text/normalizer_internal.h"
#include "text/number_words.h"
#include "text/utf8.h"

namespace sotto::normalizer {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return IsAsciiUpper(static_cast<unsigned char>(c)); }
bool IsLower(char c) { return IsAsciiLower(static_cast<unsigned char>(c)); }

uint32_t TwoDigits(std::string_view text) {
  return static_cast<uint32_t>(text[0] - '0') * 10 + static_cast<uint32_t>(text[1] - '0');
}

// "14:30", "14:30:00", "14:30:00.25" at the front of an ISO time. `bytes` 0: none.
struct IsoClock {
  uint32_t hour = 0;
  uint32_t minute = 0;
  std::string_view seconds;
  std::string_view fraction;
  size_t bytes = 0;
};

IsoClock ParseIsoClock(std::string_view text) {
  IsoClock clock;
  if (text.size() < 5 || !IsDigits(text.substr(0, 2)) || text[2] != ':' ||
      !IsDigits(text.substr(3, 2))) {
    return clock;
  }
  clock.hour = TwoDigits(text);
  clock.minute = TwoDigits(text.substr(3));
  if (clock.hour > 24 || clock.minute > 59) return clock;
  size_t at = 5;
  if (text.size() >= 8 && text[5] == ':' && IsDigits(text.substr(6, 2))) {
    clock.seconds = text.substr(6, 2);
    at = 8;
    if (at + 1 < text.size() && text[at] == '.' && IsDigit(text[at + 1])) {
      const size_t begin = ++at;
      while (at < text.size() && IsDigit(text[at])) ++at;
      clock.fraction = text.substr(begin, at - begin);
    }
  }
  clock.bytes = at;
  return clock;
}

// The weekday or month that `word` names or abbreviates; empty: none.
std::string_view CalendarName(std::string_view word) {
  if (word.size() < 3 || !IsUpper(word[0])) return {};
  if (word.size() > 5) {
    const std::string_view day = WeekdayName(word.substr(0, 3));
    if (day == word) return day;
  } else if (const std::string_view day = WeekdayName(word); !day.empty()) {
    return day;
  }
  const uint32_t month = MonthOf(word);
  return month == 0 ? std::string_view() : MonthName(month);
}

bool IsMonth(std::string_view name) { return MonthOf(name) != 0; }

bool IsVariable(std::string_view text) { return text.size() == 1 && IsLower(text[0]); }

}  // namespace

bool IsZone(std::string_view text) {
  constexpr uint32_t kMaxHours = 14;  // Kiribati
  if (text.empty() || text == "Z" || text == "z") return true;
  if (text[0] != '+' && text[0] != '-') return false;
  text.remove_prefix(1);
  std::string digits(text);
  if (text.size() == 5 && text[2] == ':') digits.erase(2, 1);
  if (!IsDigits(digits) || (digits.size() != 2 && digits.size() != 4)) return false;
  return TwoDigits(digits) <= kMaxHours &&
         (digits.size() == 2 || TwoDigits(std::string_view(digits).substr(2)) <= 59);
}

// 2025-03-03T14:30:00Z, 2025-03-03T14:30+02:00
size_t Speaker::TryDateTime(size_t i) {
  const std::string_view text = Core(i);
  if (text.size() < 15 || (text[10] != 'T' && text[10] != 't')) return 0;
  const IsoClock clock = ParseIsoClock(text.substr(11));
  if (clock.bytes == 0) return 0;
  const std::string_view zone = text.substr(11 + clock.bytes);
  if (!IsZone(zone) || !SayNumericDate(text.substr(0, 10))) return 0;
  Say("at");
  Say(CardinalWords(uint64_t{clock.hour}));
  if (clock.minute > 0 && clock.minute < 10) Say("oh");
  Say(clock.minute == 0 ? "hundred" : CardinalWords(uint64_t{clock.minute}));
  if (!clock.fraction.empty() || (!clock.seconds.empty() && clock.seconds != "00")) {
    Say("and");
    const uint32_t seconds = TwoDigits(clock.seconds);
    Say(CardinalWords(uint64_t{seconds}));
    if (!clock.fraction.empty()) {
      Say("point");
      Say(DigitWords(clock.fraction));
    }
    Say(seconds == 1 && clock.fraction.empty() ? "second" : "seconds");
  }
  SayZone(zone);
  return 1;
}

void Speaker::SayZone(std::string_view zone) {
  if (zone == "Z" || zone == "z") Say("U T C");
  if (zone.size() < 3) return;
  Say(zone[0] == '+' ? "plus" : "minus");
  const uint32_t hours = TwoDigits(zone.substr(1));
  Say(CardinalWords(uint64_t{hours}));
  Say(hours == 1 ? "hour" : "hours");
  const std::string_view minutes = zone.size() > 4 ? zone.substr(zone.size() - 2) : "00";
  if (minutes != "00") Say(CardinalWords(uint64_t{TwoDigits(minutes)}));
}

// 9am-5pm, 9:30-17:00, 9-5pm, 10 a.m.-2 p.m., Mon-Fri, Jan-Mar
size_t Speaker::TrySpan(size_t i) {
  const std::string_view text = Core(i);
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos || dash == 0 || dash + 1 >= text.size()) return 0;
  const std::string_view from = text.substr(0, dash);
  const std::string_view to = text.substr(dash + 1);
  const std::string_view from_name = CalendarName(from);
  const std::string_view to_name = CalendarName(to);
  if (!from_name.empty() && !to_name.empty() && IsMonth(from_name) == IsMonth(to_name)) {
    Say(from_name);
    Say("to");
    Say(to_name);
    if (const std::string_view year = Core(i + 1);
        IsMonth(to_name) && TightlyFollowed(i) && year.size() == 4 && IsDigits(year)) {
      SayYear(year);
      return 2;
    }
    return 1;
  }
  const bool part_next = TightlyFollowed(i) && DayPartOf(Core(i + 1)) != 0;
  Clock end = ParseClock(to);
  if (!end.valid) end = ParseDottedClock(to, part_next);
  if (!end.valid) return 0;
  const bool half_day = part_next || end.part != 0;
  const char part = DayPartOf(from.ends_with('.') ? from.substr(0, from.size() - 1) : from);
  if (part != 0 && i > 0 && !Core(i - 1).empty() && IsDigit(Core(i - 1).back())) {
    Say(part == 'A' ? "A M" : "P M");
  } else {
    Clock begin = ParseClock(from);
    if (!begin.valid) begin = ParseDottedClock(from, half_day);
    if (!begin.valid || (!begin.certain() && !end.certain())) return 0;
    SayClock(begin, !end.certain() || end.part == 0);
  }
  Say("to");
  SayClock(end, !part_next);
  return 1 + (part_next ? SayDayPart(i + 1) : 0);
}

// A sign that stands alone between numbers: "5 - 3 = 2", "5 * 3", "1990 - 1995", "9 am - 5 pm".
size_t Speaker::TryOperator(size_t i) {
  const std::string_view text = Core(i);
  if ((text != "-" && text != "*" && text != "x") || i == 0 || !TightlyFollowed(i) ||
      !TightlyFollowed(i - 1)) {
    return 0;
  }
  const std::string_view before = Core(i - 1);
  const std::string_view after = Core(i + 1);
  if (before.empty() || after.empty()) return 0;
  const bool variables = IsVariable(before) || IsVariable(after);
  if (text == "x") {  // 3" x 5", 6 in x 4 in
    const bool side = before.back() == '"' || before.back() == '\'' || before == "in" ||
                      before == "ft" || before == "cm" || before == "mm" || before == "m";
    if (!IsDigit(after[0]) || !(side || IsDigit(before.back()))) return 0;
    Say("by");
    return 1;
  }
  const bool numbers = IsDigit(before.back()) && IsDigit(after[0]);
  if (text == "*") {
    if (!numbers && !variables) return 0;
    Say("times");
    return 1;
  }
  const bool times =
      IsDigit(after[0]) && (DayPartOf(before) != 0 || before.find(':') != std::string_view::npos ||
                            ParseClock(before).certain());
  const bool years =
      numbers && before.size() == 4 && after.size() == 4 && IsDigits(before) && IsDigits(after);
  if (times || years) {
    Say("to");
    return 1;
  }
  const bool algebra = variables && (IsDigit(after[0]) || IsVariable(after)) &&
                       (IsDigit(before.back()) || IsVariable(before));
  if (!numbers && !algebra) return 0;
  Say("minus");
  return 1;
}

// 1e-9, 2.5E6, 1.5e-3 m
size_t Speaker::TryScientific(size_t i) {
  const std::string_view text = Core(i);
  const bool negative = text[0] == '-';
  const Number number = ParseNumber(text.substr(negative));
  if (number.bytes == 0) return 0;
  std::string_view power = text.substr(negative + number.bytes);
  if (power.size() < 2 || (power[0] != 'e' && power[0] != 'E')) return 0;
  power.remove_prefix(1);
  const char sign = power[0];
  if (sign == '-' || sign == '+') power.remove_prefix(1);
  const size_t digits = LeadingDigits(power);
  const std::string_view unit = power.substr(digits);
  if (digits == 0 || digits > 3 ||
      !(unit.empty() || FindUnit(unit.substr(0, unit.find('/'))) != nullptr))
    return 0;
  if (negative) Say("minus");
  Say(number.Words());
  Say("times ten to the");
  if (sign == '-') Say("minus");
  Say(CardinalWords(power.substr(0, digits)));
  if (unit.empty()) return 1 + SayNextUnit(i, false);
  if (!SayUnit(unit, false, false)) SayMixed(unit);
  return 1;
}

// 3x-5y, 2a-7
size_t Speaker::TryAlgebra(size_t i) {
  const std::string_view text = Core(i);
  if (text.size() > 32 || text.find('-') == std::string_view::npos) return 0;
  bool term = false;  // some part has a number and a letter
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] != '-') continue;
    const std::string_view part = text.substr(begin, at - begin);
    size_t digits = 0;
    while (digits < part.size() && IsDigit(part[digits])) ++digits;
    const std::string_view letter = part.substr(digits);
    if (part.empty() || !(letter.empty() || IsVariable(letter))) return 0;
    term = term || (digits > 0 && !letter.empty() && FindUnit(letter) == nullptr);
    begin = at + 1;
  }
  if (!term) return 0;
  begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] != '-') continue;
    if (begin > 0) Say("minus");
    SayMixed(text.substr(begin, at - begin));
    begin = at + 1;
  }
  return 1;
}

// Groups with spaces between them: "1 000 000", and the digits of a card, "4111 1111 1111 1111".
size_t Speaker::TryGrouped(size_t i) {
  // Six groups are the most that a card or a number of people's size has.
  constexpr size_t kMaxGroups = 6;
  size_t count = 0;
  size_t total = 0;
  size_t threes = 0;  // groups of three digits after the first
  size_t card = 0;    // groups of four to six digits
  bool zeros = false;
  while (count < kMaxGroups && i + count < tokens_.size() && IsDigits(Core(i + count)) &&
         (count == 0 || TightlyFollowed(i + count - 1))) {
    const std::string_view group = Core(i + count);
    if (group.size() > 6) break;
    threes += count > 0 && group.size() == 3;
    card += group.size() >= 4;
    zeros = zeros || (count > 0 && group == "000");
    total += group.size();
    ++count;
  }
  if (count < 2) return 0;
  if (card == count && count >= 3 && total >= 13 && total <= 19) {
    for (size_t n = 0; n < count; ++n) {
      if (n > 0) Mark(',');
      Say(DigitWords(Core(i + n)));
    }
    return count;
  }
  const std::string_view first = Core(i);
  if (first.size() > 3 || first[0] == '0' || threes + 1 != count) return 0;
  if (!zeros && (count < 3 || first.size() == 3)) return 0;
  Number number;
  for (size_t n = 0; n < count; ++n) number.whole += Core(i + n);
  number.bytes = number.whole.size();
  return count - 1 + SayMeasure(i + count - 1, number, {});
}

}  // namespace sotto::normalizer
