#include "backends/llama/llama_session.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <utility>

#include "backends/llama/llama_log.h"
#include "base/clock.h"

namespace sotto::llama {
namespace {

constexpr size_t kMaxStops = 16;
constexpr size_t kMaxStopBytes = 256;

bool OnAbort(void* user) {
  const CancelToken* cancel = *static_cast<const CancelToken**>(user);
  return cancel != nullptr && cancel->cancelled();
}

// Makes `cancel` the token of the call while it lives.
class CancelScope {
 public:
  CancelScope(const CancelToken*& slot, const CancelToken& cancel) : slot_(slot) {
    slot_ = &cancel;
  }
  ~CancelScope() { slot_ = nullptr; }
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

 private:
  const CancelToken*& slot_;
};

Status CheckStops(const std::vector<std::string>& stops) {
  if (stops.size() > kMaxStops) {
    return InvalidArgumentError("stops: " + std::to_string(stops.size()) + ": at most " +
                                std::to_string(kMaxStops));
  }
  for (const std::string& stop : stops) {
    if (stop.empty() || stop.size() > kMaxStopBytes || ValidateUtf8(stop) != kValidUtf8) {
      return InvalidArgumentError("stops: one of " + std::to_string(stop.size()) +
                                  " bytes: UTF-8 of 1 to " + std::to_string(kMaxStopBytes));
    }
  }
  return OkStatus();
}

}  // namespace

llama_context_params ContextParams(int32_t context_tokens, int32_t num_threads,
                                   int32_t prompt_threads) {
  llama_context_params params = llama_context_default_params();
  params.n_ctx = static_cast<uint32_t>(context_tokens);
  // llama_decode() ends the process when it is given more than n_batch.
  params.n_batch = static_cast<uint32_t>(kMicroBatchTokens);
  params.n_ubatch = static_cast<uint32_t>(kMicroBatchTokens);
  params.n_seq_max = 1;
  // Logits are wanted of one token: room for a whole batch of a large vocabulary is 100 MiB.
  params.n_outputs_max = 1;
  params.n_threads = num_threads;
  params.n_threads_batch = prompt_threads;
  params.swa_full = false;  // the default keeps sliding layers at full length
  params.no_perf = true;
  return params;
}

LlamaSession::LlamaSession(std::shared_ptr<const LlamaWeights> weights,
                           std::shared_ptr<const Tokenizer> tokenizer, ContextPtr context,
                           int32_t context_tokens)
    : weights_(std::move(weights)),
      tokenizer_(std::move(tokenizer)),
      context_(std::move(context)),
      context_tokens_(static_cast<size_t>(context_tokens)),
      positions_(kMicroBatchTokens),
      sequence_counts_(kMicroBatchTokens, 1),
      sequences_(kMicroBatchTokens, &sequence_),
      wants_logits_(kMicroBatchTokens, 0) {
  cached_.reserve(context_tokens_);
  llama_set_abort_callback(context_.get(), OnAbort, &cancel_);
}

Result<std::unique_ptr<LlmSession>> LlamaSession::Make(std::shared_ptr<const LlamaWeights> weights,
                                                       std::shared_ptr<const Tokenizer> tokenizer,
                                                       const LlmSessionOptions& options) {
  ErrorCapture errors;
  try {
    ContextPtr context(llama_init_from_model(
        weights->model.get(),
        ContextParams(options.context_tokens, options.num_threads, options.prompt_threads)));
    if (!context) {
      return ResourceExhaustedError(
          "llama: session: " + std::to_string(options.context_tokens) +
          " tokens: " + (errors.last().empty() ? "no memory; try fewer" : errors.last()));
    }
    return std::unique_ptr<LlmSession>(new LlamaSession(
        std::move(weights), std::move(tokenizer), std::move(context), options.context_tokens));
  } catch (const std::bad_alloc&) {
    return ResourceExhaustedError("llama: session: out of memory");
  } catch (const std::exception& e) {
    return InternalError(std::string("llama: session: ") + e.what());
  }
}

Status LlamaSession::CheckStart(std::span<const Token> prompt,
                                const LlmGenerateOptions& options) const {
  if (prompt.empty()) {
    return InvalidArgumentError("prompt: empty: at least one token is needed");
  }
  const auto bad = std::find_if(prompt.begin(), prompt.end(), [this](Token token) {
    return token < 0 || token >= tokenizer_->num_tokens();
  });
  if (bad != prompt.end()) {
    return InvalidArgumentError("prompt: token " + std::to_string(*bad) +
                                ": the vocabulary ends at " +
                                std::to_string(tokenizer_->num_tokens() - 1));
  }
  if (options.max_tokens < 1) {
    return InvalidArgumentError("max_tokens: " + std::to_string(options.max_tokens) +
                                ": 1 or more");
  }
  SOTTO_RETURN_IF_ERROR(CheckSampling(options.sampling));
  SOTTO_RETURN_IF_ERROR(CheckStops(options.stops));
  if (prompt.size() >= context_tokens_) {
    return ResourceExhaustedError("prompt: " + std::to_string(prompt.size()) +
                                  " tokens: the context holds " + std::to_string(context_tokens_) +
                                  " with the reply; shorten it or ask for a larger context");
  }
  return OkStatus();
}

Status LlamaSession::Start(std::span<const Token> prompt, const LlmGenerateOptions& options,
                           const CancelToken& cancel) {
  generating_ = false;
  SOTTO_RETURN_IF_ERROR(CheckStart(prompt, options));
  SOTTO_RETURN_IF_ERROR(cancel.Check());
  usage_ = {};
  usage_.prompt_tokens = static_cast<int32_t>(prompt.size());
  SOTTO_ASSIGN_OR_RETURN(sampler_, Sampler::Make(options.sampling, weights_->vocab, prompt));
  stops_ = StopFilter(options.stops);
  utf8_ = Utf8Gate();
  max_tokens_ = options.max_tokens;
  undecoded_ = LLAMA_TOKEN_NULL;

  const CancelScope scope(cancel_, cancel);
  const int64_t started_us = SystemClock().NowUs();
  size_t done = KeepPrefix(prompt);
  usage_.reused_tokens = static_cast<int32_t>(done);
  while (done < prompt.size()) {
    const size_t count = std::min<size_t>(kMicroBatchTokens, prompt.size() - done);
    SOTTO_RETURN_IF_ERROR(Decode(prompt.subspan(done, count), cancel));
    done += count;
  }
  usage_.prompt_us = SystemClock().NowUs() - started_us;
  generating_ = true;
  return OkStatus();
}

size_t LlamaSession::KeepPrefix(std::span<const Token> prompt) {
  const auto [mine, theirs] =
      std::mismatch(cached_.begin(), cached_.end(), prompt.begin(), prompt.end());
  // The last token is decoded again at least: its logits are what the reply begins with.
  const size_t keep = std::min(static_cast<size_t>(mine - cached_.begin()), prompt.size() - 1);
  if (keep == cached_.size()) {
    return keep;
  }
  llama_memory_t memory = llama_get_memory(context_.get());
  if (keep > 0 && MayRollBackTo(keep) &&
      llama_memory_seq_rm(memory, sequence_, static_cast<llama_pos>(keep), -1)) {
    cached_.resize(keep);
    return keep;
  }
  // What the cells hold is finite and masked: it may stay, and the whole cache need not be written.
  llama_memory_clear(memory, false);
  cached_.clear();
  return 0;
}

// A sliding layer has forgotten what its window left behind. llama_memory_seq_rm() agrees to any
// length all the same, and the next logits are then wrong.
bool LlamaSession::MayRollBackTo(size_t length) const {
  const int32_t window = llama_model_n_swa(weights_->model.get());
  if (window <= 0) {
    return true;
  }
  const llama_pos oldest = llama_memory_seq_pos_min(llama_get_memory(context_.get()), sequence_);
  return oldest <= 0 || static_cast<llama_pos>(length) - oldest >= window;
}

void LlamaSession::Clear() {
  llama_memory_clear(llama_get_memory(context_.get()), true);
  cached_.clear();
}

Status LlamaSession::Decode(std::span<const Token> tokens, const CancelToken& cancel) {
  const size_t count = tokens.size();
  for (size_t i = 0; i < count; ++i) {
    positions_[i] = static_cast<llama_pos>(cached_.size() + i);
    wants_logits_[i] = static_cast<int8_t>(i + 1 == count);
  }
  llama_batch batch = {};
  batch.n_tokens = static_cast<int32_t>(count);
  batch.token = const_cast<llama_token*>(tokens.data());  // read only, whatever its type says
  batch.pos = positions_.data();
  batch.n_seq_id = sequence_counts_.data();
  batch.seq_id = sequences_.data();
  batch.logits = wants_logits_.data();
  int32_t code = 0;
  try {
    code = llama_decode(context_.get(), batch);
  } catch (const std::exception& e) {
    Clear();
    return InternalError(std::string("llama: decode: ") + e.what() + "; the cache was emptied");
  }
  if (code == 0) {
    cached_.insert(cached_.end(), tokens.begin(), tokens.end());
    return OkStatus();
  }
  if (code == 2) {
    // The batch is out of the cache again, the tokens before it are not. Without a cancel the
    // abort is not ours.
    SOTTO_RETURN_IF_ERROR(cancel.Check());
  }
  Clear();
  if (code == 1) {
    return ResourceExhaustedError("llama: decode: " + std::to_string(count) +
                                  " tokens: no room in the cache; it was emptied");
  }
  return InternalError("llama: decode: batch of " + std::to_string(count) + " tokens: code " +
                       std::to_string(code) + "; the cache was emptied");
}

Result<LlmStep> LlamaSession::Next(const CancelToken& cancel) {
  if (!generating_) {
    return FailedPreconditionError("llama: next: nothing is being generated; call Start() first");
  }
  SOTTO_RETURN_IF_ERROR(cancel.Check());
  const CancelScope scope(cancel_, cancel);
  const int64_t started_us = SystemClock().NowUs();
  Result<LlmStep> step = Step(cancel);
  usage_.decode_us += SystemClock().NowUs() - started_us;
  if (!step.ok() && step.status().code() != Code::kCancelled) {
    generating_ = false;
  }
  return step;
}

Result<LlmStep> LlamaSession::Step(const CancelToken& cancel) {
  if (undecoded_ != LLAMA_TOKEN_NULL) {
    const Token token = undecoded_;
    SOTTO_RETURN_IF_ERROR(Decode({&token, 1}, cancel));
    undecoded_ = LLAMA_TOKEN_NULL;
  }
  const Result<Token> picked = sampler_.Pick(context_.get());
  if (!picked.ok()) {
    Clear();
    return picked.status();
  }
  return Emit(*picked);
}

LlmStep LlamaSession::Emit(Token token) {
  ++usage_.completion_tokens;
  if (llama_vocab_is_eog(weights_->vocab, token)) {
    utf8_.Finish();
    return End(LlmFinish::kStop, stops_.Finish());
  }
  std::string text = stops_.Feed(utf8_.Feed(tokenizer_->Piece(token)));
  if (stops_.stopped()) {
    return End(LlmFinish::kStop, std::move(text));
  }
  if (usage_.completion_tokens >= max_tokens_ || cached_.size() + 1 >= context_tokens_) {
    utf8_.Finish();
    return End(LlmFinish::kLength, text + stops_.Finish());
  }
  undecoded_ = token;
  return {.text = std::move(text), .finish = LlmFinish::kNone};
}

LlmStep LlamaSession::End(LlmFinish finish, std::string text) {
  generating_ = false;
  return {.text = std::move(text), .finish = finish};
}

}  // namespace sotto::llama
