// LetterToSound: how a word that no lexicon has is pronounced, by a model of letter and phone
// pairs. tools/train_lts.py trains it and describes its file.
#ifndef SOTTO_TEXT_LETTER_TO_SOUND_H_
#define SOTTO_TEXT_LETTER_TO_SOUND_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace sotto {

// Immutable; any thread.
class LetterToSound {
 public:
  // Reads a model. Keeps views into `blob`, which must live as long. DATA_LOSS if it is malformed.
  static Result<LetterToSound> FromBlob(std::string_view blob);

  // Phones (text/phones.h) of `word`: letters a to z, at most 64 are read. Empty if there are none.
  // Deterministic. Tens of microseconds per letter.
  std::string Pronounce(std::string_view word) const;

 private:
  struct Pair {
    char letter = 0;
    std::string_view phones;
  };
  struct Level {
    size_t count = 0;
    std::string_view pairs;     // u16 each
    std::string_view costs;     // u8 each
    std::string_view backoffs;  // u8 each, biased by 64; empty at the last level
    std::string_view children;  // u32 each, count + 1 of them; empty at the last level
  };
  static constexpr size_t kMaxOrder = 8;
  static constexpr size_t kNone = static_cast<size_t>(-1);
  using History = std::array<uint16_t, kMaxOrder>;  // order - 1 pairs, the oldest first
  using Contexts = std::array<size_t, kMaxOrder>;   // an entry of level n, or kNone
  struct Step {
    uint16_t pair = 0;
    int32_t before = -1;  // index of the step before, -1 at the start
  };
  struct State {
    History history = {};
    int32_t cost = 0;  // in 1/16 nat
    int32_t last_step = -1;
  };

  Status Parse(std::string_view blob);
  Status Validate() const;
  size_t Child(size_t level, size_t entry, uint32_t pair) const;
  Contexts Find(const History& history) const;
  int32_t Cost(const Contexts& contexts, uint32_t pair) const;
  void Advance(char letter, std::vector<Step>& steps, std::vector<State>& states) const;

  std::vector<Pair> pairs_;
  std::vector<uint16_t> by_letter_[26];
  std::vector<Level> levels_;
};

// The model for US English that is built in. OK always; checked by a test.
const Result<LetterToSound>& EnglishLetterToSound();

}  // namespace sotto

#endif  // SOTTO_TEXT_LETTER_TO_SOUND_H_
