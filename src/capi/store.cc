#include "sotto/store.h"

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/pull_job.h"

using sotto::PullEvent;
using sotto::Result;
using sotto::Status;
using sotto::capi::CopyOut;
using sotto::capi::Guard;
using sotto::capi::PullJob;

struct sotto_pull {
  sotto::capi::JobHandle<PullJob> job;
  // What the last event points to.
  PullEvent event;
  std::string phase;
};

namespace sotto::capi {
namespace {

// The error of the first file that a verification found wrong.
Status FirstDamage(const std::string& verified_json) {
  const auto verified = nlohmann::json::parse(verified_json);
  for (const auto& file : verified.at("files")) {
    if (!file.at("ok").get<bool>()) {
      return DataLossError(file.value("message", "verify: a file is damaged"));
    }
  }
  return OkStatus();
}

}  // namespace
}  // namespace sotto::capi

extern "C" {

sotto_status sotto_store_list_json(sotto_engine* engine, char** out_json) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_store_list_json", out_json);
    *out_json = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_store_list_json", engine);
    return CopyOut(engine->runtime->store().ListJson(), out_json);
  });
}

sotto_status sotto_store_show_json(sotto_engine* engine, const char* id, char** out_json) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_store_show_json", out_json);
    *out_json = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_store_show_json", engine);
    SOTTO_REQUIRE_ARGUMENT("sotto_store_show_json", id);
    SOTTO_ASSIGN_OR_RETURN(const std::string json, engine->runtime->store().ShowJson(id));
    return CopyOut(json, out_json);
  });
}

sotto_status sotto_store_verify_json(sotto_engine* engine, const char* id, char** out_json) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_store_verify_json", out_json);
    *out_json = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_store_verify_json", engine);
    const std::vector<std::string> ids =
        id == nullptr ? std::vector<std::string>{} : std::vector<std::string>{id};
    const sotto::Store& store = engine->runtime->store();
    SOTTO_ASSIGN_OR_RETURN(const std::string json, store.VerifyJson(ids, /*quick=*/false, {}));
    SOTTO_RETURN_IF_ERROR(CopyOut(json, out_json));
    return sotto::capi::FirstDamage(json);
  });
}

sotto_status sotto_store_remove_json(sotto_engine* engine, const char* id, int32_t force,
                                     char** out_json) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_store_remove_json", out_json);
    *out_json = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_store_remove_json", engine);
    SOTTO_REQUIRE_ARGUMENT("sotto_store_remove_json", id);
    SOTTO_ASSIGN_OR_RETURN(const std::string json,
                           engine->runtime->store().RemoveJson(id, force != 0));
    return CopyOut(json, out_json);
  });
}

sotto_status sotto_pull_create(sotto_engine* engine, const char* const* ids, size_t num_ids,
                               sotto_pull** out_pull) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_pull_create", out_pull);
    *out_pull = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_pull_create", engine);
    SOTTO_REQUIRE_ARGUMENT("sotto_pull_create", ids);
    if (num_ids == 0) {
      return sotto::InvalidArgumentError("pull: no ids; name a model or pack");
    }
    const sotto::Store& store = engine->runtime->store();
    std::vector<std::string> names;
    for (size_t i = 0; i < num_ids; ++i) {
      SOTTO_REQUIRE_ARGUMENT("sotto_pull_create", ids[i]);
      if (store.FindPack(ids[i]) == nullptr) {
        SOTTO_RETURN_IF_ERROR(store.Show(ids[i]).status());
      }
      names.emplace_back(ids[i]);
    }
    *out_pull = new sotto_pull{
        {engine->runtime, std::make_unique<PullJob>(store, std::move(names))}, {}, {}};
    return sotto::OkStatus();
  });
}

sotto_status sotto_pull_next(sotto_pull* pull, sotto_pull_event* event, int64_t timeout_ms) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_pull_next", pull);
    SOTTO_REQUIRE_ARGUMENT("sotto_pull_next", event);
    sotto::Popped<PullEvent> popped = pull->job->Next(timeout_ms);
    sotto_pull_event out = {};
    pull->event = {};
    if (popped.item.has_value()) {
      pull->event = *std::move(popped.item);
      switch (pull->event.type) {
        case PullEvent::Type::kProgress:
          out.type = SOTTO_PULL_PROGRESS;
          break;
        case PullEvent::Type::kFileDone:
          out.type = SOTTO_PULL_FILE_DONE;
          break;
        case PullEvent::Type::kLicence:
        case PullEvent::Type::kNote:
          out.type = SOTTO_PULL_NOTICE;
          break;
      }
    } else if (popped.closed) {
      out.type = SOTTO_PULL_DONE;
      pull->event.text = sotto::capi::OneLine(popped.end.message());
      out.status = sotto::capi::Publish(popped.end);
    }
    pull->phase = std::string(sotto::PullPhaseName(pull->event.phase));
    out.done_bytes = pull->event.done_bytes;
    out.total_bytes = pull->event.total_bytes;
    out.rate_bytes_per_s = static_cast<uint64_t>(pull->event.rate_bytes_per_s);
    out.all_done_bytes = pull->event.all_done_bytes;
    out.all_total_bytes = pull->event.all_total_bytes;
    out.item = pull->event.model.c_str();
    out.file = pull->event.file.c_str();
    out.phase = pull->phase.c_str();
    out.text = pull->event.text.c_str();
    return sotto::capi::WriteEvent(out, event);
  });
}

sotto_status sotto_pull_cancel(sotto_pull* pull) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_pull_cancel", pull);
    pull->job->Cancel(sotto::CancelReason::kUserCancel);
    return sotto::OkStatus();
  });
}

void sotto_pull_release(sotto_pull* pull) { delete pull; }

}  // extern "C"
