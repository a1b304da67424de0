// The JSON file beside a Piper voice.
#ifndef SOTTO_BACKENDS_ONNX_PIPER_CONFIG_H_
#define SOTTO_BACKENDS_ONNX_PIPER_CONFIG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backends/onnx/symbol_table.h"
#include "base/status.h"

namespace sotto {

struct PiperConfig {
  int32_t rate_hz = 0;
  float noise_scale = 0.667f;
  float length_scale = 1.0f;
  float noise_w = 0.8f;
  std::string language;  // ISO 639-1
  // Speaker names by speaker id; one entry for a voice of one speaker.
  std::vector<std::string> speakers;
  SymbolTable symbols;
  std::vector<int64_t> begin_ids;  // "^"
  std::vector<int64_t> end_ids;    // "$"
  std::vector<int64_t> pad_ids;    // "_"
};

// DATA_LOSS, naming the field, if a field is missing, of the wrong kind or out of range;
// UNIMPLEMENTED for a voice whose phonemes are not espeak's.
Result<PiperConfig> ParsePiperConfig(std::string_view json);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_PIPER_CONFIG_H_
