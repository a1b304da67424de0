#include "text/word_tagger.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "text/utf8.h"

namespace sotto {
namespace {

template <size_t N>
bool In(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool Is(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::string_view kDeterminers[] = {
    "a",     "an",      "the", "this", "that",  "these", "those", "my",  "your",
    "his",   "her",     "its", "our",  "their", "some",  "any",   "no",  "each",
    "every", "another", "one", "both", "all",   "whose", "which", "what"};
constexpr std::string_view kSubjects[] = {
    "i",     "you",     "we",    "they",   "he",    "she", "it",    "who",  "i'll",  "you'll",
    "we'll", "they'll", "he'll", "she'll", "it'll", "i'd", "you'd", "we'd", "they'd"};
constexpr std::string_view kModals[] = {
    "to",     "will",     "would",     "can",    "could",  "should", "shall",  "may",      "might",
    "must",   "don't",    "doesn't",   "didn't", "won't",  "can't",  "cannot", "couldn't", "let's",
    "please", "wouldn't", "shouldn't", "never",  "always", "gonna",  "not"};
constexpr std::string_view kPrepositions[] = {
    "of",   "in",   "on",    "at",      "for",     "with",    "from",  "by",     "about",
    "into", "over", "under", "through", "during",  "between", "after", "before", "without",
    "per",  "as",   "like",  "than",    "against", "within",  "onto",  "across"};
constexpr std::string_view kAdjectives[] = {
    "new",     "good",     "own",     "first",    "last",     "next",      "same",    "other",
    "main",    "whole",    "more",    "much",     "many",     "great",     "big",     "small",
    "old",     "long",     "best",    "little",   "right",    "wrong",     "early",   "late",
    "high",    "low",      "free",    "full",     "real",     "current",   "final",   "public",
    "second",  "third",    "daily",   "web",      "online",   "rough",     "quick",   "world",
    "school",  "birthday", "direct",  "common",   "personal", "large",     "two",     "three",
    "four",    "five",     "science", "research", "criminal", "permanent", "perfect", "clean",
    "previous"};
constexpr std::string_view kBe[] = {
    "is",     "are",    "was",   "were",   "be",     "been",    "being", "am",   "isn't",
    "aren't", "wasn't", "i'm",   "you're", "we're",  "they're", "it's",  "he's", "she's",
    "that's", "feel",   "feels", "felt",   "seem",   "seems",   "stay",  "get",  "got",
    "very",   "so",     "too",   "quite",  "really", "pretty",  "how"};
constexpr std::string_view kHave[] = {"have",  "has",     "had",     "having", "i've",  "you've",
                                      "we've", "they've", "haven't", "hasn't", "hadn't"};
constexpr std::string_view kObjects[] = {
    "it",    "them",  "him", "me",    "us",   "you",  "this", "that",      "these",
    "those", "the",   "a",   "an",    "my",   "your", "his",  "her",       "its",
    "our",   "their", "all", "every", "each", "some", "any",  "everything"};

// The neighbours of a word within its clause, in lower case; empty where there is none.
struct Context {
  std::string word;
  std::string before;
  std::string before2;
  std::string next;
  bool ends_clause = false;
};

Context ContextOf(const std::vector<TaggedWord>& words, size_t i) {
  Context c;
  c.word = AsciiLower(words[i].text);
  c.ends_clause = words[i].ends_clause;
  if (i >= 1 && !words[i - 1].ends_clause) c.before = AsciiLower(words[i - 1].text);
  if (i >= 2 && !c.before.empty() && !words[i - 2].ends_clause) {
    c.before2 = AsciiLower(words[i - 2].text);
  }
  if (i + 1 < words.size() && !words[i].ends_clause) c.next = AsciiLower(words[i + 1].text);
  return c;
}

bool NounBefore(const Context& c) {
  return In(kDeterminers, c.before) || In(kPrepositions, c.before) || In(kAdjectives, c.before) ||
         c.before.ends_with("'s");
}

bool VerbContext(const Context& c) {
  if (In(kModals, c.before) || In(kSubjects, c.before)) {
    return !(c.before == "not" && In(kBe, c.before2));
  }
  const bool adverb =
      Is(c.before, {"also", "just", "always", "often", "usually", "then", "still"}) ||
      (c.before.size() > 4 && c.before.ends_with("ly"));
  if (adverb && (In(kModals, c.before2) || In(kSubjects, c.before2))) return true;
  if (Is(c.before, {"me", "us", "him", "them", "you"}) && Is(c.before2, {"let", "help", "make"})) {
    return true;
  }
  if (c.before.empty()) return In(kObjects, c.next);  // Record the call.
  if (c.before == "and" || c.before == "or") return In(kObjects, c.next);
  return In(kObjects, c.next) && !NounBefore(c) && !In(kBe, c.before) && c.next != "that";
}

// One of the words of `list` is near words[i].
bool AnyNear(const std::vector<TaggedWord>& words, size_t i,
             std::initializer_list<std::string_view> list) {
  constexpr size_t kNear = 20;
  const size_t begin = i > kNear ? i - kNear : 0;
  const size_t end = std::min(i + kNear, words.size());
  for (size_t k = begin; k < end; ++k) {
    if (Is(AsciiLower(words[k].text), list)) return true;
  }
  return false;
}

WordTag TagOfRead(const std::vector<TaggedWord>& words, size_t i, const Context& c) {
  if (In(kHave, c.before) || In(kHave, c.before2)) return WordTag::kPast;
  if (Is(c.before, {"was", "were", "is", "are", "been", "be", "being"})) return WordTag::kPast;
  if (In(kModals, c.before) || c.before.empty()) return WordTag::kDefault;
  if (In(kModals, c.before2) || Is(c.before2, {"did", "do", "does"})) return WordTag::kDefault;
  if (Is(c.before, {"he", "she", "it", "who"})) return WordTag::kPast;
  if (AnyNear(words, i,
              {"yesterday", "ago", "last", "already", "earlier", "once", "was", "were"})) {
    return WordTag::kPast;
  }
  // "Anna read": a name takes "reads" in the present.
  const bool plural = Is(c.before, {"i", "you", "we", "they", "people", "and", "or", "please"});
  return plural || NounBefore(c) || c.before.ends_with('s') ? WordTag::kDefault : WordTag::kPast;
}

WordTag TagOfLive(const Context& c) {
  if (c.word == "lives") {
    const bool noun = NounBefore(c) || c.next == "are" || c.next == "were" ||
                      Is(c.before, {"save", "saved", "saves", "lost", "human"});
    return noun && c.before != "that" ? WordTag::kDefault : WordTag::kVerb;
  }
  const bool adjective = (In(kDeterminers, c.before) && c.before != "that" && c.before != "all") ||
                         Is(c.before, {"go", "goes", "went", "going", "is", "are", "was", "watch",
                                       "broadcast", "streamed", "performed", "it's", "we're"}) ||
                         Is(c.next, {"music", "show", "shows", "concert", "stream", "broadcast",
                                     "audience", "performance", "performances", "event", "video",
                                     "wire", "data", "coverage", "on", "streaming", "updates"});
  const bool verb = In(kModals, c.before) || In(kSubjects, c.before);
  return adjective && !verb ? WordTag::kDefault : WordTag::kVerb;
}

WordTag TagOfBass(const std::vector<TaggedWord>& words, size_t i) {
  const bool fish = AnyNear(words, i,
                            {"fish", "fishing", "caught", "catch", "lake", "sea", "river",
                             "striped", "trout", "ate", "grilled", "largemouth"});
  return fish ? WordTag::kDefault : WordTag::kAdjective;
}

}  // namespace

bool IsLetterName(const TaggedWord& word) {
  return word.text.size() == 1 && IsAsciiUpper(static_cast<unsigned char>(word.text[0])) &&
         word.text != "I";
}

WordTag TagOf(const std::vector<TaggedWord>& words, size_t i, const Lexicon& lexicon) {
  const std::string lower = AsciiLower(words[i].text);
  if (!lexicon.HasVariants(lower)) return WordTag::kDefault;
  const Context c = ContextOf(words, i);
  if (lower == "read" || lower == "reread") return TagOfRead(words, i, c);
  if (lower == "live" || lower == "lives") return TagOfLive(c);
  if (lower == "bass") return TagOfBass(words, i);
  if (lower == "used") {
    const bool habit = c.next == "to" && !Is(c.before, {"is", "are", "was", "were", "be", "been"});
    return habit ? WordTag::kPast : WordTag::kDefault;
  }
  if (lower == "content") {
    const bool feeling = In(kBe, c.before) || c.next == "with";
    return feeling ? WordTag::kDefault : WordTag::kNoun;
  }
  if (lower == "minute") {
    return Is(c.before, {"very", "so", "too", "most"}) ? WordTag::kAdjective : WordTag::kDefault;
  }
  if (lower == "wound")
    return c.next == "up" || In(kSubjects, c.before) ? WordTag::kPast : WordTag::kDefault;
  if (lower == "tear" && c.before == "and" && c.before2 == "wear") return WordTag::kVerb;
  if (lower == "close" && (c.next == "to" || In(kBe, c.before))) return WordTag::kDefault;
  if (lower == "use" && Is(c.next, {"case", "cases"})) return WordTag::kNoun;
  if (VerbContext(c)) return WordTag::kVerb;
  if (In(kBe, c.before)) return WordTag::kAdjective;
  if (NounBefore(c)) return WordTag::kNoun;
  return c.ends_clause ? WordTag::kFinal : WordTag::kDefault;
}

std::string FixedPronunciation(const std::vector<TaggedWord>& words, size_t i) {
  const Context c = ContextOf(words, i);
  if (c.word == "lead") {
    const bool metal =
        Is(c.next, {"pipe", "pipes", "paint", "poisoning", "acid", "bullet", "bullets", "shot",
                    "crystal", "weight", "weights", "exposure", "levels"}) ||
        (Is(c.before, {"of", "contains", "contain", "like"}) && !In(kObjects, c.next) &&
         c.ends_clause);
    return metal ? "l1Ed" : "";
  }
  if (c.word == "resume" && !VerbContext(c) && NounBefore(c)) return "r1Ez@m2A";
  if (c.word == "resumes" && NounBefore(c)) return "r1Ez@m2Az";
  return {};
}

}  // namespace sotto
