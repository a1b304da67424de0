#include "sotto/generate.h"

#include <cmath>
#include <string>

#include "capi/guard.h"
#include "capi/handles.h"
#include "engine/jobs/generation_job.h"
#include "text/utf8.h"

using sotto::GenerationEvent;
using sotto::GenerationJob;
using sotto::GenerationOptions;
using sotto::GenerationStats;
using sotto::Status;

struct sotto_generation {
  sotto::capi::JobHandle<GenerationJob> job;
  std::string text;  // what the last event points to
};

namespace sotto::capi {
namespace {

Result<GenerationOptions> ReadOptions(const sotto_generation_config* from) {
  sotto_generation_config config;
  sotto_generation_config_init(&config);
  SOTTO_RETURN_IF_ERROR(ReadConfig(from, &config));
  SOTTO_RETURN_IF_ERROR(CheckRange("max_tokens", config.max_tokens, 1u, 1'000'000u));
  if (config.context_tokens != 0) {
    SOTTO_RETURN_IF_ERROR(CheckRange("context_tokens", config.context_tokens, 256u, 1u << 24));
  }
  SOTTO_RETURN_IF_ERROR(CheckRange("temperature", config.temperature, 0.0f, 2.0f));
  SOTTO_RETURN_IF_ERROR(CheckRange("top_p", config.top_p, 1e-6f, 1.0f));
  SOTTO_RETURN_IF_ERROR(CheckRange("top_k", config.top_k, 0, 1000));
  SOTTO_RETURN_IF_ERROR(CheckRange("min_p", config.min_p, 0.0f, 0.999f));
  SOTTO_RETURN_IF_ERROR(CheckRange("repeat_penalty", config.repeat_penalty, 0.5f, 2.0f));
  SOTTO_RETURN_IF_ERROR(CheckRange<size_t>("num_stops", config.num_stops, 0, 16));

  GenerationOptions options;
  options.generate.max_tokens = static_cast<int32_t>(config.max_tokens);
  options.generate.sampling = {.temperature = config.temperature,
                               .top_p = config.top_p,
                               .top_k = config.top_k,
                               .min_p = config.min_p,
                               .repeat_penalty = config.repeat_penalty,
                               .seed = config.seed};
  for (size_t i = 0; i < config.num_stops; ++i) {
    SOTTO_REQUIRE_ARGUMENT("sotto_generation_create", config.stops);
    SOTTO_REQUIRE_ARGUMENT("sotto_generation_create", config.stops[i]);
    options.generate.stops.emplace_back(config.stops[i]);
  }
  options.context_tokens = static_cast<int32_t>(config.context_tokens);
  options.use_primer = config.primer != 0;
  options.has_system = config.system != nullptr;
  options.system = OrEmpty(config.system);
  if (ValidateUtf8(options.system) != kValidUtf8) {
    return InvalidArgumentError("system: not UTF-8; give UTF-8 text");
  }
  return options;
}

}  // namespace
}  // namespace sotto::capi

using sotto::capi::CheckRange;
using sotto::capi::Guard;

extern "C" {

void sotto_generation_config_init(sotto_generation_config* config) {
  if (config == nullptr) {
    return;
  }
  *config = {};
  config->struct_size = sizeof *config;
  config->max_tokens = 512;
  config->temperature = 0.7f;
  config->top_p = 0.95f;
  config->top_k = 40;
  config->min_p = 0.05f;
  config->repeat_penalty = 1.0f;
  config->primer = 1;
}

sotto_status sotto_generation_create(sotto_engine* engine, const sotto_generation_config* config,
                                     sotto_generation** out_generation) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_generation_create", out_generation);
    *out_generation = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_generation_create", engine);
    SOTTO_REQUIRE_ARGUMENT("sotto_generation_create", config);
    SOTTO_ASSIGN_OR_RETURN(GenerationOptions options, sotto::capi::ReadOptions(config));
    sotto::capi::Runtime& runtime = *engine->runtime;
    SOTTO_ASSIGN_OR_RETURN(std::shared_ptr<sotto::LoadedModel> model,
                           runtime.models().Load({.role = sotto::ModelRole::kText,
                                                  .profile = sotto::ModelProfile::kDefault,
                                                  .id = sotto::capi::OrEmpty(config->model)}));
    SOTTO_ASSIGN_OR_RETURN(
        std::unique_ptr<GenerationJob> job,
        GenerationJob::Create(runtime.context(), std::move(model), std::move(options)));
    *out_generation = new sotto_generation{{engine->runtime, std::move(job)}, {}};
    return sotto::OkStatus();
  });
}

sotto_status sotto_generation_push_message(sotto_generation* generation, int32_t role,
                                           const char* text, size_t text_bytes) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_generation_push_message", generation);
    SOTTO_REQUIRE_ARGUMENT("sotto_generation_push_message", text);
    SOTTO_RETURN_IF_ERROR(CheckRange<int32_t>("role", role, SOTTO_CHAT_SYSTEM, SOTTO_CHAT_TOOL));
    SOTTO_RETURN_IF_ERROR(sotto::capi::CheckBytes(text_bytes));
    const std::string_view view(text, text_bytes);
    if (const size_t bad = sotto::ValidateUtf8(view); bad != sotto::kValidUtf8) {
      return sotto::InvalidArgumentError("generate: message: not UTF-8 at byte " +
                                         std::to_string(bad) + "; give UTF-8 text");
    }
    return generation->job->PushMessage({static_cast<sotto::ChatRole>(role), std::string(view)});
  });
}

sotto_status sotto_generation_start(sotto_generation* generation) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_generation_start", generation);
    return generation->job->Start();
  });
}

sotto_status sotto_generation_next(sotto_generation* generation, sotto_generation_event* event,
                                   int64_t timeout_ms) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_generation_next", generation);
    SOTTO_REQUIRE_ARGUMENT("sotto_generation_next", event);
    GenerationEvent next = generation->job->Next(timeout_ms);
    generation->text = std::move(next.text);
    sotto_generation_event out = {};
    out.type = static_cast<int32_t>(next.type);
    out.finish = static_cast<int32_t>(next.finish);
    out.text = generation->text.c_str();
    out.text_bytes = static_cast<uint32_t>(generation->text.size());
    // The event's error is this thread's last message, so that a host can show it.
    out.status = sotto::capi::Publish(next.status);
    return sotto::capi::WriteEvent(out, event);
  });
}

sotto_status sotto_generation_stats_get(sotto_generation* generation,
                                        sotto_generation_stats* stats) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_generation_stats_get", generation);
    SOTTO_REQUIRE_ARGUMENT("sotto_generation_stats_get", stats);
    const GenerationStats now = generation->job->stats();
    sotto_generation_stats out = {};
    out.prompt_tokens = static_cast<uint32_t>(now.usage.prompt_tokens);
    out.reused_tokens = static_cast<uint32_t>(now.usage.reused_tokens);
    out.completion_tokens = static_cast<uint32_t>(now.usage.completion_tokens);
    out.first_token_us = now.first_token_us;
    out.prompt_us = now.usage.prompt_us;
    out.decode_us = now.usage.decode_us;
    return sotto::capi::WriteEvent(out, stats);
  });
}

sotto_status sotto_generation_cancel(sotto_generation* generation) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_generation_cancel", generation);
    generation->job->Cancel(sotto::CancelReason::kUserCancel);
    return sotto::OkStatus();
  });
}

void sotto_generation_release(sotto_generation* generation) { delete generation; }

}  // extern "C"
