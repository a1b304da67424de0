// GenerationJob: replies of a language model to a growing list of messages.
#ifndef SOTTO_ENGINE_JOBS_GENERATION_JOB_H_
#define SOTTO_ENGINE_JOBS_GENERATION_JOB_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/jobs/context.h"
#include "engine/pipeline/edge.h"

namespace sotto {

struct GenerationOptions {
  LlmGenerateOptions generate;
  int32_t context_tokens = 0;  // 0: min(the model's, 4096)
  bool use_primer = true;      // start from the pack's primer, unless `system` is given
  bool has_system = false;
  std::string system;
};

struct GenerationStats {
  LlmUsage usage;
  int64_t first_token_us = -1;  // from Start() to the first token
};

struct GenerationEvent {
  enum class Type : int32_t { kNone = 0, kText = 1, kDone = 2 };
  Type type = Type::kNone;
  std::string text;  // kText: continues the reply, whole characters only
  Status status;     // kDone
  LlmFinish finish = LlmFinish::kNone;
};

// Any thread; Next() from one at a time.
class GenerationJob final : public Job {
 public:
  // Leases the session's memory and opens it. RESOURCE_EXHAUSTED, or the backend's error.
  static Result<std::unique_ptr<GenerationJob>> Create(EngineContext& context,
                                                       std::shared_ptr<LoadedModel> model,
                                                       GenerationOptions options);
  ~GenerationJob() override;

  // FAILED_PRECONDITION while a reply is being generated.
  Status PushMessage(ChatMessage message);
  // Puts the system text and primer into the cache ahead of the first reply, so that Start() has
  // less to do. Waits; CANCELLED by Cancel(). FAILED_PRECONDITION while a reply is generated.
  Status Prewarm();
  // FAILED_PRECONDITION without a user message, or while a reply is being generated.
  Status Start();
  // Text is held for a reader that is late; the generation goes on up to 256 pieces ahead.
  GenerationEvent Next(int64_t timeout_ms);
  GenerationStats stats() const;

  void Cancel(CancelReason reason) override;
  bool finished() const override { return !running_.load(std::memory_order_acquire); }

 private:
  using TextEdge = Edge<std::string>;

  GenerationJob(EngineContext& context, std::shared_ptr<LoadedModel> model,
                GenerationOptions options, Lease lease, std::unique_ptr<LlmSession> session);
  std::vector<ChatMessage> OpeningMessages() const;
  void Run(const std::vector<ChatMessage>& messages, const std::shared_ptr<TextEdge>& out,
           const CancelToken& cancel, int64_t started_us);
  Status Generate(std::span<const ChatMessage> messages, TextEdge& out, const CancelToken& cancel,
                  int64_t started_us);

  EngineContext& context_;
  const std::shared_ptr<LoadedModel> model_;
  const GenerationOptions options_;
  const Lease lease_;
  const std::unique_ptr<LlmSession> session_;  // of the worker, or of Prewarm()'s caller

  Mutex start_mutex_ SOTTO_ACQUIRED_BEFORE(mutex_);
  mutable Mutex mutex_;
  std::vector<ChatMessage> messages_ SOTTO_GUARDED_BY(mutex_);
  CancelSource cancel_ SOTTO_GUARDED_BY(mutex_);
  std::shared_ptr<TextEdge> out_ SOTTO_GUARDED_BY(mutex_);
  LlmFinish finish_ SOTTO_GUARDED_BY(mutex_) = LlmFinish::kNone;
  GenerationStats stats_ SOTTO_GUARDED_BY(mutex_);
  std::atomic<bool> running_{false};
  std::thread worker_;  // joined before the next run and at the end
};

}  // namespace sotto

#endif  // SOTTO_ENGINE_JOBS_GENERATION_JOB_H_
