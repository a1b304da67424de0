#include "backends/llama/llama_log.h"

#include <llama.h>

#include <mutex>
#include <string_view>
#include <utility>

#include "backends/llama/llama_backend.h"
#include "base/mutex.h"

namespace sotto {
namespace {

struct SharedSink {
  Mutex mutex;
  LogSink sink SOTTO_GUARDED_BY(mutex);
};

// Never destroyed: third-party threads may log while the process ends.
SharedSink& Shared() {
  static SharedSink* const shared = new SharedSink;
  return *shared;
}

thread_local llama::ErrorCapture* current_capture = nullptr;

void OnLine(ggml_log_level level, const char* text, void* /*user*/) {
  // GGML_LOG_LEVEL_CONT is above ERROR in value and continues a line of any level.
  if (text == nullptr || (level != GGML_LOG_LEVEL_WARN && level != GGML_LOG_LEVEL_ERROR)) {
    return;
  }
  std::string_view line(text);
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) {
    line.remove_suffix(1);
  }
  if (level == GGML_LOG_LEVEL_ERROR && current_capture != nullptr) {
    current_capture->Set(std::string(line));
  }
  LogSink sink;
  {
    SharedSink& shared = Shared();
    MutexLock lock(shared.mutex);
    sink = shared.sink;
  }
  sink.Write(level == GGML_LOG_LEVEL_ERROR ? LogLevel::kError : LogLevel::kWarning, line);
}

}  // namespace

void SetLlamaLog(LogSink sink) {
  llama::InstallLog();
  SharedSink& shared = Shared();
  MutexLock lock(shared.mutex);
  shared.sink = std::move(sink);
}

namespace llama {

void InstallLog() {
  static std::once_flag once;
  std::call_once(once, [] { llama_log_set(OnLine, nullptr); });
}

ErrorCapture::ErrorCapture() : outer_(current_capture) { current_capture = this; }
ErrorCapture::~ErrorCapture() { current_capture = outer_; }

}  // namespace llama
}  // namespace sotto
