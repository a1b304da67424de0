#include "capi/runtime.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "backends/samplerate/samplerate_resampler.h"
#include "base/machine.h"
#include "base/mutex.h"
#include "capi/backends.h"
#include "capi/model_provider.h"

namespace sotto::capi {
namespace {

// The engines of the process. Never destroyed: asked while the process ends.
struct LiveRuntimes {
  Mutex mutex;
  std::vector<std::weak_ptr<Runtime>> runtimes SOTTO_GUARDED_BY(mutex);
  // Those that the host left behind, and their threads with them: they live as long as the process.
  std::vector<std::shared_ptr<Runtime>> left_behind SOTTO_GUARDED_BY(mutex);
};

LiveRuntimes& Live() {
  static auto* live = new LiveRuntimes;
  return *live;
}

void StopComputing() {
  std::vector<std::shared_ptr<Runtime>> alive;
  {
    MutexLock lock(Live().mutex);
    for (const std::weak_ptr<Runtime>& runtime : Live().runtimes) {
      if (std::shared_ptr<Runtime> shared = runtime.lock(); shared != nullptr) {
        alive.push_back(std::move(shared));
      }
    }
  }
  for (std::shared_ptr<Runtime>& runtime : alive) {
    runtime->context().gate().Close();
    MutexLock lock(Live().mutex);
    if (std::ranges::find(Live().left_behind, runtime) == Live().left_behind.end()) {
      Live().left_behind.push_back(std::move(runtime));
    }
  }
}

void Remember(const std::shared_ptr<Runtime>& runtime) {
  MutexLock lock(Live().mutex);
  std::erase_if(Live().runtimes, [](const std::weak_ptr<Runtime>& r) { return r.expired(); });
  Live().runtimes.push_back(runtime);
}

}  // namespace

void StopComputingAtExit() { std::atexit(StopComputing); }

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
  store_options.log = options.log;
  SOTTO_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, Store::Open(std::move(store_options)));
  if (!options.pack.empty() && store->FindPack(options.pack) == nullptr) {
    return NotFoundError("engine: pack " + options.pack + ": unknown; 'sotto list' shows them");
  }

  EngineOptions engine;
  engine.log = options.log;
  engine.num_threads = options.num_threads > 0 ? options.num_threads : ReadMachineCores().usable;
  engine.memory_limit_bytes = options.memory_limit_bytes;
  engine.memory_probe = [] {
    // A limit on this process's address space leaves nothing to others: the arbiter's reserve for
    // them comes on top.
    const MachineMemory memory = ReadMachineMemory();
    const uint64_t most_bytes = UINT64_MAX - MemoryArbiter::kReserveFloorBytes;
    return std::min(memory.available_bytes, std::min(memory.address_space_bytes, most_bytes) +
                                                MemoryArbiter::kReserveFloorBytes);
  };
  engine.trace_turns = options.trace_turns;
  engine.make_resampler = &MakeSamplerateResampler;
  RouteBackendLogs(options.log);
  std::shared_ptr<Runtime> runtime(
      new Runtime(std::move(engine), std::move(store), std::move(options.pack)));
  Remember(runtime);
  return runtime;
}

}  // namespace sotto::capi
