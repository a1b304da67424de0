// Text models and embeddings through llama.cpp.
#ifndef SOTTO_BACKENDS_LLAMA_LLAMA_BACKEND_H_
#define SOTTO_BACKENDS_LLAMA_LLAMA_BACKEND_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/status.h"
#include "models/embedder.h"
#include "models/llm.h"

namespace sotto {

struct LlamaOptions {
  bool use_mmap = true;        // off: read the whole file into memory
  bool read_lazily = true;     // leave per-layer embeddings in the mapping until a row is needed
  bool check_tensors = false;  // look at every weight for NaN while loading; takes seconds
  int32_t gpu_layers = 0;      // layers on the GPU of a build that has one
};

// Loads a GGUF text model. The file is validated (modelfiles/model_file.h) before llama.cpp opens
// it. NOT_FOUND, PERMISSION_DENIED or INVALID_ARGUMENT for a path that is no readable file or a
// model that is no text generator, DATA_LOSS for a damaged file, UNIMPLEMENTED for an architecture
// that is not supported, RESOURCE_EXHAUSTED if it does not fit into memory; every message names
// the file.
Result<std::unique_ptr<Llm>> MakeLlamaLlm(const std::string& path,
                                          const LlamaOptions& options = {});

struct LlamaEmbedderOptions {
  int32_t num_threads = 1;
};

// Loads a GGUF embedding model with the pooling that the file states. Errors as MakeLlamaLlm();
// INVALID_ARGUMENT also for a model without pooling.
Result<std::unique_ptr<Embedder>> MakeLlamaEmbedder(const std::string& path,
                                                    const LlamaEmbedderOptions& options = {});

// Where warnings and errors of llama.cpp go; none by default. Any thread.
void SetLlamaLog(LogSink sink);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_LLAMA_LLAMA_BACKEND_H_
