#include "backends/onnx/onnx_backend.h"
#include "end_of_turn_contract.h"
#include "letter_phonemizer.h"
#include "models_dir.h"
#include "tts_contract.h"

namespace sotto {
namespace {

Result<std::unique_ptr<Tts>> MakePiper() {
  return MakePiperTts(
      {ModelPath("tts/en_US-joe-medium.onnx"), ModelPath("tts/en_US-joe-medium.onnx.json")},
      std::make_shared<LetterPhonemizer>(), {});
}

Result<std::unique_ptr<Tts>> MakeKokoro() {
  return MakeKokoroTts(
      {ModelPath("tts/kokoro-82m-int8.onnx"), ModelPath("tts/vocab.json"), ModelPath("tts/voices")},
      std::make_shared<LetterPhonemizer>(), {});
}

Result<std::unique_ptr<EndOfTurn>> MakeTurn() {
  return MakeSmartTurn(ModelPath("turn/smart-turn-v3.2-cpu.onnx"), {});
}

INSTANTIATE_TEST_SUITE_P(Piper, TtsContract, testing::Values(TtsContractCase{"joe", MakePiper}));
// Kokoro takes seconds for what Piper says at once.
INSTANTIATE_TEST_SUITE_P(Kokoro, TtsContract,
                         testing::Values(TtsContractCase{.name = "kokoro",
                                                         .make = MakeKokoro,
                                                         .short_text = "Hi.",
                                                         .long_text = "Speak up now, friend."}));
INSTANTIATE_TEST_SUITE_P(SmartTurn, EndOfTurnContract,
                         testing::Values(EndOfTurnContractCase{"v3.2", MakeTurn}));

}  // namespace
}  // namespace sotto
