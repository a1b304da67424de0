// A language model for tests: a token per byte, replies from a script, a cache that is counted.
#ifndef SOTTO_BACKENDS_FAKE_FAKE_LLM_H_
#define SOTTO_BACKENDS_FAKE_FAKE_LLM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "models/llm.h"

namespace sotto {

// Tokens 0..255 are bytes. RenderChat() writes, for each message, the marker of its role, its
// bytes and kFakeTurnEnd, and last the assistant's marker. As marker text they are "<|system|>",
// "<|user|>", "<|assistant|>", "<|tool|>" and "<|end|>".
inline constexpr Token kFakeRoleMarker = 256;  // + ChatRole
inline constexpr Token kFakeTurnEnd = 260;
inline constexpr int32_t kFakeVocabTokens = 261;

struct FakeLlmScript {
  // The whole reply to a prompt: its bytes, with markers as their text. `seed` is the sampling's,
  // 0 at temperature 0. Null: "You said: " and the last user's words.
  std::function<std::string(std::string_view prompt, uint32_t seed)> reply;
  int32_t train_context_tokens = 4096;
  int32_t bytes_per_step = 1;
  bool has_chat_template = true;
  // Runs before each step, with the number of steps before it in this generation, and before each
  // micro-batch of a prefill with -1; an error becomes the call's. May block, or cancel the
  // call's token. Null: nothing.
  std::function<Status(int64_t step)> before_step;
  // NewSession() fails with it. OK: it does not.
  Status session_status;
};

std::unique_ptr<Llm> MakeFakeLlm(FakeLlmScript script = {});

}  // namespace sotto

#endif  // SOTTO_BACKENDS_FAKE_FAKE_LLM_H_
