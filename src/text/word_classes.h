// Small closed classes of English words that the chunker and the normaliser share. Lookups are by
// lower-case word without its stop; O(log n). Any thread.
#ifndef SOTTO_TEXT_WORD_CLASSES_H_
#define SOTTO_TEXT_WORD_CLASSES_H_

#include <string_view>

namespace sotto {

// Abbreviations that a name, a number or more text always follows: "dr", "mrs", "vs", "approx".
bool IsLeadingAbbreviation(std::string_view lower);
// Abbreviations that may also end a sentence: "etc", "inc", "st", "jan".
bool IsTrailingAbbreviation(std::string_view lower);
// Words that begin a sentence far more often than a name: "the", "it", "however".
bool IsSentenceStarter(std::string_view lower);
// Words that lean on the next one, so that no speaker pauses after them: articles, prepositions,
// auxiliaries, possessives, conjunctions.
bool IsProclitic(std::string_view lower);
// Words after which a single letter is a name of its own ("vitamin C"), not an initial.
bool NamesALetter(std::string_view lower);

}  // namespace sotto

#endif  // SOTTO_TEXT_WORD_CLASSES_H_
