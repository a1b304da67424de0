#include <algorithm>
#include <cstddef>
#include <utility>

#include "backends/llama/chat_template.h"
#include "backends/llama/llama_backend.h"
#include "backends/llama/llama_session.h"
#include "backends/llama/llama_weights.h"
#include "backends/llama/tokenizer.h"

namespace sotto {
namespace llama {
namespace {

constexpr int32_t kMaxThreads = 256;
constexpr int32_t kMinContextTokens = 8;

class LlamaLlm final : public Llm {
 public:
  LlamaLlm(std::shared_ptr<const LlamaWeights> weights, std::shared_ptr<const Tokenizer> tokenizer,
           std::unique_ptr<const ChatTemplate> chat_template, Status template_error)
      : weights_(std::move(weights)),
        tokenizer_(std::move(tokenizer)),
        template_(std::move(chat_template)),
        template_error_(std::move(template_error)) {
    const GgufSummary& file = weights_->file;
    info_.architecture = file.architecture;
    info_.weights_bytes = llama_model_size(weights_->model.get());
    info_.num_parameters = llama_model_n_params(weights_->model.get());
    info_.train_context_tokens = llama_model_n_ctx_train(weights_->model.get());
    info_.vocab_tokens = tokenizer_->num_tokens();
    info_.sliding_window_tokens = llama_model_n_swa(weights_->model.get());
    info_.has_chat_template = template_ != nullptr;
  }

  const LlmInfo& info() const override { return info_; }

  Result<std::vector<Token>> Tokenize(std::string_view text, bool add_special,
                                      bool parse_special) const override {
    return tokenizer_->Tokenize(text, add_special, parse_special);
  }

  Result<std::vector<Token>> RenderChat(std::span<const ChatMessage> messages) const override {
    if (!template_) {
      return template_error_;
    }
    SOTTO_ASSIGN_OR_RETURN(const std::vector<PromptPart> parts, template_->Render(messages));
    return tokenizer_->TokenizePrompt(parts);
  }

  uint64_t SessionBytes(const LlmSessionOptions& options) const override {
    const auto context = static_cast<uint64_t>(std::max(ContextOf(options), 1));
    const GgufSummary& file = weights_->file;
    constexpr uint64_t kCellPadding = 256;
    const uint64_t cells = (context + kCellPadding - 1) / kCellPadding * kCellPadding;
    const uint64_t cache = file.KvBytes(cells, sizeof(uint16_t), kMicroBatchTokens + kCellPadding);
    return cache + ComputeBytes(cells);
  }

  Result<std::unique_ptr<LlmSession>> NewSession(const LlmSessionOptions& options) override {
    if (options.context_tokens < kMinContextTokens) {
      return InvalidArgumentError("context_tokens: " + std::to_string(options.context_tokens) +
                                  ": at least " + std::to_string(kMinContextTokens));
    }
    if (options.num_threads < 1 || options.num_threads > kMaxThreads ||
        options.prompt_threads < 1 || options.prompt_threads > kMaxThreads) {
      return InvalidArgumentError("num_threads: " + std::to_string(options.num_threads) + " and " +
                                  std::to_string(options.prompt_threads) + ": 1 to " +
                                  std::to_string(kMaxThreads));
    }
    LlmSessionOptions clamped = options;
    clamped.context_tokens = ContextOf(options);
    return LlamaSession::Make(weights_, tokenizer_, clamped);
  }

 private:
  // Beyond what it was trained for a model only makes noise.
  int32_t ContextOf(const LlmSessionOptions& options) const {
    return std::min(options.context_tokens, std::max(info_.train_context_tokens, 1));
  }

  // Activations of one micro-batch and the logits of one token.
  uint64_t ComputeBytes(uint64_t cells) const {
    constexpr uint64_t kBatch = kMicroBatchTokens;
    const GgufSummary& file = weights_->file;
    const uint64_t width = std::max<uint64_t>(file.embedding_dim, 64);
    // Residual, normed input, attention in and out, and a feed-forward pair about five times wider.
    const uint64_t activations = kBatch * width * 14 * sizeof(float);
    const uint64_t mask = kBatch * cells * sizeof(uint16_t);
    const uint64_t logits = uint64_t{file.vocab_size} * sizeof(float) * 3;
    return activations + mask + logits + (uint64_t{4} << 20);
  }

  const std::shared_ptr<const LlamaWeights> weights_;
  const std::shared_ptr<const Tokenizer> tokenizer_;
  const std::unique_ptr<const ChatTemplate> template_;
  const Status template_error_;  // why there is none
  LlmInfo info_;
};

}  // namespace
}  // namespace llama

Result<std::unique_ptr<Llm>> MakeLlamaLlm(const std::string& path, const LlamaOptions& options) {
  SOTTO_ASSIGN_OR_RETURN(std::shared_ptr<const llama::LlamaWeights> weights,
                         llama::LoadWeights(path, options));
  if (weights->file.is_embedder || !llama_model_has_decoder(weights->model.get()) ||
      llama_model_has_encoder(weights->model.get())) {
    return InvalidArgumentError("llama: " + path + ": " + weights->file.architecture +
                                ": does not generate text; it may serve as an embedder");
  }
  auto tokenizer = std::make_shared<const llama::Tokenizer>(weights->vocab);
  std::unique_ptr<const llama::ChatTemplate> parsed;
  Status template_error =
      FailedPreconditionError("llama: " + path + ": the file has no chat template");
  if (const char* source = llama_model_chat_template(weights->model.get(), nullptr)) {
    Result<std::unique_ptr<const llama::ChatTemplate>> made =
        llama::ChatTemplate::Parse(source, tokenizer->MarkerText(llama_vocab_bos(weights->vocab)),
                                   tokenizer->MarkerText(llama_vocab_eos(weights->vocab)));
    if (made.ok()) {
      parsed = *std::move(made);
    } else {
      template_error = FailedPreconditionError("llama: " + path + ": " + made.status().message());
    }
  }
  return std::unique_ptr<Llm>(std::make_unique<llama::LlamaLlm>(
      std::move(weights), std::move(tokenizer), std::move(parsed), std::move(template_error)));
}

}  // namespace sotto
