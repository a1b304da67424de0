// SpeechFilter: from text written for eyes, as it streams out of a language model, to text that
// can be spoken. What is displayed stays as it is; only what is spoken passes here.
//
// Gone with everything in them: code fences, tables (unless kReadCells), <think> spans and the
// other spans of `withheld`, HTML comments, footnote marks, addresses of links. Gone as marks only:
// headers, block quotes, emphasis, inline code, HTML tags, bullets, task boxes, dividers. Gone as
// characters: emoji, pictographs, box drawing, zero-width characters, variation selectors. A line
// without a stop gets one if it is a header or an item, so that a voice pauses there. Typographic
// quotes, ellipses and spaces become ASCII; a dash between words becomes a comma.
// Emoticons and the escape sequences of terminals vanish too. Tags are those of
// markup.h: the name in "vector<int>" is spoken.
//
// Pure and incremental: the output depends on the text alone, not on how it was cut into pieces.
// Any bytes may come in (invalid ones vanish); valid UTF-8 comes out. A few characters are held
// back where a mark may be about to be completed, at most kMaxHeldBytes. Linear time; memory is
// bounded but for the source map. One thread at a time.
#ifndef SOTTO_TEXT_SPEECH_FILTER_H_
#define SOTTO_TEXT_SPEECH_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

// A span that is never spoken, marks included. An unclosed one lasts to the end of the text.
struct WithheldSpan {
  std::string open;   // compared byte by byte, 1..64 bytes
  std::string close;  // 1..64 bytes
};

// The thinking, channel and tool-call marks of the model families in use.
std::vector<WithheldSpan> DefaultWithheldSpans();

struct SpeechFilterOptions {
  enum class Tables : int32_t { kDrop = 0, kReadCells = 1 };
  Tables tables = Tables::kDrop;
  std::vector<WithheldSpan> withheld = DefaultWithheldSpans();
};

class SpeechFilter {
 public:
  static constexpr size_t kMaxHeldBytes = 512;

  explicit SpeechFilter(SpeechFilterOptions options = {});
  // The open span points into the options.
  SpeechFilter(const SpeechFilter&) = delete;
  SpeechFilter& operator=(const SpeechFilter&) = delete;

  // The speakable text that is certain after `text`.
  std::string Feed(std::string_view text);

  // The rest. The filter is ready for a new text; the source map stays until the next Feed().
  std::string Finish();

  // Offset in the input of what stands at `output_bytes` of all output since construction or the
  // last Finish(). Monotone. O(log n).
  size_t SourceOffset(size_t output_bytes) const;

 private:
  enum class Pause : int32_t { kNone = 0, kSpace, kComma, kStop, kParagraph };
  enum class Line : int32_t { kText = 0, kHeader, kItem, kTable };
  struct Anchor {
    size_t output = 0;
    size_t input = 0;
  };
  // The undecided input, which begins with a character to decide on. Every Step...() returns how
  // many bytes it has dealt with, 0 if more text could change the decision.
  struct View {
    std::string_view text;
    bool at_end = false;

    bool Has(size_t n) const { return text.size() >= n; }
    // True if the character at n exists or will never exist.
    bool Knows(size_t n) const { return text.size() > n || at_end; }
    char At(size_t n) const { return n < text.size() ? text[n] : '\0'; }
    // Length of the run of text[0], counted up to `limit`; 0 if it may go on.
    size_t Run(size_t limit) const;
  };

  std::string Drain(bool at_end);
  void ResetState();

  // speech_filter.cc: spans and whole lines
  size_t Step(const View& view);
  size_t StepSpanOpen(const View& view);
  size_t StepEscape(const View& view);
  size_t StepInSpan(const View& view);
  size_t StepInFence(const View& view);
  size_t StepSkipLine(const View& view);
  size_t StepLineStart(const View& view);
  size_t StepFenceOpen(const View& view);
  size_t StepHeader(const View& view);
  size_t StepRule(const View& view);
  size_t StepNumber(const View& view);
  size_t StepTableRow(const View& view);
  size_t StepNewline(const View& view);
  size_t BeginItem(size_t bytes);

  // speech_filter_inline.cc: within a line
  size_t StepInline(const View& view);
  std::optional<size_t> StepEmoticon(const View& view);
  size_t StepBar(const View& view);
  size_t StepUnicode(const View& view);
  size_t StepEmphasis(const View& view);
  size_t StepAngle(const View& view);
  size_t StepCloseAngle(const View& view);
  size_t StepTag(std::string_view tag);
  size_t StepOpenBracket(const View& view);
  size_t StepCloseBracket(const View& view);
  size_t StepEntity(const View& view);
  size_t StepHyphen(const View& view);
  size_t StepPunctuation(const View& view);
  size_t Put(char32_t c, size_t bytes);
  size_t Drop(Pause pause, size_t bytes);
  void Emit(std::string_view text, size_t input);
  void ResolvePause();
  bool AfterWord() const;

  SpeechFilterOptions options_;
  std::string buffer_;       // input that is not decided yet
  size_t buffer_begin_ = 0;  // of the current View in buffer_
  size_t consumed_ = 0;      // bytes of input before the current View
  std::string out_;          // output since the last Feed()
  size_t emitted_ = 0;       // bytes of output before out_
  std::vector<Anchor> anchors_;
  bool finished_ = false;

  Line line_ = Line::kText;
  bool at_line_start_ = true;
  bool skip_line_ = false;
  size_t line_bytes_ = 0;   // of output on this line
  size_t open_angles_ = 0;  // on this line, of names in angle brackets that are no tags
  const WithheldSpan* span_ = nullptr;
  std::string fence_;  // the mark that opened the fence; empty: none is open
  Pause pause_ = Pause::kNone;
  char32_t last_ = 0;       // last character of output, 0 before the first
  char32_t last_mark_ = 0;  // the same without closing quotes and brackets
};

}  // namespace sotto

#endif  // SOTTO_TEXT_SPEECH_FILTER_H_
