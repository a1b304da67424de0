// llama.cpp's log lines: to the host's sink, and the last error to whoever is loading.
#ifndef SOTTO_BACKENDS_LLAMA_LLAMA_LOG_H_
#define SOTTO_BACKENDS_LLAMA_LLAMA_LOG_H_

#include <string>

namespace sotto::llama {

// Routes llama.cpp's and ggml's log here. Idempotent; any thread.
void InstallLog();

// While it lives, keeps the last error line that this thread logs.
class ErrorCapture {
 public:
  ErrorCapture();
  ~ErrorCapture();
  ErrorCapture(const ErrorCapture&) = delete;
  ErrorCapture& operator=(const ErrorCapture&) = delete;

  const std::string& last() const { return last_; }
  void Set(std::string line) { last_ = std::move(line); }

 private:
  std::string last_;
  ErrorCapture* outer_;
};

}  // namespace sotto::llama

#endif  // SOTTO_BACKENDS_LLAMA_LLAMA_LOG_H_
