#include "backends/onnx/symbol_table.h"

#include <algorithm>
#include <array>
#include <optional>

#include "text/utf8.h"

namespace sotto {
namespace {

struct Spelling {
  char32_t symbol;
  char32_t instead;  // 0: the symbol has no sound of its own
};

// The same sound or pause written another way.
constexpr std::array<Spelling, 20> kSpellings{{
    {U'g', U'\u0261'}, {U'\u0261', U'g'},      {U'\u2014', U','},
    {U'\u2013', U','}, {U'\u2026', U'.'},      {U'\u201C', U'"'},
    {U'\u201D', U'"'}, {U'\u2019', U'\''},     {U'\u2018', U'\''},
    {U'\u02D0', U':'}, {U'\n', U' '},          {U'\t', U' '},
    {U'\u00A0', U' '}, {U'\u025D', U'\u025C'}, {U'\u0361', 0},
    {U'\u035C', 0},    {U'\u200D', 0},         {U'"', 0},
    {U'\'', 0},        {U'\u1D4A', U'\u0259'},
}};

std::optional<char32_t> SpeltAnotherWay(char32_t symbol) {
  for (const Spelling& spelling : kSpellings) {
    if (spelling.symbol == symbol) {
      return spelling.instead;
    }
  }
  return std::nullopt;
}

bool IsPause(char32_t c) {
  return c == U'.' || c == U'!' || c == U'?' || c == U';' || c == U':' || c == U',' ||
         c == U'\u2014' || c == U'\u2026';
}

bool IsBlankText(std::string_view text) {
  return text.find_first_not_of(" \t\n") == std::string_view::npos;
}

// Length in bytes of the first piece of `text`.
size_t FirstPieceBytes(std::string_view text, const SplitLimits& limits) {
  size_t symbols = 0;
  size_t last_space = 0;  // end of the last space within the hard limit
  size_t at = 0;
  while (at < text.size()) {
    const CodePoint point = DecodeUtf8(text, at);
    at += point.size_bytes;
    ++symbols;
    if (point.value == U' ') {
      last_space = at;
    }
    if (symbols >= limits.soft && IsPause(point.value)) {
      return at;
    }
    if (symbols >= limits.hard) {
      return last_space > 0 ? last_space : at;
    }
  }
  return at;
}

}  // namespace

EncodedSymbols SymbolTable::Encode(std::string_view phonemes) const {
  EncodedSymbols encoded;
  for (size_t at = 0; at < phonemes.size();) {
    const CodePoint point = DecodeUtf8(phonemes, at);
    char32_t symbol = point.value;
    if (!Contains(symbol)) {
      const std::optional<char32_t> instead = SpeltAnotherWay(symbol);
      symbol = instead.value_or(symbol);
      if (!instead || (symbol != 0 && !Contains(symbol))) {
        encoded.unknown.push_back(point.value);
        symbol = 0;
      }
    }
    if (symbol != 0) {
      const std::vector<int64_t>& ids = IdsOf(symbol);
      encoded.starts.emplace_back(encoded.ids.size(), at);
      encoded.ids.insert(encoded.ids.end(), ids.begin(), ids.end());
    }
    at += point.size_bytes;
  }
  return encoded;
}

Status UnknownSymbolsError(const std::vector<char32_t>& unknown) {
  return InvalidArgumentError("phonemes: " + CodePointName(unknown.front()) +
                              ": the voice has no such symbol; " + std::to_string(unknown.size()) +
                              " of the phrase are unknown to it");
}

std::vector<std::string_view> SplitPhonemes(std::string_view phonemes, const SplitLimits& limits) {
  std::vector<std::string_view> pieces;
  while (!phonemes.empty()) {
    const size_t size_bytes = FirstPieceBytes(phonemes, limits);
    const std::string_view piece = phonemes.substr(0, size_t{size_bytes});
    phonemes.remove_prefix(size_bytes);
    if (!IsBlankText(piece)) {
      pieces.push_back(piece);
    }
  }
  return pieces;
}

}  // namespace sotto
