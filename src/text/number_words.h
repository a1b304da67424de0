// Numbers as English words, US style: no "and", no hyphens. Digits come as ASCII strings, so that
// no size is too large. Pure; any thread.
#ifndef SOTTO_TEXT_NUMBER_WORDS_H_
#define SOTTO_TEXT_NUMBER_WORDS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace sotto {

// A number of more digits than this is read digit by digit: 1e36 has no common name.
inline constexpr size_t kMaxNamedDigits = 36;

// "1024" -> "one thousand twenty four". With a leading zero ("007"), or with too many digits, digit
// by digit. REQUIRES: digits only, at least one.
std::string CardinalWords(std::string_view digits);
std::string CardinalWords(uint64_t value);

// "21" -> "twenty first".
std::string OrdinalWords(std::string_view digits);
std::string OrdinalWords(uint64_t value);

// "0199" -> "zero one nine nine".
std::string DigitWords(std::string_view digits);

// 1999 -> "nineteen ninety nine", 1066 -> "ten sixty six", 1905 -> "nineteen oh five", 2005 -> "two
// thousand five".
std::string YearWords(uint32_t year);

// 1990 -> "nineteen nineties", 1800 -> "eighteen hundreds". A multiple of 10 below 10000.
std::string DecadeWords(uint32_t year);

// A house, room or flight number of 3 or 4 digits in pairs: "221" -> "two twenty one". Other
// lengths as a cardinal, or digit by digit from 5 on.
std::string PairWords(std::string_view digits);

// "3", "14" -> "three point one four". An empty whole part says "point" first.
std::string DecimalWords(std::string_view whole, std::string_view fraction);

// `word` in the plural: "twenty" -> "twenties", "sixth" -> "sixths".
std::string PluralOf(std::string_view word);

}  // namespace sotto

#endif  // SOTTO_TEXT_NUMBER_WORDS_H_
