// Whether a ggml .bin holds a Whisper model that whisper.cpp loads, and what is in it.
#ifndef SOTTO_MODELFILES_WHISPER_FILE_H_
#define SOTTO_MODELFILES_WHISPER_FILE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"

namespace sotto {

struct WhisperSummary {
  uint32_t vocab_size = 0;  // 51864 English, 51865 and 51866 multilingual
  uint32_t audio_context = 0;
  uint32_t state_dim = 0;
  uint32_t heads = 0;
  uint32_t encoder_layers = 0;
  uint32_t text_context = 0;
  uint32_t decoder_layers = 0;
  uint32_t mels = 0;
  std::string size_name;  // "tiny", "base", ... by the encoder's layers; "other"
  std::string type;       // of the matrices: "f16", "q8_0", ...
  uint64_t parameter_count = 0;
  uint64_t weights_bytes = 0;

  bool is_multilingual() const { return vocab_size > 51864; }
};

// DATA_LOSS "model: FILE: whisper field FIELD: VALUE: REASON". Demands every tensor that the sizes
// call for, once, with its shape and type, and nothing else up to the end of the file. The tensor
// data is not touched.
Result<WhisperSummary> ValidateWhisper(const std::string& file, std::span<const std::byte> bytes);

// The same container with whisper.cpp's voice activity detector, "silero-16k".
Status ValidateSileroGgml(const std::string& file, std::span<const std::byte> bytes);

}  // namespace sotto

#endif  // SOTTO_MODELFILES_WHISPER_FILE_H_
