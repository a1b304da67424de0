// The English front end: words to phonemes by lexicon, morphology, letter-to-sound rules, and the
// words around them. US pronunciation.
#ifndef SOTTO_TEXT_ENGLISH_PHONEMIZER_H_
#define SOTTO_TEXT_ENGLISH_PHONEMIZER_H_

#include <memory>

#include "base/status.h"
#include "text/lexicon.h"
#include "text/phonemizer.h"

namespace sotto {

// A phonemizer over a lexicon (text/lexicon.h), whose texts are copied from and may go. All may be
// empty: then every word is read by letter-to-sound rules. For all three texts it takes about a
// tenth of a second and 8 MB.
//
// Phonemize() is linear in the text: microseconds for a word of the lexicon, a fraction of a
// millisecond for another. It reads Latin letters (accents are folded); a letter of another script
// is an INVALID_ARGUMENT that names it. Capitals that stand alone are letters ("F B I"), "a" is the
// article. Characters that are neither letters, apostrophes, hyphens nor , . ! ? ; : are skipped;
// digits are read one by one, so that text that was not normalised loses nothing.
//
// DATA_LOSS, RESOURCE_EXHAUSTED: as Lexicon::FromTexts().
Result<std::unique_ptr<Phonemizer>> MakeEnglishPhonemizer(const LexiconTexts& texts);

}  // namespace sotto

#endif  // SOTTO_TEXT_ENGLISH_PHONEMIZER_H_
