#include "sotto/transcribe.h"

#include <string>

#include "capi/guard.h"
#include "capi/handles.h"
#include "engine/jobs/transcribe_job.h"

using sotto::Status;
using sotto::TranscribeJob;
using sotto::capi::CheckRange;
using sotto::capi::Guard;

struct sotto_transcriber {
  sotto::capi::JobHandle<TranscribeJob> job;
  size_t channels;
  std::string text;  // what the last event points to
};

extern "C" {

void sotto_transcriber_config_init(sotto_transcriber_config* config) {
  if (config == nullptr) {
    return;
  }
  *config = {};
  config->struct_size = sizeof *config;
  config->rate_hz = 16000;
  config->channels = 1;
  config->profile = 2;  // SOTTO_PROFILE_BEST
}

sotto_status sotto_transcriber_create(sotto_engine* engine, const sotto_transcriber_config* config,
                                      sotto_transcriber** out_transcriber) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_transcriber_create", out_transcriber);
    *out_transcriber = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_transcriber_create", engine);
    SOTTO_REQUIRE_ARGUMENT("sotto_transcriber_create", config);
    sotto_transcriber_config own;
    sotto_transcriber_config_init(&own);
    SOTTO_RETURN_IF_ERROR(sotto::capi::ReadConfig(config, &own));
    SOTTO_RETURN_IF_ERROR(CheckRange("rate_hz", own.rate_hz, 4000u, 384'000u));
    SOTTO_RETURN_IF_ERROR(CheckRange("channels", own.channels, 1u, 64u));
    SOTTO_RETURN_IF_ERROR(CheckRange("profile", own.profile, 0, 2));
    SOTTO_RETURN_IF_ERROR(CheckRange("partials", own.partials, 0u, 1u));
    sotto::capi::Runtime& runtime = *engine->runtime;
    const bool fast = own.profile == 1;
    SOTTO_ASSIGN_OR_RETURN(std::shared_ptr<sotto::LoadedModel> asr,
                           runtime.models().Load({.role = sotto::ModelRole::kAsr,
                                                  .profile = fast ? sotto::ModelProfile::kFast
                                                                  : sotto::ModelProfile::kBest,
                                                  .id = sotto::capi::OrEmpty(own.model)}));
    SOTTO_ASSIGN_OR_RETURN(
        std::shared_ptr<sotto::LoadedModel> vad,
        runtime.models().Load(
            {.role = sotto::ModelRole::kVad, .profile = sotto::ModelProfile::kDefault, .id = {}}));
    sotto::TranscribeOptions options;
    options.rate_hz = static_cast<int32_t>(own.rate_hz);
    options.channels = static_cast<int32_t>(own.channels);
    options.profile = fast ? sotto::AsrProfile::kFast : sotto::AsrProfile::kAccurate;
    options.partials = own.partials != 0;
    options.language = sotto::capi::OrEmpty(own.language);
    options.prompt = sotto::capi::OrEmpty(own.prompt);
    SOTTO_ASSIGN_OR_RETURN(std::unique_ptr<TranscribeJob> job,
                           TranscribeJob::Create(runtime.context(), std::move(asr), std::move(vad),
                                                 std::move(options)));
    *out_transcriber = new sotto_transcriber{{engine->runtime, std::move(job)}, own.channels, {}};
    return sotto::OkStatus();
  });
}

sotto_status sotto_transcriber_feed(sotto_transcriber* transcriber, const float* samples,
                                    size_t num_frames) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_transcriber_feed", transcriber);
    if (num_frames == 0) {
      return sotto::OkStatus();
    }
    SOTTO_REQUIRE_ARGUMENT("sotto_transcriber_feed", samples);
    SOTTO_RETURN_IF_ERROR(sotto::capi::CheckFrames(num_frames, transcriber->channels));
    return transcriber->job->Feed({samples, num_frames * transcriber->channels});
  });
}

sotto_status sotto_transcriber_finish(sotto_transcriber* transcriber) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_transcriber_finish", transcriber);
    return transcriber->job->Finish();
  });
}

sotto_status sotto_transcriber_next(sotto_transcriber* transcriber, sotto_transcript_event* event,
                                    int64_t timeout_ms) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_transcriber_next", transcriber);
    SOTTO_REQUIRE_ARGUMENT("sotto_transcriber_next", event);
    sotto::TranscriptEvent next = transcriber->job->Next(timeout_ms);
    transcriber->text = std::move(next.text);
    sotto_transcript_event out = {};
    out.type = static_cast<int32_t>(next.type);
    out.start_ms = next.start_ms;
    out.end_ms = next.end_ms;
    out.text = transcriber->text.c_str();
    out.text_bytes = static_cast<uint32_t>(transcriber->text.size());
    out.status = sotto::capi::Publish(next.status);
    return sotto::capi::WriteEvent(out, event);
  });
}

sotto_status sotto_transcriber_cancel(sotto_transcriber* transcriber) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_transcriber_cancel", transcriber);
    transcriber->job->Cancel(sotto::CancelReason::kUserCancel);
    return sotto::OkStatus();
  });
}

void sotto_transcriber_release(sotto_transcriber* transcriber) { delete transcriber; }

}  // extern "C"
