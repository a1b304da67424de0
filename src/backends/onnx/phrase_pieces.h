// From a phrase's phonemes to the pieces that a voice speaks in one go.
#ifndef SOTTO_BACKENDS_ONNX_PHRASE_PIECES_H_
#define SOTTO_BACKENDS_ONNX_PHRASE_PIECES_H_

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/onnx/onnx_backend.h"
#include "backends/onnx/speech_shaper.h"
#include "backends/onnx/symbol_table.h"
#include "base/status.h"

namespace sotto {

// What follows a piece decides how long the silence after it is.
enum class PieceEnd : int32_t { kNone = 0, kClause = 1, kSentence = 2 };

struct PhrasePiece {
  EncodedSymbols symbols;
  // Words that begin in the piece: index into symbols.starts, byte offset in the phrase's text.
  std::vector<std::pair<size_t, size_t>> words;
  PieceEnd end = PieceEnd::kNone;
};

// Splits `phonemes`, looks the symbols up and aligns the words of `text`. Symbols that the table
// lacks are an error or a warning, as `options` says.
Result<std::vector<PhrasePiece>> CutPhrase(std::string_view text, std::string_view phonemes,
                                           const SymbolTable& table, const SplitLimits& limits,
                                           const OnnxOptions& options);

// Silence around a piece: with the next piece's lead a join without a pause is at most 90 ms
// long, one at a clause 150 ms, and one at a sentence 280 ms.
SpeechShape ShapeOf(PieceEnd end, int32_t rate_hz);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_PHRASE_PIECES_H_
