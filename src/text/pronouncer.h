// Pronouncer: the pronunciation of one word, known or not.
#ifndef SOTTO_TEXT_PRONOUNCER_H_
#define SOTTO_TEXT_PRONOUNCER_H_

#include <string>
#include <string_view>

#include "text/letter_to_sound.h"
#include "text/lexicon.h"

namespace sotto {

// Immutable; any thread. The lexicon and the rules must outlive it.
class Pronouncer {
 public:
  Pronouncer(const Lexicon& lexicon, const LetterToSound& rules)
      : lexicon_(lexicon), rules_(rules) {}

  // Phones (text/phones.h) of `word`: ASCII letters and apostrophes within, in the case in which it
  // was written. Never empty for a word with a letter.
  std::string Pronounce(std::string_view word, WordTag tag = WordTag::kDefault) const;

  // As in the lexicon, in any case of letters; empty if it is not there.
  std::string Known(std::string_view word, WordTag tag = WordTag::kDefault) const;

 private:
  std::string Contraction(std::string_view word, WordTag tag) const;
  std::string Inflected(std::string_view lower, WordTag tag, int depth) const;
  std::string Derived(std::string_view lower, int depth) const;
  std::string Stem(std::string_view stem, WordTag tag, int depth) const;
  std::string StemOfEd(std::string_view lower, size_t ending, WordTag tag, int depth) const;
  std::string Prefixed(std::string_view lower) const;
  std::string Compound(std::string_view lower) const;
  std::string CamelParts(std::string_view word) const;
  std::string Spelled(std::string_view word) const;

  const Lexicon& lexicon_;
  const LetterToSound& rules_;
};

}  // namespace sotto

#endif  // SOTTO_TEXT_PRONOUNCER_H_
