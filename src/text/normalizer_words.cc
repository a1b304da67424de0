// Words: addresses on the net, tags, abbreviations, initialisms, Roman numerals, and the fallback
// that reads anything piece by piece.
#include <algorithm>

#include "text/normalizer_internal.h"
#include "text/number_words.h"
#include "text/utf8.h"
#include "text/word_classes.h"

namespace sotto::normalizer {
namespace {

// A longer hyphened word is read part by part, which keeps the time linear.
constexpr size_t kMaxHyphenedBytes = 64;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return IsAsciiUpper(static_cast<unsigned char>(c)); }
bool IsLower(char c) { return IsAsciiLower(static_cast<unsigned char>(c)); }
bool IsAlpha(char c) { return IsAsciiAlpha(static_cast<unsigned char>(c)); }

bool IsAllUpper(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsUpper);
}
bool IsAllAlpha(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsAlpha);
}

// Letters of any script and marks on them, apostrophes between them.
size_t WordRun(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const CodePoint c = DecodeUtf8(text, i);
    const bool inner = c.value == '\'' && i > 0 && i + 1 < text.size() && IsAlpha(text[i + 1]);
    if (!inner && !IsLetter(c.value) && !IsCombiningMark(c.value)) break;
    i += c.size_bytes;
  }
  return i;
}

// The value of a Roman numeral of I, V and X below 40, in its usual form; 0 otherwise.
uint32_t RomanValue(std::string_view text) {
  static constexpr std::string_view kTens[] = {"", "X", "XX", "XXX"};
  static constexpr std::string_view kOnes[] = {"",  "I",  "II",  "III",  "IV",
                                               "V", "VI", "VII", "VIII", "IX"};
  for (uint32_t value = 1; value < 40; ++value) {
    std::string roman(kTens[value / 10]);
    roman += kOnes[value % 10];
    if (text == roman) return value;
  }
  return 0;
}

bool HasVowel(std::string_view word) {
  return word.find_first_of("AEIOUYaeiouy") != std::string_view::npos;
}

bool IsOrdinaryWord(std::string_view word) {
  return word.size() >= 2 && IsAllAlpha(word) && HasVowel(word) &&
         std::all_of(word.begin() + 1, word.end(), IsLower);
}

// Letters to be named one by one, not a word in capitals.
bool IsInitialism(std::string_view word) {
  if (word.size() < 2 || !IsAllUpper(word) || IsSpokenAcronym(word)) return false;
  if (IsShoutedWord(AsciiLower(word))) {
    return word == "US" || word == "IT";
  }
  return word.size() <= 3 || !HasVowel(word) || (word.size() == 4 && word != "COOL");
}

// The same where every word is in capitals.
bool IsInitialismAmongCapitals(std::string_view word) {
  if (word.size() < 2 || word.size() > 5 || !IsAllUpper(word) || IsSpokenAcronym(word))
    return false;
  if (IsShoutedWord(AsciiLower(word))) return false;
  return IsKnownInitialism(word) || !IsPronounceable(word);
}

}  // namespace

// "FBI" -> "F B I"
void Speaker::SayLetters(std::string_view word) {
  if (word.size() > 1 && static_cast<uint8_t>(word[0]) >= 0x80) return Say(word);
  for (const char c : word) Say(std::string(1, AsciiUpper(c)));
}

// --- addresses on the net --------------------------------------------------------------------

size_t Speaker::TryAddressOnline(size_t i) {
  const std::string_view text = Core(i);
  const bool scheme = text.find("://") != std::string_view::npos;
  const size_t at = text.find('@');
  const size_t dot = text.rfind('.');
  const bool mail = at != std::string_view::npos && at > 0 && dot != std::string_view::npos &&
                    dot > at + 1 && dot + 1 < text.size();
  bool domain = text.starts_with("www.") || text.starts_with("localhost:");
  if (!domain && !scheme && !mail) {
    const std::string_view host = text.substr(0, text.find_first_of("/?#:"));
    const size_t last = host.rfind('.');
    if (last == std::string_view::npos || last == 0 || last + 2 >= host.size()) return 0;
    domain = IsTopLevelDomain(AsciiLower(host.substr(last + 1))) &&
             std::any_of(host.begin(), host.begin() + static_cast<ptrdiff_t>(last), IsAlpha) &&
             host.find("..") == std::string_view::npos && IsAlpha(host[last - 1]) == true;
    domain = domain && std::all_of(host.begin(), host.end(), [](char c) {
               return IsAlpha(c) || IsDigit(c) || c == '.' || c == '-';
             });
  }
  if (!scheme && !mail && !domain) return 0;
  SayAddressOnline(scheme ? text.substr(text.find("://") + 3) : text);
  return 1;
}

void Speaker::SayAddressOnline(std::string_view text) {
  while (!text.empty()) {
    const size_t run = WordRun(text);
    if (run > 0) {
      const std::string_view word = text.substr(0, run);
      if (run <= 3 && IsAllAlpha(word) &&
          (run == 1 || !HasVowel(word) || IsAllUpper(word) || word == "uk" || word == "io" ||
           word == "ai")) {
        SayLetters(word);
      } else {
        Say(word);
      }
      text.remove_prefix(run);
      continue;
    }
    if (IsDigit(text[0])) {
      size_t digits = 1;
      while (digits < text.size() && IsDigit(text[digits])) ++digits;
      Say(digits > 4 ? DigitWords(text.substr(0, digits)) : CardinalWords(text.substr(0, digits)));
      text.remove_prefix(digits);
      continue;
    }
    const CodePoint c = DecodeUtf8(text, 0);
    switch (c.value) {
      case '.':
        Say("dot");
        break;
      case '@':
        Say("at");
        break;
      case '/':
        if (text.size() > 1) Say("slash");
        break;
      case '-':
        Say("dash");
        break;
      case '_':
        Say("underscore");
        break;
      case '?':
        Say("question mark");
        break;
      case ':': {
        const size_t digits = LeadingDigits(text.substr(1));
        const bool port = digits > 0 && (1 + digits == text.size() || text[1 + digits] == '/');
        Say(port ? "port" : "colon");
        if (port) Say(PairWords(text.substr(1, digits)));
        if (port) text.remove_prefix(digits);
        break;
      }
      case '#':
        Say("hash");
        break;
      default:
        SaySymbol(c.value, false);
        break;
    }
    text.remove_prefix(c.size_bytes);
  }
}

// "#1", "#BlackFriday", "@john", "C#", "C++"
size_t Speaker::TryTag(size_t i) {
  const std::string_view text = Core(i);
  if (text == "C#" || text == "F#" || text == "A#" || text == "G#" || text == "D#") {
    SayLetters(text.substr(0, 1));
    Say("sharp");
    return 1;
  }
  if (text.size() < 2 || (text[0] != '#' && text[0] != '@')) return 0;
  const std::string_view rest = text.substr(1);
  if (text[0] == '@') {
    Say("at");
    SayMixed(rest);
    return 1;
  }
  if (IsDigit(rest[0])) {
    Say("number");
    SayMixed(rest);
    return 1;
  }
  Say("hashtag");
  size_t begin = 0;
  for (size_t at = 1; at <= rest.size(); ++at) {  // BlackFriday -> Black Friday
    if (at < rest.size() && !(IsUpper(rest[at]) && IsLower(rest[at - 1]))) continue;
    SayMixed(rest.substr(begin, at - begin));
    begin = at;
  }
  return 1;
}

// "and/or", "he/she", "input/output": between ordinary words the slash is silent or an "or".
size_t Speaker::TryAlternatives(size_t i) {
  const std::string_view text = Core(i);
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.size() > 40) return 0;
  const std::string_view left = text.substr(0, slash);
  const std::string_view right = text.substr(slash + 1);
  const std::string lower = AsciiLower(text);
  if (lower == "s/he") {
    Say("she or he");
    return 1;
  }
  if (!IsOrdinaryWord(left) || !IsOrdinaryWord(right)) return 0;
  static constexpr std::string_view kChoices[] = {
      "he/she", "she/he", "him/her",    "her/him", "his/her",   "his/hers",   "her/his",
      "yes/no", "no/yes", "true/false", "on/off",  "pass/fail", "male/female"};
  const bool choice =
      std::find(std::begin(kChoices), std::end(kChoices), lower) != std::end(kChoices);
  SayMixed(left);
  if (choice) Say("or");
  SayMixed(right);
  return 1;
}

// --- abbreviations ---------------------------------------------------------------------------

// "St." and "Dr.": a street after a name, a saint or a doctor before one.
size_t Speaker::TryStreet(size_t i) {
  const Token& token = At(i);
  if (!IsUpper(token.core[0])) return 0;
  const std::string lower = AsciiLower(token.core);
  const std::string_view street = StreetName(lower);
  if (street.empty()) return 0;
  const bool after_name = i > 0 && !Core(i - 1).empty() && At(i - 1).trail.empty() &&
                          (IsUpper(Core(i - 1)[0]) || IsDigit(Core(i - 1)[0])) &&
                          !IsSentenceStarter(AsciiLower(Core(i - 1)));
  const bool before_name = i + 1 < tokens_.size() && !Core(i + 1).empty() &&
                           IsUpper(Core(i + 1)[0]) && At(i).trail.size() <= 1 &&
                           !EndsSentence(i + 1);
  const bool ambiguous = lower == "st" || lower == "dr";
  if (ambiguous && before_name) {
    // "221 Baker St. London": after a house number the street wins.
    bool house = false;
    for (size_t back = 1; back <= 3 && back <= i; ++back)
      house = house || IsDigit(Core(i - back)[0]);
    if (!(after_name && house)) {
      Say(lower == "st" ? "Saint" : "Doctor");
      swallow_dot_ = true;
      return 1;
    }
  }
  if (!after_name || (!token.dotted() && ambiguous && token.trail.empty() &&
                      i + 1 < tokens_.size() && !before_name && lower != "st")) {
    return 0;
  }
  if (lower == "sq" || lower == "pl" || lower == "ct" || lower == "ter" || lower == "cir") {
    if (!token.dotted()) return 0;
  }
  Say(street);
  swallow_dot_ = true;
  return 1;
}

size_t Speaker::TryAbbreviation(size_t i) {
  const Token& token = At(i);
  const std::string lower = AsciiLower(token.core);
  if (lower == "no" || lower == "nos") {  // No. 5
    const bool number = token.dotted() && !Core(i + 1).empty() && IsDigit(Core(i + 1)[0]);
    if (!number) return 0;
    Say(lower == "no" ? "number" : "numbers");
    swallow_dot_ = true;
    return 1;
  }
  if (lower == "ms" && !token.dotted() && token.core == "Ms" && !Core(i + 1).empty() &&
      IsUpper(Core(i + 1)[0])) {
    Say("miz");
    return 1;
  }
  if (token.core == "Ft" && !Core(i + 1).empty() && IsUpper(Core(i + 1)[0]) &&
      (token.trail.empty() || token.trail == ".") &&
      !(i > 0 && !Core(i - 1).empty() && IsDigit(Core(i - 1).back()))) {  // Ft. Worth
    Say("Fort");
    swallow_dot_ = true;
    return 1;
  }
  if ((lower == "p.m" || lower == "a.m" || lower == "pm") && i > 0) return SayDayPart(i);
  if (lower == "am" && i > 0 && !Core(i - 1).empty() && IsDigit(Core(i - 1).back())) {
    return SayDayPart(i);
  }
  const Abbreviation* found = FindAbbreviation(lower);
  if (token.dotted() && token.trail.size() >= 1 && WeekdayName(token.core).size() > 0 &&
      token.core != "Sun" && token.core != "Sat" && i + 1 < tokens_.size()) {
    Say(WeekdayName(token.core));
    swallow_dot_ = true;
    return 1;
  }
  if (found == nullptr) return 0;
  if (found->needs_stop) {
    // "fig." before a number, "Gen." before a name; "I am the max." is a word at its stop.
    const bool follows = i + 1 < tokens_.size() && token.trail == ".";
    const bool always = lower == "inc" || lower == "co" || lower == "corp" || lower == "esq";
    if (!token.dotted() || !(follows || always)) return 0;
    if (EndsSentence(i + 1) && !always) return 0;
    const bool title = IsUpper(token.core[0]);
    const bool number = IsDigit(Core(i + 1).empty() ? '\0' : Core(i + 1)[0]);
    const bool word_too = lower == "gen" || lower == "col" || lower == "rep" || lower == "hon" ||
                          lower == "fr" || lower == "fig" || lower == "ms" || lower == "mt" ||
                          lower == "co" || lower == "rev" || lower == "sen" || lower == "gov";
    if (word_too && !title && !number) return 0;
  }
  Say(found->spoken);
  swallow_dot_ = true;
  return 1;
}

// "U.S.", "Ph.D.", "J."
size_t Speaker::TryDottedLetters(size_t i) {
  const Token& token = At(i);
  const std::string_view text = token.core;
  const bool initial = text.size() == 1 && IsUpper(text[0]) && token.trail == "." &&
                       i + 1 < tokens_.size() && text != "I" && !NamesALetter(PreviousWord(i));
  if (initial) {
    Say(text);
    swallow_dot_ = true;
    return 1;
  }
  if (text.size() < 3 || text.find('.') == std::string_view::npos) return 0;
  size_t run = 0;
  for (const char c : text) {
    run = c == '.' ? 0 : run + 1;
    if (run > 2 || (c != '.' && !IsAlpha(c))) return 0;
  }
  if (text.find("..") != std::string_view::npos || text.back() == '.') return 0;
  for (const char c : text) {
    if (c != '.') SayLetters(std::string_view(&c, 1));
  }
  swallow_dot_ = true;
  return 1;
}

// "Henry VIII", "World War II", "Chapter IV"
size_t Speaker::TryRoman(size_t i) {
  std::string_view text = Core(i);
  const bool owns = text.ends_with("'s");
  if (owns) text.remove_suffix(2);
  const uint32_t value = RomanValue(text);
  if (value == 0 || i == 0 || all_caps_) return 0;
  const std::string_view before = Core(i - 1);
  if (before.empty() || before.size() > 16) return 0;
  const std::string lower = AsciiLower(before);
  const bool abbreviated =
      At(i - 1).trail == "." && (lower == "vol" || lower == "ch" || lower == "pt" ||
                                 lower == "fig" || lower == "no" || lower == "sec");
  const bool numbered = abbreviated || IsNumberedWord(lower);
  if (!abbreviated && !At(i - 1).trail.empty()) return 0;
  if (!IsUpper(before[0]) && !(numbered && text.size() > 1)) return 0;
  const bool regnal = IsRegnalName(before);
  if (text == "I" && !(numbered && (At(i).trail.size() > 0 || i + 1 >= tokens_.size()))) return 0;
  if (text.size() == 1 && !numbered && !(regnal && text != "I")) return 0;
  if (regnal && !numbered) {
    Say("the");
    Say(OrdinalWords(uint64_t{value}));
  } else {
    Say(CardinalWords(uint64_t{value}));
  }
  if (owns) out_ += "'s";
  return 1;
}

// --- words -----------------------------------------------------------------------------------

size_t Speaker::TryWord(size_t i) {
  const std::string_view text = Core(i);
  if (text == "'n") {  // rock 'n' roll
    Say("and");
    return 1;
  }
  if (WordRun(text) != text.size()) return 0;
  // "A4" is a letter and a number on the second pass too.
  static constexpr std::string_view kDigitNames[] = {"zero", "one", "two",   "three", "four",
                                                     "five", "six", "seven", "eight", "nine"};
  const bool code = std::find(std::begin(kDigitNames), std::end(kDigitNames), Core(i + 1)) !=
                    std::end(kDigitNames);
  if (text == "A" && all_caps_ && Core(i + 1).size() > 1 && At(i).trail.empty() &&
      !NamesALetter(PreviousWord(i))) {
    Say("a");
    return 1;
  }
  if (text == "A" && !code && i + 1 < tokens_.size() && At(i).trail.empty() &&
      (i == 0 || std::string_view(".!?:\"").find(out_.empty() ? '.' : out_.back()) !=
                     std::string_view::npos) &&
      !Core(i + 1).empty() && (IsLower(Core(i + 1)[0]) || Core(i + 1).size() > 1)) {
    Say("a");
    return 1;
  }
  SayMixed(text);
  return 1;
}

void Speaker::SaySymbol(char32_t c, bool between_digits) {
  switch (c) {
    case '*':
      return Say(between_digits ? "times" : "");
    case '-':
      return Say(between_digits ? "minus" : "");
    case '/':
      return Say(between_digits ? "over" : "slash");
    case ':':
      if (between_digits) return Say("to");
      return Mark(',');
    case '^':
      return Say("to the power of");
    case '~':
      return Say("about");
    case ',':
    case ';':
    case '!':
    case '?':
      return Mark(static_cast<char>(c));
    default:
      return Say(SymbolName(c));
  }
}

// Anything, piece by piece: runs of letters, numbers, symbols. Drops no letter and no digit.
void Speaker::SayMixed(std::string_view text) {
  bool after_digit = false;
  bool after_and = false;  // "AT&T" is letters
  const bool formula = text.find_first_of("=+*^") != std::string_view::npos;
  while (!text.empty()) {
    if (const size_t run = WordRun(text); run > 0) {
      // A hyphened word of plain parts stays one word: "well-known".
      size_t whole = run;
      while (!after_digit && whole < kMaxHyphenedBytes && whole + 1 < text.size() &&
             text[whole] == '-') {
        const size_t next = WordRun(text.substr(whole + 1));
        if (next < 2) break;
        whole += 1 + next;
      }
      const std::string_view hyphened = text.substr(0, whole);
      const bool plain =
          whole > run && run > 1 && std::none_of(hyphened.begin(), hyphened.end(), IsUpper);
      const std::string_view word = plain ? hyphened : text.substr(0, run);
      const std::string_view rest = text.substr(word.size());
      // Of a formula or a code: "H2SO4".
      const bool beside_digit =
          (word.size() <= 2 || (word.size() == 3 && !IsShoutedWord(AsciiLower(word)))) &&
          !IsSpokenAcronym(word) && (after_digit || (!rest.empty() && IsDigit(rest[0])));
      const bool letters = IsAllUpper(word) && (after_and || rest.starts_with('&') || beside_digit);
      letters ? SayLetters(word) : SayWordRun(word);
      text = rest;
      after_and = false;
      after_digit = false;
      continue;
    }
    if (IsDigit(text[0]) ||
        (text[0] == '.' && !after_digit && text.size() > 1 && IsDigit(text[1]))) {
      const Number number = ParseNumber(text);
      const size_t bytes = std::max<size_t>(number.bytes, 1);
      Say(number.Words());
      text.remove_prefix(bytes);
      after_digit = true;
      continue;
    }
    const CodePoint c = DecodeUtf8(text, 0);
    text.remove_prefix(c.size_bytes);
    const bool before_digit = !text.empty() && IsDigit(text[0]);
    after_and = c.value == '&';
    if (c.value == '.' && (after_digit || before_digit) && !text.empty()) {
      Say("point");
    } else if (c.value == '.' && !text.empty()) {
      Say("dot");
    } else if (c.value == '^' && (text == "2" || text == "3")) {
      Say(text == "2" ? "squared" : "cubed");
      text.remove_prefix(1);
    } else if (c.value == '^' && text.size() > 1 && text[0] == '-' && IsDigit(text[1])) {
      Say("to the minus");
      text.remove_prefix(1);
    } else if (c.value == '-' && after_digit && before_digit && !formula) {
      Say("to");
    } else {
      SaySymbol(c.value, (after_digit || formula) && (before_digit || formula));
    }
    after_digit = false;
  }
}

// A run of letters: a word, an initialism, or a lone Greek letter.
void Speaker::SayWordRun(std::string_view word) {
  const CodePoint first = DecodeUtf8(word, 0);
  if (first.size_bytes == word.size()) {
    const std::string_view greek = GreekName(first.value);
    if (!greek.empty()) return Say(greek);
    return word == "a" || word == "o" ? Say(word) : SayLetters(word);
  }
  std::string_view stem = word;
  std::string_view ending;
  if (word.ends_with("'s") || word.ends_with("'S")) {
    stem = word.substr(0, word.size() - 2);
    ending = "'s";
  } else if (word.size() >= 3 && word.back() == 's' &&
             IsAllUpper(word.substr(0, word.size() - 1))) {
    stem = word.substr(0, word.size() - 1);
    ending = "'s";
  }
  if (all_caps_ ? IsInitialismAmongCapitals(stem) : IsInitialism(stem)) {
    SayLetters(stem);
    out_ += ending;
    return;
  }
  if (IsAllUpper(word) && word.size() > 1 && !IsSpokenAcronym(word)) {
    return Say(AsciiLower(word));
  }
  Say(word);
}

}  // namespace sotto::normalizer
