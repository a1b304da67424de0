// The part of SpeechFilter that reads within a line, and its output.
#include <algorithm>
#include <iterator>

#include "text/markup.h"
#include "text/speech_filter.h"
#include "text/utf8.h"

namespace sotto {
namespace {

constexpr size_t kMaxRun = 64;
constexpr size_t kMaxAddressBytes = 400;
constexpr size_t kMaxFootnoteBytes = 32;

bool IsBlankByte(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordByte(char c) {
  return IsAsciiAlpha(static_cast<unsigned char>(c)) || IsDigit(c) ||
         (static_cast<uint8_t>(c) & 0x80) != 0;
}

// "string, vector", "std::vector": what stands before the inner bracket of nested types.
bool IsTypeName(std::string_view text) {
  if (text.size() < 3) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' && i > 0 && text[i - 1] == ',') continue;
    if (!IsWordByte(c) && c != '_' && c != ':' && c != ',') return false;
  }
  return true;
}

}  // namespace

bool SpeechFilter::AfterWord() const {
  return pause_ == Pause::kNone && last_ != 0 && (IsLetter(last_) || IsAsciiDigit(last_));
}

size_t SpeechFilter::Drop(Pause pause, size_t bytes) {
  pause_ = std::max(pause_, pause);
  return bytes;
}

void SpeechFilter::Emit(std::string_view text, size_t input) {
  const size_t output = emitted_ + out_.size();
  const bool follows =
      !anchors_.empty() && output - anchors_.back().output == input - anchors_.back().input;
  if (!follows && (anchors_.empty() ? output != input : true)) {
    anchors_.push_back({output, input});
  }
  out_ += text;
  line_bytes_ += text.size();
  last_ = static_cast<unsigned char>(text.back());
  if (last_ != '"' && last_ != '\'' && last_ != ')' && last_ != ']') last_mark_ = last_;
}

void SpeechFilter::ResolvePause() {
  const Pause pause = pause_;
  pause_ = Pause::kNone;
  if (last_ == 0 || pause == Pause::kNone) return;
  const bool stopped = last_mark_ == '.' || last_mark_ == '!' || last_mark_ == '?';
  const bool marked = stopped || last_mark_ == ',' || last_mark_ == ';' || last_mark_ == ':' ||
                      last_mark_ == '(' || IsCjkStop(last_mark_);
  switch (pause) {
    case Pause::kNone:
    case Pause::kSpace:
      return Emit(" ", consumed_);
    case Pause::kComma:
      return Emit(marked ? " " : ", ", consumed_);
    case Pause::kStop:
      return Emit(marked ? " " : ". ", consumed_);
    case Pause::kParagraph:
      return Emit(marked ? "\n\n" : ".\n\n", consumed_);
  }
}

size_t SpeechFilter::Put(char32_t c, size_t bytes) {
  ResolvePause();
  std::string utf8;
  AppendUtf8(c, utf8);
  Emit(utf8, consumed_);
  last_ = c;
  if (utf8.size() > 1) last_mark_ = c;
  return bytes;
}

size_t SpeechFilter::StepInline(const View& view) {
  const char c = view.text[0];
  if (c == ':' || c == ';') {
    if (const std::optional<size_t> bytes = StepEmoticon(view)) return *bytes;
  }
  switch (c) {
    case '\n':
      return StepNewline(view);
    case ' ':
    case '\t':
    case '\r':
      return Drop(Pause::kSpace, 1);
    case '`':
      return 1;
    case '*':
    case '_':
    case '~':
      return StepEmphasis(view);
    case '[':
      return StepOpenBracket(view);
    case ']':
      return StepCloseBracket(view);
    case '<':
      return StepAngle(view);
    case '&':
      return StepEntity(view);
    case '|':
      return StepBar(view);
    case '\\':
      return Drop(AfterWord() ? Pause::kSpace : Pause::kNone, 1);
    case '-':
      return StepHyphen(view);
    case '>':
      return StepCloseAngle(view);
    case '.':
    case ',':
    case ';':
    case ':':
    case '!':
    case '?':
    case ')':
      return StepPunctuation(view);
    default:
      break;
  }
  if (static_cast<uint8_t>(c) >= 0x80) return StepUnicode(view);
  return IsInvisible(static_cast<unsigned char>(c)) ? 1 : Put(static_cast<unsigned char>(c), 1);
}

// "a || b" keeps its operator; any other bar is a border.
size_t SpeechFilter::StepBar(const View& view) {
  const bool spaced =
      pause_ == Pause::kSpace && (IsLetter(last_) || IsAsciiDigit(last_) || last_ == ')');
  if (!spaced) return Drop(Pause::kComma, 1);
  if (!view.Knows(1) || (view.At(1) == '|' && !view.Knows(2))) return 0;
  if (view.At(1) != '|' || view.At(2) != ' ') return Drop(Pause::kComma, 1);
  Put('|', 1);
  return Put('|', 2);
}

size_t SpeechFilter::StepUnicode(const View& view) {
  const CodePoint c = DecodeUtf8(view.text, 0);
  const size_t bytes = c.size_bytes;
  switch (c.value) {
    case kReplacementCharacter:
      return bytes;
    case 0x2018:
    case 0x2019:
    case 0x201A:
    case 0x201B:
    case 0x2032:
    case 0xFF07:
      return Put('\'', bytes);
    case 0x201C:
    case 0x201D:
    case 0x201E:
    case 0x201F:
    case 0x2033:
    case 0xAB:
    case 0xBB:
      return Put('"', bytes);
    case 0x2026:
      pause_ = pause_ < Pause::kStop ? Pause::kNone : pause_;
      ResolvePause();
      Emit("...", consumed_);
      return bytes;
    case 0x2010:
    case 0x2011:
    case 0x2043:
    case 0x2212:
    case 0xFE63:
      return Put('-', bytes);
    case 0x2012:
    case 0x2013: {
      if (!view.Knows(bytes)) return 0;
      const bool range = AfterWord() && IsAsciiDigit(last_) && IsDigit(view.At(bytes));
      return range ? Put('-', bytes) : Drop(Pause::kComma, bytes);
    }
    case 0x2014:
    case 0x2015:
    case 0x2E3A:
    case 0xB7:
    case 0x2022:
      return Drop(Pause::kComma, bytes);
    default:
      break;
  }
  if (IsBlank(c.value) || c.value == 0x2028 || c.value == 0x2029) return Drop(Pause::kSpace, bytes);
  if (IsInvisible(c.value)) return bytes;
  if (c.value >= 0x2190 && c.value <= 0x21FF) return Drop(Pause::kComma, bytes);
  if (IsPictograph(c.value)) return Drop(Pause::kSpace, bytes);
  return Put(c.value, bytes);
}

// ":-)", ";)", ":D" between blanks; with a nose also tight after a word. Nothing if it is none.
std::optional<size_t> SpeechFilter::StepEmoticon(const View& view) {
  if (!view.Knows(1)) return 0;
  const bool nose = view.At(1) == '-' || view.At(1) == '^' || view.At(1) == '\'';
  const bool blank_before = pause_ != Pause::kNone || last_ == 0 || last_ == '(';
  if (!blank_before && !(nose && AfterWord())) return std::nullopt;
  const size_t mouth = nose ? 2 : 1;
  if (!view.Knows(mouth)) return 0;
  if (std::string_view(")(DPpO/\\|*").find(view.At(mouth)) == std::string_view::npos) {
    return std::nullopt;
  }
  if (!view.Knows(mouth + 1)) return 0;
  const char next = view.At(mouth + 1);
  const bool ends =
      next == '\0' || std::string_view(" \t\r\n.,!?)").find(next) != std::string_view::npos;
  if (!ends) return std::nullopt;
  return Drop(last_ == '(' ? Pause::kNone : Pause::kSpace, mouth + 1);
}

// Marks of emphasis vanish; "2 * 3", "2*3", "a_b" and "~5" keep theirs.
size_t SpeechFilter::StepEmphasis(const View& view) {
  const size_t run = view.Run(kMaxRun);
  if (run == 0 || !view.Knows(run)) return 0;
  const char mark = view.text[0];
  const char next = view.At(run);
  const bool blank_before = pause_ != Pause::kNone || last_ == 0;
  if (mark == '_') {
    return AfterWord() && IsWordByte(next) ? Put('_', run) : run;
  }
  if (mark == '~') {
    return run == 1 && IsDigit(next) && blank_before ? Put('~', 1) : run;
  }
  const bool between_blanks = blank_before && last_ != 0 && IsBlankByte(next);
  const bool between_digits = AfterWord() && IsAsciiDigit(last_) && IsDigit(next);
  return run == 1 && (between_blanks || between_digits) ? Put('*', 1) : run;
}

size_t SpeechFilter::StepOpenBracket(const View& view) {
  if (!view.Knows(1)) return 0;
  const bool box = line_ == Line::kItem && line_bytes_ == 0;
  const char next = view.At(1);
  if (box && (next == ' ' || next == 'x' || next == 'X')) {
    if (!view.Knows(2)) return 0;
    if (view.At(2) == ']') return 3;
  }
  if (next == '^') {
    const size_t close = view.text.substr(0, kMaxFootnoteBytes).find_first_of("]\n");
    if (close == std::string_view::npos && !view.at_end && !view.Has(kMaxFootnoteBytes)) return 0;
    if (close != std::string_view::npos && view.text[close] == ']') return close + 1;
  }
  return Drop(AfterWord() ? Pause::kSpace : Pause::kNone, 1);
}

size_t SpeechFilter::StepCloseBracket(const View& view) {
  if (!view.Knows(1)) return 0;
  const char open = view.At(1);
  if (open == '(' || open == '[') {
    const std::string_view ends = open == '(' ? ")\n" : "]\n";
    const size_t close = view.text.substr(0, kMaxAddressBytes).find_first_of(ends, 2);
    if (close == std::string_view::npos && !view.at_end && !view.Has(kMaxAddressBytes)) return 0;
    if (close != std::string_view::npos && view.text[close] != '\n') return close + 1;
  }
  return Drop(IsWordByte(open) ? Pause::kSpace : Pause::kNone, 1);
}

size_t SpeechFilter::StepAngle(const View& view) {
  static const WithheldSpan comment{"<!--", "-->"};
  if (view.text.starts_with(comment.open)) {
    span_ = &comment;
    return comment.open.size();
  }
  if (!view.at_end && std::string_view(comment.open).starts_with(view.text)) return 0;
  if (!view.Knows(1)) return 0;
  const char next = view.At(1);
  const bool tag = IsAsciiAlpha(static_cast<unsigned char>(next)) ||
                   std::string_view("/|?!").find(next) != std::string_view::npos;
  if (!tag) return Put('<', 1);
  const size_t close = view.text.substr(0, kMaxTagBytes).find_first_of("<>\n", 1);
  if (close == std::string_view::npos) {
    return view.at_end || view.Has(kMaxTagBytes) ? Put('<', 1) : 0;
  }
  if (view.text[close] == '<' && AfterWord() && IsTypeName(view.text.substr(1, close - 1))) {
    ++open_angles_;  // map<string, vector<int>>
    return Drop(Pause::kSpace, 1);
  }
  if (view.text[close] != '>') return Put('<', 1);
  return StepTag(view.text.substr(1, close - 1));
}

// The end of a name in angle brackets that is no tag.
size_t SpeechFilter::StepCloseAngle(const View& view) {
  if (open_angles_ == 0) return Put('>', 1);
  if (!view.Knows(1)) return 0;
  --open_angles_;
  return Drop(IsWordByte(view.At(1)) ? Pause::kSpace : Pause::kNone, 1);
}

// A whole tag, without its brackets.
size_t SpeechFilter::StepTag(std::string_view tag) {
  const size_t bytes = tag.size() + 2;
  const bool address =
      tag.find("://") != std::string_view::npos ||
      (tag.find('@') != std::string_view::npos && tag.find(' ') == std::string_view::npos);
  if (address) {
    for (size_t i = 0; i < tag.size();) {
      const CodePoint c = DecodeUtf8(tag, i);
      const bool said = c.value != '`' && c.value != kReplacementCharacter &&
                        !IsInvisible(c.value) && !IsPictograph(c.value);
      if (said) Put(c.value, 0);
      i += c.size_bytes;
    }
    return bytes;
  }
  switch (ClassifyTag(tag)) {
    case TagKind::kInline:
      return Drop(Pause::kNone, bytes);
    case TagKind::kSpace:
      return Drop(Pause::kSpace, bytes);
    case TagKind::kPause:
      return Drop(Pause::kComma, bytes);
    case TagKind::kBlock:
      return Drop(Pause::kStop, bytes);
    case TagKind::kNone:
      break;
  }
  // A type or a placeholder.
  const bool name = IsAsciiAlpha(static_cast<unsigned char>(tag[0]));
  if (!name || (!AfterWord() && tag.find(' ') != std::string_view::npos)) return Put('<', 1);
  ++open_angles_;
  return Drop(Pause::kSpace, 1);
}

size_t SpeechFilter::StepEntity(const View& view) {
  const Entity entity = ParseEntity(view.text);
  if (entity.bytes == 0) return entity.partial && !view.at_end ? 0 : Put('&', 1);
  if (entity.value == ' ') return Drop(Pause::kSpace, entity.bytes);
  if (entity.value < 0x80) return Put(entity.value, entity.bytes);
  std::string utf8;
  AppendUtf8(entity.value, utf8);
  StepUnicode({utf8, true});
  return entity.bytes;
}

// "--" and " - " are dashes; "5 - 3" is a subtraction; all other hyphens stay.
size_t SpeechFilter::StepHyphen(const View& view) {
  const size_t run = view.Run(kMaxRun);
  if (run == 0 || !view.Knows(run)) return 0;
  if (run > 1) return Drop(Pause::kComma, run);
  const char next = view.At(1);
  const bool spaced = pause_ != Pause::kNone && (IsBlankByte(next) || next == '\n');
  if (!spaced) return Put('-', 1);
  if (!view.Knows(2)) return 0;
  const bool subtraction = IsAsciiDigit(last_) && IsDigit(view.At(2));
  return subtraction ? Put('-', 1) : Drop(Pause::kComma, 1);
}

// Punctuation stands tight after what it ends, and is not doubled by the pause before it.
size_t SpeechFilter::StepPunctuation(const View& view) {
  if (!view.Knows(1)) return 0;
  const char c = view.text[0];
  const char next = view.At(1);
  if (c == '!' && next == '[') return 1;
  const bool operation = next == '=' && (c == '!' || c == ':');  // "a != b"
  if (operation || (IsWordByte(next) && c != ')')) return Put(static_cast<unsigned char>(c), 1);
  if (pause_ >= Pause::kStop || last_ == 0) return c == ')' ? Put(')', 1) : 1;
  pause_ = Pause::kNone;
  return Put(static_cast<unsigned char>(c), 1);
}

}  // namespace sotto
