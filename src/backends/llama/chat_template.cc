#include "backends/llama/chat_template.h"

#include <jinja/lexer.h>
#include <jinja/parser.h>
#include <jinja/runtime.h>
#include <jinja/value.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string_view>
#include <utility>

#include "text/utf8.h"

namespace sotto::llama {
namespace {

// The engine parses by recursion: these keep a hostile file from ending the stack. Real templates
// stay under 40 KiB and a depth of 20.
constexpr size_t kMaxSourceBytes = size_t{256} << 10;
constexpr int kMaxDepth = 64;

// Whether brackets within the tags, and the tags themselves, nest too deep. Counts openings that
// look like nesting even inside strings: it may only err towards refusing.
bool NestsTooDeep(std::string_view source) {
  int brackets = 0;
  int blocks = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (c == '(' || c == '[' || c == '{') {
      brackets = std::min(brackets + 1, kMaxDepth + 1);
    } else if (c == ')' || c == ']' || c == '}') {
      brackets = std::max(brackets - 1, 0);
    }
    if (source.substr(i, 2) == "{%") {
      size_t at = source.find_first_not_of("-+ \t\r\n", i + 2);
      const std::string_view tag =
          at == std::string_view::npos ? std::string_view() : source.substr(at, 8);
      for (std::string_view open : {"if", "for", "macro", "call", "filter", "set"}) {
        blocks += tag.starts_with(open) && open != "set" ? 1 : 0;
      }
      blocks -= tag.starts_with("end") ? 1 : 0;
    }
    if (brackets > kMaxDepth || blocks > kMaxDepth) {
      return true;
    }
  }
  // Chains such as "not not not" and "- - -" recurse without brackets.
  constexpr std::string_view kNot = "not ";
  size_t run = 0;
  for (size_t at = source.find(kNot); at != std::string_view::npos;) {
    const size_t next = source.find(kNot, at + kNot.size());
    run = next == at + kNot.size() ? run + 1 : 0;
    if (run > kMaxDepth) {
      return true;
    }
    at = next;
  }
  return false;
}

std::string_view RoleName(ChatRole role) {
  switch (role) {
    case ChatRole::kSystem:
      return "system";
    case ChatRole::kUser:
      return "user";
    case ChatRole::kAssistant:
      return "assistant";
    case ChatRole::kTool:
      return "tool";
  }
  return "user";
}

jinja::value Text(const std::string& text, bool is_input) {
  return jinja::mk_val<jinja::value_string>(jinja::string(text, is_input));
}

void Append(std::string& to, std::string_view text) {
  if (!to.empty() && !text.empty()) {
    to += "\n\n";
  }
  to += text;
}

// One system message in front, if there is any.
std::vector<ChatMessage> WithOneSystem(std::span<const ChatMessage> messages) {
  ChatMessage system{.role = ChatRole::kSystem, .content = {}};
  std::vector<ChatMessage> out;
  for (const ChatMessage& message : messages) {
    if (message.role == ChatRole::kSystem) {
      Append(system.content, message.content);
    } else {
      out.push_back(message);
    }
  }
  if (!system.content.empty()) {
    out.insert(out.begin(), std::move(system));
  }
  return out;
}

// User and assistant in turns, beginning with the user: what the strictest templates take.
std::vector<ChatMessage> Folded(const std::vector<ChatMessage>& messages) {
  std::vector<ChatMessage> out;
  for (const ChatMessage& message : messages) {
    const ChatRole role =
        message.role == ChatRole::kAssistant ? ChatRole::kAssistant : ChatRole::kUser;
    if (!out.empty() && out.back().role == role) {
      Append(out.back().content, message.content);
    } else if (out.empty() && role == ChatRole::kAssistant) {
      out.push_back({.role = ChatRole::kUser, .content = {}});
      out.push_back(message);
    } else {
      out.push_back({.role = role, .content = message.content});
    }
  }
  return out;
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

bool HasContent(const std::vector<PromptPart>& parts, std::string_view content) {
  std::string all;
  for (const PromptPart& part : parts) {
    all += part.text;
  }
  return all.find(Trimmed(content)) != std::string::npos;
}

}  // namespace

struct ChatTemplate::Program {
  jinja::program parsed;
  std::string source;
};

ChatTemplate::ChatTemplate(std::unique_ptr<Program> program, std::string bos_text,
                           std::string eos_text)
    : program_(std::move(program)),
      bos_text_(std::move(bos_text)),
      eos_text_(std::move(eos_text)) {}

ChatTemplate::~ChatTemplate() = default;

Result<std::unique_ptr<const ChatTemplate>> ChatTemplate::Parse(const std::string& source,
                                                                std::string bos_text,
                                                                std::string eos_text) {
  if (source.size() > kMaxSourceBytes) {
    return DataLossError("chat template: " + std::to_string(source.size()) + " bytes: at most " +
                         std::to_string(kMaxSourceBytes));
  }
  if (ValidateUtf8(source) != kValidUtf8) {
    return DataLossError("chat template: not UTF-8");
  }
  if (NestsTooDeep(source)) {
    return DataLossError("chat template: nests deeper than " + std::to_string(kMaxDepth));
  }
  try {
    jinja::lexer lexer;
    jinja::lexer_result tokens = lexer.tokenize(source);
    auto program = std::make_unique<Program>(
        Program{jinja::parse_from_tokens(tokens), std::move(tokens.source)});
    return std::unique_ptr<const ChatTemplate>(
        new ChatTemplate(std::move(program), std::move(bos_text), std::move(eos_text)));
  } catch (const std::bad_alloc&) {
    return ResourceExhaustedError("chat template: out of memory");
  } catch (const std::exception& e) {
    const std::string_view what = e.what();
    return DataLossError("chat template: " + std::string(what.substr(0, what.find('\n'))));
  }
}

Result<std::vector<PromptPart>> ChatTemplate::RenderOnce(
    const std::vector<ChatMessage>& messages) const {
  try {
    jinja::context context(program_->source);
    auto list = jinja::mk_val<jinja::value_array>();
    for (const ChatMessage& message : messages) {
      auto object = jinja::mk_val<jinja::value_object>();
      object->insert("role", Text(std::string(RoleName(message.role)), false));
      object->insert("content", Text(message.content, true));
      list->push_back(object);
    }
    context.set_val("messages", list);
    context.set_val("bos_token", Text(bos_text_, false));
    context.set_val("eos_token", Text(eos_text_, false));
    context.set_val("add_generation_prompt", jinja::mk_val<jinja::value_bool>(true));
    context.set_val("enable_thinking", jinja::mk_val<jinja::value_bool>(false));
    jinja::runtime runtime(context);
    const jinja::value output = runtime.execute(program_->parsed);
    std::vector<PromptPart> parts;
    const jinja::value_string gathered = jinja::runtime::gather_string_parts(output);
    for (const jinja::string_part& part : gathered->val_str.parts) {
      parts.push_back({.text = part.val, .is_content = part.is_input});
    }
    return parts;
  } catch (const std::bad_alloc&) {
    return ResourceExhaustedError("chat template: out of memory");
  } catch (const std::exception&) {
    // Its message may quote what was said.
    return FailedPreconditionError(
        "chat template: the model's own template refuses these messages");
  }
}

Result<std::vector<PromptPart>> ChatTemplate::Render(std::span<const ChatMessage> messages) const {
  if (messages.empty()) {
    return InvalidArgumentError("chat: no message: at least one is needed");
  }
  for (const ChatMessage& message : messages) {
    if (ValidateUtf8(message.content) != kValidUtf8) {
      return InvalidArgumentError("chat: message " + std::to_string(&message - messages.data()) +
                                  ": not UTF-8");
    }
  }
  const std::vector<ChatMessage> merged = WithOneSystem(messages);
  Result<std::vector<PromptPart>> rendered = RenderOnce(merged);
  if (rendered.ok()) {
    const bool all_there =
        std::all_of(merged.begin(), merged.end(), [&](const ChatMessage& message) {
          return message.role == ChatRole::kAssistant || HasContent(*rendered, message.content);
        });
    if (all_there) {
      return rendered;
    }
  } else if (rendered.status().code() != Code::kFailedPrecondition) {
    return rendered;
  }
  return RenderOnce(Folded(merged));
}

}  // namespace sotto::llama
