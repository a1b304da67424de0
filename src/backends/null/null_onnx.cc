#include "backends/onnx/onnx_backend.h"

namespace sotto {
namespace {

Status NotBuiltIn(const char* what) {
  return UnimplementedError(std::string(what) +
                            ": not in this build; build with -DSOTTO_WITH_ONNX=ON");
}

}  // namespace

Result<std::unique_ptr<Tts>> MakePiperTts(const PiperFiles&, std::shared_ptr<const Phonemizer>,
                                          const OnnxOptions&) {
  return NotBuiltIn("speech");
}

Result<std::unique_ptr<Tts>> MakeKokoroTts(const KokoroFiles&, std::shared_ptr<const Phonemizer>,
                                           const OnnxOptions&) {
  return NotBuiltIn("speech");
}

Result<std::unique_ptr<EndOfTurn>> MakeSmartTurn(const std::string&, const OnnxOptions&) {
  return NotBuiltIn("turn models");
}

Result<std::unique_ptr<SpeakerEncoder>> MakeSpeakerEncoder(const std::string&, const OnnxOptions&) {
  return NotBuiltIn("speaker models");
}

}  // namespace sotto
