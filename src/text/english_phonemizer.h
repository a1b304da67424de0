// The English front end: words to phonemes by lexicon, morphology, letter-to-sound rules, and the
// words around them. US pronunciation.
#ifndef SOTTO_TEXT_ENGLISH_PHONEMIZER_H_
#define SOTTO_TEXT_ENGLISH_PHONEMIZER_H_

#include <memory>
#include <string_view>

#include "base/status.h"
#include "text/phonemizer.h"

namespace sotto {

// A phonemizer over the lexicon of the PyPI package misaki: the contents of data/us_gold.json and
// data/us_silver.json, which are copied from and may go. Either may be empty; with both empty every
// word is read by letter-to-sound rules. Takes tens of milliseconds and about 6 MB for both.
//
// Phonemize() is linear in the text: microseconds for a word of the lexicon, a millisecond for one
// that it lacks. It reads Latin letters (accents are folded); a letter of another script is an
// INVALID_ARGUMENT that names it. Capitals that stand alone are letters ("F B I"), "a" is the
// article. Characters that are neither letters, apostrophes, hyphens nor , . ! ? ; : are skipped;
// digits are read one by one, so that text that was not normalised loses nothing.
//
// DATA_LOSS, RESOURCE_EXHAUSTED: as Lexicon::FromJson().
Result<std::unique_ptr<Phonemizer>> MakeEnglishPhonemizer(std::string_view gold_json,
                                                          std::string_view silver_json);

}  // namespace sotto

#endif  // SOTTO_TEXT_ENGLISH_PHONEMIZER_H_
