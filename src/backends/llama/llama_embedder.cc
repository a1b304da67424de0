#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <new>
#include <utility>

#include "backends/llama/llama_backend.h"
#include "backends/llama/llama_log.h"
#include "backends/llama/llama_weights.h"
#include "backends/llama/tokenizer.h"
#include "text/utf8.h"

namespace sotto {
namespace llama {
namespace {

constexpr int32_t kMaxThreads = 256;
constexpr int32_t kMaxTokens = 512;  // BERT's positions; more costs memory and nobody embeds it

bool OnAbort(void* user) {
  const CancelToken* cancel = *static_cast<const CancelToken**>(user);
  return cancel != nullptr && cancel->cancelled();
}

class LlamaEmbedder final : public Embedder {
 public:
  LlamaEmbedder(std::shared_ptr<const LlamaWeights> weights, ContextPtr context, int32_t max_tokens)
      : weights_(std::move(weights)),
        tokenizer_(weights_->vocab),
        context_(std::move(context)),
        dimensions_(llama_model_n_embd_out(weights_->model.get())),
        max_tokens_(max_tokens) {
    llama_set_abort_callback(context_.get(), OnAbort, &cancel_);
  }

  int32_t dimensions() const override { return dimensions_; }
  int32_t max_tokens() const override { return max_tokens_; }

  Result<std::vector<float>> Embed(std::string_view text, const CancelToken& cancel) override {
    if (text.empty()) {
      return InvalidArgumentError("embed: empty text: at least one character is needed");
    }
    SOTTO_ASSIGN_OR_RETURN(std::vector<Token> tokens, tokenizer_.Tokenize(text, true, false));
    if (tokens.empty()) {
      return InvalidArgumentError("embed: no token in " + std::to_string(text.size()) + " bytes");
    }
    if (static_cast<int32_t>(tokens.size()) > max_tokens_) {
      const Token last = tokens.back();  // the separator, where the model has one
      tokens.resize(static_cast<size_t>(max_tokens_));
      tokens.back() = last;
    }
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    SOTTO_RETURN_IF_ERROR(Run(tokens, cancel));
    return Normalised();
  }

 private:
  Status Run(std::vector<Token>& tokens, const CancelToken& cancel) {
    int32_t code = 0;
    cancel_ = &cancel;
    try {
      llama_memory_t memory = llama_get_memory(context_.get());
      if (memory != nullptr) {
        llama_memory_clear(memory, true);
      }
      const llama_batch batch =
          llama_batch_get_one(tokens.data(), static_cast<int32_t>(tokens.size()));
      code = weights_->file.is_causal ? llama_decode(context_.get(), batch)
                                      : llama_encode(context_.get(), batch);
    } catch (const std::exception& e) {
      cancel_ = nullptr;
      return InternalError(std::string("llama: embed: ") + e.what());
    }
    cancel_ = nullptr;
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    return code == 0 ? OkStatus()
                     : InternalError("llama: embed: " + std::to_string(tokens.size()) +
                                     " tokens: code " + std::to_string(code));
  }

  Result<std::vector<float>> Normalised() const {
    const float* values = llama_get_embeddings_seq(context_.get(), 0);
    if (values == nullptr) {
      return InternalError("llama: embed: no embedding");
    }
    std::vector<float> out(values, values + dimensions_);
    double sum = 0.0;
    for (const float v : out) {
      sum += double{v} * double{v};
    }
    if (!(sum > 0.0) || !std::isfinite(sum)) {
      return InternalError("llama: embed: the embedding has no direction");
    }
    const auto scale = static_cast<float>(1.0 / std::sqrt(sum));
    for (float& v : out) {
      v *= scale;
    }
    return out;
  }

  const std::shared_ptr<const LlamaWeights> weights_;
  const Tokenizer tokenizer_;
  const ContextPtr context_;
  const int32_t dimensions_;
  const int32_t max_tokens_;
  const CancelToken* cancel_ = nullptr;
};

}  // namespace
}  // namespace llama

Result<std::unique_ptr<Embedder>> MakeLlamaEmbedder(const std::string& path,
                                                    const LlamaEmbedderOptions& options) {
  if (options.num_threads < 1 || options.num_threads > llama::kMaxThreads) {
    return InvalidArgumentError("num_threads: " + std::to_string(options.num_threads) + ": 1 to " +
                                std::to_string(llama::kMaxThreads));
  }
  SOTTO_ASSIGN_OR_RETURN(std::shared_ptr<const llama::LlamaWeights> weights,
                         llama::LoadWeights(path, {}));
  if (weights->file.pooling_type == 0) {
    return InvalidArgumentError("llama: " + path + ": " + weights->file.architecture +
                                ": states no pooling, so it makes no text embeddings");
  }
  const int32_t max_tokens =
      std::min(llama_model_n_ctx_train(weights->model.get()), llama::kMaxTokens);
  llama_context_params params = llama_context_default_params();
  params.n_ctx = static_cast<uint32_t>(max_tokens);
  params.n_batch = params.n_ctx;  // attention looks both ways: a text is one batch
  params.n_ubatch = params.n_ctx;
  params.n_seq_max = 1;
  params.n_threads = options.num_threads;
  params.n_threads_batch = options.num_threads;
  params.embeddings = true;
  params.swa_full = false;
  params.no_perf = true;
  llama::ErrorCapture errors;
  try {
    llama::ContextPtr context(llama_init_from_model(weights->model.get(), params));
    if (!context) {
      return ResourceExhaustedError("llama: " + path + ": " +
                                    (errors.last().empty() ? "no memory" : errors.last()));
    }
    return std::unique_ptr<Embedder>(
        std::make_unique<llama::LlamaEmbedder>(std::move(weights), std::move(context), max_tokens));
  } catch (const std::bad_alloc&) {
    return ResourceExhaustedError("llama: " + path + ": out of memory");
  } catch (const std::exception& e) {
    return InternalError("llama: " + path + ": " + e.what());
  }
}

}  // namespace sotto
