#include "sotto/model.h"

#include <memory>

#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/json_out.h"

using sotto::Status;
using sotto::capi::CheckRange;
using sotto::capi::Guard;

struct sotto_model {
  std::shared_ptr<sotto::capi::Runtime> runtime;
  std::shared_ptr<sotto::LoadedModel> model;
};

static_assert(static_cast<int>(sotto::ModelRole::kText) == SOTTO_ROLE_TEXT &&
              static_cast<int>(sotto::ModelRole::kSpeaker) == SOTTO_ROLE_SPEAKER &&
              static_cast<int>(sotto::ModelProfile::kBest) == SOTTO_PROFILE_BEST);

extern "C" {

sotto_status sotto_model_load(sotto_engine* engine, int32_t role, int32_t profile, const char* id,
                              sotto_model** out_model) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_model_load", out_model);
    *out_model = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_model_load", engine);
    SOTTO_RETURN_IF_ERROR(CheckRange<int32_t>("role", role, SOTTO_ROLE_TEXT, SOTTO_ROLE_SPEAKER));
    SOTTO_RETURN_IF_ERROR(
        CheckRange<int32_t>("profile", profile, SOTTO_PROFILE_DEFAULT, SOTTO_PROFILE_BEST));
    SOTTO_ASSIGN_OR_RETURN(
        std::shared_ptr<sotto::LoadedModel> model,
        engine->runtime->models().Load({.role = static_cast<sotto::ModelRole>(role),
                                        .profile = static_cast<sotto::ModelProfile>(profile),
                                        .id = sotto::capi::OrEmpty(id)}));
    *out_model = new sotto_model{engine->runtime, std::move(model)};
    return sotto::OkStatus();
  });
}

void sotto_model_release(sotto_model* model) { delete model; }

sotto_status sotto_model_describe_json(sotto_model* model, char** out_json) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_model_describe_json", out_json);
    *out_json = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_model_describe_json", model);
    return sotto::capi::CopyOut(sotto::capi::ModelJson(*model->model), out_json);
  });
}

uint64_t sotto_model_capabilities(const sotto_model* model) {
  if (model == nullptr) {
    return 0;
  }
  const sotto::LoadedModel& loaded = *model->model;
  uint64_t bits = 0;
  if (loaded.llm != nullptr) {
    bits |= SOTTO_CAN_STREAM;
    bits |= loaded.llm->info().has_chat_template ? SOTTO_CAN_CHAT : 0;
  }
  if (loaded.tts != nullptr && loaded.tts->info().streams_within_phrase) {
    bits |= SOTTO_CAN_STREAM;
  }
  if (loaded.asr != nullptr) {
    bits |= SOTTO_CAN_STREAM | SOTTO_CAN_TIMESTAMPS;
  }
  return bits;
}

}  // extern "C"
