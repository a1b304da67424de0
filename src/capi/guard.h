// The border: Status to code and message, exceptions to Status, structs of other versions.
#ifndef SOTTO_CAPI_GUARD_H_
#define SOTTO_CAPI_GUARD_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "sotto/status.h"

#include "base/status.h"

namespace sotto::capi {

// A message as one line of valid UTF-8: it may name a file or an id that is neither.
std::string OneLine(const std::string& message);

// Makes `status` the calling thread's last error, unless it is OK, and returns its code.
sotto_status Publish(const Status& status) noexcept;
// The same for lack of memory; allocates nothing.
sotto_status PublishOutOfMemory() noexcept;

// Runs the body of an extern "C" function: turns its Status into a code plus the thread's last
// message, and whatever is thrown below into a Status. Nothing crosses the ABI by unwinding.
template <typename Body>
sotto_status Guard(Body&& body) noexcept {
  try {
    return Publish(std::forward<Body>(body)());
  } catch (const std::bad_alloc&) {
    return PublishOutOfMemory();
  } catch (const std::exception& e) {
    try {
      return Publish(InternalError(e.what()));
    } catch (...) {
      return PublishOutOfMemory();
    }
  } catch (...) {
    return PublishOutOfMemory();
  }
}

// The error for a NULL argument.
Status NullArgument(const char* function, const char* argument);

// Leaves the body with INVALID_ARGUMENT when `argument` is NULL.
#define SOTTO_REQUIRE_ARGUMENT(function, argument)           \
  if ((argument) == nullptr) {                               \
    return ::sotto::capi::NullArgument(function, #argument); \
  }

// A caller's settings as this library knows them: what the caller's struct is too short for keeps
// its default, what it has beyond ours is ignored. INVALID_ARGUMENT if `struct_size` was not set.
template <typename Config>
Status ReadConfig(const Config* from, Config* to) {
  if (from->struct_size < sizeof(uint32_t) * 2) {
    return InvalidArgumentError("config: struct_size " + std::to_string(from->struct_size) +
                                ": not set; call the struct's _init function first");
  }
  const uint32_t own_size = to->struct_size;
  std::memcpy(to, from, std::min<size_t>(from->struct_size, sizeof(Config)));
  to->struct_size = own_size;
  return OkStatus();
}

// Writes as much of `from` as the caller's struct has room for.
template <typename Event>
Status WriteEvent(const Event& from, Event* to) {
  const uint32_t room = to->struct_size;
  if (room < sizeof(uint32_t) * 2) {
    return InvalidArgumentError("result struct: struct_size " + std::to_string(room) +
                                ": not set; set it to sizeof the struct before the call");
  }
  std::memcpy(to, &from, std::min<size_t>(room, sizeof(Event)));
  to->struct_size = room;
  return OkStatus();
}

inline std::string OrEmpty(const char* text) { return text == nullptr ? "" : text; }

// A copy for sotto_string_free(). RESOURCE_EXHAUSTED when there is no memory.
Status CopyOut(const std::string& text, char** out);

// INVALID_ARGUMENT for more than 2^40 samples at once: no host has them, so the count is a mistake,
// and it must not overflow below.
Status CheckFrames(size_t num_frames, size_t channels);

// The same for bytes of text or of a file.
Status CheckBytes(size_t num_bytes);

// INVALID_ARGUMENT, naming the setting and the range, unless low <= value <= high.
template <typename T>
Status CheckRange(const char* name, T value, T low, T high) {
  if (value >= low && value <= high) {
    return OkStatus();
  }
  return InvalidArgumentError(std::string(name) + ": " + std::to_string(value) +
                              ": out of range; give " + std::to_string(low) + " to " +
                              std::to_string(high));
}

}  // namespace sotto::capi

#endif  // SOTTO_CAPI_GUARD_H_
