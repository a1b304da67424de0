// Lexicon: pronunciations of words, by spelling and by part of speech.
#ifndef SOTTO_TEXT_LEXICON_H_
#define SOTTO_TEXT_LEXICON_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace sotto {

// What a word is in its sentence, as far as pronunciation depends on it.
enum class WordTag : uint8_t {
  kDefault = 0,
  kNoun,
  kVerb,
  kAdjective,
  kAdverb,
  kPast,  // past tense or participle
  kDeterminer,
  kFinal,  // nothing follows: "What can I do", where "can" is weak and "do" is not
};

// Contents of the files that a lexicon is made of, most trusted first. Any may be empty.
struct LexiconTexts {
  // data/us_gold.json and data/us_silver.json of the PyPI package misaki 0.9.4 (Apache-2.0): an
  // object whose members are pronunciations, or objects of pronunciations by part of speech.
  std::string_view gold_json;
  std::string_view silver_json;
  // cmudict.dict of the CMU pronouncing dictionary (BSD-2-Clause), which knows many names: lines of
  // a word and its ARPAbet; of several variants the first counts.
  std::string_view cmudict;
};

// Immutable once loaded; any thread. About 28 bytes per word.
class Lexicon {
 public:
  // DATA_LOSS if a text is not what LexiconTexts says; RESOURCE_EXHAUSTED above 64 MiB of text or
  // four million words.
  static Result<Lexicon> FromTexts(const LexiconTexts& texts);

  // Phones (text/phones.h) of the word spelled exactly so, in the variant of `tag` or else the
  // default one; empty if the word is not here. Valid as long as this lexicon. O(1).
  std::string_view Find(std::string_view word, WordTag tag = WordTag::kDefault) const;

  // The word is here with more than one pronunciation.
  bool HasVariants(std::string_view word) const;

  // The word comes from the first text, which is the most careful one.
  bool IsCommon(std::string_view word) const { return SourceOf(word) == 0; }
  // The word comes from the last text, which only knows what it is told: its plurals and past
  // tenses are better made from their stems.
  bool IsFallback(std::string_view word) const { return SourceOf(word) == 2; }

  size_t size() const { return count_; }
  size_t memory_bytes() const { return arena_.size() + slots_.size() * sizeof(uint32_t); }

 private:
  friend class LexiconBuilder;
  // In the arena: u8 key bytes, key, u8 source, u8 variants, and per variant u8 tag, u8 phone
  // bytes, phones. The default comes first.
  const char* Entry(std::string_view word) const;
  int SourceOf(std::string_view word) const;  // -1 if the word is not here

  std::string arena_;
  std::vector<uint32_t> slots_;  // 1 + offset in the arena, 0 if free; a power of two of them
  size_t count_ = 0;
};

}  // namespace sotto

#endif  // SOTTO_TEXT_LEXICON_H_
