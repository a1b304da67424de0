// Turns weights as their authors publish them into the files our backends read.
//
//   Status status = Convert({.kind = "ct2_whisper_to_ggml",
//                            .inputs = {"base/model.bin", "base/vocabulary.txt"},
//                            .output = "ggml-base-q8_0.bin",
//                            .type = "q8_0"});
//
// | kind                  | inputs                                      | types |
// |-----------------------|---------------------------------------------|--------------------------|
// | `ct2_whisper_to_ggml` | model.bin, vocabulary.txt (CTranslate2)     | f32 f16 q8_0 q5_1 q5_0 |
// | `st_minilm_to_gguf`   | model.safetensors, config.json, vocab.txt   | f32 f16 q8_0 | |
// `resemblyzer_to_onnx` | pretrained.pt (legacy torch file)           | f32                      |
//
// Instead of the files, one directory that holds them under these names does too. An empty `type`
// means f16, or f32 for resemblyzer_to_onnx. The same inputs give the same bytes on every machine.
#ifndef SOTTO_CONVERT_CONVERT_H_
#define SOTTO_CONVERT_CONVERT_H_

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"

namespace sotto {

struct ConvertRequest {
  std::string kind;
  std::vector<std::string> inputs;
  std::string output;
  std::string type;
  // Called on the calling thread about once per MiB read, with 0..1; false cancels. May be empty.
  std::function<bool(double fraction)> on_progress;
};

// Writes `output` whole or not at all. Blocks for the whole work (seconds for 150 MB) and holds a
// few MiB beside the mapped inputs.
//
// INVALID_ARGUMENT: unknown kind, type, or count of inputs. NOT_FOUND: an input is absent.
// DATA_LOSS: an input is malformed or is not the model that the kind is about; the message names
// file and field. CANCELLED: `on_progress` returned false. RESOURCE_EXHAUSTED: the disk is full.
Status Convert(const ConvertRequest& request);

}  // namespace sotto

#endif  // SOTTO_CONVERT_CONVERT_H_
