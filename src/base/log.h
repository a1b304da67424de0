// Where log lines go: a sink given by the host, one per engine. The library writes nowhere else.
#ifndef SOTTO_BASE_LOG_H_
#define SOTTO_BASE_LOG_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace sotto {

enum class LogLevel : int32_t { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3 };

// Copyable; a default-made one drops every line. The function it holds is called from any thread,
// also from several at once. Lines carry no transcript, prompt or file contents.
class LogSink {
 public:
  using Function = std::function<void(LogLevel, std::string_view line)>;

  LogSink() = default;
  LogSink(Function function, LogLevel min_level)
      : function_(std::move(function)), min_level_(min_level) {}

  bool enabled(LogLevel level) const { return function_ && level >= min_level_; }
  void Write(LogLevel level, std::string_view line) const {
    if (enabled(level)) {
      function_(level, line);
    }
  }

 private:
  Function function_;
  LogLevel min_level_ = LogLevel::kWarning;
};

}  // namespace sotto

#endif  // SOTTO_BASE_LOG_H_
