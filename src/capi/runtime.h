// Runtime: one engine put together. The composition root: the one place that knows the store, the
// backends and the engine.
#ifndef SOTTO_CAPI_RUNTIME_H_
#define SOTTO_CAPI_RUNTIME_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/status.h"
#include "engine/jobs/context.h"
#include "store/store.h"

namespace sotto::capi {

struct RuntimeOptions {
  int32_t num_threads = 0;          // 0: what ReadMachineCores() finds usable
  uint64_t memory_limit_bytes = 0;  // 0: measured
  std::string store_dir;            // empty: the default
  std::string pack;                 // empty: the default
  LogSink log;
  size_t trace_turns = 64;
};

// Any thread.
class Runtime {
 public:
  // FAILED_PRECONDITION when the processor lacks what the build needs; DATA_LOSS when the store's
  // catalogue cannot be read.
  static Result<std::shared_ptr<Runtime>> Create(RuntimeOptions options);

  EngineContext& context() { return context_; }
  ModelProvider& models() { return *models_; }
  const Store& store() const { return *store_; }
  const std::string& pack() const { return pack_; }

 private:
  Runtime(EngineOptions engine, std::unique_ptr<Store> store, std::string pack);

  const std::unique_ptr<Store> store_;
  const std::string pack_;
  std::unique_ptr<ModelProvider> models_;
  EngineContext context_;  // last: its jobs end while the rest still lives
};

// Makes exit() wait for the step that a model of a forgotten engine is in, and start no other:
// what it computes with is destroyed next. To be called after each load, because a runtime's
// statics may have been made in it and go in the reverse order.
void StopComputingAtExit();

// What the processor lacks of what the build was made for; "" when nothing.
std::string MissingCpuFeatures();

// The documents of sotto_build_info_json() and sotto_engine_doctor_json().
std::string BuildInfoJson();
std::string DoctorJson(Runtime& runtime);

}  // namespace sotto::capi

#endif  // SOTTO_CAPI_RUNTIME_H_
