#include "capi/runtime.h"

#include <utility>

#include "backends/samplerate/samplerate_resampler.h"
#include "base/machine.h"
#include "capi/backends.h"
#include "capi/model_provider.h"

namespace sotto::capi {

Runtime::Runtime(EngineOptions engine, std::unique_ptr<Store> store, std::string pack)
    : store_(std::move(store)), pack_(std::move(pack)), context_(std::move(engine)) {
  models_ = std::make_unique<StoreModelProvider>(*store_, pack_, context_);
}

Result<std::shared_ptr<Runtime>> Runtime::Create(RuntimeOptions options) {
  if (const std::string missing = MissingCpuFeatures(); !missing.empty()) {
    return FailedPreconditionError("engine: this processor lacks " + missing +
                                   ": the library was built for it; build with SOTTO_CPU=native");
  }
  StoreOptions store_options;
  store_options.dir = options.store_dir;
  store_options.convert = ConvertForStore;
  store_options.validate = ValidateForStore;
  store_options.log = options.log;
  SOTTO_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, Store::Open(std::move(store_options)));
  if (!options.pack.empty() && store->FindPack(options.pack) == nullptr) {
    return NotFoundError("engine: pack " + options.pack + ": unknown; 'sotto list' shows them");
  }

  EngineOptions engine;
  engine.log = options.log;
  engine.num_threads = options.num_threads > 0 ? options.num_threads : ReadMachineCores().usable;
  engine.memory_limit_bytes = options.memory_limit_bytes;
  engine.memory_probe = [] { return ReadMachineMemory().available_bytes; };
  engine.trace_turns = options.trace_turns;
  engine.make_resampler = &MakeSamplerateResampler;
  RouteBackendLogs(options.log);
  return std::shared_ptr<Runtime>(
      new Runtime(std::move(engine), std::move(store), std::move(options.pack)));
}

}  // namespace sotto::capi
