#include "text/normalizer.h"

#include <algorithm>

#include "text/markup.h"
#include "text/normalizer_internal.h"
#include "text/number_words.h"
#include "text/utf8.h"
#include "text/word_classes.h"

namespace sotto {
namespace normalizer {
namespace {

constexpr std::string_view kOpeners = "\"'([{<*_~|";
constexpr std::string_view kClosers = ".,!?;:\"')]}>*_~|";

bool IsUpper(char c) { return IsAsciiUpper(static_cast<unsigned char>(c)); }
bool IsLower(char c) { return IsAsciiLower(static_cast<unsigned char>(c)); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Words that begin with an apostrophe keep it: 'em, 'til, '90s.
bool KeepsApostrophe(std::string_view rest) {
  if (!rest.empty() && IsDigit(rest[0])) return true;
  for (const std::string_view word : {"em", "til", "cause", "twas", "tis", "n"}) {
    if (rest.starts_with(word) && (word != "n" || rest.starts_with("n'")) &&
        (rest.size() == word.size() ||
         !IsAsciiAlpha(static_cast<unsigned char>(rest[word.size()])))) {
      return true;
    }
  }
  return false;
}

size_t LeadBytes(std::string_view raw) {
  size_t lead = 0;
  while (lead < raw.size() && kOpeners.find(raw[lead]) != std::string_view::npos) {
    if (raw[lead] == '\'' && KeepsApostrophe(raw.substr(lead + 1))) break;
    if ((raw[lead] == '<' || raw[lead] == '~') && lead + 1 < raw.size() && IsDigit(raw[lead + 1])) {
      break;
    }
    ++lead;
  }
  return lead;
}

// The mark of feet, inches, minutes or seconds at raw[end] belongs to the number: 6'2", 6', 12",
// 3"x5", 3/4", 26'46".
bool KeepsMark(std::string_view raw, size_t lead, size_t end, bool quoted) {
  if (end == lead || end == raw.size() || !IsDigit(raw[end - 1])) return false;
  if (raw[end] != '"' && raw[end] != '\'') return false;
  const std::string_view core = raw.substr(0, end);
  if (core.find('\'') < end || core.find("\u00b0") < end) return true;
  if (quoted || lead > 0 || end > 12 || !IsDigit(raw[0])) return false;
  const bool size = core.find('"') != std::string_view::npos || core.find('/') < end;
  return size || (ParseNumber(core).bytes == end && end <= 5 && core.find(',') > end &&
                  (end <= 3 || !IsDigits(core)));
}

// `quoted`: a quotation is open, so that a mark after a digit ends it.
Token MakeToken(std::string_view raw, bool quoted) {
  const size_t lead = LeadBytes(raw);
  size_t end = raw.size();
  while (end > lead && kClosers.find(raw[end - 1]) != std::string_view::npos) --end;
  if (KeepsMark(raw, lead, end, quoted)) ++end;
  if (end == lead && raw.size() == 1) {  // a lone < > * _ ~ may mean something
    const char c = raw[0];
    if (c == '<' || c == '>' || c == '*' || c == '~') return {{}, raw, {}};
  }
  return {raw.substr(0, lead), raw.substr(lead, end - lead), raw.substr(end)};
}

}  // namespace

bool Shouts(std::string_view text) {
  size_t words = 0;
  size_t everyday = 0;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && IsUpper(text[end])) ++end;
    if (end == i) {
      if (IsLower(text[i]) || static_cast<uint8_t>(text[i]) >= 0x80) return false;
      ++i;
      continue;
    }
    const std::string_view word = text.substr(i, end - i);
    // Longer words are counted by their size alone, which keeps the time linear.
    const bool known = word.size() <= 12 && IsShoutedWord(AsciiLower(word));
    words += word.size() > 1;
    everyday += known || (word.size() >= 5 && !IsSpokenAcronym(word) && IsPronounceable(word));
    i = end;
  }
  return words >= 3 && everyday * 5 >= words;
}

bool IsDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

Number ParseNumber(std::string_view text) {
  Number number;
  size_t i = 0;
  while (i < text.size() && IsDigit(text[i])) ++i;
  number.whole = text.substr(0, i);
  const auto digits_at = [&](size_t at) {
    size_t n = 0;
    while (at + n < text.size() && IsDigit(text[at + n])) ++n;
    return n;
  };
  // Thousands: every group has three digits, or two before the last (as in India).
  if (i >= 1 && i <= 3) {
    size_t end = i;
    std::string grouped = number.whole;
    size_t group = 0;
    while (end < text.size() && text[end] == ',' && (group == 0 || group == 2 || group == 3)) {
      const size_t next = digits_at(end + 1);
      if (next != 3 && next != 2) break;
      group = next;
      grouped += text.substr(end + 1, next);
      end += 1 + next;
    }
    if (group == 3 && (end >= text.size() || text[end] != ',')) {
      number.whole = grouped;
      number.has_comma = true;
      i = end;
    }
  }
  if (i < text.size() && text[i] == '.') {
    const size_t fraction = digits_at(i + 1);
    const bool version = i + 1 + fraction < text.size() && text[i + 1 + fraction] == '.' &&
                         digits_at(i + 2 + fraction) > 0;
    if (fraction > 0 && !version) {
      number.fraction = text.substr(i + 1, fraction);
      number.has_point = true;
      i += 1 + fraction;
    }
  }
  number.bytes = number.whole.empty() && !number.has_point ? 0 : i;
  return number;
}

std::string Number::Words() const {
  return has_point ? DecimalWords(whole, fraction) : CardinalWords(whole);
}

Speaker::Speaker(std::string_view folded, bool shouts) : all_caps_(shouts) {
  bool quoted = false;
  for (size_t i = 0; i < folded.size();) {
    if (folded[i] == ' ') {
      ++i;
      continue;
    }
    const size_t end = std::min(folded.find(' ', i), folded.size());
    tokens_.push_back(MakeToken(folded.substr(i, end - i), quoted));
    const Token& token = tokens_.back();
    if (token.lead.find_first_of("\"'") != std::string_view::npos) quoted = true;
    if (token.trail.find_first_of("\"'") != std::string_view::npos) quoted = false;
    i = end;
  }
  out_.reserve(folded.size() * 2);
}

const Token& Speaker::At(size_t i) const {
  static const Token none;
  return i < tokens_.size() ? tokens_[i] : none;
}

bool Speaker::TightlyFollowed(size_t i) const {
  return i + 1 < tokens_.size() && tokens_[i].trail.empty() && tokens_[i + 1].lead.empty();
}

std::string Speaker::PreviousWord(size_t i) const {
  return i == 0 ? std::string() : AsciiLower(tokens_[i - 1].core);
}

bool Speaker::AfterAny(size_t i, std::initializer_list<std::string_view> words,
                       size_t within) const {
  for (size_t back = 1; back <= within && back <= i; ++back) {
    const std::string lower = AsciiLower(tokens_[i - back].core);
    if (std::find(words.begin(), words.end(), lower) != words.end()) return true;
  }
  return false;
}

void Speaker::Say(std::string_view words) {
  if (words.empty()) return;
  if (!out_.empty()) out_ += ' ';
  out_ += words;
}

void Speaker::Mark(char mark) {
  if (out_.empty()) return;
  const bool marked = std::string_view(".,!?;:").find(out_.back()) != std::string_view::npos;
  if (!marked) {
    out_ += mark;
  } else if ((mark == '.' || mark == '!' || mark == '?') && out_.back() == ',') {
    out_.back() = mark;
  }
}

// The token `next` begins a sentence, or there is none.
bool Speaker::EndsSentence(size_t next) const {
  if (next >= tokens_.size()) return true;
  const std::string_view core = tokens_[next].core;
  return !core.empty() && IsUpper(core[0]) && IsSentenceStarter(AsciiLower(core));
}

void Speaker::MarkTrail(const Token& token, bool swallow_dot, size_t next) {
  std::string_view trail = token.trail;
  if (swallow_dot && trail.starts_with('.') && !EndsSentence(next)) trail.remove_prefix(1);
  if (trail.starts_with("..")) {
    const bool stop = next >= tokens_.size() || (!Core(next).empty() && IsUpper(Core(next)[0]));
    return Mark(stop ? '.' : ',');
  }
  for (const char c : trail) {
    if (std::string_view(".,!?;:").find(c) != std::string_view::npos) return Mark(c);
  }
  if (trail.find(')') != std::string_view::npos && next < tokens_.size()) Mark(',');
}

size_t Speaker::SayToken(size_t i) {
  using Rule = size_t (Speaker::*)(size_t);
  static constexpr Rule kRules[] = {
      &Speaker::TryAddressOnline, &Speaker::TryTag,      &Speaker::TryMoney,
      &Speaker::TryDateTime,      &Speaker::TryDate,     &Speaker::TrySpan,
      &Speaker::TryOperator,      &Speaker::TryTime,     &Speaker::TryPhone,
      &Speaker::TryGrouped,       &Speaker::TryNumber,   &Speaker::TryStreet,
      &Speaker::TryAbbreviation,  &Speaker::TryLoneUnit, &Speaker::TryAlternatives,
      &Speaker::TryDottedLetters, &Speaker::TryRoman,    &Speaker::TryWord};
  for (const Rule rule : kRules) {
    if (const size_t used = (this->*rule)(i); used > 0) return used;
  }
  SayMixed(tokens_[i].core);
  return 1;
}

std::string Speaker::Run() {
  for (size_t i = 0; i < tokens_.size();) {
    if (tokens_[i].lead.find('(') != std::string_view::npos) Mark(',');
    swallow_dot_ = false;
    size_t used = 1;
    if (!tokens_[i].core.empty()) used = SayToken(i);
    MarkTrail(tokens_[i + used - 1], swallow_dot_, i + used);
    i += used;
  }
  return std::move(out_);
}

}  // namespace normalizer

std::string NormalizeForSpeech(std::string_view text) {
  const std::string folded = normalizer::Fold(StripMarkup(text));
  const std::string rewritten = normalizer::Rewrite(folded);
  return normalizer::Speaker(rewritten, normalizer::Shouts(folded)).Run();
}

}  // namespace sotto
