#include "text/number_words.h"

#include <algorithm>

namespace sotto {
namespace {

constexpr std::string_view kSmall[] = {"zero",    "one",     "two",       "three",    "four",
                                       "five",    "six",     "seven",     "eight",    "nine",
                                       "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                                       "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::string_view kTens[] = {"",      "",      "twenty",  "thirty", "forty",
                                      "fifty", "sixty", "seventy", "eighty", "ninety"};
// Short scale, as in the United States.
constexpr std::string_view kScales[] = {"",           "thousand",    "million",     "billion",
                                        "trillion",   "quadrillion", "quintillion", "sextillion",
                                        "septillion", "octillion",   "nonillion",   "decillion"};
constexpr std::string_view kOrdinals[][2] = {
    {"one", "first"},    {"two", "second"}, {"three", "third"},   {"five", "fifth"},
    {"eight", "eighth"}, {"nine", "ninth"}, {"twelve", "twelfth"}};

void Append(std::string& out, std::string_view word) {
  if (!out.empty()) out += ' ';
  out += word;
}

void AppendBelowHundred(uint32_t value, std::string& out) {
  if (value < 20) return Append(out, kSmall[value]);
  Append(out, kTens[value / 10]);
  if (value % 10 != 0) Append(out, kSmall[value % 10]);
}

void AppendBelowThousand(uint32_t value, std::string& out) {
  if (value >= 100) {
    Append(out, kSmall[value / 100]);
    Append(out, "hundred");
    value %= 100;
    if (value == 0) return;
  }
  AppendBelowHundred(value, out);
}

// The second half of a year or a house number: 5 -> "oh five".
void AppendPair(uint32_t value, std::string& out) {
  if (value < 10) Append(out, "oh");
  AppendBelowHundred(value, out);
}

}  // namespace

std::string DigitWords(std::string_view digits) {
  std::string out;
  for (const char c : digits) Append(out, kSmall[static_cast<size_t>(c - '0')]);
  return out;
}

std::string CardinalWords(std::string_view digits) {
  if (digits.size() > kMaxNamedDigits || (digits.size() > 1 && digits[0] == '0')) {
    return DigitWords(digits);
  }
  if (digits == "0") return "zero";
  std::string out;
  for (size_t left = digits.size(), i = 0; left > 0;) {
    const size_t take = (left - 1) % 3 + 1;
    uint32_t value = 0;
    for (size_t end = i + take; i < end; ++i)
      value = value * 10 + static_cast<uint32_t>(digits[i] - '0');
    left -= take;
    if (value == 0) continue;
    AppendBelowThousand(value, out);
    if (left > 0) Append(out, kScales[left / 3]);
  }
  return out;
}

std::string CardinalWords(uint64_t value) { return CardinalWords(std::to_string(value)); }

std::string OrdinalWords(std::string_view digits) {
  std::string words = CardinalWords(digits);
  const size_t space = words.rfind(' ');
  const size_t begin = space == std::string::npos ? 0 : space + 1;
  const std::string last = words.substr(begin);
  words.erase(begin);
  for (const auto& [cardinal, ordinal] : kOrdinals) {
    if (last == cardinal) return words + std::string(ordinal);
  }
  if (last.ends_with('y')) return words + last.substr(0, last.size() - 1) + "ieth";
  return words + last + "th";
}

std::string OrdinalWords(uint64_t value) { return OrdinalWords(std::to_string(value)); }

std::string YearWords(uint32_t year) {
  const uint32_t century = year / 100;
  const uint32_t rest = year % 100;
  const bool eleventh = year >= 1010 && year <= 1099;  // "ten sixty six"
  if (year < 1000 || year > 9999 || (century % 10 == 0 && !eleventh)) {
    if (year >= 2010 && year <= 2099) {
      std::string out = "twenty";
      AppendPair(rest, out);
      return out;
    }
    return CardinalWords(uint64_t{year});
  }
  std::string out;
  AppendBelowHundred(century, out);
  if (rest == 0) {
    Append(out, "hundred");
  } else {
    AppendPair(rest, out);
  }
  return out;
}

std::string PluralOf(std::string_view word) {
  std::string out(word);
  if (out.ends_with('y') && out.size() > 1 &&
      std::string_view("aeiou").find(out[out.size() - 2]) == std::string_view::npos) {
    out.pop_back();
    return out + "ies";
  }
  const bool hisses =
      out.ends_with('s') || out.ends_with('x') || out.ends_with("ch") || out.ends_with("sh");
  return out + (hisses ? "es" : "s");
}

std::string DecadeWords(uint32_t year) {
  const std::string words =
      year >= 2010 || year % 1000 != 0 ? YearWords(year) : CardinalWords(uint64_t{year});
  const size_t space = words.rfind(' ');
  const size_t begin = space == std::string::npos ? 0 : space + 1;
  return words.substr(0, begin) + PluralOf(std::string_view(words).substr(begin));
}

std::string PairWords(std::string_view digits) {
  if (digits.size() > 4) return DigitWords(digits);
  if (digits.size() < 3 || digits[0] == '0') return CardinalWords(digits);
  uint32_t value = 0;
  for (const char c : digits) value = value * 10 + static_cast<uint32_t>(c - '0');
  if (value % 1000 == 0) return CardinalWords(digits);
  std::string out;
  AppendBelowHundred(value / 100, out);
  if (value % 100 == 0) {
    Append(out, "hundred");
  } else {
    AppendPair(value % 100, out);
  }
  return out;
}

std::string DecimalWords(std::string_view whole, std::string_view fraction) {
  std::string out = whole.empty() ? std::string() : CardinalWords(whole);
  if (fraction.empty()) return out;
  Append(out, "point");
  Append(out, DigitWords(fraction));
  return out;
}

}  // namespace sotto
