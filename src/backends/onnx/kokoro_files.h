// The files beside a Kokoro model: its symbols and its voices.
#ifndef SOTTO_BACKENDS_ONNX_KOKORO_FILES_H_
#define SOTTO_BACKENDS_ONNX_KOKORO_FILES_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/onnx/symbol_table.h"
#include "base/status.h"

namespace sotto {

inline constexpr size_t kKokoroStyleFloats = 256;

// vocab.json: {"vocab": {symbol: id}} or {symbol: id}. DATA_LOSS if it is anything else.
Result<SymbolTable> ParseKokoroVocab(std::string_view json);

// Names of the English voices in a folder (af_*, am_*, bf_*, bm_*), af_heart first, then by name.
// NOT_FOUND if there are none; DATA_LOSS for a voice file of the wrong size.
Result<std::vector<std::string>> ListKokoroVoices(const std::string& voices_dir);

// One voice: a style vector for each number of tokens.
class KokoroStyle {
 public:
  static Result<KokoroStyle> Load(const std::string& voices_dir, const std::string& voice);

  // [kKokoroStyleFloats], of the longest length there is if num_tokens is beyond it.
  std::span<const float> Row(size_t num_tokens) const;

 private:
  std::vector<float> values_;
};

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_KOKORO_FILES_H_
