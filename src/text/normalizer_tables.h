// The word lists of the normaliser. Lookups are by exact text, O(log n) or a short scan; nullptr or
// empty if there is none. Any thread.
#ifndef SOTTO_TEXT_NORMALIZER_TABLES_H_
#define SOTTO_TEXT_NORMALIZER_TABLES_H_

#include <cstdint>
#include <string_view>

namespace sotto::normalizer {

struct Unit {
  std::string_view symbol;  // case matters: "Mb" is not "mb"
  std::string_view one;
  std::string_view many;
  bool spaced;  // also read as a unit when a space stands between the number and it
};
const Unit* FindUnit(std::string_view symbol);

struct Currency {
  std::string_view symbol;  // "$", or the ISO 4217 code
  std::string_view one;
  std::string_view many;
  std::string_view cent;  // empty: has none
  std::string_view cents;
};
const Currency* FindCurrency(std::string_view symbol);
// The currency whose symbol begins `text`, longest first ("US$" before "$").
const Currency* CurrencyPrefix(std::string_view text);
const Currency* CurrencySuffix(std::string_view text);

// 1..12 for a month or its abbreviation (without stop, any case); 0 otherwise.
uint32_t MonthOf(std::string_view word);
std::string_view MonthName(uint32_t month);
// The full name of a weekday's abbreviation ("Mon" -> "Monday"); empty otherwise.
std::string_view WeekdayName(std::string_view word);

// What an abbreviation stands for wherever it occurs, by lower case without the last stop:
// "mr" -> "mister". `needs_stop` if the bare word means something else.
struct Abbreviation {
  std::string_view text;
  std::string_view spoken;
  bool needs_stop;
};
const Abbreviation* FindAbbreviation(std::string_view lower);
// "ave" -> "Avenue": read so after a capital word.
std::string_view StreetName(std::string_view lower);

// Capital words that are read as words ("NASA"), not letter by letter.
bool IsSpokenAcronym(std::string_view upper);
// Initialisms that could be read as words, but are not ("FBI", "API").
bool IsKnownInitialism(std::string_view upper);
// The capital letters can be read as an English word, by their vowels and clusters.
bool IsPronounceable(std::string_view upper);
// Everyday words that people write in capitals for emphasis ("NOT", "STOP").
bool IsShoutedWord(std::string_view lower);
// Names of sovereigns and popes: a Roman numeral after them is an ordinal.
bool IsRegnalName(std::string_view word);
// Words that a number follows: "chapter", "war".
bool IsNumberedWord(std::string_view lower);
bool IsTopLevelDomain(std::string_view lower);
// "million", "thousand", ...
bool IsScaleWord(std::string_view lower);

// What is said for a character where no rule of its own applies; empty: nothing is said.
std::string_view SymbolName(char32_t c);
std::string_view GreekName(char32_t c);

}  // namespace sotto::normalizer

#endif  // SOTTO_TEXT_NORMALIZER_TABLES_H_
