// sotto/turn.h - one turn: a spoken (or written) question in, a spoken (and written) answer out.
//
// Hears the user, recognises, thinks, and speaks, each stage starting on what the one before it
// has so far. The host pulls events and sound from two threads or one.
//
// Conventions: sotto/status.h.
#ifndef SOTTO_TURN_H_
#define SOTTO_TURN_H_

#include "sotto/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_turn sotto_turn;  // Opaque, reference-counted.

typedef struct sotto_turn_config {
  uint32_t struct_size;
  uint32_t rate_hz;        // Of what is fed. 4000..384000. [16000]
  uint32_t channels;       // 1..64. [1]
  uint32_t speak;          // 0: the answer is text only. [1]
  uint32_t reply_rate_hz;  // Of the answer's sound. 8000..192000. 0: the voice's own. [0]
  int32_t asr_profile;     // SOTTO_PROFILE_*. [SOTTO_PROFILE_BEST]
  int32_t tts_profile;     // SOTTO_PROFILE_*. [SOTTO_PROFILE_FAST]
  uint32_t max_tokens;     // Of the answer. 1..100000. [160]
  float temperature;       // 0..2. [0]
  uint32_t seed;           // [0]
  const char* system;      // NULL: the pack's primer. [NULL]
  const char* text_model;  // Catalogue ids or paths; NULL: the pack's. [NULL]
  const char* asr_model;
  const char* tts_model;
  const char* voice;
  const char* language;  // ISO 639-1. NULL: the recogniser's default. [NULL]
} sotto_turn_config;

// [ANY]
SOTTO_API void sotto_turn_config_init(sotto_turn_config* config);

// Creates a turn and loads its models; the opening of the prompt is computed while the voice loads
// and goes on behind this call. [ONE]. Errors of sotto_model_load().
SOTTO_API SOTTO_NODISCARD sotto_status sotto_turn_create(sotto_engine* engine,
                                                         const sotto_turn_config* config,
                                                         sotto_turn** out_turn);

// Appends audio of the question, [num_frames x channels]. [ONE]
SOTTO_API sotto_status sotto_turn_push_audio(sotto_turn* turn, const float* samples,
                                             size_t num_frames);

// Gives the question as text, in place of audio, and ends it. [ANY]
//
// INVALID_ARGUMENT    Empty or not valid UTF-8.
// FAILED_PRECONDITION Audio was given, or the question has ended.
SOTTO_API sotto_status sotto_turn_push_text(sotto_turn* turn, const char* text, size_t text_bytes);

// Says that the question is over. [ANY]
SOTTO_API sotto_status sotto_turn_finish(sotto_turn* turn);

enum {
  SOTTO_TURN_NONE = 0,           // Nothing yet.
  SOTTO_TURN_TRANSCRIPT = 1,     // `text`: what was heard. "" when nobody spoke.
  SOTTO_TURN_REPLY_TEXT = 2,     // `text` continues the answer.
  SOTTO_TURN_AUDIO_STARTED = 3,  // The first block can be read.
  SOTTO_TURN_ENDED = 4,          // The last ^W1, and again at every call behind it. `status`; the
                                 // message of a failure is the last error (status.h, Streams).
};

typedef struct sotto_turn_event {
  uint32_t struct_size;
  int32_t type;
  int64_t time_us;  // When it happened.
  sotto_status status;
  uint32_t text_bytes;
  const char* text;
} sotto_turn_event;

// Takes the oldest event. [ONE]. Ends with TURN_ENDED also when nobody reads the sound: what is
// unread is kept, up to ten minutes.
SOTTO_API sotto_status sotto_turn_next(sotto_turn* turn, sotto_turn_event* event,
                                       int64_t timeout_ms);

// The rate of the answer's sound. [ANY]
SOTTO_API uint32_t sotto_turn_reply_rate_hz(const sotto_turn* turn);

// Takes sound of the answer; as sotto_speech_read(). [ONE], a thread of its own is fine.
SOTTO_API sotto_status sotto_turn_read_audio(sotto_turn* turn, float* out_samples,
                                             size_t max_samples, size_t* out_num_samples,
                                             int32_t* out_is_end, int64_t timeout_ms);

// Tells when the host played the first sample; it is the last mark of the waterfall. Optional.
// [ANY]
SOTTO_API sotto_status sotto_turn_mark_played(sotto_turn* turn);

// The waterfall of this turn; see sotto/trace.h. [ANY]
SOTTO_API SOTTO_NODISCARD sotto_status sotto_turn_trace_json(sotto_turn* turn, char** out_json);

// Stops every stage within one of its steps ^W2. [ANY]
SOTTO_API sotto_status sotto_turn_cancel(sotto_turn* turn);

// [ANY]
SOTTO_API void sotto_turn_release(sotto_turn* turn);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // SOTTO_TURN_H_
