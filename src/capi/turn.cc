#include "sotto/turn.h"

#include <future>
#include <string>

#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/json_out.h"
#include "engine/jobs/turn_job.h"
#include "text/utf8.h"

using sotto::ModelProfile;
using sotto::ModelRole;
using sotto::Status;
using sotto::TurnJob;
using sotto::capi::CheckRange;
using sotto::capi::Guard;
using sotto::capi::OrEmpty;

struct sotto_turn {
  sotto::capi::JobHandle<TurnJob> job;
  size_t channels;
  std::string text;  // what the last event points to
  bool ended = false;
};

namespace sotto::capi {
namespace {

Status CheckConfig(const sotto_turn_config& config) {
  SOTTO_RETURN_IF_ERROR(CheckRange("rate_hz", config.rate_hz, 4000u, 384'000u));
  SOTTO_RETURN_IF_ERROR(CheckRange("channels", config.channels, 1u, 64u));
  if (config.reply_rate_hz != 0) {
    SOTTO_RETURN_IF_ERROR(CheckRange("reply_rate_hz", config.reply_rate_hz, 8000u, 192'000u));
  }
  SOTTO_RETURN_IF_ERROR(CheckRange("asr_profile", config.asr_profile, 0, 2));
  SOTTO_RETURN_IF_ERROR(CheckRange("tts_profile", config.tts_profile, 0, 2));
  SOTTO_RETURN_IF_ERROR(CheckRange("max_tokens", config.max_tokens, 1u, 100'000u));
  return CheckRange("temperature", config.temperature, 0.0f, 2.0f);
}

TurnOptions ReadOptions(const sotto_turn_config& config) {
  TurnOptions options;
  options.transcribe.rate_hz = static_cast<int32_t>(config.rate_hz);
  options.transcribe.channels = static_cast<int32_t>(config.channels);
  options.transcribe.profile = config.asr_profile == 1 ? AsrProfile::kFast : AsrProfile::kAccurate;
  options.transcribe.language = OrEmpty(config.language);
  options.generation.generate.max_tokens = static_cast<int32_t>(config.max_tokens);
  options.generation.generate.sampling.temperature = config.temperature;
  options.generation.generate.sampling.seed = config.seed;
  options.generation.has_system = config.system != nullptr;
  options.generation.system = OrEmpty(config.system);
  options.speech.rate_hz = static_cast<int32_t>(config.reply_rate_hz);
  options.speech.voice = OrEmpty(config.voice);
  options.speech.seed = config.seed;
  return options;
}

using VoiceFuture = std::future<Result<std::shared_ptr<LoadedModel>>>;

// The voice loads beside the others: each alone keeps one core busy.
VoiceFuture StartLoadingVoice(ModelProvider& provider, const sotto_turn_config& config) {
  if (config.speak == 0) {
    return {};
  }
  return std::async(std::launch::async, [&] {
    return provider.Load({.role = ModelRole::kTts,
                          .profile = static_cast<ModelProfile>(config.tts_profile),
                          .id = OrEmpty(config.tts_model)});
  });
}

// All but the voice.
Result<TurnModels> LoadModels(ModelProvider& provider, const sotto_turn_config& config) {
  TurnModels models;
  const ModelProfile asr_profile =
      config.asr_profile == 1 ? ModelProfile::kFast : ModelProfile::kBest;
  SOTTO_ASSIGN_OR_RETURN(
      models.vad,
      provider.Load({.role = ModelRole::kVad, .profile = ModelProfile::kDefault, .id = {}}));
  SOTTO_ASSIGN_OR_RETURN(models.asr, provider.Load({.role = ModelRole::kAsr,
                                                    .profile = asr_profile,
                                                    .id = OrEmpty(config.asr_model)}));
  SOTTO_ASSIGN_OR_RETURN(models.text, provider.Load({.role = ModelRole::kText,
                                                     .profile = ModelProfile::kDefault,
                                                     .id = OrEmpty(config.text_model)}));
  return models;
}

}  // namespace
}  // namespace sotto::capi

extern "C" {

void sotto_turn_config_init(sotto_turn_config* config) {
  if (config == nullptr) {
    return;
  }
  *config = {};
  config->struct_size = sizeof *config;
  config->rate_hz = 16000;
  config->channels = 1;
  config->speak = 1;
  config->asr_profile = 2;  // SOTTO_PROFILE_BEST
  config->tts_profile = 1;  // SOTTO_PROFILE_FAST
  config->max_tokens = 160;
}

sotto_status sotto_turn_create(sotto_engine* engine, const sotto_turn_config* config,
                               sotto_turn** out_turn) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_create", out_turn);
    *out_turn = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_create", engine);
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_create", config);
    sotto_turn_config own;
    sotto_turn_config_init(&own);
    SOTTO_RETURN_IF_ERROR(sotto::capi::ReadConfig(config, &own));
    SOTTO_RETURN_IF_ERROR(sotto::capi::CheckConfig(own));
    sotto::capi::Runtime& runtime = *engine->runtime;
    sotto::capi::VoiceFuture voice = sotto::capi::StartLoadingVoice(runtime.models(), own);
    SOTTO_ASSIGN_OR_RETURN(sotto::TurnModels models,
                           sotto::capi::LoadModels(runtime.models(), own));
    sotto::VoiceLoader load_voice;
    if (voice.valid()) {
      load_voice = [&voice] { return voice.get(); };
    }
    SOTTO_ASSIGN_OR_RETURN(std::unique_ptr<TurnJob> job,
                           TurnJob::Create(runtime.context(), std::move(models),
                                           sotto::capi::ReadOptions(own), load_voice));
    *out_turn = new sotto_turn{{engine->runtime, std::move(job)}, own.channels, {}};
    return sotto::OkStatus();
  });
}

sotto_status sotto_turn_push_audio(sotto_turn* turn, const float* samples, size_t num_frames) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_push_audio", turn);
    if (num_frames == 0) {
      return sotto::OkStatus();
    }
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_push_audio", samples);
    SOTTO_RETURN_IF_ERROR(sotto::capi::CheckFrames(num_frames, turn->channels));
    return turn->job->PushAudio({samples, num_frames * turn->channels});
  });
}

sotto_status sotto_turn_push_text(sotto_turn* turn, const char* text, size_t text_bytes) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_push_text", turn);
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_push_text", text);
    const std::string_view view(text, text_bytes);
    if (view.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      return sotto::InvalidArgumentError("turn: question: empty; give some text");
    }
    if (const size_t bad = sotto::ValidateUtf8(view); bad != sotto::kValidUtf8) {
      return sotto::InvalidArgumentError("turn: question: not UTF-8 at byte " +
                                         std::to_string(bad) + "; give UTF-8 text");
    }
    return turn->job->PushText(view);
  });
}

sotto_status sotto_turn_finish(sotto_turn* turn) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_finish", turn);
    return turn->job->Finish();
  });
}

sotto_status sotto_turn_next(sotto_turn* turn, sotto_turn_event* event, int64_t timeout_ms) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_next", turn);
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_next", event);
    sotto::TurnEvent next = turn->job->Next(timeout_ms);
    turn->text = std::move(next.text);
    sotto_turn_event out = {};
    out.type = static_cast<int32_t>(next.type);
    out.time_us = next.time_us;
    out.text = turn->text.c_str();
    out.text_bytes = static_cast<uint32_t>(turn->text.size());
    out.status = sotto::capi::Publish(next.status);
    return sotto::capi::WriteEvent(out, event);
  });
}

uint32_t sotto_turn_reply_rate_hz(const sotto_turn* turn) {
  return turn == nullptr ? 0 : static_cast<uint32_t>(turn->job->reply_rate_hz());
}

sotto_status sotto_turn_read_audio(sotto_turn* turn, float* out_samples, size_t max_samples,
                                   size_t* out_num_samples, int32_t* out_is_end,
                                   int64_t timeout_ms) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_read_audio", turn);
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_read_audio", out_samples);
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_read_audio", out_num_samples);
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_read_audio", out_is_end);
    sotto::AudioQueue::ReadResult result =
        turn->job->ReadAudio({out_samples, max_samples}, timeout_ms);
    if (result.is_end && result.num_samples == 0 && !result.end.ok()) {
      return std::move(result.end);
    }
    *out_num_samples = result.num_samples;
    *out_is_end = result.is_end && result.end.ok() ? 1 : 0;
    return sotto::OkStatus();
  });
}

sotto_status sotto_turn_mark_played(sotto_turn* turn) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_mark_played", turn);
    turn->job->MarkPlayed();
    return sotto::OkStatus();
  });
}

sotto_status sotto_turn_trace_json(sotto_turn* turn, char** out_json) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_trace_json", out_json);
    *out_json = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_trace_json", turn);
    return sotto::capi::CopyOut(sotto::capi::WaterfallJson(turn->job->Trace()), out_json);
  });
}

sotto_status sotto_turn_cancel(sotto_turn* turn) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_cancel", turn);
    turn->job->Cancel(sotto::CancelReason::kUserCancel);
    return sotto::OkStatus();
  });
}

void sotto_turn_release(sotto_turn* turn) { delete turn; }

}  // extern "C"
