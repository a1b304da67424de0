// Loaded weights with what is read off them once: shared by the model, its sessions and embedders.
#ifndef SOTTO_BACKENDS_LLAMA_LLAMA_WEIGHTS_H_
#define SOTTO_BACKENDS_LLAMA_LLAMA_WEIGHTS_H_

#include <memory>
#include <string>
#include <vector>

#include "backends/llama/handles.h"
#include "backends/llama/llama_backend.h"
#include "base/status.h"
#include "modelfiles/gguf.h"

namespace sotto::llama {

struct LlamaWeights {
  std::string path;
  GgufSummary file;
  ModelPtr model;
  const llama_vocab* vocab = nullptr;  // of `model`
};

// Validates and loads; the errors of MakeLlamaLlm().
Result<std::shared_ptr<const LlamaWeights>> LoadWeights(const std::string& path,
                                                        const LlamaOptions& options);

}  // namespace sotto::llama

#endif  // SOTTO_BACKENDS_LLAMA_LLAMA_WEIGHTS_H_
