// Owners of llama.cpp's handles.
#ifndef SOTTO_BACKENDS_LLAMA_HANDLES_H_
#define SOTTO_BACKENDS_LLAMA_HANDLES_H_

#include <llama.h>

#include <memory>

namespace sotto::llama {

struct ModelDeleter {
  void operator()(llama_model* model) const { llama_model_free(model); }
};
struct ContextDeleter {
  void operator()(llama_context* context) const { llama_free(context); }
};
struct SamplerDeleter {
  void operator()(llama_sampler* sampler) const { llama_sampler_free(sampler); }
};
using ModelPtr = std::unique_ptr<llama_model, ModelDeleter>;
using ContextPtr = std::unique_ptr<llama_context, ContextDeleter>;
using SamplerPtr = std::unique_ptr<llama_sampler, SamplerDeleter>;

}  // namespace sotto::llama

#endif  // SOTTO_BACKENDS_LLAMA_HANDLES_H_
