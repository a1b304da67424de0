#include "backends/onnx/cancellable_run.h"

#include <chrono>
#include <memory>
#include <system_error>
#include <thread>

#include "base/mutex.h"

namespace sotto {
namespace {

// A token can be asked but does not call, and the runtime takes a flag but does not ask.
constexpr std::chrono::milliseconds kAskEvery{4};

class Watch {
 public:
  Watch(const CancelToken& cancel, RunSwitch& stop) : cancel_(cancel), stop_(stop) {
    try {
      thread_ = std::thread([this] { Run(); });
    } catch (const std::system_error&) {
      // No thread to be had: the run ends when it is done.
    }
  }
  ~Watch() {
    {
      const MutexLock lock(mutex_);
      done_ = true;
      changed_.NotifyAll();
    }
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  void Run() {
    const MutexLock lock(mutex_);
    while (!done_ && !cancel_.cancelled()) {
      changed_.WaitUntil(mutex_, std::chrono::steady_clock::now() + kAskEvery);
    }
    if (!done_) {
      stop_.Terminate();
    }
  }

  const CancelToken& cancel_;
  RunSwitch& stop_;
  Mutex mutex_;
  CondVar changed_;
  bool done_ SOTTO_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace

Result<std::vector<Tensor>> RunCancellable(const Session& session,
                                           std::span<const TensorView> inputs,
                                           const CancelToken& cancel) {
  SOTTO_RETURN_IF_ERROR(cancel.Check());
  SOTTO_ASSIGN_OR_RETURN(const std::unique_ptr<RunSwitch> stop, RunSwitch::Create());
  Result<std::vector<Tensor>> outputs = [&] {
    const Watch watch(cancel, *stop);
    return session.Run(inputs, stop.get());
  }();
  if (!outputs.ok()) {
    SOTTO_RETURN_IF_ERROR(cancel.Check());
  }
  return outputs;
}

}  // namespace sotto
