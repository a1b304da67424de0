// Speech recognition through whisper.cpp.
#ifndef SOTTO_BACKENDS_WHISPER_WHISPER_ASR_H_
#define SOTTO_BACKENDS_WHISPER_WHISPER_ASR_H_

#include <memory>
#include <string>

#include "base/log.h"
#include "base/status.h"
#include "models/asr.h"

namespace sotto {

struct WhisperOptions {
  // Faster attention, same words; off only to compare.
  bool flash_attention = true;
};

// Loads a Whisper model of whisper.cpp's ggml format onto the CPU. NOT_FOUND, PERMISSION_DENIED or
// INVALID_ARGUMENT for a path that is no readable file, DATA_LOSS for a file that is no such model,
// RESOURCE_EXHAUSTED if it does not fit into memory; every message names the file. Takes the time
// of reading the file.
Result<std::unique_ptr<Asr>> MakeWhisperAsr(const std::string& path,
                                            const WhisperOptions& options = {});

// Where warnings and errors of whisper.cpp go; none by default. Any thread.
void SetWhisperLog(LogSink sink);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_WHISPER_WHISPER_ASR_H_
