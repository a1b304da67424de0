// PhraseChunker: cuts text that grows into phrases to be spoken one after the other.
//
//   PhraseChunker chunker;
//   for (const Phrase& p : chunker.Feed(piece)) Speak(p.text);
//   ...
//   for (const Phrase& p : chunker.Finish()) Speak(p.text);
//
// Pure and incremental: the phrases depend on the text alone, never on how it was cut into pieces
// or on time. No text is lost: what lies between two phrases, before the first and after the last
// is white space. A phrase never ends inside a UTF-8 character, a number, a URL, an e-mail
// address, a time, an abbreviation or an initial, unless it alone is longer than max_bytes.
// One thread at a time.
#ifndef SOTTO_TEXT_PHRASE_CHUNKER_H_
#define SOTTO_TEXT_PHRASE_CHUNKER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

struct PhrasePolicy {
  // The first phrase: ends at a clause of at least this many words, or else after this many words
  // at a boundary where a speaker may pause. 0 words turns the rule off. [2, 6]
  int32_t first_clause_words = 2;
  int32_t first_max_words = 6;
  // From the second phrase on, a clause ends a phrase once it has this many bytes: `grow_bytes`
  // for the second, twice that for the third, and so on, never above max_bytes. [40]
  size_t grow_bytes = 40;
  // A sentence shorter than this is joined with the next one, from the second phrase on; never
  // across a paragraph. 0 joins nothing. [0]
  size_t join_bytes = 0;
  // No phrase is longer. 16..4096. About 160 sounds best with short-form voices. [160]
  size_t max_bytes = 160;
};

enum class PhraseEnd : int32_t {
  kSentence = 0,   // . ! ? or their like
  kClause = 1,     // , ; : or a dash
  kWord = 2,       // between two words
  kParagraph = 3,  // an empty line, or a line that begins an item
  kForced = 4,     // inside a word that is longer than max_bytes
  kEnd = 5,        // Finish() or Flush()
};

struct Phrase {
  std::string text;        // input[begin, end): no white space at its ends, never empty
  size_t begin_bytes = 0;  // offset in all input since construction or Finish()
  size_t end_bytes = 0;
  PhraseEnd end = PhraseEnd::kEnd;
  int64_t index = 0;  // 0 for the first
};

class PhraseChunker {
 public:
  // Values of `policy` out of range are clamped.
  explicit PhraseChunker(const PhrasePolicy& policy = {});

  // Appends text and returns the phrases that are certain. O(bytes * max_bytes) at worst.
  std::vector<Phrase> Feed(std::string_view text);

  // The rest, also when no boundary was reached. The chunker is ready for a new text.
  std::vector<Phrase> Finish();

  // Up to one phrase early: what is pending up to its last whole word. For a caller whose playback
  // would run dry otherwise. Depends on what has been fed so far, so a run that calls it is
  // repeatable only with the same pieces.
  std::vector<Phrase> Flush();

  size_t pending_bytes() const { return buffer_.size(); }

 private:
  struct Cut {
    size_t end = 0;  // bytes of the buffer that are the phrase; 0: not certain yet
    PhraseEnd kind = PhraseEnd::kEnd;
  };

  Cut FindCut(bool at_end) const;
  void DropBlank();
  void Emit(const Cut& cut, std::vector<Phrase>& out);
  void Drain(bool at_end, std::vector<Phrase>& out);

  PhrasePolicy policy_;
  std::string buffer_;        // input that no phrase covers yet
  size_t buffer_offset_ = 0;  // of buffer_[0] in the input
  int64_t next_index_ = 0;
};

}  // namespace sotto

#endif  // SOTTO_TEXT_PHRASE_CHUNKER_H_
