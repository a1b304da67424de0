// Picks the next token from the logits of a context.
#ifndef SOTTO_BACKENDS_LLAMA_SAMPLER_H_
#define SOTTO_BACKENDS_LLAMA_SAMPLER_H_

#include <llama.h>

#include <span>

#include "backends/llama/handles.h"
#include "base/status.h"
#include "models/llm.h"

namespace sotto::llama {

// OK, or INVALID_ARGUMENT naming the first setting that is out of its range.
Status CheckSampling(const LlmSampling& sampling);

class Sampler {
 public:
  Sampler() = default;
  // REQUIRES: CheckSampling(sampling). `prompt` feeds the repeat penalty.
  static Result<Sampler> Make(const LlmSampling& sampling, const llama_vocab* vocab,
                              std::span<const Token> prompt);

  // The next token after the last decode of `context`. INTERNAL if a logit is NaN or +infinity:
  // nothing is picked then.
  Result<Token> Pick(llama_context* context);

 private:
  SamplerPtr chain_;  // null: the most likely token
  int32_t vocab_tokens_ = 0;
};

}  // namespace sotto::llama

#endif  // SOTTO_BACKENDS_LLAMA_SAMPLER_H_
