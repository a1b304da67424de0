// The chat template of a model file: Jinja, run by llama.cpp's engine.
#ifndef SOTTO_BACKENDS_LLAMA_CHAT_TEMPLATE_H_
#define SOTTO_BACKENDS_LLAMA_CHAT_TEMPLATE_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "models/llm.h"

namespace sotto::llama {

// A stretch of a rendered prompt.
struct PromptPart {
  std::string text;
  bool is_content = false;  // somebody's words: marker text in it is text
};

// Immutable once parsed; any thread.
class ChatTemplate {
 public:
  // DATA_LOSS if `source` is no template that the engine reads.
  static Result<std::unique_ptr<const ChatTemplate>> Parse(const std::string& source,
                                                           std::string bos_text,
                                                           std::string eos_text);
  ~ChatTemplate();

  // `messages` and the opening of the assistant's turn. Several system messages become one; where
  // the template refuses or drops the system role, or refuses tool results or two turns of one
  // role in a row, they are folded into the user's turns. INVALID_ARGUMENT if there is no message
  // or one is not UTF-8; FAILED_PRECONDITION if the template refuses even so. O(bytes).
  Result<std::vector<PromptPart>> Render(std::span<const ChatMessage> messages) const;

 private:
  struct Program;
  ChatTemplate(std::unique_ptr<Program> program, std::string bos_text, std::string eos_text);

  Result<std::vector<PromptPart>> RenderOnce(const std::vector<ChatMessage>& messages) const;

  const std::unique_ptr<Program> program_;
  const std::string bos_text_;
  const std::string eos_text_;
};

}  // namespace sotto::llama

#endif  // SOTTO_BACKENDS_LLAMA_CHAT_TEMPLATE_H_
