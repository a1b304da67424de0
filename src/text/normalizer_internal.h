// The parts of the normaliser share these; nobody else includes it.
#ifndef SOTTO_TEXT_NORMALIZER_INTERNAL_H_
#define SOTTO_TEXT_NORMALIZER_INTERNAL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/normalizer_tables.h"

namespace sotto::normalizer {

// Compatibility forms become what the rules know: full-width, circled, mathematical, super- and
// subscript characters, digits of other scripts, vulgar fractions, ligatures, typographic quotes,
// dashes and spaces. Invalid bytes, invisible characters and pictographs vanish.
std::string Fold(std::string_view text);

// Operators, phone numbers and types of a folded text become words that the rules know: "a != b",
// "(212)555-0100", "vector<int>". Linear time.
std::string Rewrite(std::string_view folded);

// Capitals mean nothing where a text has no small letter and enough everyday words, not only names
// and initialisms.
bool Shouts(std::string_view text);

bool IsDigits(std::string_view text);         // ASCII digits, at least one
size_t LeadingDigits(std::string_view text);  // how many
std::vector<std::string_view> Split(std::string_view text, char separator);
// A plural noun in lower case: what a plain number counts.
bool LooksPlural(std::string_view word);
bool IsZone(std::string_view text);  // of an ISO time: "", "Z", "+02:00", "-0530", "+02"

// One word of the input: what stands between white space, its punctuation taken off.
struct Token {
  std::string_view lead;   // opening quotes and brackets
  std::string_view core;   // may be empty
  std::string_view trail;  // closing punctuation

  bool dotted() const { return trail.starts_with('.'); }
};

// "-1,234.50": digits without their commas.
struct Number {
  std::string whole;
  std::string fraction;
  bool has_point = false;
  bool has_comma = false;
  size_t bytes = 0;  // of the text it was read from; 0: no number

  bool is_integer() const { return bytes > 0 && !has_point; }
  bool is_one() const { return whole == "1" && !has_point; }
  std::string Words() const;
};
Number ParseNumber(std::string_view text);

// "am", "p.m": 'A', 'P'; 0 otherwise.
char DayPartOf(std::string_view core);

// "4", "4pm", "16:05", "4:30:10 p.m" in whole.
struct Clock {
  bool valid = false;
  uint32_t hour = 0;
  uint32_t fields[2] = {};    // minutes, seconds
  size_t count = 0;           // of fields
  std::string_view fraction;  // digits of the seconds after a point
  char part = 0;              // as of DayPartOf
  bool dotted = false;        // the part is written with stops

  bool certain() const { return valid && (count > 0 || part != 0); }  // more than a number
};
Clock ParseClock(std::string_view text);
// "4.30pm"; "4.30" too where something else makes it `certain` that it is a time.
Clock ParseDottedClock(std::string_view text, bool certain);

// Turns tokens into words. Each Try...(i) either says what it recognises at token i and returns
// how many tokens that was, or returns 0 and has said nothing.
class Speaker {
 public:
  // `shouts`: capitals mean nothing. `text` outlives the speaker.
  Speaker(std::string_view text, bool shouts);
  std::string Run();

 private:
  // normalizer.cc
  void Say(std::string_view words);
  void Mark(char mark);
  void MarkTrail(const Token& token, bool swallow_dot, size_t next);
  size_t SayToken(size_t i);
  bool EndsSentence(size_t next) const;
  const Token& At(size_t i) const;
  std::string_view Core(size_t i) const { return At(i).core; }
  bool TightlyFollowed(size_t i) const;  // token i + 1 exists and nothing stands between
  std::string PreviousWord(size_t i) const;
  bool AfterAny(size_t i, std::initializer_list<std::string_view> words, size_t within) const;

  // normalizer_numbers.cc
  size_t TryNumber(size_t i);
  size_t TryPhone(size_t i);
  bool PhoneContext(size_t i) const;
  size_t TryPhoneWords(size_t i);
  size_t TryBareInteger(size_t i, const Number& number);
  bool IsHouseNumber(size_t i) const;
  bool CountsNoun(size_t i) const;
  bool BesideEra(size_t i, uint32_t year) const;
  bool ReadsAsYear(size_t i, std::string_view digits) const;
  size_t TryOrdinal(size_t i);
  size_t TryDecade(size_t i);
  size_t TryFraction(size_t i);
  size_t TryVersion(size_t i);
  size_t TryRange(size_t i);
  size_t TryColons(size_t i);
  size_t TryMeasure(size_t i);

  // normalizer_measures.cc
  size_t TryDimension(size_t i);
  size_t TryFeetAndInches(size_t i);
  size_t TryAngle(size_t i);
  size_t TryLoneUnit(size_t i);
  bool MeansInches(size_t i) const;
  size_t SayMeasure(size_t i, const Number& number, std::string_view rest);
  size_t SayNextUnit(size_t i, bool one);
  bool SayUnit(std::string_view symbol, bool one, bool spaced);
  bool SayPower(std::string_view symbol, bool one);

  // normalizer_spans.cc
  size_t TryDateTime(size_t i);
  size_t TrySpan(size_t i);
  size_t TryOperator(size_t i);
  void SayZone(std::string_view zone);
  size_t TryScientific(size_t i);
  size_t TryAlgebra(size_t i);
  size_t TryGrouped(size_t i);

  // normalizer_dates.cc
  size_t TryMoney(size_t i);
  void SayMoney(const Currency& currency, const Number& number, std::string_view scale);
  size_t TryDate(size_t i);
  size_t TryNumericDate(size_t i);
  bool SayNumericDate(std::string_view text);
  size_t TryMonthFirst(size_t i);
  size_t TryDayFirst(size_t i);
  size_t TryTime(size_t i);
  void SayClock(const Clock& clock, bool alone);
  size_t SayDayPart(size_t i);
  void SayYear(std::string_view digits);

  // normalizer_words.cc
  size_t TryAddressOnline(size_t i);
  void SayAddressOnline(std::string_view text);
  size_t TryTag(size_t i);
  size_t TryAlternatives(size_t i);
  size_t TryAbbreviation(size_t i);
  size_t TryStreet(size_t i);
  size_t TryDottedLetters(size_t i);
  size_t TryRoman(size_t i);
  size_t TryWord(size_t i);
  void SayMixed(std::string_view text);
  void SayLetters(std::string_view word);
  void SayWordRun(std::string_view word);
  void SaySymbol(char32_t c, bool between_digits);

  bool all_caps_ = false;
  std::vector<Token> tokens_;
  bool swallow_dot_ = false;  // the stop after the last token belongs to an abbreviation
  std::string out_;
};

}  // namespace sotto::normalizer

#endif  // SOTTO_TEXT_NORMALIZER_INTERNAL_H_
