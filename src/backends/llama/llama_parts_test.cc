// The parts of the adapter that need no model.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "backends/llama/chat_template.h"
#include "backends/llama/llama_backend.h"
#include "backends/llama/stop_filter.h"

namespace sotto::llama {
namespace {

std::string Filtered(const std::vector<std::string>& stops, const std::vector<std::string>& pieces,
                     bool* stopped = nullptr) {
  StopFilter filter(stops);
  std::string out;
  for (const std::string& piece : pieces) {
    out += filter.Feed(piece);
  }
  out += filter.Finish();
  if (stopped != nullptr) {
    *stopped = filter.stopped();
  }
  return out;
}

TEST(StopFilter, EndsBeforeTheFirstStop) {
  bool stopped = false;
  EXPECT_EQ(Filtered({"END"}, {"one EN", "D two"}, &stopped), "one ");
  EXPECT_TRUE(stopped);
  EXPECT_EQ(Filtered({"END"}, {"one EN", "E two EN"}, &stopped), "one ENE two EN");
  EXPECT_FALSE(stopped);
  EXPECT_EQ(Filtered({}, {"a", "b"}), "ab");
  EXPECT_EQ(Filtered({"\n\n", "User:"}, {"hello\n", "Us", "er", ":"}), "hello\n");
  EXPECT_EQ(Filtered({"aab"}, {"aa", "ab"}), "a");
}

TEST(StopFilter, HoldsBackOnlyWhatMayBeAStop) {
  StopFilter filter({"stop"});
  EXPECT_EQ(filter.Feed("a st"), "a ");
  EXPECT_EQ(filter.Feed("x"), "stx");
  EXPECT_EQ(filter.Feed("y"), "y");
}

TEST(StopFilter, StreamedEqualsWhole) {
  std::mt19937 rng(11);
  const auto word = [&rng](size_t longest) {
    std::string out;
    for (size_t n = 1 + rng() % longest; n > 0; --n) {
      out += static_cast<char>('a' + rng() % 3);
    }
    return out;
  };
  for (int round = 0; round < 3000; ++round) {
    const std::vector<std::string> stops = {word(4), word(3), word(5)};
    const std::string text = word(20);
    std::vector<std::string> pieces;
    for (size_t at = 0; at < text.size();) {
      const size_t n = 1 + rng() % 3;
      pieces.push_back(text.substr(at, n));
      at += n;
    }
    ASSERT_EQ(Filtered(stops, pieces), Filtered(stops, {text}));
  }
}

constexpr char kChatMl[] =
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + "
    "'<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' "
    "}}{% endif %}";

std::string Joined(const std::vector<PromptPart>& parts) {
  std::string out;
  for (const PromptPart& part : parts) {
    out += part.text;
  }
  return out;
}

std::string Render(const std::string& source, const std::vector<ChatMessage>& messages) {
  const auto parsed = ChatTemplate::Parse(source, "<s>", "</s>");
  EXPECT_TRUE(parsed.ok()) << parsed.status().ToString();
  const auto parts = (*parsed)->Render(messages);
  return parts.ok() ? Joined(*parts) : parts.status().ToString();
}

TEST(ChatTemplate, WritesTheFilesOwnForm) {
  EXPECT_EQ(Render(kChatMl, {{ChatRole::kSystem, "Be brief."}, {ChatRole::kUser, "Hi"}}),
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
            "<|im_start|>assistant\n");
}

TEST(ChatTemplate, Gemma4TurnsAreTheTemplates) {
  const std::string source =
      "{{ bos_token }}{% for m in messages %}<|turn>{{ m['role'] }}\n{{ m['content'] }}<turn|>\n"
      "{% endfor %}{% if add_generation_prompt %}<|turn>model\n{% endif %}";
  EXPECT_EQ(Render(source, {{ChatRole::kUser, "Hi"}}), "<s><|turn>user\nHi<turn|>\n<|turn>model\n");
}

TEST(ChatTemplate, ContentIsMarkedAsSuch) {
  const auto parsed = ChatTemplate::Parse(kChatMl, "", "");
  ASSERT_TRUE(parsed.ok());
  const std::vector<ChatMessage> messages = {{ChatRole::kUser, "a<|im_end|>b"}};
  const auto parts = (*parsed)->Render(messages);
  ASSERT_TRUE(parts.ok());
  std::string content;
  for (const PromptPart& part : *parts) {
    content += part.is_content ? part.text : "";
  }
  EXPECT_EQ(content, "a<|im_end|>b");
}

TEST(ChatTemplate, Case081SystemMessagesAreMerged) {
  EXPECT_EQ(
      Render(kChatMl,
             {{ChatRole::kSystem, "One."}, {ChatRole::kSystem, "Two."}, {ChatRole::kUser, "Hi"}}),
      "<|im_start|>system\nOne.\n\nTwo.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
      "<|im_start|>assistant\n");
}

constexpr char kStrict[] =
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}"
    "{% endif %}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 "
    "== 0) %}{{ raise_exception('roles must alternate') }}{% endif %}[{{ message['role'] }}:{{ "
    "message['content'] | trim }}]{% endfor %}";

TEST(ChatTemplate, Case079ASystemThatIsRefusedIsFoldedIn) {
  EXPECT_EQ(Render(kStrict, {{ChatRole::kSystem, "Be brief."}, {ChatRole::kUser, "Hi"}}),
            "[user:Be brief.\n\nHi]");
}

TEST(ChatTemplate, ASystemThatIsDroppedIsFoldedIn) {
  const std::string drops =
      "{% for m in messages %}{% if m.role != 'system' %}[{{ m.role }}:{{ m.content }}]{% endif %}"
      "{% endfor %}";
  EXPECT_EQ(Render(drops, {{ChatRole::kSystem, "Be brief."}, {ChatRole::kUser, "Hi"}}),
            "[user:Be brief.\n\nHi]");
}

TEST(ChatTemplate, Case082ToolResultsReachAStrictTemplate) {
  EXPECT_EQ(Render(kStrict, {{ChatRole::kUser, "Weather?"},
                             {ChatRole::kAssistant, "call"},
                             {ChatRole::kTool, "rain"},
                             {ChatRole::kUser, "And?"}}),
            "[user:Weather?][assistant:call][user:rain\n\nAnd?]");
}

TEST(ChatTemplate, RefusalsDoNotQuoteWhatWasSaid) {
  const auto parsed =
      ChatTemplate::Parse("{{ raise_exception('no: ' + messages[0]['content']) }}", "", "");
  ASSERT_TRUE(parsed.ok());
  const std::vector<ChatMessage> messages = {{ChatRole::kUser, "secret words"}};
  const auto parts = (*parsed)->Render(messages);
  EXPECT_EQ(parts.status().code(), Code::kFailedPrecondition);
  EXPECT_EQ(parts.status().message().find("secret"), std::string::npos);
}

TEST(ChatTemplate, HostileSourcesAreRefused) {
  std::string nested = "{{ ";
  nested.append(100000, '(');
  std::string blocks;
  std::string nots = "{% if ";
  for (int i = 0; i < 20000; ++i) {
    blocks += "{% if true %}";
    nots += "not ";
  }
  nots += "true %}{% endif %}";
  for (const std::string& source :
       {nested, blocks, nots, std::string("{{ "), std::string("{% for x in %}"),
        std::string("{{ a b c }}"), std::string(300000, 'x'), std::string("\xff\xfe"),
        std::string("{% endif %}")}) {
    const auto parsed = ChatTemplate::Parse(source, "", "");
    EXPECT_FALSE(parsed.ok()) << source.substr(0, 30);
  }
}

TEST(ChatTemplate, DamagedTemplatesNeverCrash) {
  std::mt19937 rng(5);
  const std::vector<ChatMessage> messages = {{ChatRole::kSystem, "s"}, {ChatRole::kUser, "u"}};
  for (int round = 0; round < 1500; ++round) {
    std::string source = rng() % 2 == 0 ? kChatMl : kStrict;
    for (size_t n = 1 + rng() % 4; n > 0; --n) {
      const size_t at = rng() % source.size();
      switch (rng() % 3) {
        case 0:
          source.erase(at, 1 + rng() % 5);
          break;
        case 1:
          source.insert(at, 1, "{}%()[]'|+-~.\"#"[rng() % 15]);
          break;
        default:
          source[at] = static_cast<char>(32 + rng() % 95);
      }
      if (source.empty()) {
        source = "x";
      }
    }
    const auto parsed = ChatTemplate::Parse(source, "<s>", "</s>");
    if (parsed.ok()) {
      (void)(*parsed)->Render(messages).ok();
    }
  }
}

TEST(MakeLlamaLlm, ErrorsNameTheFile) {
  const auto absent = MakeLlamaLlm("/no/such/model.gguf");
  EXPECT_EQ(absent.status().code(), Code::kNotFound);
  EXPECT_NE(absent.status().message().find("/no/such/model.gguf"), std::string::npos);
  EXPECT_EQ(MakeLlamaLlm("/").status().code(), Code::kInvalidArgument);
  EXPECT_FALSE(MakeLlamaLlm("/dev/null").ok());
  EXPECT_EQ(MakeLlamaEmbedder("/no/such/model.gguf").status().code(), Code::kNotFound);
  EXPECT_EQ(MakeLlamaEmbedder("/no/such/model.gguf", {.num_threads = 0}).status().code(),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace sotto::llama
