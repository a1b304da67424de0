#include "backends/onnx/phrase_pieces.h"

#include "backends/onnx/word_align.h"

namespace sotto {
namespace {

PieceEnd EndOf(std::string_view phonemes) {
  const size_t last = phonemes.find_last_not_of(" \t\n\"')");
  if (last == std::string_view::npos) {
    return PieceEnd::kNone;
  }
  switch (phonemes[last]) {
    case '.':
    case '!':
    case '?':
      return PieceEnd::kSentence;
    case ',':
    case ';':
    case ':':
      return PieceEnd::kClause;
    default:
      return PieceEnd::kNone;
  }
}

}  // namespace

Result<std::vector<PhrasePiece>> CutPhrase(std::string_view text, std::string_view phonemes,
                                           const SymbolTable& table, const SplitLimits& limits,
                                           const OnnxOptions& options) {
  const std::vector<std::pair<size_t, size_t>> words = AlignWords(text, phonemes);
  std::vector<PhrasePiece> pieces;
  std::vector<char32_t> unknown;
  auto word = words.begin();
  for (const std::string_view part : SplitPhonemes(phonemes, limits)) {
    PhrasePiece piece;
    piece.symbols = table.Encode(part);
    piece.end = EndOf(part);
    unknown.insert(unknown.end(), piece.symbols.unknown.begin(), piece.symbols.unknown.end());
    const auto base = static_cast<size_t>(part.data() - phonemes.data());
    for (size_t i = 0; i < piece.symbols.starts.size(); ++i) {
      for (; word != words.end() && word->first <= base + piece.symbols.starts[i].second; ++word) {
        piece.words.emplace_back(i, word->second);
      }
    }
    if (!piece.symbols.ids.empty()) {
      pieces.push_back(std::move(piece));
    }
  }
  if (!unknown.empty()) {
    const Status status = UnknownSymbolsError(unknown);
    if (options.unknown_symbols_fail) {
      return status;
    }
    options.log.Write(LogLevel::kWarning, status.message());
  }
  return pieces;
}

SpeechShape ShapeOf(PieceEnd end, int32_t rate_hz) {
  switch (end) {
    case PieceEnd::kSentence:
      return {.rate_hz = rate_hz, .min_tail_ms = 100, .max_tail_ms = 250};
    case PieceEnd::kClause:
      return {.rate_hz = rate_hz, .min_tail_ms = 60, .max_tail_ms = 120};
    case PieceEnd::kNone:
      break;
  }
  return {.rate_hz = rate_hz, .min_tail_ms = 20, .max_tail_ms = 60};
}

}  // namespace sotto
