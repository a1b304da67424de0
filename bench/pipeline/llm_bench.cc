// Prompt and decode speed: our session, and a bare loop over llama.h as llama-bench runs it.
//
//   SOTTO_MODELS_DIR=... llm_bench --benchmark_enable_random_interleaving=true
//       --benchmark_repetitions=9 --benchmark_report_aggregates_only=true
//
// SOTTO_BENCH_LLM names the model file [llm/SmolLM2-135M-Instruct.Q4_1.gguf]. One thread each,
// greedy, the same tokens; `tok_s` is tokens per second of wall time.
#include <benchmark/benchmark.h>
#include <llama.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "backends/llama/llama_backend.h"

namespace sotto {
namespace {

// Prompts of one micro-batch of ours, and of seven.
constexpr int32_t kPromptTokens = 128;
constexpr int32_t kLongPromptTokens = 896;
constexpr int32_t kReplyTokens = 32;
constexpr int32_t kContextTokens = 1024;

std::string ModelFile() {
  const char* folder = std::getenv("SOTTO_MODELS_DIR");  // NOLINT(concurrency-mt-unsafe)
  const char* name = std::getenv("SOTTO_BENCH_LLM");     // NOLINT(concurrency-mt-unsafe)
  return std::string(folder == nullptr ? "." : folder) + "/" +
         (name == nullptr ? "llm/SmolLM2-135M-Instruct.Q4_1.gguf" : name);
}

// Differs by `round`, so that no prefix is kept.
std::vector<Token> Prompt(int32_t vocab, int64_t round, int64_t length = kPromptTokens) {
  std::vector<Token> tokens;
  for (int64_t i = 0; i < length; ++i) {
    tokens.push_back(static_cast<Token>(100 + (round * 7919 + i * 31) % (vocab - 200)));
  }
  return tokens;
}

void Count(benchmark::State& state, int64_t tokens) {
  state.counters["tok_s"] = benchmark::Counter(static_cast<double>(tokens),
                                               benchmark::Counter::kIsIterationInvariantRate);
}

struct OurSide {
  std::unique_ptr<Llm> llm;
  std::unique_ptr<LlmSession> session;
};

OurSide* Ours() {
  static OurSide* const side = [] {
    auto* made = new OurSide;
    auto llm = MakeLlamaLlm(ModelFile());
    if (llm.ok()) {
      made->llm = *std::move(llm);
      LlmSessionOptions options;
      options.context_tokens = kContextTokens;
      auto session = made->llm->NewSession(options);
      if (session.ok()) {
        made->session = *std::move(session);
      }
    }
    return made;
  }();
  return side;
}

struct BareSide {
  llama_model* model = nullptr;
  llama_context* context = nullptr;
};

BareSide* Bare() {
  static BareSide* const side = [] {
    auto* made = new BareSide;
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    llama_model_params model = llama_model_default_params();
    model.n_gpu_layers = 0;
    made->model = llama_model_load_from_file(ModelFile().c_str(), model);
    if (made->model != nullptr) {
      llama_context_params params = llama_context_default_params();
      params.n_ctx = kContextTokens;
      params.n_threads = 1;
      params.n_threads_batch = 1;
      made->context = llama_init_from_model(made->model, params);
    }
    return made;
  }();
  return side;
}

LlmGenerateOptions Greedy() {
  LlmGenerateOptions options;
  options.max_tokens = kReplyTokens + 1;
  options.sampling.temperature = 0.0f;
  return options;
}

void PromptOurs(benchmark::State& state) {
  OurSide* side = Ours();
  if (!side->session) {
    state.SkipWithError("no model");
    return;
  }
  int64_t round = 0;
  for (auto _ : state) {
    const Status started = side->session->Start(
        Prompt(side->llm->info().vocab_tokens, ++round, state.range(0)), Greedy(), {});
    if (!started.ok()) {
      state.SkipWithError(started.message().c_str());
      return;
    }
  }
  Count(state, state.range(0));
}

void PromptBare(benchmark::State& state) {
  BareSide* side = Bare();
  if (side->context == nullptr) {
    state.SkipWithError("no model");
    return;
  }
  const int32_t vocab = llama_vocab_n_tokens(llama_model_get_vocab(side->model));
  int64_t round = 0;
  for (auto _ : state) {
    llama_memory_clear(llama_get_memory(side->context), false);
    std::vector<Token> prompt = Prompt(vocab, ++round, state.range(0));
    llama_decode(side->context,
                 llama_batch_get_one(prompt.data(), static_cast<int32_t>(prompt.size())));
    llama_synchronize(side->context);
  }
  Count(state, state.range(0));
}

void DecodeOurs(benchmark::State& state) {
  OurSide* side = Ours();
  if (!side->session) {
    state.SkipWithError("no model");
    return;
  }
  const std::vector<Token> prompt = Prompt(side->llm->info().vocab_tokens, 1);
  int64_t tokens = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const bool started = side->session->Start(prompt, Greedy(), {}).ok();
    state.ResumeTiming();
    for (int32_t i = 0; started && i < kReplyTokens; ++i) {
      const auto step = side->session->Next({});
      ++tokens;
      if (!step.ok() || step->finish != LlmFinish::kNone) {
        break;
      }
    }
  }
  state.counters["tok_s"] =
      benchmark::Counter(static_cast<double>(tokens), benchmark::Counter::kIsRate);
}

// What our loop does per token and nothing more: pick the most likely, make its text, decode it.
void DecodeBare(benchmark::State& state) {
  BareSide* side = Bare();
  if (side->context == nullptr) {
    state.SkipWithError("no model");
    return;
  }
  const llama_vocab* vocab = llama_model_get_vocab(side->model);
  const int32_t vocab_tokens = llama_vocab_n_tokens(vocab);
  std::vector<Token> prompt = Prompt(vocab_tokens, 1);
  int64_t tokens = 0;
  for (auto _ : state) {
    state.PauseTiming();
    llama_memory_clear(llama_get_memory(side->context), false);
    llama_decode(side->context, llama_batch_get_one(prompt.data(), kPromptTokens));
    state.ResumeTiming();
    for (int32_t i = 0; i < kReplyTokens; ++i) {
      const float* logits = llama_get_logits_ith(side->context, -1);
      Token token = static_cast<Token>(std::max_element(logits, logits + vocab_tokens) - logits);
      ++tokens;
      if (llama_vocab_is_eog(vocab, token)) {
        break;
      }
      if (i + 1 < kReplyTokens) {
        llama_decode(side->context, llama_batch_get_one(&token, 1));
      }
    }
  }
  state.counters["tok_s"] =
      benchmark::Counter(static_cast<double>(tokens), benchmark::Counter::kIsRate);
}

BENCHMARK(PromptOurs)->Arg(kPromptTokens)->Arg(kLongPromptTokens)->Unit(benchmark::kMillisecond);
BENCHMARK(PromptBare)->Arg(kPromptTokens)->Arg(kLongPromptTokens)->Unit(benchmark::kMillisecond);
BENCHMARK(DecodeOurs)->Unit(benchmark::kMillisecond);
BENCHMARK(DecodeBare)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sotto
