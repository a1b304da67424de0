#include "engine/jobs/generation_job.h"

#include <algorithm>
#include <utility>

namespace sotto {
namespace {

constexpr int32_t kDefaultContextTokens = 4096;
constexpr size_t kMaxPiecesAhead = 256;

}  // namespace

Result<std::unique_ptr<GenerationJob>> GenerationJob::Create(EngineContext& context,
                                                             std::shared_ptr<LoadedModel> model,
                                                             GenerationOptions options) {
  const int32_t trained_tokens = model->llm->info().train_context_tokens;
  LlmSessionOptions session_options;
  session_options.context_tokens = options.context_tokens > 0
                                       ? options.context_tokens
                                       : std::min(trained_tokens, kDefaultContextTokens);
  if (session_options.context_tokens > trained_tokens) {
    return InvalidArgumentError(
        "generate: context of " + std::to_string(session_options.context_tokens) +
        " tokens: the model was trained for " + std::to_string(trained_tokens));
  }
  session_options.num_threads = context.num_threads();
  session_options.prompt_threads = context.num_threads();
  SOTTO_ASSIGN_OR_RETURN(
      Lease lease, context.arbiter().Acquire({.name = model->id + " context",
                                              .bytes = model->llm->SessionBytes(session_options),
                                              .priority = 100}));
  SOTTO_ASSIGN_OR_RETURN(std::unique_ptr<LlmSession> session,
                         model->llm->NewSession(session_options));
  return std::unique_ptr<GenerationJob>(new GenerationJob(
      context, std::move(model), std::move(options), std::move(lease), std::move(session)));
}

GenerationJob::GenerationJob(EngineContext& context, std::shared_ptr<LoadedModel> model,
                             GenerationOptions options, Lease lease,
                             std::unique_ptr<LlmSession> session)
    : context_(context),
      model_(std::move(model)),
      options_(std::move(options)),
      lease_(std::move(lease)),
      session_(std::move(session)),
      messages_(OpeningMessages()) {}

GenerationJob::~GenerationJob() {
  Cancel(CancelReason::kShutdown);
  if (worker_.joinable()) {
    worker_.join();
  }
}

std::vector<ChatMessage> GenerationJob::OpeningMessages() const {
  if (options_.has_system) {
    return options_.system.empty() ? std::vector<ChatMessage>{}
                                   : std::vector<ChatMessage>{{ChatRole::kSystem, options_.system}};
  }
  return options_.use_primer ? model_->primer : std::vector<ChatMessage>{};
}

Status GenerationJob::PushMessage(ChatMessage message) {
  MutexLock lock(mutex_);
  if (running_) {
    return FailedPreconditionError("generate: a reply is being generated; wait for it or cancel");
  }
  messages_.push_back(std::move(message));
  return OkStatus();
}

Status GenerationJob::Prewarm() {
  CancelToken cancel;
  std::vector<ChatMessage> messages;
  {
    MutexLock lock(mutex_);
    if (running_) {
      return FailedPreconditionError("generate: a reply is being generated");
    }
    cancel = cancel_.token();
    messages = messages_;
  }
  if (messages.empty()) {
    return OkStatus();
  }
  SOTTO_ASSIGN_OR_RETURN(const std::vector<Token> prompt, model_->llm->RenderChat(messages));
  SOTTO_ASSIGN_OR_RETURN(const ComputeGate::Pass pass,
                         context_.gate().Enter(ComputePriority::kMind, cancel));
  return session_->Start(prompt, options_.generate, cancel);
}

Status GenerationJob::Start() {
  MutexLock starting(start_mutex_);
  {
    MutexLock lock(mutex_);
    if (running_ && !cancel_.token().cancelled()) {
      return FailedPreconditionError("generate: a reply is being generated; wait for it or cancel");
    }
  }
  if (worker_.joinable()) {
    worker_.join();  // ended, or cancelled and at most one step from its end
  }
  MutexLock lock(mutex_);
  // The primer's questions are answered: what is asked stands behind the last answer.
  const auto last = std::find_if(messages_.rbegin(), messages_.rend(),
                                 [](const ChatMessage& m) { return m.role != ChatRole::kSystem; });
  if (last == messages_.rend() || last->role == ChatRole::kAssistant) {
    return FailedPreconditionError("generate: no user message; push one first");
  }
  cancel_ = CancelSource();
  out_ = std::make_shared<TextEdge>(kMaxPiecesAhead);
  finish_ = LlmFinish::kNone;
  stats_ = {};
  running_ = true;
  worker_ =
      std::thread(&GenerationJob::Run, this, messages_, out_, cancel_.token(), context_.NowUs());
  return OkStatus();
}

void GenerationJob::Run(const std::vector<ChatMessage>& messages,
                        const std::shared_ptr<TextEdge>& out, const CancelToken& cancel,
                        int64_t started_us) {
  Status status = Generate(messages, *out, cancel, started_us);
  running_ = false;
  out->Close(std::move(status));
}

Status GenerationJob::Generate(std::span<const ChatMessage> messages, TextEdge& out,
                               const CancelToken& cancel, int64_t started_us) {
  SOTTO_ASSIGN_OR_RETURN(const std::vector<Token> prompt, model_->llm->RenderChat(messages));
  {
    SOTTO_ASSIGN_OR_RETURN(const ComputeGate::Pass pass,
                           context_.gate().Enter(ComputePriority::kMind, cancel));
    SOTTO_RETURN_IF_ERROR(session_->Start(prompt, options_.generate, cancel));
  }
  for (LlmFinish finish = LlmFinish::kNone; finish == LlmFinish::kNone;) {
    LlmStep step;
    {
      SOTTO_ASSIGN_OR_RETURN(const ComputeGate::Pass pass,
                             context_.gate().Enter(ComputePriority::kMind, cancel));
      SOTTO_ASSIGN_OR_RETURN(step, session_->Next(cancel));
    }
    finish = step.finish;
    {
      MutexLock lock(mutex_);
      stats_.usage = session_->usage();
      finish_ = finish;
      if (stats_.first_token_us < 0) {
        stats_.first_token_us = context_.NowUs() - started_us;
      }
    }
    if (!step.text.empty() && !out.Push(std::move(step.text))) {
      return cancel.Check();
    }
  }
  return OkStatus();
}

GenerationEvent GenerationJob::Next(int64_t timeout_ms) {
  std::shared_ptr<TextEdge> out;
  {
    MutexLock lock(mutex_);
    out = out_;
  }
  GenerationEvent event;
  if (out == nullptr) {
    return event;  // nothing was started yet
  }
  Popped<std::string> popped = out->Pop(timeout_ms);
  if (popped.item.has_value()) {
    event.type = GenerationEvent::Type::kText;
    event.text = *std::move(popped.item);
  } else if (popped.closed) {
    MutexLock lock(mutex_);
    event.type = GenerationEvent::Type::kDone;
    event.finish = popped.end.ok() ? finish_ : LlmFinish::kNone;
    event.status = std::move(popped.end);
  }
  return event;
}

GenerationStats GenerationJob::stats() const {
  MutexLock lock(mutex_);
  return stats_;
}

void GenerationJob::Cancel(CancelReason reason) {
  MutexLock lock(mutex_);
  cancel_.Cancel(reason);
  if (out_ != nullptr) {
    out_->Interrupt(cancel_.token().Check());
  }
}

}  // namespace sotto
