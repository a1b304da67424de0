// What every backend keeps of the port models/llm.h. A backend's test includes this file and
// instantiates the suite.
#ifndef SOTTO_TESTS_CONTRACT_LLM_CONTRACT_H_
#define SOTTO_TESTS_CONTRACT_LLM_CONTRACT_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "models/llm.h"
#include "text/utf8.h"

namespace sotto {

struct LlmContractCase {
  std::string name;
  // A new instance, independent of all others.
  std::function<Result<std::unique_ptr<Llm>>()> make;
  // The longest prompt whose cache is small enough to keep any prefix of it.
  int32_t context_tokens = 512;
};

inline void PrintTo(const LlmContractCase& value, std::ostream* out) { *out << value.name; }

class LlmContract : public testing::TestWithParam<LlmContractCase> {
 protected:
  struct Reply {
    std::string text;
    LlmFinish finish = LlmFinish::kNone;
    int32_t steps = 0;
  };

  void SetUp() override {
    Result<std::unique_ptr<Llm>> made = GetParam().make();
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    llm_ = *std::move(made);
  }

  std::unique_ptr<LlmSession> Session(int32_t context_tokens = 0) {
    LlmSessionOptions options;
    options.context_tokens = context_tokens > 0 ? context_tokens : GetParam().context_tokens;
    Result<std::unique_ptr<LlmSession>> made = llm_->NewSession(options);
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return made.ok() ? *std::move(made) : nullptr;
  }

  std::vector<Token> Prompt(const std::string& text) {
    const ChatMessage message{.role = ChatRole::kUser, .content = text};
    Result<std::vector<Token>> tokens = llm_->info().has_chat_template
                                            ? llm_->RenderChat({&message, 1})
                                            : llm_->Tokenize(text, true, false);
    EXPECT_TRUE(tokens.ok()) << tokens.status().ToString();
    return tokens.ok() ? *std::move(tokens) : std::vector<Token>();
  }

  // A prompt of `size` tokens, most of them the same few again and again.
  std::vector<Token> LongPrompt(size_t size) {
    const std::vector<Token> words = Prompt("One, two and three.");
    std::vector<Token> out = words;
    while (!words.empty() && out.size() < size) {
      out.push_back(words[(out.size() * 7 + out.size() / 5) % words.size()]);
    }
    return out;
  }

  static LlmGenerateOptions Greedy(int32_t max_tokens = 24) {
    LlmGenerateOptions options;
    options.max_tokens = max_tokens;
    options.sampling.temperature = 0.0f;
    return options;
  }

  static Reply Finish(LlmSession& session) {
    Reply reply;
    while (reply.finish == LlmFinish::kNone) {
      const Result<LlmStep> step = session.Next({});
      if (!step.ok()) {
        ADD_FAILURE() << step.status().ToString();
        return reply;
      }
      EXPECT_EQ(ValidateUtf8(step->text), kValidUtf8);
      reply.text += step->text;
      reply.finish = step->finish;
      ++reply.steps;
    }
    return reply;
  }

  static Reply Generate(LlmSession& session, const std::vector<Token>& prompt,
                        const LlmGenerateOptions& options) {
    const Status started = session.Start(prompt, options, {});
    EXPECT_TRUE(started.ok()) << started.ToString();
    return started.ok() ? Finish(session) : Reply();
  }

  std::unique_ptr<Llm> llm_;
};

TEST_P(LlmContract, DescribesItself) {
  EXPECT_FALSE(llm_->info().architecture.empty());
  EXPECT_GT(llm_->info().weights_bytes, 0u);
  EXPECT_GT(llm_->info().train_context_tokens, 0);
  EXPECT_GT(llm_->info().vocab_tokens, 0);
  LlmSessionOptions small;
  LlmSessionOptions large;
  small.context_tokens = 256;
  large.context_tokens = 2048;
  EXPECT_GT(llm_->SessionBytes(small), 0u);
  if (llm_->info().train_context_tokens >= large.context_tokens) {
    EXPECT_GT(llm_->SessionBytes(large), llm_->SessionBytes(small));
  }
}

TEST_P(LlmContract, GreedyRepliesRepeat) {
  const auto session = Session();
  const auto other = Session();
  ASSERT_TRUE(session && other);
  const std::vector<Token> prompt = Prompt("Name three colours.");
  const Reply first = Generate(*session, prompt, Greedy());
  EXPECT_FALSE(first.text.empty());
  EXPECT_NE(first.finish, LlmFinish::kNone);
  EXPECT_EQ(Generate(*session, prompt, Greedy()).text, first.text);
  EXPECT_EQ(Generate(*other, prompt, Greedy()).text, first.text);
}

TEST_P(LlmContract, SampledRepliesRepeatWithTheirSeed) {
  const auto session = Session();
  ASSERT_TRUE(session);
  const std::vector<Token> prompt = Prompt("Tell me a story.");
  for (const uint32_t seed : {0u, 7u, std::numeric_limits<uint32_t>::max()}) {
    LlmGenerateOptions options = Greedy();
    options.sampling.temperature = 1.0f;
    options.sampling.seed = seed;
    const std::string first = Generate(*session, prompt, options).text;
    EXPECT_EQ(Generate(*session, prompt, options).text, first) << seed;
  }
}

TEST_P(LlmContract, Case126WarmEqualsCold) {
  const auto warm = Session();
  ASSERT_TRUE(warm);
  const std::vector<std::string> questions = {"Name three colours.", "Name three cities.",
                                              "Name three colours of the rainbow, please.", "Why?",
                                              "Name three colours."};
  for (const std::string& question : questions) {
    const std::vector<Token> prompt = Prompt(question);
    const auto cold = Session();
    ASSERT_TRUE(cold);
    EXPECT_EQ(Generate(*warm, prompt, Greedy()).text, Generate(*cold, prompt, Greedy()).text)
        << question;
    EXPECT_EQ(cold->usage().reused_tokens, 0);
  }
}

TEST_P(LlmContract, Case127AShorterSecondPromptIsFine) {
  const auto session = Session();
  ASSERT_TRUE(session);
  const std::vector<Token> full = LongPrompt(24);
  Generate(*session, full, Greedy(4));
  for (const size_t length : {full.size() - 1, full.size() / 2, size_t{1}, full.size()}) {
    const std::vector<Token> prompt(full.begin(), full.begin() + static_cast<int64_t>(length));
    const auto cold = Session();
    ASSERT_TRUE(cold);
    EXPECT_EQ(Generate(*session, prompt, Greedy(6)).text, Generate(*cold, prompt, Greedy(6)).text)
        << length;
  }
}

TEST_P(LlmContract, ReusesTheCommonPrefix) {
  const auto session = Session();
  ASSERT_TRUE(session);
  const std::vector<Token> prompt = Prompt("Name three colours.");
  Generate(*session, prompt, Greedy(2));
  EXPECT_EQ(session->usage().reused_tokens, 0);
  EXPECT_EQ(session->usage().prompt_tokens, static_cast<int32_t>(prompt.size()));
  Generate(*session, prompt, Greedy(2));
  EXPECT_EQ(session->usage().reused_tokens, static_cast<int32_t>(prompt.size()) - 1)
      << "all but the token whose logits are wanted";
}

TEST_P(LlmContract, MaxTokensEndTheReply) {
  const auto session = Session();
  ASSERT_TRUE(session);
  const std::vector<Token> prompt = Prompt("Count from one to one hundred in words.");
  for (const int32_t max_tokens : {1, 2, 7}) {
    const Reply reply = Generate(*session, prompt, Greedy(max_tokens));
    EXPECT_EQ(reply.finish, LlmFinish::kLength) << max_tokens;
    EXPECT_EQ(session->usage().completion_tokens, max_tokens);
  }
}

TEST_P(LlmContract, Case107TheContextsEndEndsTheReply) {
  const int32_t context_tokens = 64;
  const auto session = Session(context_tokens);
  ASSERT_TRUE(session);
  const std::vector<Token> prompt = LongPrompt(static_cast<size_t>(context_tokens) - 8);
  const Reply reply = Generate(*session, prompt, Greedy(1000));
  EXPECT_NE(reply.finish, LlmFinish::kNone);
  EXPECT_LE(session->usage().prompt_tokens + session->usage().completion_tokens, context_tokens);
  for (size_t length = prompt.size(); length < static_cast<size_t>(context_tokens) + 3; ++length) {
    std::vector<Token> padded = prompt;
    padded.resize(length, prompt[prompt.size() / 2]);
    const Status started = session->Start(padded, Greedy(1000), {});
    if (length < static_cast<size_t>(context_tokens)) {
      ASSERT_TRUE(started.ok()) << length << " " << started.ToString();
      Finish(*session);
    } else {
      ASSERT_EQ(started.code(), Code::kResourceExhausted) << length;
      EXPECT_NE(started.message().find(std::to_string(length)), std::string::npos);
      EXPECT_NE(started.message().find(std::to_string(context_tokens)), std::string::npos);
    }
  }
  EXPECT_EQ(Generate(*session, prompt, Greedy(1000)).text, reply.text);
}

TEST_P(LlmContract, TheTextEndsBeforeAStop) {
  const auto session = Session();
  ASSERT_TRUE(session);
  const std::vector<Token> prompt = Prompt("Count from one to one hundred in words.");
  const std::string whole = Generate(*session, prompt, Greedy()).text;
  ASSERT_GT(whole.size(), 8u);
  for (size_t at = 1; at + 3 < whole.size(); at += 2) {
    if (FloorToCharacter(whole, at) != at || FloorToCharacter(whole, at + 3) != at + 3) {
      continue;
    }
    LlmGenerateOptions options = Greedy();
    options.stops = {"@never@", whole.substr(at, 3)};
    const Reply reply = Generate(*session, prompt, options);
    EXPECT_EQ(reply.finish, LlmFinish::kStop);
    EXPECT_EQ(reply.text, whole.substr(0, whole.find(options.stops[1])));
  }
}

TEST_P(LlmContract, BadArgumentsAreRefusedAndChangeNothing) {
  const auto session = Session();
  ASSERT_TRUE(session);
  const std::vector<Token> prompt = Prompt("Name three colours.");
  const std::string text = Generate(*session, prompt, Greedy()).text;
  const auto code = [&](const std::vector<Token>& tokens, const LlmGenerateOptions& options) {
    return session->Start(tokens, options, {}).code();
  };
  EXPECT_EQ(code({}, Greedy()), Code::kInvalidArgument);
  EXPECT_EQ(code({-1}, Greedy()), Code::kInvalidArgument);
  EXPECT_EQ(code({llm_->info().vocab_tokens}, Greedy()), Code::kInvalidArgument);
  EXPECT_EQ(code(prompt, Greedy(0)), Code::kInvalidArgument);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float bad : {-0.1f, 2.1f, nan}) {
    LlmGenerateOptions options = Greedy();
    options.sampling.temperature = bad;
    EXPECT_EQ(code(prompt, options), Code::kInvalidArgument) << bad;
    options = Greedy();
    options.sampling.top_p = bad;
    EXPECT_EQ(code(prompt, options), Code::kInvalidArgument) << bad;
    options = Greedy();
    options.sampling.min_p = bad;
    EXPECT_EQ(code(prompt, options), Code::kInvalidArgument) << bad;
  }
  LlmGenerateOptions options = Greedy();
  options.sampling.top_k = -1;
  EXPECT_EQ(code(prompt, options), Code::kInvalidArgument);
  options = Greedy();
  options.stops = {""};
  EXPECT_EQ(code(prompt, options), Code::kInvalidArgument);
  EXPECT_EQ(session->Next({}).status().code(), Code::kFailedPrecondition);
  EXPECT_EQ(Generate(*session, prompt, Greedy()).text, text);
}

TEST_P(LlmContract, SessionOptionsAreChecked) {
  for (const int32_t bad : {0, -1, std::numeric_limits<int32_t>::min()}) {
    LlmSessionOptions options;
    options.context_tokens = bad;
    EXPECT_EQ(llm_->NewSession(options).status().code(), Code::kInvalidArgument);
    options = {};
    options.num_threads = bad;
    EXPECT_EQ(llm_->NewSession(options).status().code(), Code::kInvalidArgument);
    options = {};
    options.prompt_threads = bad;
    EXPECT_EQ(llm_->NewSession(options).status().code(), Code::kInvalidArgument);
  }
}

TEST_P(LlmContract, NextNeedsAStart) {
  const auto session = Session();
  ASSERT_TRUE(session);
  EXPECT_EQ(session->Next({}).status().code(), Code::kFailedPrecondition);
  Generate(*session, Prompt("Hello."), Greedy(3));
  EXPECT_EQ(session->Next({}).status().code(), Code::kFailedPrecondition);
}

TEST_P(LlmContract, CancelledBetweenSteps) {
  const auto session = Session();
  ASSERT_TRUE(session);
  const std::vector<Token> prompt = Prompt("Count from one to one hundred in words.");
  const std::string whole = Generate(*session, prompt, Greedy()).text;
  CancelSource source;
  ASSERT_TRUE(session->Start(prompt, Greedy(), source.token()).ok());
  ASSERT_TRUE(session->Next(source.token()).ok());
  source.Cancel(CancelReason::kBargeIn);
  EXPECT_EQ(session->Next(source.token()).status().code(), Code::kCancelled);
  EXPECT_EQ(session->Start(prompt, Greedy(), source.token()).code(), Code::kCancelled);
  EXPECT_EQ(Generate(*session, prompt, Greedy()).text, whole);
}

// The other thread cancels as soon as the prefill may have begun: whichever wins, the answer is
// one of two, and a prefix of the prompt that is right is all that the cache holds.
TEST_P(LlmContract, CancelledWhileItRuns) {
  const auto session = Session();
  ASSERT_TRUE(session);
  const std::vector<Token> prompt = LongPrompt(
      static_cast<size_t>(std::min(GetParam().context_tokens, llm_->info().train_context_tokens)) -
      60);
  const auto cold = Session();
  ASSERT_TRUE(cold);
  const std::string whole = Generate(*cold, prompt, Greedy(8)).text;
  for (int round = 0; round < 4; ++round) {
    CancelSource source;
    std::atomic<bool> begun = false;
    std::thread canceller([&] {
      begun.wait(false);
      source.Cancel(CancelReason::kUserCancel);
    });
    begun = true;
    begun.notify_one();
    const Status started = session->Start(prompt, Greedy(8), source.token());
    canceller.join();
    EXPECT_TRUE(started.ok() || started.code() == Code::kCancelled) << started.ToString();
  }
  EXPECT_EQ(Generate(*session, prompt, Greedy(8)).text, whole);
}

TEST_P(LlmContract, ASessionMayOutliveItsModel) {
  const auto session = Session();
  ASSERT_TRUE(session);
  const std::vector<Token> prompt = Prompt("Name three colours.");
  const std::string text = Generate(*session, prompt, Greedy()).text;
  llm_.reset();
  EXPECT_EQ(Generate(*session, prompt, Greedy()).text, text);
}

TEST_P(LlmContract, MayBeDestroyedInTheMiddle) {
  for (int steps = 0; steps < 3; ++steps) {
    auto session = Session();
    ASSERT_TRUE(session);
    ASSERT_TRUE(session->Start(Prompt("Hello."), Greedy(), {}).ok());
    for (int i = 0; i < steps; ++i) {
      ASSERT_TRUE(session->Next({}).ok());
    }
    session.reset();
  }
}

TEST_P(LlmContract, SessionsServeOneThreadAfterAnother) {
  const auto session = Session();
  ASSERT_TRUE(session);
  const std::vector<Token> prompt = Prompt("Name three colours.");
  const std::string here = Generate(*session, prompt, Greedy()).text;
  std::string there;
  std::thread([&] { there = Generate(*session, prompt, Greedy()).text; }).join();
  EXPECT_EQ(there, here);
}

TEST_P(LlmContract, SessionsOfOneModelRunSideBySide) {
  const auto a = Session();
  const auto b = Session();
  ASSERT_TRUE(a && b);
  const std::vector<Token> first = Prompt("Name three colours.");
  const std::vector<Token> second = Prompt("Count to ten.");
  const std::string alone_a = Generate(*a, first, Greedy()).text;
  const std::string alone_b = Generate(*b, second, Greedy()).text;
  std::string there;
  std::thread thread([&] { there = Generate(*b, second, Greedy()).text; });
  const std::string here = Generate(*a, first, Greedy()).text;
  thread.join();
  EXPECT_EQ(here, alone_a);
  EXPECT_EQ(there, alone_b);
}

TEST_P(LlmContract, TokenizeTakesTextOnly) {
  EXPECT_EQ(llm_->Tokenize("caf\xe9", false, false).status().code(), Code::kInvalidArgument);
  const auto none = llm_->Tokenize("", false, false);
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->empty());
  for (const std::string text : {"Hello.", "\xe6\x97\xa5\xe6\x9c\xac", "\xf0\x9f\x98\x80", " "}) {
    const auto tokens = llm_->Tokenize(text, false, false);
    ASSERT_TRUE(tokens.ok());
    EXPECT_FALSE(tokens->empty());
    EXPECT_TRUE(std::all_of(tokens->begin(), tokens->end(), [this](Token token) {
      return token >= 0 && token < llm_->info().vocab_tokens;
    }));
  }
}

TEST_P(LlmContract, ChatNeedsMessagesThatAreText) {
  if (!llm_->info().has_chat_template) {
    const ChatMessage hello{.role = ChatRole::kUser, .content = "hello"};
    EXPECT_EQ(llm_->RenderChat({&hello, 1}).status().code(), Code::kFailedPrecondition);
    return;
  }
  EXPECT_EQ(llm_->RenderChat({}).status().code(), Code::kInvalidArgument);
  const ChatMessage bad{.role = ChatRole::kUser, .content = "\xff"};
  EXPECT_EQ(llm_->RenderChat({&bad, 1}).status().code(), Code::kInvalidArgument);
}

}  // namespace sotto

#endif  // SOTTO_TESTS_CONTRACT_LLM_CONTRACT_H_
