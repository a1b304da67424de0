#include "backends/whisper/transcript_text.h"

#include <cstddef>

#include "text/utf8.h"

namespace sotto::whisper {
namespace {

char32_t ClosingOf(char32_t open) {
  switch (open) {
    case '[':
      return ']';
    case '(':
      return ')';
    case '{':
      return '}';
    case '*':
      return '*';
    default:
      return 0;
  }
}

bool IsMusicSign(char32_t c) { return c >= 0x2669 && c <= 0x266F; }

// Offset behind the remark that begins at `begin`.
size_t SkipRemark(std::string_view text, size_t begin, char32_t close) {
  size_t at = begin + 1;
  while (at < text.size()) {
    const CodePoint c = DecodeUtf8(text, at);
    at += c.size_bytes;
    if (c.value == close) {
      return at;
    }
  }
  return text.size();
}

}  // namespace

std::string CleanTranscript(std::string_view bytes) {
  Utf8Gate gate;
  std::string text = gate.Feed(bytes);
  text += gate.Finish();

  std::string out;
  bool spoken = false;
  bool space_owed = false;
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = DecodeUtf8(text, at);
    if (const char32_t close = ClosingOf(c.value); close != 0) {
      at = SkipRemark(text, at, close);
      space_owed = !out.empty();
      continue;
    }
    at += c.size_bytes;
    if (c.value <= ' ' || c.value == 0x7F || IsBlank(c.value) || IsMusicSign(c.value)) {
      space_owed = !out.empty();
      continue;
    }
    if (IsInvisible(c.value)) {
      continue;
    }
    if (space_owed) {
      out += ' ';
      space_owed = false;
    }
    spoken = spoken || IsLetter(c.value) || IsAsciiDigit(c.value) || IsCjk(c.value);
    AppendUtf8(c.value, out);
  }
  return spoken ? out : std::string();
}

}  // namespace sotto::whisper
