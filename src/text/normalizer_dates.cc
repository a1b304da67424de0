// Money, dates and times.
#include <algorithm>

#include "text/normalizer_internal.h"
#include "text/number_words.h"
#include "text/utf8.h"

namespace sotto::normalizer {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

uint32_t SmallValue(std::string_view digits) {
  uint32_t value = 0;
  for (const char c : digits.substr(0, 6)) value = value * 10 + static_cast<uint32_t>(c - '0');
  return value;
}

std::string_view ScaleOf(std::string_view suffix) {
  if (suffix == "K" || suffix == "k") return "thousand";
  if (suffix == "M" || suffix == "m" || suffix == "mn" || suffix == "MM") return "million";
  if (suffix == "B" || suffix == "b" || suffix == "bn" || suffix == "Bn") return "billion";
  if (suffix == "T" || suffix == "tn") return "trillion";
  return {};
}

bool IsDay(uint32_t day) { return day >= 1 && day <= 31; }

// The day in "3", "3rd"; 0 if it is none.
uint32_t DayOf(std::string_view core) {
  size_t digits = 0;
  while (digits < core.size() && IsDigit(core[digits])) ++digits;
  if (digits == 0 || digits > 2) return 0;
  const std::string_view rest = core.substr(digits);
  if (!rest.empty() && rest != "st" && rest != "nd" && rest != "rd" && rest != "th") return 0;
  const uint32_t day = SmallValue(core.substr(0, digits));
  return IsDay(day) ? day : 0;
}

bool IsYear(std::string_view core) { return core.size() == 4 && IsDigits(core) && core[0] != '0'; }

}  // namespace

char DayPartOf(std::string_view core) {
  if (core.size() < 2 || core.size() > 3) return 0;
  const std::string lower = AsciiLower(core);
  if (lower == "am" || lower == "a.m") return 'A';
  if (lower == "pm" || lower == "p.m") return 'P';
  return 0;
}

Clock ParseClock(std::string_view text) {
  Clock clock;
  size_t digits = 0;
  while (digits < text.size() && IsDigit(text[digits])) ++digits;
  if (digits == 0 || digits > 2) return clock;
  clock.hour = SmallValue(text.substr(0, digits));
  text.remove_prefix(digits);
  if (clock.hour > 24) return clock;
  while (clock.count < 2 && text.size() >= 3 && text[0] == ':' && IsDigits(text.substr(1, 2)) &&
         (text.size() == 3 || !IsDigit(text[3]))) {
    clock.fields[clock.count++] = SmallValue(text.substr(1, 2));
    text.remove_prefix(3);
  }
  if (clock.fields[0] > 59 || clock.fields[1] > 59) return clock;
  if (clock.count == 2 && text.starts_with('.')) {
    clock.fraction = text.substr(1, LeadingDigits(text.substr(1)));
    if (!clock.fraction.empty()) text.remove_prefix(1 + clock.fraction.size());
  }
  clock.part = DayPartOf(text);
  clock.dotted = text.size() == 3;
  clock.valid = text.empty() || clock.part != 0;
  return clock;
}

Clock ParseDottedClock(std::string_view text, bool certain) {
  if (text.size() < 4 || text.size() > 8 || text.find('.') > 2) return {};
  std::string colon(text);
  colon[colon.find('.')] = ':';
  Clock clock = ParseClock(colon);
  clock.valid = clock.valid && clock.count == 1 && clock.hour <= 12 && (clock.part != 0 || certain);
  return clock;
}

void Speaker::SayYear(std::string_view digits) { Say(YearWords(SmallValue(digits))); }

void Speaker::SayMoney(const Currency& currency, const Number& number, std::string_view scale) {
  if (!scale.empty()) {
    Say(number.Words());
    Say(scale);
    return Say(currency.many);
  }
  if (number.has_point && number.fraction.size() <= 2 && !currency.cents.empty()) {
    const std::string_view fraction = number.fraction;
    const uint32_t cents = SmallValue(fraction) * (fraction.size() == 1 ? 10 : 1);
    const bool whole = !number.whole.empty() && number.whole != "0";
    if (whole || cents == 0) {
      Say(CardinalWords(whole ? std::string_view(number.whole) : "0"));
      Say(number.whole == "1" ? currency.one : currency.many);
      if (cents == 0) return;
      Say("and");
    }
    Say(CardinalWords(uint64_t{cents}));
    return Say(cents == 1 ? currency.cent : currency.cents);
  }
  Say(number.Words());
  Say(number.is_one() ? currency.one : currency.many);
}

size_t Speaker::TryMoney(size_t i) {
  std::string_view text = Core(i);
  const bool negative = text.size() > 1 && text[0] == '-';
  if (negative) text.remove_prefix(1);
  const Currency* currency = CurrencyPrefix(text);
  const size_t sign = currency == nullptr ? text.size() : currency->symbol.size();
  const bool inner = !negative && sign + 1 < text.size() && text[sign] == '-';  // $-5
  size_t used = 1;
  Number number;
  std::string_view rest;
  if (currency != nullptr && text.size() > currency->symbol.size()) {
    number = ParseNumber(text.substr(sign + inner));
    rest = text.substr(std::min(text.size(), sign + inner + number.bytes));
  } else if (currency != nullptr && text == currency->symbol && TightlyFollowed(i)) {
    number = ParseNumber(Core(i + 1));
    rest = Core(i + 1).substr(number.bytes);
    used = 2;
  } else {
    number = ParseNumber(text);
    rest = text.substr(number.bytes);
    currency = FindCurrency(rest);
    if (currency == nullptr && rest.empty() && number.bytes > 0 && TightlyFollowed(i)) {
      currency = FindCurrency(Core(i + 1));
      if (currency != nullptr) used = 2;
    } else {
      rest = {};
    }
  }
  if (currency == nullptr || number.bytes == 0) return 0;
  std::string_view scale = ScaleOf(rest);
  if (!scale.empty()) rest = {};
  const size_t last = i + used - 1;
  if (scale.empty() && rest.empty() && TightlyFollowed(last) &&
      IsScaleWord(AsciiLower(Core(last + 1)))) {
    scale = Core(last + 1);
    ++used;
  }
  if (negative || inner) Say("minus");
  if (rest.starts_with('-') && rest.size() > 1) {  // $5-10, $5-$10
    std::string_view upper = rest.substr(1);
    if (upper.starts_with(currency->symbol)) upper.remove_prefix(currency->symbol.size());
    const Number end = ParseNumber(upper);
    if (end.bytes > 0 && (end.bytes == upper.size() || !ScaleOf(upper.substr(end.bytes)).empty())) {
      Say(number.Words());
      Say("to");
      SayMoney(*currency, end, ScaleOf(upper.substr(end.bytes)));
      return used;
    }
  }
  SayMoney(*currency, number, scale);
  if (rest.starts_with('/')) {
    Say("per");
    rest.remove_prefix(1);
    const Unit* unit = FindUnit(rest);
    if (unit != nullptr) {
      Say(unit->one);
      rest = {};
    }
  }
  if (!rest.empty()) SayMixed(rest);
  return used;
}

size_t Speaker::TryDate(size_t i) {
  if (const size_t used = TryNumericDate(i); used > 0) return used;
  if (const size_t used = TryMonthFirst(i); used > 0) return used;
  return TryDayFirst(i);
}

size_t Speaker::TryNumericDate(size_t i) {
  if (!SayNumericDate(Core(i))) return 0;
  const Clock next = TightlyFollowed(i) ? ParseClock(Core(i + 1)) : Clock();
  if (next.valid && next.count > 0) Say("at");
  return 1;
}

// 2025-03-03, 2025/3/3, 3/3/2025, 3/3/25, 03-03-2025, 3.3.2025
bool Speaker::SayNumericDate(std::string_view text) {
  if (text.size() < 6 || text.size() > 10 || !IsDigit(text[0])) return false;
  std::string_view parts[3];
  size_t count = 0;
  size_t begin = 0;
  char separator = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && IsDigit(text[at])) continue;
    if (count == 3 || at == begin) return false;
    parts[count++] = text.substr(begin, at - begin);
    begin = at + 1;
    if (at == text.size()) break;
    if (text[at] != '-' && text[at] != '/' && text[at] != '.') return false;
    if (separator != 0 && text[at] != separator) return false;
    separator = text[at];
  }
  if (count != 3) return false;
  const bool year_first = parts[0].size() == 4;
  const std::string_view year = year_first ? parts[0] : parts[2];
  const bool short_year = year.size() == 2 && separator == '/';
  if (!IsYear(year) && !short_year) return false;
  if (parts[1].size() > 2 || (year_first ? parts[2] : parts[0]).size() > 2) return false;
  uint32_t month = SmallValue(year_first ? parts[1] : parts[0]);
  uint32_t day = SmallValue(year_first ? parts[2] : parts[1]);
  if (month > 12 && day <= 12) std::swap(month, day);
  if (month < 1 || month > 12 || !IsDay(day)) return false;
  Say(MonthName(month));
  Say(OrdinalWords(uint64_t{day}));
  Mark(',');
  if (short_year) {
    const uint32_t value = SmallValue(year);
    Say(YearWords(value < 50 ? 2000 + value : 1900 + value));
  } else {
    SayYear(year);
  }
  return true;
}

// March 3rd, 2025; Mar. 3; March 3-5; March 2025
size_t Speaker::TryMonthFirst(size_t i) {
  const Token& token = At(i);
  const uint32_t month = MonthOf(token.core);
  if (month == 0 || !IsAsciiUpper(static_cast<unsigned char>(token.core[0]))) return 0;
  const bool full = token.core == MonthName(month);
  if (token.trail != "" && token.trail != ".") return 0;
  if (token.dotted() && full) return 0;
  const std::string_view next = Core(i + 1);
  if (IsYear(next) && At(i + 1).lead.empty()) {
    Say(MonthName(month));
    SayYear(next);
    return 2;
  }
  uint32_t day = DayOf(next);
  uint32_t last_day = 0;
  if (const size_t dash = next.find('-'); day == 0 && dash != std::string_view::npos) {
    day = DayOf(next.substr(0, dash));
    last_day = DayOf(next.substr(dash + 1));
    if (last_day == 0) day = 0;
  }
  if (day == 0) {
    if (full || !token.dotted()) return 0;
    Say(MonthName(month));
    swallow_dot_ = true;
    return 1;
  }
  Say(MonthName(month));
  Say(OrdinalWords(uint64_t{day}));
  if (last_day != 0) {
    Say("to");
    Say(OrdinalWords(uint64_t{last_day}));
  }
  const bool year_follows =
      IsYear(Core(i + 2)) && (At(i + 1).trail == "," || At(i + 1).trail.empty());
  if (!year_follows) return 2;
  Mark(',');
  SayYear(Core(i + 2));
  return 3;
}

// 3 March 2025, 3rd March
size_t Speaker::TryDayFirst(size_t i) {
  const uint32_t day = DayOf(Core(i));
  const uint32_t month = day == 0 || !TightlyFollowed(i) ? 0 : MonthOf(Core(i + 1));
  if (month == 0 || !IsAsciiUpper(static_cast<unsigned char>(Core(i + 1)[0]))) return 0;
  if (PreviousWord(i) != "the") Say("the");
  Say(OrdinalWords(uint64_t{day}));
  Say("of");
  Say(MonthName(month));
  const std::string_view trail = At(i + 1).trail;
  const bool year_follows = IsYear(Core(i + 2)) && (trail == "," || trail.empty());
  if (!year_follows) {
    swallow_dot_ = Core(i + 1) != MonthName(month);
    return 2;
  }
  Mark(',');
  SayYear(Core(i + 2));
  return 3;
}

// Says the "p.m." at token i; how many tokens that was.
size_t Speaker::SayDayPart(size_t i) {
  const char part = DayPartOf(Core(i));
  if (part == 0 || !At(i).lead.empty()) return 0;
  Say(part == 'A' ? "A M" : "P M");
  swallow_dot_ = Core(i).size() == 3;
  return 1;
}

// `alone`: no "p.m." comes after it in another token.
void Speaker::SayClock(const Clock& clock, bool alone) {
  Say(CardinalWords(uint64_t{clock.hour}));
  if (clock.count > 0 && clock.fields[0] > 0) {
    if (clock.fields[0] < 10) Say("oh");
    Say(CardinalWords(uint64_t{clock.fields[0]}));
  } else if (clock.count > 0 && clock.part == 0 && alone) {
    Say(clock.hour == 0 || clock.hour > 12 ? "hundred" : "o'clock");
  }
  const bool fraction = clock.fraction.find_first_not_of('0') != std::string_view::npos;
  if (fraction || clock.fields[1] > 0) {
    Say("and");
    Say(CardinalWords(uint64_t{clock.fields[1]}));
    if (fraction) {
      Say("point");
      Say(DigitWords(clock.fraction));
    }
    Say(clock.fields[1] == 1 && !fraction ? "second" : "seconds");
  }
  if (clock.part == 0) return;
  Say(clock.part == 'A' ? "A M" : "P M");
  swallow_dot_ = clock.dotted;
}

// 16:05, 4:30 p.m., 4:30:10, 4pm, 4 p.m., 4.30pm, 17:05Z
size_t Speaker::TryTime(size_t i) {
  const bool part_follows = TightlyFollowed(i) && DayPartOf(Core(i + 1)) != 0;
  std::string_view text = Core(i);
  Clock clock = ParseClock(text);
  if (!clock.valid) clock = ParseDottedClock(text, part_follows);
  std::string_view zone;
  if (const size_t at = text.find_first_of("Zz+-"); !clock.valid && at < 16) {
    zone = text.substr(at);
    clock = ParseClock(text.substr(0, at));
    clock.valid = clock.valid && clock.count > 0 && clock.part == 0 && IsZone(zone);
  }
  const bool ratio = clock.part == 0 && AfterAny(i, {"ratio", "scale", "aspect", "odds"}, 2);
  if (!clock.valid || ratio) return 0;
  const bool part_next = clock.part == 0 && part_follows;
  if (!clock.certain() && !part_next) return 0;
  SayClock(clock, !part_next);
  SayZone(zone);
  return 1 + (part_next ? SayDayPart(i + 1) : 0);
}

}  // namespace sotto::normalizer
