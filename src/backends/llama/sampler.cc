#include "backends/llama/sampler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <limits>
#include <string>
#include <utility>

namespace sotto::llama {
namespace {

constexpr size_t kPenaltyTokens = 64;  // llama.cpp's own default window

Status OutOfRange(const char* name, float value, const char* range) {
  return InvalidArgumentError(std::string("sampling: ") + name + ": " + std::to_string(value) +
                              ": must be " + range);
}

// Whether every logit can be compared, and the largest. Plain enough to be vectorised.
bool ScanLogits(std::span<const float> logits, float& max_out) {
  float max = -std::numeric_limits<float>::infinity();
  int bad = 0;
  for (const float v : logits) {
    bad |= static_cast<int>(!(v <= std::numeric_limits<float>::max()));
    max = v > max ? v : max;
  }
  max_out = max;
  return bad == 0 && max > -std::numeric_limits<float>::infinity();
}

}  // namespace

Status CheckSampling(const LlmSampling& s) {
  if (!(s.temperature >= 0.0f && s.temperature <= 2.0f)) {
    return OutOfRange("temperature", s.temperature, "0 to 2");
  }
  if (!(s.top_p > 0.0f && s.top_p <= 1.0f)) {
    return OutOfRange("top_p", s.top_p, "over 0, up to 1");
  }
  if (s.top_k < 0) {
    return OutOfRange("top_k", static_cast<float>(s.top_k), "0 or more");
  }
  if (!(s.min_p >= 0.0f && s.min_p < 1.0f)) {
    return OutOfRange("min_p", s.min_p, "0 to under 1");
  }
  if (!(s.repeat_penalty >= 0.5f && s.repeat_penalty <= 2.0f)) {
    return OutOfRange("repeat_penalty", s.repeat_penalty, "0.5 to 2");
  }
  return OkStatus();
}

Result<Sampler> Sampler::Make(const LlmSampling& sampling, const llama_vocab* vocab,
                              std::span<const Token> prompt) {
  Sampler sampler;
  sampler.vocab_tokens_ = llama_vocab_n_tokens(vocab);
  const bool penalises = sampling.repeat_penalty != 1.0f;
  if (sampling.temperature <= 0.0f && !penalises) {
    return sampler;
  }
  llama_sampler_chain_params params = llama_sampler_chain_default_params();
  params.no_perf = true;
  sampler.chain_.reset(llama_sampler_chain_init(params));
  bool whole = sampler.chain_ != nullptr;
  const auto add = [&](llama_sampler* link) {
    whole = whole && link != nullptr;
    if (link != nullptr) {
      llama_sampler_chain_add(sampler.chain_.get(), link);
    }
  };
  if (!whole) {
    return ResourceExhaustedError("llama: sampler: out of memory");
  }
  if (penalises) {
    add(llama_sampler_init_penalties(sampler.vocab_tokens_, static_cast<int32_t>(kPenaltyTokens),
                                     sampling.repeat_penalty, 0.0f, 0.0f));
  }
  if (sampling.temperature <= 0.0f) {
    add(llama_sampler_init_greedy());
  } else {
    if (sampling.top_k > 0) {
      add(llama_sampler_init_top_k(sampling.top_k));
    }
    if (sampling.top_p < 1.0f) {
      add(llama_sampler_init_top_p(sampling.top_p, 1));
    }
    if (sampling.min_p > 0.0f) {
      add(llama_sampler_init_min_p(sampling.min_p, 1));
    }
    add(llama_sampler_init_temp(sampling.temperature));
    // The one seed that llama.cpp takes as "any" stands for its neighbour.
    add(llama_sampler_init_dist(std::min<uint32_t>(sampling.seed, LLAMA_DEFAULT_SEED - 1)));
  }
  if (!whole) {
    return ResourceExhaustedError("llama: sampler: out of memory");
  }
  if (penalises) {
    for (const Token token : prompt.last(std::min(prompt.size(), kPenaltyTokens))) {
      llama_sampler_accept(sampler.chain_.get(), token);
    }
  }
  return sampler;
}

Result<Token> Sampler::Pick(llama_context* context) {
  const float* logits = llama_get_logits_ith(context, -1);
  if (logits == nullptr) {
    return InternalError("llama: sample: no logits");
  }
  const std::span<const float> all(logits, static_cast<size_t>(vocab_tokens_));
  float max = 0.0f;
  if (!ScanLogits(all, max)) {
    return InternalError("llama: decode: logits that are not numbers; the cache was emptied");
  }
  if (!chain_) {
    return static_cast<Token>(std::find(all.begin(), all.end(), max) - all.begin());
  }
  try {
    return llama_sampler_sample(chain_.get(), context, -1);
  } catch (const std::exception& e) {
    return InternalError(std::string("llama: sample: ") + e.what());
  }
}

}  // namespace sotto::llama
