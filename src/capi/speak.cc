#include "sotto/speak.h"

#include "capi/guard.h"
#include "capi/handles.h"
#include "engine/jobs/speech_job.h"

using sotto::SpeechJob;
using sotto::Status;
using sotto::capi::CheckRange;
using sotto::capi::Guard;

struct sotto_speech {
  sotto::capi::JobHandle<SpeechJob> job;
};

extern "C" {

void sotto_speech_config_init(sotto_speech_config* config) {
  if (config == nullptr) {
    return;
  }
  *config = {};
  config->struct_size = sizeof *config;
  config->profile = 1;  // SOTTO_PROFILE_FAST
  config->speed = 1.0f;
}

sotto_status sotto_speech_create(sotto_engine* engine, const sotto_speech_config* config,
                                 sotto_speech** out_speech) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_speech_create", out_speech);
    *out_speech = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_speech_create", engine);
    SOTTO_REQUIRE_ARGUMENT("sotto_speech_create", config);
    sotto_speech_config own;
    sotto_speech_config_init(&own);
    SOTTO_RETURN_IF_ERROR(sotto::capi::ReadConfig(config, &own));
    if (own.rate_hz != 0) {
      SOTTO_RETURN_IF_ERROR(CheckRange("rate_hz", own.rate_hz, 8000u, 192'000u));
    }
    SOTTO_RETURN_IF_ERROR(CheckRange("profile", own.profile, 0, 2));
    SOTTO_RETURN_IF_ERROR(CheckRange("speed", own.speed, 0.5f, 2.0f));
    sotto::capi::Runtime& runtime = *engine->runtime;
    SOTTO_ASSIGN_OR_RETURN(
        std::shared_ptr<sotto::LoadedModel> model,
        runtime.models().Load({.role = sotto::ModelRole::kTts,
                               .profile = static_cast<sotto::ModelProfile>(own.profile),
                               .id = sotto::capi::OrEmpty(own.model)}));
    sotto::SpeechOptions options;
    options.rate_hz = static_cast<int32_t>(own.rate_hz);
    options.voice = sotto::capi::OrEmpty(own.voice);
    options.speed = own.speed;
    options.seed = own.seed;
    SOTTO_ASSIGN_OR_RETURN(
        std::unique_ptr<SpeechJob> job,
        SpeechJob::Create(runtime.context(), std::move(model), std::move(options)));
    *out_speech = new sotto_speech{{engine->runtime, std::move(job)}};
    return sotto::OkStatus();
  });
}

uint32_t sotto_speech_rate_hz(const sotto_speech* speech) {
  return speech == nullptr ? 0 : static_cast<uint32_t>(speech->job->rate_hz());
}

sotto_status sotto_speech_push_text(sotto_speech* speech, const char* text, size_t text_bytes) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_speech_push_text", speech);
    SOTTO_REQUIRE_ARGUMENT("sotto_speech_push_text", text);
    SOTTO_RETURN_IF_ERROR(sotto::capi::CheckBytes(text_bytes));
    return speech->job->PushText({text, text_bytes});
  });
}

sotto_status sotto_speech_finish(sotto_speech* speech) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_speech_finish", speech);
    return speech->job->Finish();
  });
}

sotto_status sotto_speech_read(sotto_speech* speech, float* out_samples, size_t max_samples,
                               size_t* out_num_samples, int32_t* out_is_end, int64_t timeout_ms) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_speech_read", speech);
    SOTTO_REQUIRE_ARGUMENT("sotto_speech_read", out_samples);
    SOTTO_REQUIRE_ARGUMENT("sotto_speech_read", out_num_samples);
    SOTTO_REQUIRE_ARGUMENT("sotto_speech_read", out_is_end);
    sotto::AudioQueue::ReadResult result =
        speech->job->Read({out_samples, max_samples}, timeout_ms);
    // Samples first: an error waits for the call after them.
    if (result.is_end && result.num_samples == 0 && !result.end.ok()) {
      return std::move(result.end);
    }
    *out_num_samples = result.num_samples;
    *out_is_end = result.is_end && result.end.ok() ? 1 : 0;
    return sotto::OkStatus();
  });
}

sotto_status sotto_speech_spoken(sotto_speech* speech, uint64_t num_samples,
                                 uint64_t* out_text_bytes) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_speech_spoken", speech);
    SOTTO_REQUIRE_ARGUMENT("sotto_speech_spoken", out_text_bytes);
    *out_text_bytes = speech->job->SpokenBytes(num_samples);
    return sotto::OkStatus();
  });
}

sotto_status sotto_speech_cancel(sotto_speech* speech) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_speech_cancel", speech);
    speech->job->Cancel(sotto::CancelReason::kUserCancel);
    return sotto::OkStatus();
  });
}

void sotto_speech_release(sotto_speech* speech) { delete speech; }

}  // extern "C"
