#include "backends/llama/llama_backend.h"

namespace sotto {
namespace {

Status NotBuiltIn(const char* what) {
  return UnimplementedError(std::string(what) +
                            ": not in this build; build with -DSOTTO_WITH_LLAMA=ON");
}

}  // namespace

Result<std::unique_ptr<Llm>> MakeLlamaLlm(const std::string&, const LlamaOptions&) {
  return NotBuiltIn("text models");
}

Result<std::unique_ptr<Embedder>> MakeLlamaEmbedder(const std::string&,
                                                    const LlamaEmbedderOptions&) {
  return NotBuiltIn("embeddings");
}

void SetLlamaLog(LogSink) {}

}  // namespace sotto
