// sotto/transcribe.h - speech to text, of a whole recording or as it comes.
//
//   sotto_transcriber_feed(t, samples, num_frames);   // as often as there is audio
//   sotto_transcriber_finish(t);
//   sotto_transcript_event event = {.struct_size = sizeof event};
//   while (sotto_transcriber_next(t, &event, -1) == SOTTO_OK &&
//          event.type != SOTTO_TRANSCRIPT_DONE) { ... }
//
// A voice detector stands before the recogniser: silence and noise give no text ^T1.
//
// Conventions: sotto/status.h.
#ifndef SOTTO_TRANSCRIBE_H_
#define SOTTO_TRANSCRIBE_H_

#include "sotto/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_transcriber sotto_transcriber;  // Opaque, reference-counted.

typedef struct sotto_transcriber_config {
  uint32_t struct_size;
  uint32_t rate_hz;   // Of what is fed. 4000..384000. [16000]
  uint32_t channels;  // Of what is fed; mixed down by mean. 1..64. [1]
  int32_t profile;    // SOTTO_PROFILE_* of model.h. [SOTTO_PROFILE_BEST]
  uint32_t partials;  // 1: send SOTTO_TRANSCRIPT_PARTIAL while speech goes on. [0]
  uint32_t reserved;
  const char* model;     // Catalogue id or path. NULL: the pack's for `profile`. [NULL]
  const char* language;  // ISO 639-1. NULL: the model's default. [NULL]
  const char* prompt;    // Names and words to expect. NULL: none. [NULL]
} sotto_transcriber_config;

// [ANY]
SOTTO_API void sotto_transcriber_config_init(sotto_transcriber_config* config);

// Creates a transcriber; loads its models if they are not loaded. [ONE]. Errors of
// sotto_model_load(); INVALID_ARGUMENT for a setting out of range or an unknown language.
SOTTO_API SOTTO_NODISCARD sotto_status
sotto_transcriber_create(sotto_engine* engine, const sotto_transcriber_config* config,
                         sotto_transcriber** out_transcriber);

// Appends [num_frames x channels]. Waits while more than 30 s are unheard. [ONE]
//
// FAILED_PRECONDITION after finish. CANCELLED after cancel.
SOTTO_API sotto_status sotto_transcriber_feed(sotto_transcriber* transcriber, const float* samples,
                                              size_t num_frames);

// Says that no audio follows. [ANY]
SOTTO_API sotto_status sotto_transcriber_finish(sotto_transcriber* transcriber);

enum {
  SOTTO_TRANSCRIPT_NONE = 0,            // Nothing yet.
  SOTTO_TRANSCRIPT_SPEECH_STARTED = 1,  // `start_ms`.
  SOTTO_TRANSCRIPT_SPEECH_ENDED = 2,    // `end_ms`.
  SOTTO_TRANSCRIPT_PARTIAL = 3,         // `text` replaces the previous partial.
  SOTTO_TRANSCRIPT_SEGMENT = 4,         // `text` from `start_ms` to `end_ms` is settled.
  SOTTO_TRANSCRIPT_DONE = 5,            // The last event ^T2. `status`: OK, CANCELLED or the error,
                                        // whose message is the last error (status.h, Streams).
};

typedef struct sotto_transcript_event {
  uint32_t struct_size;
  int32_t type;
  int64_t start_ms;  // From the first sample fed.
  int64_t end_ms;    // Never past the last sample fed ^T3.
  sotto_status status;
  uint32_t text_bytes;
  const char* text;  // No leading or trailing space, no markers.
} sotto_transcript_event;

// Takes the oldest event. Skip a `type` you do not know. After DONE every call answers DONE
// again. [ONE]
SOTTO_API sotto_status sotto_transcriber_next(sotto_transcriber* transcriber,
                                              sotto_transcript_event* event, int64_t timeout_ms);

// Stops within one step of the model; DONE(CANCELLED) follows. [ANY]
SOTTO_API sotto_status sotto_transcriber_cancel(sotto_transcriber* transcriber);

// [ANY]
SOTTO_API void sotto_transcriber_release(sotto_transcriber* transcriber);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // SOTTO_TRANSCRIBE_H_
