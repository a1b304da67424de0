#include "text/pronouncer.h"

#include <algorithm>

#include "text/phones.h"
#include "text/utf8.h"

namespace sotto {
namespace {

using phones::IsSibilant;
using phones::IsStress;
using phones::IsVoiceless;
using phones::IsVowel;

bool IsVowelLetter(char c) { return std::string_view("aeiouy").find(c) != std::string_view::npos; }

// The names of the letters, for initialisms and for words that nobody can say.
constexpr std::string_view kLetterNames[26] = {
    "1A",  "b1i", "s1i", "d1i", "1i",       "1Ef",  "J1i", "1AC",  "1I",
    "J1A", "k1A", "1El", "1Em", "1En",      "1O",   "p1i", "kj1u", "1ar",
    "1Es", "t1i", "j1u", "v1i", "d1^b%lju", "1Eks", "w1I", "z1i"};

// The plural or possessive s, by what it follows.
std::string WithS(std::string phones) {
  if (phones.empty()) return phones;
  const char last = phones.back();
  phones += IsSibilant(last) ? "#z" : IsVoiceless(last) ? "s" : "z";
  return phones;
}

// t between vowels turns into a flap before an unstressed one.
void FlapLast(std::string& phones) {
  if (phones.size() < 2 || phones.back() != 't') return;
  const char before = phones[phones.size() - 2];
  if (IsVowel(before) || before == 'r') phones.back() = 'D';
}

std::string WithEd(std::string phones) {
  if (phones.empty()) return phones;
  const char last = phones.back();
  if (last == 't' || last == 'd') {
    FlapLast(phones);
    return phones + "#d";
  }
  return phones + (IsVoiceless(last) ? "t" : "d");
}

std::string WithVowel(std::string phones, std::string_view ending) {
  if (phones.empty()) return phones;
  FlapLast(phones);
  // The syllabic l of "handle" is none in "handling".
  if (phones.size() > 1 && phones.back() == 'l' && phones[phones.size() - 2] == '%') {
    phones.erase(phones.size() - 2, 1);
  }
  phones += ending;
  return phones;
}

struct Affix {
  std::string_view letters;
  std::string_view phones;
};
// Endings that leave the stress of the stem where it is.
constexpr Affix kSuffixes[] = {
    {"ness", "n@s"},  {"less", "l@s"},  {"ful", "f@l"},   {"ment", "m@nt"}, {"ship", "S2yp"},
    {"hood", "h2Ud"}, {"like", "l2Ik"}, {"wise", "w2Iz"}, {"ward", "w@rd"}, {"wards", "w@rdz"},
    {"some", "s@m"},  {"dom", "d@m"},   {"ly", "li"},     {"man", "m@n"},   {"men", "m@n"},
    {"able", "@b%l"}, {"ing", "yG"},    {"ings", "yGz"},  {"er", "@r"},     {"ers", "@rz"},
    {"or", "@r"},     {"est", "@st"},   {"ish", "yS"},    {"ism", "2yz@m"}, {"ist", "@st"},
    {"ists", "@sts"}, {"y", "i"}};
constexpr Affix kPrefixes[] = {
    {"counter", "k2Wnt@r"}, {"multi", "m2^lti"}, {"inter", "2ynt@r"}, {"super", "s2up@r"},
    {"under", "2^nd@r"},    {"hyper", "h2Ip@r"}, {"micro", "m2IkrO"}, {"trans", "tr2&nz"},
    {"over", "2Ov@r"},      {"anti", "2&nti"},   {"semi", "s2Emi"},   {"auto", "2cDO"},
    {"mega", "m2Eg@"},      {"mini", "m2yni"},   {"post", "p2Ost"},   {"fore", "f2cr"},
    {"non", "n2an"},        {"sub", "s2^b"},     {"pre", "pr2i"},     {"mis", "m2ys"},
    {"dis", "d2ys"},        {"out", "2Wt"},      {"bio", "b2IO"},     {"un", "2^n"},
    {"re", "r2i"},          {"de", "d2i"},       {"co", "k2O"}};

}  // namespace

std::string Pronouncer::Known(std::string_view word, WordTag tag) const {
  std::string_view found = lexicon_.Find(word, tag);
  if (!found.empty()) return std::string(found);
  std::string other = AsciiLower(word);
  if (other != word) found = lexicon_.Find(other, tag);
  if (found.empty()) {
    other[0] = AsciiUpper(other[0]);
    found = lexicon_.Find(other, tag);
  }
  return std::string(found);
}

std::string Pronouncer::Spelled(std::string_view word) const {
  std::string spelled;
  for (const char c : word) {
    if (!IsAsciiAlpha(static_cast<unsigned char>(c))) continue;
    const std::string_view name = kLetterNames[AsciiLower(c) - 'a'];
    // Only the last letter keeps the main stress.
    std::replace(spelled.begin(), spelled.end(), '1', '2');
    spelled += name;
  }
  return spelled;
}

std::string Pronouncer::Contraction(std::string_view word, WordTag tag) const {
  const size_t apostrophe = word.rfind('\'');
  if (apostrophe == std::string_view::npos || apostrophe == 0) return {};
  const std::string_view stem = word.substr(0, apostrophe);
  const std::string ending = AsciiLower(word.substr(apostrophe + 1));
  if (ending == "t" && stem.size() > 1 && AsciiLower(stem.back()) == 'n') {
    return Pronounce(stem.substr(0, stem.size() - 1), tag) + "%nt";
  }
  const std::string base = Pronounce(stem, tag);
  if (ending == "s") return WithS(base);
  if (ending.empty()) {
    const bool hisses = !base.empty() && IsSibilant(base.back());
    return hisses ? base : WithS(base);
  }
  if (ending == "ll") return base + (IsVowel(base.back()) ? "l" : "%l");
  if (ending == "ve") return base + (IsVowel(base.back()) ? "v" : "@v");
  if (ending == "re") return base + "@r";
  if (ending == "d") return base + (base.back() == 't' || base.back() == 'd' ? "@d" : "d");
  if (ending == "m") return base + "m";
  return base + Pronounce(ending);
}

std::string Pronouncer::Stem(std::string_view stem, WordTag tag, int depth) const {
  if (stem.size() < 2) return {};
  std::string known = Known(stem, tag);
  if (known.empty() && depth > 0) known = Inflected(stem, tag, depth - 1);
  if (known.empty() && depth > 0) known = Derived(stem, depth - 1);
  return known;
}

// The stem of "stopped", "baked", "played": `ending` letters are cut off.
std::string Pronouncer::StemOfEd(std::string_view lower, size_t ending, WordTag tag,
                                 int depth) const {
  const std::string_view stem = lower.substr(0, lower.size() - ending);
  if (stem.size() < 2) return {};
  const char last = stem.back();
  const bool doubled = stem.size() > 2 && last == stem[stem.size() - 2] && !IsVowelLetter(last);
  if (doubled && last != 's' && last != 'l' && last != 'f' && last != 'z') {
    std::string known = Stem(stem.substr(0, stem.size() - 1), tag, depth);
    if (!known.empty()) return known;
  }
  // "hoping" is of "hope", "jumping" of "jump".
  const bool short_vowel = stem.size() > 2 && !IsVowelLetter(last) &&
                           IsVowelLetter(stem[stem.size() - 2]) &&
                           !IsVowelLetter(stem[stem.size() - 3]);
  const std::string with_e = std::string(stem) + "e";
  std::string first = short_vowel ? Stem(with_e, tag, 0) : Stem(stem, tag, depth);
  if (!first.empty()) return first;
  std::string second = short_vowel ? Stem(stem, tag, depth) : Stem(with_e, tag, 0);
  if (!second.empty()) return second;
  if (doubled) return Stem(stem.substr(0, stem.size() - 1), tag, depth);
  return {};
}

// -s, -es, -ies, -ed, -ied, -ing.
std::string Pronouncer::Inflected(std::string_view lower, WordTag tag, int depth) const {
  if (lower.size() < 3) return {};
  if (lower.ends_with("ies") && lower.size() > 4) {
    const std::string stem = Stem(std::string(lower.substr(0, lower.size() - 3)) + "y", tag, 0);
    if (!stem.empty()) return WithS(stem);
  }
  if (lower.ends_with('s') && !lower.ends_with("ss")) {
    std::string stem = Stem(lower.substr(0, lower.size() - 1), tag, depth);
    if (stem.empty() && lower.ends_with("es")) {
      stem = Stem(lower.substr(0, lower.size() - 2), tag, depth);
    }
    if (!stem.empty()) return WithS(stem);
  }
  if (lower.ends_with("ied") && lower.size() > 4) {
    const std::string stem = Stem(std::string(lower.substr(0, lower.size() - 3)) + "y", tag, 0);
    if (!stem.empty()) return WithEd(stem);
  }
  if (lower.ends_with("ed") && lower.size() > 4) {
    const std::string stem = StemOfEd(lower, 2, tag, depth);
    if (!stem.empty()) return WithEd(stem);
  }
  if (lower.ends_with("ing") && lower.size() > 5) {
    const std::string stem = StemOfEd(lower, 3, tag, depth);
    if (!stem.empty()) return WithVowel(stem, "yG");
  }
  return {};
}

std::string Pronouncer::Derived(std::string_view lower, int depth) const {
  for (const Affix& suffix : kSuffixes) {
    const size_t size = suffix.letters.size();
    if (!lower.ends_with(suffix.letters) || lower.size() < size + 3) continue;
    const bool vowel = IsVowel(suffix.phones[0]) || IsStress(suffix.phones[0]);
    std::string stem;
    const std::string_view cut = lower.substr(0, lower.size() - size);
    if (vowel) {
      stem = StemOfEd(lower, size, WordTag::kDefault, depth);
      if (!stem.empty()) return WithVowel(stem, suffix.phones);
    } else {
      stem = Stem(cut, WordTag::kDefault, depth);
      if (!stem.empty()) return stem + std::string(suffix.phones);
    }
    if (cut.back() == 'i') {  // happiness
      stem = Stem(std::string(cut.substr(0, cut.size() - 1)) + "y", WordTag::kDefault, 0);
      if (!stem.empty()) return stem + std::string(suffix.phones);
    }
  }
  return {};
}

std::string Pronouncer::Prefixed(std::string_view lower) const {
  for (const Affix& prefix : kPrefixes) {
    if (!lower.starts_with(prefix.letters) || lower.size() < prefix.letters.size() + 4) continue;
    const std::string stem = Stem(lower.substr(prefix.letters.size()), WordTag::kDefault, 1);
    if (!stem.empty()) return std::string(prefix.phones) + stem;
  }
  return {};
}

// "keyframe": two common words, of which the first carries the stress.
std::string Pronouncer::Compound(std::string_view lower) const {
  constexpr size_t kLeast = 3;
  if (lower.size() < 2 * kLeast + 1) return {};
  size_t best = 0;
  size_t best_score = 0;
  for (size_t cut = kLeast; cut + kLeast <= lower.size(); ++cut) {
    const std::string_view tail = lower.substr(cut);
    if (!lexicon_.IsCommon(lower.substr(0, cut))) continue;
    if (!lexicon_.IsCommon(tail) &&
        !(tail.size() > 4 && !Inflected(tail, WordTag::kDefault, 0).empty())) {
      continue;
    }
    const size_t score = std::min(cut, lower.size() - cut);
    if (score <= best_score) continue;
    best = cut;
    best_score = score;
  }
  if (best == 0) return {};
  std::string tail = Known(lower.substr(best));
  if (tail.empty()) tail = Inflected(lower.substr(best), WordTag::kDefault, 0);
  return Known(lower.substr(0, best)) + phones::Weakened(tail);
}

// "OpenAI", "YouTube": parts that begin with a capital.
std::string Pronouncer::CamelParts(std::string_view word) const {
  const auto upper = [&](size_t i) { return IsAsciiUpper(static_cast<unsigned char>(word[i])); };
  std::string phones;
  size_t begin = 0;
  for (size_t i = 1; i <= word.size(); ++i) {
    const bool cut = i == word.size() || (upper(i) && !upper(i - 1));
    if (!cut) continue;
    if (begin == 0 && i == word.size()) return {};
    const std::string_view part = word.substr(begin, i - begin);
    const bool letters = part.size() <= 3 && std::all_of(part.begin(), part.end(), [](char c) {
                           return IsAsciiUpper(static_cast<unsigned char>(c));
                         });
    const std::string said = letters || part.size() == 1 ? Spelled(part) : Pronounce(part);
    phones += begin == 0 ? said : phones::Weakened(said);
    begin = i;
  }
  return phones;
}

std::string Pronouncer::Pronounce(std::string_view word, WordTag tag) const {
  // Looking for stems takes more than linear time, and no word is so long.
  constexpr size_t kLongest = 48;
  if (word.size() > kLongest) {
    std::string phones;
    for (; !word.empty(); word.remove_prefix(std::min(word.size(), kLongest))) {
      phones += Pronounce(word.substr(0, kLongest), tag);
    }
    return phones;
  }
  if (word.size() == 1 && IsAsciiUpper(static_cast<unsigned char>(word[0]))) return Spelled(word);
  std::string found = Known(word, tag);
  if (!found.empty() && lexicon_.IsFallback(AsciiLower(word))) {
    std::string made = Inflected(AsciiLower(word), tag, 0);
    if (!made.empty()) return made;
  }
  if (!found.empty()) return found;
  found = Contraction(word, tag);
  if (!found.empty()) return found;
  const std::string lower = AsciiLower(word);
  found = Inflected(lower, tag, 1);
  if (found.empty()) found = Derived(lower, 1);
  if (found.empty()) found = CamelParts(word);
  if (found.empty()) found = Prefixed(lower);
  if (found.empty()) found = Compound(lower);
  if (!found.empty()) return found;
  if (std::none_of(lower.begin(), lower.end(), IsVowelLetter)) return Spelled(lower);
  found = phones::Flapped(rules_.Pronounce(lower));
  if (std::none_of(found.begin(), found.end(), IsVowel)) return Spelled(lower);
  // A word of its own has a main stress.
  if (found.find('1') == std::string::npos) {
    const size_t second = found.find('2');
    if (second != std::string::npos) {
      found[second] = '1';
    } else {
      found.insert(found.find_first_of(phones::kVowels), 1, '1');
    }
  }
  return found;
}

}  // namespace sotto
