// One sequence with its cache in a llama.cpp context of its own.
#ifndef SOTTO_BACKENDS_LLAMA_LLAMA_SESSION_H_
#define SOTTO_BACKENDS_LLAMA_LLAMA_SESSION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/llama/handles.h"
#include "backends/llama/llama_weights.h"
#include "backends/llama/sampler.h"
#include "backends/llama/stop_filter.h"
#include "backends/llama/tokenizer.h"
#include "base/cancel.h"
#include "base/status.h"
#include "models/llm.h"
#include "text/utf8.h"

namespace sotto::llama {

// What every session and context of this backend is made with. A prompt is cut at multiples of it
// and not evenly: ggml attends batches of 64 tokens and more in tiles, which rounds differently
// from fewer, and a prompt that goes on where a cancelled one ended must give the logits of a whole
// one.
inline constexpr int32_t kMicroBatchTokens = 128;

// Parameters with the defaults that llama.cpp's own leave unsafe or wasteful for one speaker.
llama_context_params ContextParams(int32_t context_tokens, int32_t num_threads,
                                   int32_t prompt_threads);

class LlamaSession final : public LlmSession {
 public:
  // REQUIRES: options in range. RESOURCE_EXHAUSTED if the context cannot be made.
  static Result<std::unique_ptr<LlmSession>> Make(std::shared_ptr<const LlamaWeights> weights,
                                                  std::shared_ptr<const Tokenizer> tokenizer,
                                                  const LlmSessionOptions& options);

  Status Start(std::span<const Token> prompt, const LlmGenerateOptions& options,
               const CancelToken& cancel) override;
  Result<LlmStep> Next(const CancelToken& cancel) override;
  LlmUsage usage() const override { return usage_; }

 private:
  LlamaSession(std::shared_ptr<const LlamaWeights> weights,
               std::shared_ptr<const Tokenizer> tokenizer, ContextPtr context,
               int32_t context_tokens);

  Status CheckStart(std::span<const Token> prompt, const LlmGenerateOptions& options) const;
  // Rolls the cache back to a prefix of `prompt` and returns its length.
  size_t KeepPrefix(std::span<const Token> prompt);
  bool MayRollBackTo(size_t length) const;
  void Clear();
  // Decodes `tokens`, at most kMicroBatchTokens, behind what is cached.
  Status Decode(std::span<const Token> tokens, const CancelToken& cancel);
  Result<LlmStep> Step(const CancelToken& cancel);
  LlmStep Emit(Token token);
  LlmStep End(LlmFinish finish, std::string text);

  const std::shared_ptr<const LlamaWeights> weights_;
  const std::shared_ptr<const Tokenizer> tokenizer_;
  const ContextPtr context_;
  const size_t context_tokens_;

  std::vector<Token> cached_;            // exactly what the context holds, position by position
  const CancelToken* cancel_ = nullptr;  // of the call in progress
  Sampler sampler_;
  StopFilter stops_;
  Utf8Gate utf8_;
  LlmUsage usage_;
  int32_t max_tokens_ = 0;
  Token undecoded_ = LLAMA_TOKEN_NULL;  // the last token given out
  bool generating_ = false;

  // Scratch of one llama_batch.
  std::vector<llama_pos> positions_;
  std::vector<int32_t> sequence_counts_;
  std::vector<llama_seq_id*> sequences_;
  std::vector<int8_t> wants_logits_;
  llama_seq_id sequence_ = 0;
};

}  // namespace sotto::llama

#endif  // SOTTO_BACKENDS_LLAMA_LLAMA_SESSION_H_
