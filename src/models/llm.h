// Port: a language model and its sessions.
#ifndef SOTTO_MODELS_LLM_H_
#define SOTTO_MODELS_LLM_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

using Token = int32_t;

enum class ChatRole : int32_t { kSystem = 0, kUser = 1, kAssistant = 2, kTool = 3 };

struct ChatMessage {
  ChatRole role = ChatRole::kUser;
  std::string content;  // UTF-8
};

struct LlmInfo {
  std::string architecture;  // "llama", "qwen2", "gemma3" ... from the file
  uint64_t weights_bytes = 0;
  uint64_t num_parameters = 0;
  int32_t train_context_tokens = 0;
  int32_t vocab_tokens = 0;
  int32_t sliding_window_tokens = 0;  // 0: full attention everywhere
  bool has_chat_template = false;
};

struct LlmSampling {
  float temperature = 0.7f;  // 0: always the most likely token. 0..2
  float top_p = 0.95f;       // (0, 1]
  int32_t top_k = 40;        // 0: off
  float min_p = 0.05f;       // [0, 1)
  float repeat_penalty = 1.0f;
  uint32_t seed = 0;
};

struct LlmSessionOptions {
  int32_t context_tokens = 4096;
  int32_t num_threads = 1;
  int32_t prompt_threads = 1;
};

struct LlmGenerateOptions {
  int32_t max_tokens = 256;  // 1..; the context's end stops it earlier
  LlmSampling sampling;
  std::vector<std::string> stops;  // the text ends before the first of these
};

enum class LlmFinish : int32_t {
  kNone = 0,    // there is more
  kStop = 1,    // an end token or a stop string
  kLength = 2,  // max_tokens or the end of the context
};

struct LlmStep {
  std::string text;  // valid UTF-8, whole characters only; often empty
  LlmFinish finish = LlmFinish::kNone;
};

struct LlmUsage {
  int32_t prompt_tokens = 0;
  int32_t reused_tokens = 0;  // of prompt_tokens, taken from the session's cache
  int32_t completion_tokens = 0;
  int64_t prompt_us = 0;  // wall time of the prefill
  int64_t decode_us = 0;  // wall time of the decode steps so far
};

// One sequence with its cache. Used from one thread at a time; may outlive the model object
// that made it.
class LlmSession {
 public:
  virtual ~LlmSession() = default;

  // Makes the cache hold exactly `prompt`, keeping the longest prefix it already holds, and
  // readies sampling. RESOURCE_EXHAUSTED if the prompt leaves no room for one token: the message
  // gives both counts. CANCELLED within one micro-batch; the cache then holds a prefix of
  // `prompt` and the session stays usable.
  virtual Status Start(std::span<const Token> prompt, const LlmGenerateOptions& options,
                       const CancelToken& cancel) = 0;

  // One decode step. FAILED_PRECONDITION before Start() and after a step whose finish was not
  // kNone. CANCELLED within one step.
  virtual Result<LlmStep> Next(const CancelToken& cancel) = 0;

  // Figures of the current generation.
  virtual LlmUsage usage() const = 0;
};

// Loaded weights. Any thread.
class Llm {
 public:
  virtual ~Llm() = default;

  virtual const LlmInfo& info() const = 0;

  // Token ids of `text`. `parse_special` turns marker text into marker tokens: only for text that
  // RenderChat() made, never for what a user said.
  virtual Result<std::vector<Token>> Tokenize(std::string_view text, bool add_special,
                                              bool parse_special) const = 0;

  // The prompt for `messages` in the model file's own template, as tokens, ready for the
  // assistant's next turn. Content that looks like a marker stays text. FAILED_PRECONDITION if
  // the file has no template.
  virtual Result<std::vector<Token>> RenderChat(std::span<const ChatMessage> messages) const = 0;

  // Bytes NewSession() will take for cache and compute buffers, before any is taken.
  virtual uint64_t SessionBytes(const LlmSessionOptions& options) const = 0;
  virtual Result<std::unique_ptr<LlmSession>> NewSession(const LlmSessionOptions& options) = 0;
};

}  // namespace sotto

#endif  // SOTTO_MODELS_LLM_H_
