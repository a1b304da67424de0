// From text to the tokens of a loaded vocabulary and back.
#ifndef SOTTO_BACKENDS_LLAMA_TOKENIZER_H_
#define SOTTO_BACKENDS_LLAMA_TOKENIZER_H_

#include <llama.h>

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backends/llama/chat_template.h"
#include "base/status.h"
#include "models/llm.h"

namespace sotto::llama {

// Borrows the vocabulary, which outlives it. Immutable; any thread.
class Tokenizer {
 public:
  explicit Tokenizer(const llama_vocab* vocab);

  // As Llm::Tokenize(). INVALID_ARGUMENT for text that is not UTF-8 or over 16 MiB.
  Result<std::vector<Token>> Tokenize(std::string_view text, bool add_special,
                                      bool parse_special) const;

  // The tokens of a rendered prompt, as if it were tokenised as one text, except that content
  // never yields a marker token. The vocabulary's first token is put in front where it wants one
  // and the template wrote none.
  Result<std::vector<Token>> TokenizePrompt(std::span<const PromptPart> parts) const;

  // The bytes that `token` stands for; none for control tokens. May end inside a character.
  std::string Piece(Token token) const;

  // The marker text of `token`, or empty for LLAMA_TOKEN_NULL.
  std::string MarkerText(llama_token token) const;

  Token num_tokens() const { return num_tokens_; }

 private:
  struct Fragment {
    std::string text;                       // when marker is null
    llama_token marker = LLAMA_TOKEN_NULL;  // stands alone
  };

  void AddMarkedText(std::string_view text, std::vector<Fragment>& out) const;
  void AddContent(std::string_view text, std::span<const Fragment> template_markers,
                  std::vector<Fragment>& out) const;
  Status TokenizeInto(std::string_view text, bool add_special, bool parse_special,
                      std::vector<Token>& out) const;

  const llama_vocab* vocab_;
  const Token num_tokens_;
  std::unordered_map<std::string, llama_token> markers_;
  size_t longest_marker_bytes_ = 0;
};

}  // namespace sotto::llama

#endif  // SOTTO_BACKENDS_LLAMA_TOKENIZER_H_
