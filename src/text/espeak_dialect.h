// EspeakDialect: how espeak-ng writes US English, from our phones. Voices trained on espeak-ng's
// phonemes expect its habits: long marks, r-coloured vowels, and a reduced vowel that depends on
// the letter it is written with. The rules were found by comparing its output with the lexicon.
#ifndef SOTTO_TEXT_ESPEAK_DIALECT_H_
#define SOTTO_TEXT_ESPEAK_DIALECT_H_

#include <string>
#include <string_view>

namespace sotto {

// What stands after a word, as far as its sounds depend on it.
enum class Following { kNothing, kConsonant, kVowel };

// IPA of phones as espeak-ng writes them. The letters are those of text/phones.h, but i u a c 3 are
// long, and e o q R = are short i, long o, short open o, r-coloured schwa, and syllabic n.
std::string EspeakIpa(std::string_view codes);

// IPA of one word. `lower` is its spelling, `phones` its pronunciation (text/phones.h).
std::string EspeakWord(std::string_view lower, std::string_view phones, Following following);

// IPA of a function word, which is weak before another word; empty if `lower` is none.
std::string EspeakFunctionWord(std::string_view lower, Following following);

// IPA of a function word that leans on the one before or after it ("for the", "of a"); empty if
// `lower` does not.
std::string EspeakFunctionPair(std::string_view before, std::string_view lower,
                               std::string_view next);

}  // namespace sotto

#endif  // SOTTO_TEXT_ESPEAK_DIALECT_H_
