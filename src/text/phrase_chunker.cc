#include "text/phrase_chunker.h"

#include <algorithm>
#include <optional>

#include "text/utf8.h"
#include "text/word_classes.h"

namespace sotto {
namespace {

// A run of white space longer than this ends a paragraph: what is pending stays bounded.
constexpr size_t kMaxBlankBytes = 64;
constexpr int32_t kFirstMinWords = 3;  // a first phrase cut between words has at least these

bool IsSpace(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsAlpha(char c) { return IsAsciiAlpha(static_cast<unsigned char>(c)); }

// What may stand between a stop and the space after it.
bool IsCloser(char32_t c) {
  switch (c) {
    case '"':
    case '\'':
    case ')':
    case ']':
    case '}':
    case '*':
    case '_':
    case '`':
    case 0xBB:
    case 0x2019:
    case 0x201D:
    case 0x300D:
    case 0x300F:
    case 0xFF09:
      return true;
    default:
      return false;
  }
}

bool IsStop(char32_t c) { return c == '.' || c == '!' || c == '?' || c == 0x2026 || IsCjkStop(c); }

bool IsClauseMark(char32_t c) {
  return c == ',' || c == ';' || c == ':' || c == 0x2014 || c == 0x2013 || c == 0x3001 ||
         c == 0xFF0C || c == 0xFF1B || c == 0xFF1A;
}

// Marks after which a phrase may end without white space.
bool IsTightMark(char32_t c) {
  return IsCjkStop(c) || c == 0x2014 || c == 0x3001 || c == 0xFF0C || c == 0xFF1B || c == 0xFF1A;
}

CodePoint LastCharacter(std::string_view text) {
  size_t begin = text.size() - 1;
  for (int i = 0; i < 3 && begin > 0 && (static_cast<uint8_t>(text[begin]) & 0xC0) == 0x80; ++i) {
    --begin;
  }
  const CodePoint c = DecodeUtf8(text, begin);
  return begin + c.size_bytes == text.size() ? c : CodePoint{kReplacementCharacter, 1};
}

// `word` without the closing quotes, brackets and emphasis at its end.
std::string_view WithoutClosers(std::string_view word) {
  while (!word.empty()) {
    const CodePoint c = LastCharacter(word);
    if (!IsCloser(c.value)) break;
    word.remove_suffix(c.size_bytes);
  }
  return word;
}

std::string_view WithoutOpeners(std::string_view word) {
  while (!word.empty() && (word[0] == '"' || word[0] == '\'' || word[0] == '(' || word[0] == '[' ||
                           word[0] == '*' || word[0] == '_')) {
    word.remove_prefix(1);
  }
  return word;
}

// Where the text may be cut: after buffer[0, end), before buffer[next].
struct Gap {
  size_t word = 0;  // where the word before it begins
  size_t end = 0;
  size_t next = 0;
  int newlines = 0;
  bool at_end = false;  // nothing follows, and nothing will
};

enum class Strength : int32_t { kNone, kWord, kClause, kSentence, kParagraph };

// Walks the gaps of a buffer that begins with a word. Everything it says is final: it says nothing
// about what more text could change.
class GapScanner {
 public:
  // More bytes can change the meaning of an unfinished last character, so it is left out.
  GapScanner(std::string_view text, bool at_end)
      : text_(text), at_end_(at_end), usable_(at_end ? text.size() : WholeCharactersPrefix(text)) {}

  // The next gap; nothing if it is not certain yet, or at the end.
  std::optional<Gap> Next();
  // How strong the gap is; nothing if more text is needed to say.
  std::optional<Strength> Rate(const Gap& gap) const;
  // Bytes from the start of the buffer that are known to lie before the next gap.
  size_t position() const { return position_; }
  std::string_view text() const { return text_.substr(0, usable_); }

 private:
  std::optional<Gap> BlankGap(size_t end);
  std::optional<std::string_view> WordAt(size_t begin) const;
  std::optional<bool> BeginsItem(size_t begin) const;
  std::optional<bool> BeforeAbbreviation(size_t begin) const;
  bool AfterNumber(size_t word) const;
  std::optional<Strength> RateDot(const Gap& gap, std::string_view word) const;
  std::optional<Strength> RateAbbreviation(const Gap& gap, std::string_view stem) const;
  bool AfterLetterNamer(size_t word) const;
  bool IsLowerAt(size_t i) const {
    return i < usable_ && IsAsciiLower(static_cast<unsigned char>(text_[i]));
  }

  std::string_view text_;
  bool at_end_;
  size_t usable_;
  size_t position_ = 0;
  size_t word_ = 0;
};

std::optional<Gap> GapScanner::Next() {
  size_t i = position_;
  bool after_mark = false;
  while (i < usable_) {
    if (IsSpace(text_[i])) return BlankGap(i);
    const CodePoint c = DecodeUtf8(text_, i);
    const bool tight = IsTightMark(c.value);
    if (after_mark && !tight && !IsCloser(c.value) && !IsStop(c.value) && !IsClauseMark(c.value)) {
      const Gap gap{word_, i, i, 0, false};
      word_ = position_ = i;
      return gap;
    }
    after_mark = tight || (after_mark && IsCloser(c.value));
    i += c.size_bytes;
  }
  position_ = i;
  return std::nullopt;
}

std::optional<Gap> GapScanner::BlankGap(size_t end) {
  Gap gap{word_, end, end, 0, false};
  while (gap.next < usable_ && IsSpace(text_[gap.next]) && gap.next - end <= kMaxBlankBytes) {
    gap.newlines += text_[gap.next] == '\n';
    ++gap.next;
  }
  if (gap.next - end > kMaxBlankBytes) gap.newlines = 2;
  if (gap.next >= usable_ && gap.newlines < 2) {
    if (!at_end_) {
      position_ = end;
      return std::nullopt;
    }
    gap.at_end = true;
  }
  word_ = position_ = gap.next;
  return gap;
}

// The word that begins at `begin`, once the space after it is known.
std::optional<std::string_view> GapScanner::WordAt(size_t begin) const {
  size_t end = begin;
  while (end < usable_ && !IsSpace(text_[end]) && end - begin < 24) ++end;
  if (end >= usable_ && !at_end_) return std::nullopt;
  return text_.substr(begin, end - begin);
}

// "- ", "* ", a bullet, or "12. " / "12) " at `begin`.
std::optional<bool> GapScanner::BeginsItem(size_t begin) const {
  const CodePoint c = DecodeUtf8(text_, begin);
  size_t i = begin + c.size_bytes;
  if (c.value == 0x2022) return true;
  if (IsAsciiDigit(c.value)) {
    while (i < usable_ && IsDigit(text_[i]) && i - begin < 3) ++i;
    if (i >= usable_ && !at_end_) return std::nullopt;
    if (i >= usable_ || (text_[i] != '.' && text_[i] != ')')) return false;
    ++i;
  } else if (c.value != '-' && c.value != '*' && c.value != '+') {
    return false;
  }
  if (i >= usable_ && !at_end_) return std::nullopt;
  return i < usable_ && IsSpace(text_[i]);
}

std::optional<Strength> GapScanner::Rate(const Gap& gap) const {
  if (gap.newlines >= 2) return Strength::kParagraph;
  if (gap.newlines == 1 && !gap.at_end) {
    const std::optional<bool> item = BeginsItem(gap.next);
    if (!item) return std::nullopt;
    if (*item) return Strength::kParagraph;
  }
  const std::string_view word = WithoutClosers(text_.substr(gap.word, gap.end - gap.word));
  const Strength line = gap.newlines > 0 ? Strength::kClause : Strength::kWord;
  if (word.empty()) return line;
  const char32_t last = LastCharacter(word).value;
  if (last == '.') return RateDot(gap, word);
  if (IsStop(last)) return IsLowerAt(gap.next) ? Strength::kClause : Strength::kSentence;
  if (IsClauseMark(last) || word == "-" || word == "--") return Strength::kClause;
  if (!gap.at_end && gap.next < usable_ && text_[gap.next] == '(') return Strength::kClause;
  if (gap.end > gap.word && text_[gap.end - 1] == ')') return Strength::kClause;
  if (line != Strength::kWord || gap.at_end) return line;
  const std::optional<bool> attached = BeforeAbbreviation(gap.next);
  if (!attached) return std::nullopt;
  return *attached ? Strength::kNone : line;
}

// "St.", "Ave." or "Rm." at `begin`: it belongs to the word before it.
std::optional<bool> GapScanner::BeforeAbbreviation(size_t begin) const {
  constexpr size_t kMaxStemBytes = 5;
  size_t end = begin;
  while (end < usable_ && IsAlpha(text_[end]) && end - begin <= kMaxStemBytes) ++end;
  if (end == begin || end - begin > kMaxStemBytes) return false;
  if (end == usable_) {
    if (at_end_) return false;
    return std::nullopt;
  }
  if (text_[end] != '.') return false;
  const std::string lower = AsciiLower(text_.substr(begin, end - begin));
  return IsTrailingAbbreviation(lower) || lower == "rm" || lower == "in";
}

// The word before the one at `word` ends in a digit.
bool GapScanner::AfterNumber(size_t word) const {
  while (word > 0 && IsSpace(text_[word - 1])) --word;
  return word > 0 && IsDigit(text_[word - 1]);
}

std::optional<Strength> GapScanner::RateDot(const Gap& gap, std::string_view word) const {
  std::string_view stem = WithoutOpeners(word);
  stem.remove_suffix(1);
  if (stem.ends_with('.')) {  // an ellipsis
    return IsLowerAt(gap.next) ? Strength::kClause : Strength::kSentence;
  }
  if (stem.empty()) return Strength::kSentence;
  const bool digits = std::all_of(stem.begin(), stem.end(), IsDigit);
  const bool begins_line = gap.word == 0 || text_[gap.word - 1] == '\n';
  if (digits && stem.size() <= 3 && begins_line && !gap.at_end) return Strength::kNone;
  if (digits) return Strength::kSentence;
  if (stem.size() == 1 && IsAlpha(stem[0])) {
    const bool sentence = stem == "I" || gap.at_end || AfterLetterNamer(gap.word);
    return sentence ? Strength::kSentence : Strength::kNone;
  }
  return RateAbbreviation(gap, stem);
}

std::optional<Strength> GapScanner::RateAbbreviation(const Gap& gap, std::string_view stem) const {
  if (gap.at_end) return Strength::kSentence;
  const std::string lower = AsciiLower(stem);
  if (lower == "e.g" || lower == "i.e" || IsLeadingAbbreviation(lower)) return Strength::kNone;
  // A dotted word ends in a single letter: "p.m.", "U.S.", "Ph.D.". "example.com." does not.
  const bool dotted = stem.size() >= 3 && stem[stem.size() - 2] == '.' && IsAlpha(stem.back());
  const bool inches = lower == "in" && AfterNumber(gap.word);
  if (!dotted && !inches && !IsTrailingAbbreviation(lower)) return Strength::kSentence;
  if (IsLowerAt(gap.next) || IsDigit(text_[gap.next])) return Strength::kNone;
  const std::optional<std::string_view> next = WordAt(gap.next);
  if (!next) return std::nullopt;
  std::string_view bare = WithoutOpeners(*next);
  while (!bare.empty() && !IsAlpha(bare.back())) bare.remove_suffix(1);
  if (IsSentenceStarter(AsciiLower(bare)) || bare.empty()) return Strength::kSentence;
  const bool closes = lower == "etc" || lower == "p.m" || lower == "a.m" || lower == "al";
  return closes ? Strength::kSentence : Strength::kNone;
}

bool GapScanner::AfterLetterNamer(size_t word) const {
  size_t end = word;
  while (end > 0 && IsSpace(text_[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && IsAlpha(text_[begin - 1])) --begin;
  return NamesALetter(AsciiLower(text_.substr(begin, end - begin)));
}

// Inside `code` or [text](address) that has begun and not ended.
class MarkupScanner {
 public:
  bool OpenAfter(std::string_view text, size_t end) {
    for (; position_ < end; ++position_) Take(text[position_]);
    return code_ || bracket_ || address_;
  }

 private:
  void Take(char c) {
    if (c == '\n') {
      code_ = bracket_ = address_ = closed_ = false;
      return;
    }
    if (c == '`') code_ = !code_;
    if (code_) return;
    if (address_) {
      address_ = c != ')';
    } else if (closed_ && c == '(') {
      address_ = true;
    } else if (c == '[') {
      bracket_ = true;
    }
    closed_ = bracket_ && c == ']';
    if (closed_) bracket_ = false;
  }

  size_t position_ = 0;
  bool code_ = false;
  bool bracket_ = false;
  bool closed_ = false;
  bool address_ = false;
};

// A speaker may pause between the words on both sides of the gap.
bool AllowsPause(std::string_view text, const Gap& gap) {
  std::string_view word = WithoutOpeners(text.substr(gap.word, gap.end - gap.word));
  if (word.empty() || IsDigit(word.back())) return false;
  if (IsProclitic(AsciiLower(word))) return false;
  const bool upper_here = IsAsciiUpper(static_cast<unsigned char>(word[0]));
  const bool upper_next =
      gap.next < text.size() && IsAsciiUpper(static_cast<unsigned char>(text[gap.next]));
  return !(upper_here && upper_next);
}

PhrasePolicy Clamped(PhrasePolicy policy) {
  policy.max_bytes = std::clamp<size_t>(policy.max_bytes, 16, 4096);
  policy.grow_bytes = std::clamp<size_t>(policy.grow_bytes, 1, policy.max_bytes);
  policy.join_bytes = std::min(policy.join_bytes, policy.max_bytes);
  policy.first_clause_words = std::max(policy.first_clause_words, 0);
  policy.first_max_words = std::max(policy.first_max_words, 0);
  return policy;
}

// Decides on one phrase at the front of the buffer, gap by gap. The best gaps so far are kept for
// the moment when the phrase grows past its limit.
class Decision {
 public:
  Decision(const PhrasePolicy& policy, int64_t index) : policy_(policy), index_(index) {
    const auto times = static_cast<size_t>(std::clamp<int64_t>(index, 1, 4096));
    clause_min_bytes_ = std::min(policy.grow_bytes * times, policy.max_bytes);
  }

  // True if the phrase ends at this gap, or at an earlier one: see end() and kind().
  bool Take(std::string_view text, const Gap& gap, Strength strength, bool in_markup) {
    ++words_;
    if (strength == Strength::kParagraph) return Choose(gap.end, PhraseEnd::kParagraph);
    if (in_markup || strength == Strength::kNone) return false;
    if (strength == Strength::kSentence) {
      if (index_ == 0 || gap.end >= policy_.join_bytes) {
        return Choose(gap.end, PhraseEnd::kSentence);
      }
      clause_ = gap.end;
      return false;
    }
    if (strength == Strength::kClause) {
      clause_ = gap.end;
      const bool enough =
          index_ == 0 ? policy_.first_clause_words > 0 && words_ >= policy_.first_clause_words
                      : gap.end >= clause_min_bytes_;
      if (enough) return Choose(gap.end, PhraseEnd::kClause);
    }
    word_ = gap.end;
    if (strength == Strength::kClause || AllowsPause(text, gap)) {
      pause_ = gap.end;
      pause_words_ = words_;
    }
    return index_ == 0 && policy_.first_max_words > 0 && words_ >= policy_.first_max_words &&
           pause_words_ >= std::min(kFirstMinWords, policy_.first_max_words) &&
           Choose(pause_, PhraseEnd::kWord);
  }

  // The phrase has to end within the limit.
  void ChooseWithinLimit(std::string_view text) {
    if (clause_ >= policy_.max_bytes / 3) {
      Choose(clause_, PhraseEnd::kClause);
    } else if (pause_ >= policy_.max_bytes / 3) {
      Choose(pause_, PhraseEnd::kWord);
    } else if (word_ > 0) {
      Choose(word_, PhraseEnd::kWord);
    } else {
      const size_t end = FloorToCharacter(text, policy_.max_bytes);
      Choose(end > 0 ? end : policy_.max_bytes, PhraseEnd::kForced);
    }
  }

  size_t end() const { return end_; }
  PhraseEnd kind() const { return kind_; }
  size_t last_word() const { return word_; }

 private:
  bool Choose(size_t end, PhraseEnd kind) {
    end_ = end;
    kind_ = kind;
    return true;
  }

  const PhrasePolicy& policy_;
  int64_t index_;
  size_t clause_min_bytes_ = 0;
  int32_t words_ = 0;
  size_t clause_ = 0;  // ends of the last gaps of their kind; 0: none
  size_t pause_ = 0;
  size_t word_ = 0;
  int32_t pause_words_ = 0;
  size_t end_ = 0;
  PhraseEnd kind_ = PhraseEnd::kEnd;
};

}  // namespace

PhraseChunker::PhraseChunker(const PhrasePolicy& policy) : policy_(Clamped(policy)) {}

PhraseChunker::Cut PhraseChunker::FindCut(bool at_end) const {
  GapScanner scanner(buffer_, at_end);
  MarkupScanner markup;
  Decision decision(policy_, next_index_);
  while (const std::optional<Gap> gap = scanner.Next()) {
    if (gap->end > policy_.max_bytes) {
      decision.ChooseWithinLimit(buffer_);
      return {decision.end(), decision.kind()};
    }
    if (gap->at_end) break;
    const std::optional<Strength> strength = scanner.Rate(*gap);
    if (!strength) return {};
    if (decision.Take(scanner.text(), *gap, *strength, markup.OpenAfter(buffer_, gap->end))) {
      return {decision.end(), decision.kind()};
    }
  }
  if (scanner.position() > policy_.max_bytes) {
    decision.ChooseWithinLimit(buffer_);
    return {decision.end(), decision.kind()};
  }
  return at_end ? Cut{buffer_.size(), PhraseEnd::kEnd} : Cut{};
}

void PhraseChunker::DropBlank() {
  size_t blank = 0;
  while (blank < buffer_.size() && IsSpace(buffer_[blank])) ++blank;
  buffer_.erase(0, blank);
  buffer_offset_ += blank;
}

void PhraseChunker::Emit(const Cut& cut, std::vector<Phrase>& out) {
  size_t end = cut.end;
  while (end > 0 && IsSpace(buffer_[end - 1])) --end;
  Phrase phrase;
  phrase.text = buffer_.substr(0, end);
  phrase.begin_bytes = buffer_offset_;
  phrase.end_bytes = buffer_offset_ + end;
  phrase.end = cut.kind;
  phrase.index = next_index_++;
  out.push_back(std::move(phrase));
  buffer_.erase(0, cut.end);
  buffer_offset_ += cut.end;
}

void PhraseChunker::Drain(bool at_end, std::vector<Phrase>& out) {
  for (DropBlank(); !buffer_.empty(); DropBlank()) {
    const Cut cut = FindCut(at_end);
    if (cut.end == 0) return;
    Emit(cut, out);
  }
}

std::vector<Phrase> PhraseChunker::Feed(std::string_view text) {
  std::vector<Phrase> out;
  // Fed by the window, so that erasing from the front stays cheap for a long text.
  const size_t window = policy_.max_bytes * 2 + kMaxBlankBytes;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, window);
    buffer_ += piece;
    text.remove_prefix(piece.size());
    Drain(false, out);
  }
  return out;
}

std::vector<Phrase> PhraseChunker::Finish() {
  std::vector<Phrase> out;
  Drain(true, out);
  buffer_.clear();
  buffer_offset_ = 0;
  next_index_ = 0;
  return out;
}

std::vector<Phrase> PhraseChunker::Flush() {
  std::vector<Phrase> out;
  size_t end = buffer_.size();
  while (end > 0 && !IsSpace(buffer_[end - 1])) --end;
  while (end > 0 && IsSpace(buffer_[end - 1])) --end;
  if (end > 0) Emit({end, PhraseEnd::kEnd}, out);
  DropBlank();
  return out;
}

}  // namespace sotto
