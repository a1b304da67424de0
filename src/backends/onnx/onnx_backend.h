// The models that run on ONNX Runtime, behind the ports.
//
// Every file is checked before the runtime sees it. NOT_FOUND and the like name the path;
// DATA_LOSS is a file that is not such a model.
#ifndef SOTTO_BACKENDS_ONNX_ONNX_BACKEND_H_
#define SOTTO_BACKENDS_ONNX_ONNX_BACKEND_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/status.h"
#include "models/end_of_turn.h"
#include "models/speaker.h"
#include "models/tts.h"
#include "text/phonemizer.h"

namespace sotto {

#if defined(NDEBUG)
inline constexpr bool kUnknownSymbolsFail = false;
#else
inline constexpr bool kUnknownSymbolsFail = true;
#endif

struct OnnxOptions {
  int32_t num_threads = 1;  // 1..64, the calling thread included; idle threads sleep
  LogSink log;
  // Whether a phrase with a phoneme that the voice lacks is refused, or spoken without it and
  // counted in a warning.
  bool unknown_symbols_fail = kUnknownSymbolsFail;
};

struct PiperFiles {
  std::string model_path;   // *.onnx
  std::string config_path;  // *.onnx.json
};

// A Piper (VITS) voice; it streams within a phrase.
Result<std::unique_ptr<Tts>> MakePiperTts(const PiperFiles& files,
                                          std::shared_ptr<const Phonemizer> phonemizer,
                                          const OnnxOptions& options);

struct KokoroFiles {
  std::string model_path;  // *.onnx
  std::string vocab_path;  // vocab.json
  std::string voices_dir;  // <name>.bin, float32 [rows, 1, 256], one row per number of tokens
};

// Kokoro; its voices are the files in `voices_dir`, af_heart first if it is there. It speaks
// phrase by phrase: a block is a whole phrase, or a part between pauses of a long one.
Result<std::unique_ptr<Tts>> MakeKokoroTts(const KokoroFiles& files,
                                           std::shared_ptr<const Phonemizer> phonemizer,
                                           const OnnxOptions& options);

// Smart Turn v3 over the last eight seconds.
Result<std::unique_ptr<EndOfTurn>> MakeSmartTurn(const std::string& model_path,
                                                 const OnnxOptions& options);

// The GE2E voice encoder.
Result<std::unique_ptr<SpeakerEncoder>> MakeSpeakerEncoder(const std::string& model_path,
                                                           const OnnxOptions& options);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_ONNX_BACKEND_H_
