// sotto/status.h - what every function of the C ABI shares.
//
// Conventions of all headers under sotto/:
//
//   Audio    float32 PCM, nominal range [-1, 1]; a sample that is not finite counts as 0. One
//            frame is one sample of each channel, channels interleaved. Rates in Hz.
//   Time     int64 microseconds on the engine's monotonic clock, suffix `_us`; positions in
//            audio and settings in milliseconds, suffix `_ms`.
//   Text     UTF-8 with a length in bytes; not NUL-terminated unless said so. `const char*`
//            settings and ids are NUL-terminated.
//   Errors   Whatever can fail returns sotto_status and leaves the details in the calling
//            thread's sotto_last_error_message(). On failure pointer outputs are set to NULL and
//            scalar outputs are left untouched. Any function returns INVALID_ARGUMENT for a NULL
//            that is not documented as allowed; only further errors are listed.
//   Memory   Inputs are copied before the call returns. A `char**` output is the caller's and is
//            given back with sotto_string_free(). Pointers inside an event belong to the object
//            and hold until the next `_next` call on it or its release.
//   Structs  Start from the struct's `_init` function, which sets `struct_size` and every
//            default: a program built against this header works with a newer library. For
//            events set `struct_size` before each call; the library writes no further.
//   Objects  Reference-counted inside: release in any order, NULL is a no-op, and a release
//            cancels what the object still does. Several engines may live in one process.
//   Threads  [RT]   wait-free, for an audio callback.
//            [ANY]  any thread, also while another call on the same object runs; may take short
//                   locks, never waits for a model.
//            [ONE]  one thread at a time per object; may wait.
//   Streams  `_next` and `_read` functions pull: they wait up to `timeout_ms` (0: do not wait,
//            -1: without limit) and return SOTTO_OK with "nothing yet" when it passes. Ends are
//            events, never an empty result. An event whose `status` is a failure tells of the job,
//            not of the call: the call that takes it returns SOTTO_OK, and sets the calling
//            thread's sotto_last_error_message() to the job's message.
//   ^X<n>    A promise. At least one test cites it by this id.
//
// Since 0.1.
#ifndef SOTTO_STATUS_H_
#define SOTTO_STATUS_H_

#include <stddef.h>
#include <stdint.h>

#include "sotto/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// A fixed-width integer, not an enum type, so that the ABI does not depend on how a compiler
// sizes enums. Values are frozen ^A1.
typedef int32_t sotto_status;

enum {
  SOTTO_OK = 0,
  SOTTO_CANCELLED = 1,
  SOTTO_INVALID_ARGUMENT = 3,  // The argument is wrong, whatever the state.
  SOTTO_DEADLINE_EXCEEDED = 4,
  SOTTO_NOT_FOUND = 5,  // No such file, model id or voice.
  SOTTO_ALREADY_EXISTS = 6,
  SOTTO_PERMISSION_DENIED = 7,
  SOTTO_RESOURCE_EXHAUSTED = 8,   // Memory, disk, context or queue is full.
  SOTTO_FAILED_PRECONDITION = 9,  // Right call, wrong state.
  SOTTO_UNIMPLEMENTED = 12,       // This build or model has no such feature.
  SOTTO_INTERNAL = 13,            // A fault of the library.
  SOTTO_UNAVAILABLE = 14,         // Not here now; the message says how to get it.
  SOTTO_DATA_LOSS = 15,           // A file or stream is malformed, truncated or fails its hash.
};

// The message of the last failed call on this thread, or of the last event with a failed `status`
// that was taken on it: one line, NUL-terminated UTF-8, never NULL,
// "" before the first failure. Valid until the next failing call on this thread ^A2. It holds no
// transcript, prompt or file contents. [ANY]
SOTTO_API const char* sotto_last_error_message(void);

// The lower-case name of a status, e.g. "not_found"; "unknown" for a value of a newer library.
// Static storage. [ANY]
SOTTO_API const char* sotto_status_name(sotto_status status);

// Gives back a string that a `char**` output handed out. NULL is a no-op. [ANY]
SOTTO_API void sotto_string_free(char* string);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // SOTTO_STATUS_H_
