#include "sotto/engine.h"

#include <string>
#include <utility>

#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/runtime.h"

using sotto::Status;
using sotto::capi::CheckRange;
using sotto::capi::Guard;

static_assert(static_cast<int>(sotto::Code::kOk) == SOTTO_OK &&
              static_cast<int>(sotto::Code::kCancelled) == SOTTO_CANCELLED &&
              static_cast<int>(sotto::Code::kInvalidArgument) == SOTTO_INVALID_ARGUMENT &&
              static_cast<int>(sotto::Code::kDeadlineExceeded) == SOTTO_DEADLINE_EXCEEDED &&
              static_cast<int>(sotto::Code::kNotFound) == SOTTO_NOT_FOUND &&
              static_cast<int>(sotto::Code::kAlreadyExists) == SOTTO_ALREADY_EXISTS &&
              static_cast<int>(sotto::Code::kPermissionDenied) == SOTTO_PERMISSION_DENIED &&
              static_cast<int>(sotto::Code::kResourceExhausted) == SOTTO_RESOURCE_EXHAUSTED &&
              static_cast<int>(sotto::Code::kFailedPrecondition) == SOTTO_FAILED_PRECONDITION &&
              static_cast<int>(sotto::Code::kUnimplemented) == SOTTO_UNIMPLEMENTED &&
              static_cast<int>(sotto::Code::kInternal) == SOTTO_INTERNAL &&
              static_cast<int>(sotto::Code::kUnavailable) == SOTTO_UNAVAILABLE &&
              static_cast<int>(sotto::Code::kDataLoss) == SOTTO_DATA_LOSS);

namespace sotto::capi {
namespace {

Result<RuntimeOptions> ReadOptions(const sotto_engine_config* from) {
  sotto_engine_config config;
  sotto_engine_config_init(&config);
  SOTTO_RETURN_IF_ERROR(ReadConfig(from, &config));
  SOTTO_RETURN_IF_ERROR(CheckRange("threads", config.threads, 0u, 256u));
  SOTTO_RETURN_IF_ERROR(CheckRange("trace_turns", config.trace_turns, 0u, 10'000u));
  SOTTO_RETURN_IF_ERROR(
      CheckRange<int32_t>("log_level", config.log_level, SOTTO_LOG_DEBUG, SOTTO_LOG_ERROR));
  RuntimeOptions options;
  options.num_threads = static_cast<int32_t>(config.threads);
  options.memory_limit_bytes = config.memory_limit_bytes;
  options.store_dir = OrEmpty(config.store_dir);
  options.pack = OrEmpty(config.pack);
  options.trace_turns = config.trace_turns;
  if (config.log != nullptr) {
    options.log = LogSink(
        [log = config.log, user = config.log_user](LogLevel level, std::string_view line) {
          log(user, static_cast<int32_t>(level), line.data(), line.size());
        },
        static_cast<LogLevel>(config.log_level));
  }
  return options;
}

}  // namespace
}  // namespace sotto::capi

extern "C" {

void sotto_engine_config_init(sotto_engine_config* config) {
  if (config == nullptr) {
    return;
  }
  *config = {};
  config->struct_size = sizeof *config;
  config->log_level = SOTTO_LOG_WARNING;
  config->trace_turns = 64;
}

sotto_status sotto_engine_create(const sotto_engine_config* config, sotto_engine** out_engine) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_engine_create", out_engine);
    *out_engine = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_engine_create", config);
    SOTTO_ASSIGN_OR_RETURN(sotto::capi::RuntimeOptions options, sotto::capi::ReadOptions(config));
    SOTTO_ASSIGN_OR_RETURN(std::shared_ptr<sotto::capi::Runtime> runtime,
                           sotto::capi::Runtime::Create(std::move(options)));
    *out_engine = new sotto_engine{std::move(runtime)};
    return sotto::OkStatus();
  });
}

void sotto_engine_release(sotto_engine* engine) { delete engine; }

sotto_status sotto_engine_memory_get(sotto_engine* engine, sotto_engine_memory* memory) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_engine_memory_get", engine);
    SOTTO_REQUIRE_ARGUMENT("sotto_engine_memory_get", memory);
    const sotto::MemoryArbiter& arbiter = engine->runtime->context().arbiter();
    sotto_engine_memory out = {};
    out.limit_bytes = arbiter.limit_bytes();
    out.leased_bytes = arbiter.leased_bytes();
    out.peak_bytes = arbiter.peak_bytes();
    return sotto::capi::WriteEvent(out, memory);
  });
}

const char* sotto_version(void) { return SOTTO_VERSION; }

sotto_status sotto_build_info_json(char** out_json) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_build_info_json", out_json);
    *out_json = nullptr;
    return sotto::capi::CopyOut(sotto::capi::BuildInfoJson(), out_json);
  });
}

sotto_status sotto_engine_doctor_json(sotto_engine* engine, char** out_json) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_engine_doctor_json", out_json);
    *out_json = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_engine_doctor_json", engine);
    return sotto::capi::CopyOut(sotto::capi::DoctorJson(*engine->runtime), out_json);
  });
}

}  // extern "C"
