// What a word is in its sentence, as far as its pronunciation depends on it: "read" yesterday or
// tomorrow, to "record" or a "record". A few rules over the neighbours, no model.
#ifndef SOTTO_TEXT_WORD_TAGGER_H_
#define SOTTO_TEXT_WORD_TAGGER_H_

#include <string>
#include <string_view>
#include <vector>

#include "text/lexicon.h"

namespace sotto {

struct TaggedWord {
  std::string text;          // as written
  bool ends_clause = false;  // punctuation or nothing follows
  bool joined = false;       // a hyphen joins it to the word before
};

// A capital that stands for itself: "F B I". The pronoun "I" is none.
bool IsLetterName(const TaggedWord& word);

// The tag of words[i]. kDefault if the word has one pronunciation, or if nothing speaks for
// another. O(1).
WordTag TagOf(const std::vector<TaggedWord>& words, size_t i, const Lexicon& lexicon);

// Phones of words[i] where the sentence asks for a pronunciation that the lexicon lacks ("lead"
// pipes); empty otherwise.
std::string FixedPronunciation(const std::vector<TaggedWord>& words, size_t i);

}  // namespace sotto

#endif  // SOTTO_TEXT_WORD_TAGGER_H_
