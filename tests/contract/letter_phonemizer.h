// A phonemizer for tests: every ASCII letter is its own phoneme, so that any voice can be driven
// without a lexicon. Digits become no phoneme, as in a phonemizer that was never given spoken form.
#ifndef SOTTO_TESTS_CONTRACT_LETTER_PHONEMIZER_H_
#define SOTTO_TESTS_CONTRACT_LETTER_PHONEMIZER_H_

#include <string>
#include <string_view>

#include "text/phonemizer.h"

namespace sotto {

class LetterPhonemizer final : public Phonemizer {
 public:
  Result<std::string> Phonemize(std::string_view text, PhonemeAlphabet) const override {
    std::string phonemes;
    bool has_letter = false;
    for (const char c : text) {
      if (static_cast<unsigned char>(c) >= 0x80) {
        return InvalidArgumentError("text: a character beyond ASCII: cannot be read");
      }
      if (c >= 'A' && c <= 'Z') {
        phonemes.push_back(static_cast<char>(c + 32));
        has_letter = true;
      } else if (c >= 'a' && c <= 'z') {
        phonemes.push_back(c);
        has_letter = true;
      } else if (c == ' ' || c == ',' || c == '.' || c == '!' || c == '?' || c == ';' || c == ':') {
        phonemes.push_back(c);
      }
    }
    return has_letter ? phonemes : std::string();
  }
};

}  // namespace sotto

#endif  // SOTTO_TESTS_CONTRACT_LETTER_PHONEMIZER_H_
