#include "sotto/trace.h"

#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/json_out.h"

using sotto::Status;

extern "C" {

sotto_status sotto_engine_trace_json(sotto_engine* engine, char** out_json) {
  return sotto::capi::Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_engine_trace_json", out_json);
    *out_json = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_engine_trace_json", engine);
    return sotto::capi::CopyOut(sotto::capi::TraceRingJson(engine->runtime->context().traces()),
                                out_json);
  });
}

}  // extern "C"
