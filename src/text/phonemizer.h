// Phonemizer: from words in spoken form to the sounds a voice was trained on.
#ifndef SOTTO_TEXT_PHONEMIZER_H_
#define SOTTO_TEXT_PHONEMIZER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace sotto {

enum class PhonemeAlphabet : int32_t {
  kEspeakIpa = 0,  // IPA as espeak-ng writes it for en-us: what Piper voices read
  kMisaki = 1,     // the letters of Kokoro's vocabulary
};

// Any thread.
class Phonemizer {
 public:
  virtual ~Phonemizer() = default;

  // Phonemes of `text`, one phrase in spoken form (text/normalizer.h): UTF-8, words separated by
  // one space, the punctuation , . ! ? ; : kept where it stood. INVALID_ARGUMENT, naming the first
  // character, if the text holds letters of a script that this phonemizer cannot read. Text
  // without any letter yields an empty string.
  virtual Result<std::string> Phonemize(std::string_view text, PhonemeAlphabet alphabet) const = 0;
};

}  // namespace sotto

#endif  // SOTTO_TEXT_PHONEMIZER_H_
