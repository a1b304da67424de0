// The symbols that a voice was trained on: from phoneme text to ids, and where to cut phoneme text
// that is too long for one call.
#ifndef SOTTO_BACKENDS_ONNX_SYMBOL_TABLE_H_
#define SOTTO_BACKENDS_ONNX_SYMBOL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"

namespace sotto {

struct EncodedSymbols {
  std::vector<int64_t> ids;
  // For each symbol that has ids: its first id's index in `ids`, and its byte offset in the text.
  std::vector<std::pair<size_t, size_t>> starts;
  std::vector<char32_t> unknown;  // symbols without an id, in order, repeats included
};

class SymbolTable {
 public:
  void Add(char32_t symbol, std::vector<int64_t> ids) { ids_[symbol] = std::move(ids); }
  bool Contains(char32_t symbol) const { return ids_.contains(symbol); }
  // Ids of a symbol in the table. REQUIRES: Contains(symbol).
  const std::vector<int64_t>& IdsOf(char32_t symbol) const { return ids_.at(symbol); }
  size_t size() const { return ids_.size(); }

  // The ids of `phonemes` (UTF-8). A symbol that the table lacks is written another way if that
  // is only a matter of spelling (a typographic dash, a tie bar, the ASCII g); all others are
  // reported in `unknown`.
  EncodedSymbols Encode(std::string_view phonemes) const;

 private:
  std::unordered_map<char32_t, std::vector<int64_t>> ids_;
};

// An error that names the first unknown symbol and how many there are.
Status UnknownSymbolsError(const std::vector<char32_t>& unknown);

// Limits of the pieces of a long phrase, in symbols.
struct SplitLimits {
  size_t soft = 0;  // beyond this a piece ends at the next pause . ! ? ; : ,
  size_t hard = 0;  // no piece is longer; without a pause it ends at a space, or anywhere
};

// Cuts phoneme text into pieces that together are the text, none of them blank. Phoneme text of
// up to `soft` symbols stays whole.
std::vector<std::string_view> SplitPhonemes(std::string_view phonemes, const SplitLimits& limits);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_SYMBOL_TABLE_H_
