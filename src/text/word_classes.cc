#include "text/word_classes.h"

#include <algorithm>
#include <iterator>

namespace sotto {
namespace {

constexpr std::string_view kLeading[] = {
    "adm",  "approx", "apt", "attn", "brig", "ca",  "capt", "cf",   "ch",  "cmdr", "col",  "cpl",
    "dr",   "eq",     "eqn", "fig",  "figs", "fr",  "gen",  "gov",  "hon", "lt",   "maj",  "messrs",
    "mlle", "mme",    "mr",  "mrs",  "ms",   "mt",  "mx",   "nos",  "pp",  "pres", "prof", "pvt",
    "ref",  "refs",   "rep", "rm",   "rev",  "sen", "sgt",  "supt", "viz", "vol",  "vols", "vs"};

constexpr std::string_view kTrailing[] = {
    "al",    "apr",  "assn", "aug",  "ave", "blvd", "bros", "co",   "corp", "ct",   "dec",
    "dept",  "dist", "div",  "esq",  "est", "etc",  "ext",  "gal",  "tsp",  "tbsp", "feb",
    "fri",   "ft",   "govt", "hr",   "hrs", "hwy",  "inc",  "intl", "jan",  "jr",   "jul",
    "jun",   "kg",   "km",   "lb",   "lbs", "ln",   "ltd",  "mar",  "max",  "min",  "mins",
    "misc",  "mon",  "mph",  "no",   "nov", "oct",  "oz",   "pl",   "plc",  "pkwy", "rd",
    "sat",   "sec",  "sep",  "sept", "sq",  "sr",   "st",   "sun",  "tel",  "thu",  "thur",
    "thurs", "tue",  "tues", "univ", "wed", "yd",   "yr",   "yrs"};

constexpr std::string_view kStarters[] = {
    "a",       "actually", "after", "all",    "also",      "although", "an",      "and",
    "another", "are",      "as",    "at",     "because",   "before",   "both",    "but",
    "can",     "could",    "did",   "do",     "does",      "each",     "finally", "first",
    "for",     "from",     "have",  "he",     "her",       "here",     "his",     "how",
    "however", "i",        "i'd",   "i'll",   "i'm",       "i've",     "if",      "in",
    "instead", "is",       "it",    "it's",   "its",       "let",      "let's",   "many",
    "maybe",   "most",     "my",    "next",   "no",        "not",      "now",     "of",
    "on",      "once",     "one",   "or",     "our",       "perhaps",  "please",  "she",
    "should",  "since",    "so",    "some",   "sometimes", "still",    "such",    "that",
    "that's",  "the",      "their", "then",   "there",     "there's",  "these",   "they",
    "they're", "this",     "those", "though", "to",        "today",    "unlike",  "unless",
    "until",   "was",      "we",    "we're",  "we've",     "were",     "what",    "when",
    "where",   "which",    "while", "who",    "why",       "will",     "with",    "would",
    "yes",     "yet",      "you",   "you're", "your"};

constexpr std::string_view kProclitics[] = {
    "a",     "about",  "after", "am",   "an",   "and",     "are",   "as",   "at",    "be",
    "been",  "before", "but",   "by",   "can",  "could",   "did",   "do",   "does",  "each",
    "every", "for",    "from",  "had",  "has",  "have",    "her",   "his",  "i",     "if",
    "in",    "into",   "is",    "its",  "may",  "might",   "must",  "my",   "no",    "nor",
    "like",  "not",    "of",    "on",   "or",   "our",     "over",  "per",  "shall", "should",
    "so",    "some",   "than",  "that", "the",  "their",   "these", "they", "this",  "those",
    "to",    "under",  "until", "very", "was",  "we",      "were",  "what", "when",  "which",
    "while", "who",    "whose", "will", "with", "without", "would", "you",  "your"};

constexpr std::string_view kLetterNamers[] = {
    "appendix",  "block",  "class",  "exhibit",  "gate", "grade",  "group",
    "hepatitis", "letter", "option", "part",     "plan", "point",  "section",
    "side",      "step",   "team",   "terminal", "type", "vitamin"};

// The tables above are kept in reading order; lookups need byte order.
template <size_t N>
class SortedWords {
 public:
  explicit SortedWords(const std::string_view (&words)[N]) {
    std::copy(std::begin(words), std::end(words), std::begin(words_));
    std::sort(std::begin(words_), std::end(words_));
  }
  bool Has(std::string_view word) const {
    return std::binary_search(std::begin(words_), std::end(words_), word);
  }

 private:
  std::string_view words_[N];
};

}  // namespace

bool IsLeadingAbbreviation(std::string_view lower) {
  static const SortedWords words(kLeading);
  return words.Has(lower);
}

bool IsTrailingAbbreviation(std::string_view lower) {
  static const SortedWords words(kTrailing);
  return words.Has(lower);
}

bool IsSentenceStarter(std::string_view lower) {
  static const SortedWords words(kStarters);
  return words.Has(lower);
}

bool IsProclitic(std::string_view lower) {
  static const SortedWords words(kProclitics);
  return words.Has(lower);
}

bool NamesALetter(std::string_view lower) {
  static const SortedWords words(kLetterNamers);
  return words.Has(lower);
}

}  // namespace sotto
