#include "capi/guard.h"

#include <algorithm>
#include <cstdlib>

#include "text/utf8.h"

namespace sotto::capi {
namespace {

// Of samples or bytes in one call: no host has more.
constexpr size_t kMaxCount = size_t{1} << 40;

// Two places, so that a message can be published without memory.
struct LastError {
  std::string text;
  const char* fixed = nullptr;
};

LastError& Last() {
  thread_local LastError last;
  return last;
}

}  // namespace

std::string OneLine(const std::string& message) {
  Utf8Gate gate(Utf8Gate::Policy::kReplace);
  std::string line = gate.Feed(message);
  line += gate.Finish();
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return line;
}

sotto_status Publish(const Status& status) noexcept {
  if (!status.ok()) {
    Last().text = OneLine(status.message());
    Last().fixed = nullptr;
  }
  return static_cast<sotto_status>(status.code());
}

sotto_status PublishOutOfMemory() noexcept {
  Last().fixed = "memory: the system gave none; close something or choose a smaller model";
  return SOTTO_RESOURCE_EXHAUSTED;
}

Status NullArgument(const char* function, const char* argument) {
  return InvalidArgumentError(std::string(function) + ": " + argument + ": NULL");
}

Status CheckBytes(size_t num_bytes) {
  if (num_bytes <= kMaxCount) {
    return OkStatus();
  }
  return InvalidArgumentError("bytes: " + std::to_string(num_bytes) +
                              " at once: more than there can be; check the count");
}

Status CheckFrames(size_t num_frames, size_t channels) {
  if (num_frames <= kMaxCount / channels) {
    return OkStatus();
  }
  return InvalidArgumentError("audio: " + std::to_string(num_frames) +
                              " frames at once: more than there can be; check the count");
}

Status CopyOut(const std::string& text, char** out) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) {
    return ResourceExhaustedError("memory: no room for a result");
  }
  std::memcpy(copy, text.c_str(), text.size() + 1);
  *out = copy;
  return OkStatus();
}

}  // namespace sotto::capi

extern "C" {

const char* sotto_last_error_message(void) {
  const auto& last = sotto::capi::Last();
  return last.fixed != nullptr ? last.fixed : last.text.c_str();
}

const char* sotto_status_name(sotto_status status) {
  return sotto::CodeName(static_cast<sotto::Code>(status)).data();
}

void sotto_string_free(char* string) { std::free(string); }

}  // extern "C"
