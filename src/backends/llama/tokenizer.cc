#include "backends/llama/tokenizer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "text/utf8.h"

namespace sotto::llama {
namespace {

constexpr size_t kMaxTextBytes = size_t{16} << 20;
constexpr int kMarkerAttributes =
    LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_USER_DEFINED | LLAMA_TOKEN_ATTR_UNKNOWN;

std::string PieceOf(const llama_vocab* vocab, llama_token token, bool special) {
  std::array<char, 64> small;
  int32_t size = llama_token_to_piece(vocab, token, small.data(),
                                      static_cast<int32_t>(small.size()), 0, special);
  if (size >= 0) {
    return {small.data(), static_cast<size_t>(size)};
  }
  std::string piece(static_cast<size_t>(-size), '\0');
  size = llama_token_to_piece(vocab, token, piece.data(), static_cast<int32_t>(piece.size()), 0,
                              special);
  piece.resize(static_cast<size_t>(std::max(size, 0)));
  return piece;
}

}  // namespace

Tokenizer::Tokenizer(const llama_vocab* vocab)
    : vocab_(vocab), num_tokens_(llama_vocab_n_tokens(vocab)) {
  for (llama_token token = 0; token < num_tokens_; ++token) {
    if ((llama_vocab_get_attr(vocab, token) & kMarkerAttributes) != 0) {
      std::string text = MarkerText(token);
      if (!text.empty()) {
        longest_marker_bytes_ = std::max(longest_marker_bytes_, text.size());
        markers_.emplace(std::move(text), token);
      }
    }
  }
}

std::string Tokenizer::Piece(Token token) const { return PieceOf(vocab_, token, false); }

std::string Tokenizer::MarkerText(llama_token token) const {
  return token == LLAMA_TOKEN_NULL ? std::string() : PieceOf(vocab_, token, true);
}

Result<std::vector<Token>> Tokenizer::Tokenize(std::string_view text, bool add_special,
                                               bool parse_special) const {
  if (text.size() > kMaxTextBytes) {
    return InvalidArgumentError("tokenize: " + std::to_string(text.size()) + " bytes: at most " +
                                std::to_string(kMaxTextBytes));
  }
  if (const size_t bad = ValidateUtf8(text); bad != kValidUtf8) {
    return InvalidArgumentError("tokenize: byte " + std::to_string(bad) + ": not UTF-8");
  }
  std::vector<Token> tokens;
  SOTTO_RETURN_IF_ERROR(TokenizeInto(text, add_special, parse_special, tokens));
  return tokens;
}

Status Tokenizer::TokenizeInto(std::string_view text, bool add_special, bool parse_special,
                               std::vector<Token>& out) const {
  try {
    const size_t before = out.size();
    // No tokenizer makes more tokens than bytes, apart from those it adds at the ends and a space
    // in front.
    size_t room = text.size() + 4;
    for (int tries = 0; tries < 2; ++tries) {
      out.resize(before + room);
      const int32_t made = llama_tokenize(vocab_, text.data(), static_cast<int32_t>(text.size()),
                                          out.data() + before, static_cast<int32_t>(room),
                                          add_special, parse_special);
      if (made >= 0) {
        out.resize(before + static_cast<size_t>(made));
        return OkStatus();
      }
      room = made == INT32_MIN ? 0 : static_cast<size_t>(-made);
    }
    out.resize(before);
    return InternalError("llama: tokenize: " + std::to_string(text.size()) + " bytes: no result");
  } catch (const std::exception& e) {
    return InternalError(std::string("llama: tokenize: ") + e.what());
  }
}

// Cuts template text at its markers, the longest that fits first, and keeps the text between.
void Tokenizer::AddMarkedText(std::string_view text, std::vector<Fragment>& out) const {
  const auto add_text = [&out](std::string_view plain) {
    if (plain.empty()) {
      return;
    }
    if (out.empty() || out.back().marker != LLAMA_TOKEN_NULL) {
      out.emplace_back();
    }
    out.back().text += plain;
  };
  size_t plain_from = 0;
  for (size_t at = 0; at < text.size();) {
    llama_token found = LLAMA_TOKEN_NULL;
    size_t size = std::min(longest_marker_bytes_, text.size() - at);
    for (; size > 0; --size) {
      if (const auto it = markers_.find(std::string(text.substr(at, size))); it != markers_.end()) {
        found = it->second;
        break;
      }
    }
    if (found == LLAMA_TOKEN_NULL) {
      ++at;
      continue;
    }
    add_text(text.substr(plain_from, at - plain_from));
    out.push_back({.text = {}, .marker = found});
    at += size;
    plain_from = at;
  }
  add_text(text.substr(plain_from));
}

// A marker that a vocabulary lists as an ordinary added word is found by the tokenizer in any
// text: where the template uses it, what looks like it in content is cut in two.
void Tokenizer::AddContent(std::string_view text, std::span<const Fragment> template_markers,
                           std::vector<Fragment>& out) const {
  if (out.empty() || out.back().marker != LLAMA_TOKEN_NULL) {
    out.emplace_back();
  }
  size_t from = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const auto begins_here = [&](const Fragment& fragment) {
      return (llama_vocab_get_attr(vocab_, fragment.marker) & LLAMA_TOKEN_ATTR_USER_DEFINED) != 0 &&
             fragment.text.size() > 1 && text.substr(at).starts_with(fragment.text);
    };
    if (std::any_of(template_markers.begin(), template_markers.end(), begins_here)) {
      out.back().text += text.substr(from, at + 1 - from);
      out.emplace_back();
      from = at + 1;
    }
  }
  out.back().text += text.substr(from);
}

Result<std::vector<Token>> Tokenizer::TokenizePrompt(std::span<const PromptPart> parts) const {
  size_t bytes = 0;
  std::vector<Fragment> template_markers;
  for (const PromptPart& part : parts) {
    bytes += part.text.size();
    if (!part.is_content) {
      std::vector<Fragment> fragments;
      AddMarkedText(part.text, fragments);
      for (Fragment& fragment : fragments) {
        if (fragment.marker != LLAMA_TOKEN_NULL) {
          fragment.text = MarkerText(fragment.marker);
          template_markers.push_back(std::move(fragment));
        }
      }
    }
  }
  if (bytes > kMaxTextBytes) {
    return InvalidArgumentError("chat: " + std::to_string(bytes) + " bytes: at most " +
                                std::to_string(kMaxTextBytes));
  }
  std::vector<Fragment> fragments;
  for (const PromptPart& part : parts) {
    if (part.is_content) {
      AddContent(part.text, template_markers, fragments);
    } else {
      AddMarkedText(part.text, fragments);
    }
  }
  std::vector<Token> tokens;
  for (const Fragment& fragment : fragments) {
    if (fragment.marker != LLAMA_TOKEN_NULL) {
      tokens.push_back(fragment.marker);
    } else if (!fragment.text.empty()) {
      SOTTO_RETURN_IF_ERROR(TokenizeInto(fragment.text, false, false, tokens));
    }
  }
  const llama_token bos = llama_vocab_bos(vocab_);
  if (llama_vocab_get_add_bos(vocab_) && bos != LLAMA_TOKEN_NULL &&
      (tokens.empty() || tokens.front() != bos)) {
    tokens.insert(tokens.begin(), bos);
  }
  return tokens;
}

}  // namespace sotto::llama
