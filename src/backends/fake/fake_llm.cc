#include "backends/fake/fake_llm.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "text/utf8.h"

namespace sotto {
namespace {

constexpr std::array<std::string_view, 5> kMarkerTexts = {"<|system|>", "<|user|>", "<|assistant|>",
                                                          "<|tool|>", "<|end|>"};
constexpr size_t kMicroBatchTokens = 64;

std::string TextOf(std::span<const Token> tokens) {
  std::string text;
  for (const Token token : tokens) {
    if (token < kFakeRoleMarker) {
      text += static_cast<char>(static_cast<unsigned char>(token));
    } else {
      text += kMarkerTexts[static_cast<size_t>(token - kFakeRoleMarker)];
    }
  }
  return text;
}

std::string DefaultReply(std::string_view prompt) {
  const std::string_view user = kMarkerTexts[1];
  const size_t begin = prompt.rfind(user);
  if (begin == std::string_view::npos) {
    return "You said: " + std::string(prompt);
  }
  const size_t from = begin + user.size();
  return "You said: " + std::string(prompt.substr(from, prompt.find(kMarkerTexts[4], from) - from));
}

bool Within(float value, float low, float high) { return value >= low && value <= high; }

Status CheckOptions(const LlmGenerateOptions& options) {
  const LlmSampling& s = options.sampling;
  if (options.max_tokens < 1 || !Within(s.temperature, 0.0f, 2.0f) ||
      !Within(s.top_p, 0.0f, 1.0f) || s.top_p == 0.0f || s.top_k < 0 ||
      !Within(s.min_p, 0.0f, 1.0f) || s.min_p == 1.0f) {
    return InvalidArgumentError("fake model: generate: a setting is out of its range");
  }
  for (const std::string& stop : options.stops) {
    if (stop.empty() || ValidateUtf8(stop) != kValidUtf8) {
      return InvalidArgumentError("fake model: stops: empty or not UTF-8");
    }
  }
  return OkStatus();
}

class FakeSession final : public LlmSession {
 public:
  FakeSession(std::shared_ptr<const FakeLlmScript> script, int32_t context_tokens)
      : script_(std::move(script)), context_tokens_(static_cast<size_t>(context_tokens)) {}

  Status Start(std::span<const Token> prompt, const LlmGenerateOptions& options,
               const CancelToken& cancel) override {
    generating_ = false;
    SOTTO_RETURN_IF_ERROR(CheckPrompt(prompt));
    SOTTO_RETURN_IF_ERROR(CheckOptions(options));
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    usage_ = {};
    usage_.prompt_tokens = static_cast<int32_t>(prompt.size());
    size_t keep = 0;
    while (keep < cached_.size() && keep + 1 < prompt.size() && cached_[keep] == prompt[keep]) {
      ++keep;
    }
    cached_.resize(keep);
    usage_.reused_tokens = static_cast<int32_t>(keep);
    while (cached_.size() < prompt.size()) {
      SOTTO_RETURN_IF_ERROR(RunHook(-1));
      SOTTO_RETURN_IF_ERROR(cancel.Check());
      const size_t count = std::min(kMicroBatchTokens, prompt.size() - cached_.size());
      const auto next = prompt.subspan(cached_.size(), count);
      cached_.insert(cached_.end(), next.begin(), next.end());
      ++usage_.prompt_us;
    }
    const std::string text = TextOf(prompt);
    const uint32_t seed = options.sampling.temperature > 0.0f ? options.sampling.seed : 0;
    reply_ = script_->reply ? script_->reply(text, seed) : DefaultReply(text);
    at_ = 0;
    finish_ = LlmFinish::kStop;
    CutAtStop(options.stops);
    const size_t room =
        std::min(static_cast<size_t>(options.max_tokens), context_tokens_ - prompt.size());
    if (reply_.size() >= room) {
      finish_ = reply_.size() == room && finish_ == LlmFinish::kStop ? LlmFinish::kStop
                                                                     : LlmFinish::kLength;
      reply_.resize(room);
    }
    gate_ = Utf8Gate();
    steps_ = 0;
    generating_ = true;
    return OkStatus();
  }

  Result<LlmStep> Next(const CancelToken& cancel) override {
    if (!generating_) {
      return FailedPreconditionError("fake model: next: nothing is being generated");
    }
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    SOTTO_RETURN_IF_ERROR(RunHook(steps_));
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    ++steps_;
    LlmStep step;
    const size_t count =
        std::min(static_cast<size_t>(script_->bytes_per_step), reply_.size() - at_);
    for (const char c : reply_.substr(at_, count)) {
      cached_.push_back(static_cast<unsigned char>(c));
    }
    step.text = gate_.Feed(std::string_view(reply_).substr(at_, count));
    at_ += count;
    usage_.completion_tokens += static_cast<int32_t>(count);
    ++usage_.decode_us;
    if (at_ == reply_.size()) {
      gate_.Finish();
      step.finish = finish_;
      generating_ = false;
    }
    return step;
  }

  LlmUsage usage() const override { return usage_; }

 private:
  Status CheckPrompt(std::span<const Token> prompt) const {
    if (prompt.empty() || std::any_of(prompt.begin(), prompt.end(), [](Token token) {
          return token < 0 || token >= kFakeVocabTokens;
        })) {
      return InvalidArgumentError("fake model: prompt: empty or with a token that does not exist");
    }
    if (prompt.size() >= context_tokens_) {
      return ResourceExhaustedError("fake model: prompt: " + std::to_string(prompt.size()) +
                                    " tokens: the context holds " +
                                    std::to_string(context_tokens_));
    }
    return OkStatus();
  }

  Status RunHook(int64_t step) const {
    return script_->before_step ? script_->before_step(step) : OkStatus();
  }

  void CutAtStop(const std::vector<std::string>& stops) {
    size_t first = reply_.size();
    for (const std::string& stop : stops) {
      first = std::min(first, reply_.find(stop));
    }
    reply_.resize(std::min(first, reply_.size()));
  }

  const std::shared_ptr<const FakeLlmScript> script_;
  const size_t context_tokens_;
  std::vector<Token> cached_;
  std::string reply_;
  size_t at_ = 0;
  int64_t steps_ = 0;
  LlmFinish finish_ = LlmFinish::kStop;
  Utf8Gate gate_;
  LlmUsage usage_;
  bool generating_ = false;
};

class FakeLlm final : public Llm {
 public:
  explicit FakeLlm(FakeLlmScript script)
      : script_(std::make_shared<const FakeLlmScript>(std::move(script))) {
    info_.architecture = "fake";
    info_.weights_bytes = 1;
    info_.num_parameters = 1;
    info_.train_context_tokens = script_->train_context_tokens;
    info_.vocab_tokens = kFakeVocabTokens;
    info_.has_chat_template = script_->has_chat_template;
  }

  const LlmInfo& info() const override { return info_; }

  Result<std::vector<Token>> Tokenize(std::string_view text, bool /*add_special*/,
                                      bool parse_special) const override {
    if (ValidateUtf8(text) != kValidUtf8) {
      return InvalidArgumentError("fake model: tokenize: not UTF-8");
    }
    std::vector<Token> tokens;
    while (!text.empty()) {
      const auto marker =
          std::find_if(kMarkerTexts.begin(), kMarkerTexts.end(),
                       [&](std::string_view m) { return parse_special && text.starts_with(m); });
      if (marker != kMarkerTexts.end()) {
        tokens.push_back(kFakeRoleMarker + static_cast<Token>(marker - kMarkerTexts.begin()));
        text.remove_prefix(marker->size());
      } else {
        tokens.push_back(static_cast<unsigned char>(text.front()));
        text.remove_prefix(1);
      }
    }
    return tokens;
  }

  Result<std::vector<Token>> RenderChat(std::span<const ChatMessage> messages) const override {
    if (!script_->has_chat_template) {
      return FailedPreconditionError("fake model: chat: the script has no template");
    }
    if (messages.empty()) {
      return InvalidArgumentError("fake model: chat: no message");
    }
    std::vector<Token> tokens;
    for (const ChatMessage& message : messages) {
      SOTTO_ASSIGN_OR_RETURN(const std::vector<Token> content,
                             Tokenize(message.content, false, false));
      tokens.push_back(kFakeRoleMarker + static_cast<Token>(message.role));
      tokens.insert(tokens.end(), content.begin(), content.end());
      tokens.push_back(kFakeTurnEnd);
    }
    tokens.push_back(kFakeRoleMarker + static_cast<Token>(ChatRole::kAssistant));
    return tokens;
  }

  uint64_t SessionBytes(const LlmSessionOptions& options) const override {
    return static_cast<uint64_t>(std::max(options.context_tokens, 0)) * sizeof(Token);
  }

  Result<std::unique_ptr<LlmSession>> NewSession(const LlmSessionOptions& options) override {
    SOTTO_RETURN_IF_ERROR(script_->session_status);
    if (options.context_tokens < 8 || options.num_threads < 1 || options.prompt_threads < 1) {
      return InvalidArgumentError("fake model: session: a setting is out of its range");
    }
    return std::unique_ptr<LlmSession>(std::make_unique<FakeSession>(
        script_, std::min(options.context_tokens, info_.train_context_tokens)));
  }

 private:
  const std::shared_ptr<const FakeLlmScript> script_;
  LlmInfo info_;
};

}  // namespace

std::unique_ptr<Llm> MakeFakeLlm(FakeLlmScript script) {
  return std::make_unique<FakeLlm>(std::move(script));
}

}  // namespace sotto
