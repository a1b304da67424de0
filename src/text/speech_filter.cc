#include "text/speech_filter.h"

#include <algorithm>

#include "text/utf8.h"

namespace sotto {
namespace {

constexpr size_t kMaxRun = 64;         // marks in a row that are looked at together
constexpr size_t kMaxRuleBytes = 256;  // of a line that may turn out to be a divider
constexpr size_t kMaxIndentBytes = 64;
// A line break after this many bytes is taken for wrapping, not for a pause.
constexpr size_t kWrappedLineBytes = 60;

bool IsBlankByte(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Bytes of a line that holds only `marks` and blanks, with at least `min_marks` of them: a divider.
// 0: no divider. Nothing is known (`unsure`) while the line has not ended.
size_t RuleBytes(std::string_view text, bool at_end, std::string_view marks, size_t min_marks,
                 bool& unsure) {
  size_t count = 0;
  size_t i = 0;
  for (; i < text.size() && text[i] != '\n' && i < kMaxRuleBytes; ++i) {
    if (IsBlankByte(text[i])) continue;
    if (marks.find(text[i]) == std::string_view::npos) return 0;
    ++count;
  }
  unsure = i == text.size() && !at_end && i < kMaxRuleBytes;
  return count >= min_marks && !unsure ? i : 0;
}

}  // namespace

std::vector<WithheldSpan> DefaultWithheldSpans() {
  return {{"<think>", "</think>"},         {"<thinking>", "</thinking>"},
          {"<|channel>", "<channel|>"},    {"<|tool_call>", "<tool_call|>"},
          {"<tool_call>", "</tool_call>"}, {"<|channel|>analysis", "<|end|>"}};
}

SpeechFilter::SpeechFilter(SpeechFilterOptions options) : options_(std::move(options)) {
  std::erase_if(options_.withheld, [](const WithheldSpan& span) {
    return span.open.empty() || span.close.empty() || span.open.size() > 64 ||
           span.close.size() > 64;
  });
}

size_t SpeechFilter::View::Run(size_t limit) const {
  size_t n = 1;
  while (n < text.size() && n < limit && text[n] == text[0]) ++n;
  return n == text.size() && n < limit && !at_end ? 0 : n;
}

std::string SpeechFilter::Feed(std::string_view text) {
  if (finished_) {
    finished_ = false;
    anchors_.clear();
    emitted_ = consumed_ = 0;
  }
  std::string out;
  // Fed by the window: what is undecided stays short, however long the text is.
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, 4096);
    buffer_ += piece;
    text.remove_prefix(piece.size());
    out += Drain(false);
  }
  return out;
}

std::string SpeechFilter::Finish() {
  std::string out = Drain(true);
  ResetState();
  return out;
}

void SpeechFilter::ResetState() {
  buffer_.clear();
  finished_ = true;
  line_ = Line::kText;
  at_line_start_ = true;
  skip_line_ = false;
  line_bytes_ = 0;
  open_angles_ = 0;
  span_ = nullptr;
  fence_.clear();
  pause_ = Pause::kNone;
  last_ = last_mark_ = 0;
}

std::string SpeechFilter::Drain(bool at_end) {
  const std::string_view buffer = buffer_;
  const size_t usable = at_end ? buffer.size() : WholeCharactersPrefix(buffer);
  size_t done = 0;
  while (done < usable) {
    const size_t bytes = Step({buffer.substr(done, usable - done), at_end});
    if (bytes == 0) break;
    done += bytes;
    consumed_ += bytes;
  }
  buffer_.erase(0, done);
  std::string out;
  out.swap(out_);
  emitted_ += out.size();
  return out;
}

size_t SpeechFilter::SourceOffset(size_t output_bytes) const {
  auto after = std::upper_bound(anchors_.begin(), anchors_.end(), output_bytes,
                                [](size_t o, const Anchor& a) { return o < a.output; });
  const size_t limit = after == anchors_.end() ? consumed_ : after->input;
  if (after == anchors_.begin()) return std::min(output_bytes, limit);
  const Anchor& anchor = *std::prev(after);
  return std::min(anchor.input + (output_bytes - anchor.output), limit);
}

size_t SpeechFilter::Step(const View& view) {
  if (span_ != nullptr) return StepInSpan(view);
  if (!fence_.empty()) return StepInFence(view);
  if (skip_line_) return StepSkipLine(view);
  if (view.text[0] == '\x1B') return StepEscape(view);
  bool unsure = false;
  for (const WithheldSpan& span : options_.withheld) {
    if (view.text[0] != span.open[0]) continue;
    if (view.text.starts_with(span.open)) {
      span_ = &span;
      at_line_start_ = false;
      return Drop(Pause::kSpace, span.open.size());
    }
    unsure = unsure || (!view.at_end && std::string_view(span.open).starts_with(view.text));
  }
  if (unsure) return 0;
  return at_line_start_ ? StepLineStart(view) : StepInline(view);
}

// ECMA-48: a control sequence is ESC [, bytes of 0x20..0x3F, a final one of 0x40..0x7E; a command
// is ESC ] up to BEL or the next ESC. Anything else loses the ESC alone.
size_t SpeechFilter::StepEscape(const View& view) {
  if (!view.Knows(1)) return 0;
  const std::string_view text = view.text.substr(0, kMaxRuleBytes);
  const bool open = text.size() < kMaxRuleBytes && !view.at_end;
  if (view.At(1) == '[') {
    size_t i = 2;
    while (i < text.size() && text[i] >= 0x20 && text[i] <= 0x3F) ++i;
    if (i == text.size()) return open ? 0 : 1;
    return text[i] >= 0x40 && text[i] <= 0x7E ? i + 1 : 1;
  }
  if (view.At(1) == ']') {
    const size_t end = text.find_first_of("\x07\x1B\n", 2);
    if (end == std::string_view::npos) return open ? 0 : 1;
    if (text[end] == '\x07') return end + 1;
    if (text[end] == '\n') return 1;
    if (!view.Knows(end + 1)) return 0;
    return view.At(end + 1) == '\\' ? end + 2 : end;
  }
  return 1;
}

size_t SpeechFilter::StepInSpan(const View& view) {
  const size_t close = view.text.find(span_->close);
  if (close != std::string_view::npos) {
    const size_t bytes = close + span_->close.size();
    span_ = nullptr;
    return bytes;
  }
  if (view.at_end) return view.text.size();
  const size_t tail = span_->close.size() - 1;
  return view.text.size() > tail ? view.text.size() - tail : 0;
}

size_t SpeechFilter::StepInFence(const View& view) {
  if (skip_line_ || !at_line_start_) {
    const size_t newline = view.text.find('\n');
    skip_line_ = newline == std::string_view::npos;
    at_line_start_ = !skip_line_;
    return skip_line_ ? view.text.size() : newline + 1;
  }
  if (IsBlankByte(view.text[0])) return 1;
  if (view.text[0] == fence_[0]) {
    const size_t run = view.Run(kMaxRun);
    if (run == 0 || !view.Knows(run)) return 0;
    const char next = view.At(run);
    if (run >= fence_.size() && (next == '\n' || next == '\0' || IsBlankByte(next))) {
      fence_.clear();
      at_line_start_ = false;
      line_ = Line::kText;
      return Drop(Pause::kStop, run);
    }
  }
  at_line_start_ = false;
  return view.text[0] == '\n' ? StepInFence(view) : 1;
}

size_t SpeechFilter::StepSkipLine(const View& view) {
  const size_t newline = view.text.find('\n');
  if (newline == std::string_view::npos) return view.text.size();
  skip_line_ = false;
  at_line_start_ = true;
  line_ = Line::kText;
  line_bytes_ = 0;
  return newline + 1;
}

size_t SpeechFilter::StepLineStart(const View& view) {
  const CodePoint c = DecodeUtf8(view.text, 0);
  if (c.value == '\n') return Drop(Pause::kParagraph, 1);
  if (IsBlank(c.value) || c.value == '\r' || IsInvisible(c.value)) return c.size_bytes;
  switch (c.value) {
    case '`':
    case '~':
      return StepFenceOpen(view);
    case '#':
      return StepHeader(view);
    case '>':
      if (!view.Knows(1)) return 0;
      at_line_start_ = view.At(1) != '=';  // ">= 5" is no quotation
      return at_line_start_ ? 1 : StepInline(view);
    case '-':
    case '*':
    case '+':
    case '_':
    case '=':
      return StepRule(view);
    case '|':
      return StepTableRow(view);
    default:
      break;
  }
  if (IsAsciiDigit(c.value)) return StepNumber(view);
  const bool bullet = c.value == 0x2022 || c.value == 0x25E6 || c.value == 0x2023 ||
                      c.value == 0xB7 || c.value == 0x2013 || c.value == 0x2014;
  if (bullet && !view.Knows(c.size_bytes)) return 0;
  if ((bullet && IsBlankByte(view.At(c.size_bytes))) || IsPictograph(c.value)) {
    return BeginItem(c.size_bytes);
  }
  at_line_start_ = false;
  return StepInline(view);
}

size_t SpeechFilter::BeginItem(size_t bytes) {
  line_ = Line::kItem;
  at_line_start_ = false;
  return Drop(Pause::kStop, bytes);
}

size_t SpeechFilter::StepFenceOpen(const View& view) {
  const size_t run = view.Run(kMaxRun);
  if (run == 0) return 0;
  at_line_start_ = false;
  if (run < 3) return StepInline(view);
  fence_.assign(run, view.text[0]);
  skip_line_ = true;
  return Drop(Pause::kStop, run);
}

size_t SpeechFilter::StepHeader(const View& view) {
  const size_t run = view.Run(7);
  if (run == 0 || !view.Knows(run)) return 0;
  at_line_start_ = false;
  const char next = view.At(run);
  if (run > 6 || !(IsBlankByte(next) || next == '\n' || next == '\0')) return StepInline(view);
  line_ = Line::kHeader;
  return Drop(Pause::kStop, run);
}

// A divider, the underline of a header, a bullet, or emphasis.
size_t SpeechFilter::StepRule(const View& view) {
  bool unsure = false;
  const char mark = view.text[0];
  const std::string_view marks = mark == '+' ? std::string_view("+-=|") : view.text.substr(0, 1);
  const size_t rule = RuleBytes(view.text, view.at_end, marks, mark == '=' ? 2 : 3, unsure);
  if (unsure) return 0;
  if (rule > 0) {
    skip_line_ = true;
    return Drop(Pause::kStop, rule);
  }
  if (!view.Knows(1)) return 0;
  if ((mark == '-' || mark == '*' || mark == '+') && IsBlankByte(view.At(1))) return BeginItem(1);
  at_line_start_ = false;
  return StepInline(view);
}

// "12. " and "12) " become "12, ".
size_t SpeechFilter::StepNumber(const View& view) {
  size_t digits = 1;
  while (digits < 4 && IsDigit(view.At(digits))) ++digits;
  if (!view.Knows(digits + 1)) return 0;
  const char stop = view.At(digits);
  at_line_start_ = false;
  if (digits > 3 || (stop != '.' && stop != ')') || !IsBlankByte(view.At(digits + 1))) {
    return StepInline(view);
  }
  BeginItem(0);
  ResolvePause();
  Emit(view.text.substr(0, digits), consumed_);
  return Drop(Pause::kComma, digits + 1);
}

size_t SpeechFilter::StepTableRow(const View& view) {
  at_line_start_ = false;
  line_ = Line::kTable;
  if (options_.tables == SpeechFilterOptions::Tables::kDrop) {
    skip_line_ = true;
    return Drop(Pause::kStop, 1);
  }
  bool unsure = false;
  const size_t rule = RuleBytes(view.text, view.at_end, "|:-=+", 2, unsure);
  if (unsure) {
    at_line_start_ = true;
    return 0;
  }
  skip_line_ = rule > 0;
  return Drop(Pause::kStop, std::max<size_t>(rule, 1));
}

size_t SpeechFilter::StepNewline(const View& view) {
  size_t next = 1;
  while (next < view.text.size() && next < kMaxIndentBytes && IsBlankByte(view.text[next])) ++next;
  if (!view.Knows(next)) return 0;
  const bool lower = IsAsciiLower(static_cast<unsigned char>(view.At(next)));
  const bool wrapped = lower || line_bytes_ >= kWrappedLineBytes || line_bytes_ == 0;
  const Pause pause = line_ != Line::kText ? Pause::kStop : wrapped ? Pause::kSpace : Pause::kComma;
  line_ = Line::kText;
  at_line_start_ = true;
  line_bytes_ = 0;
  open_angles_ = 0;
  return Drop(pause, 1);
}

}  // namespace sotto
