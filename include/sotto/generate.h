// sotto/generate.h - text from a language model, token by token.
//
//   sotto_generation_push_message(g, SOTTO_CHAT_USER, text, text_bytes);
//   sotto_generation_start(g);
//   sotto_generation_event event = {.struct_size = sizeof event};
//   while (sotto_generation_next(g, &event, -1) == SOTTO_OK &&
//          event.type != SOTTO_GENERATION_DONE) {
//     fwrite(event.text, 1, event.text_bytes, stdout);
//   }
//
// After DONE push the assistant's text and the next user message and start again: what the cache
// already holds of the prompt is not computed again ^G1.
//
// Conventions: sotto/status.h.
#ifndef SOTTO_GENERATE_H_
#define SOTTO_GENERATE_H_

#include "sotto/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_generation sotto_generation;  // Opaque, reference-counted.

typedef struct sotto_generation_config {
  uint32_t struct_size;
  uint32_t max_tokens;       // Of one reply. 1..1000000; the context may end it earlier. [512]
  uint32_t context_tokens;   // 256..the model's; 0: min(the model's, 4096). [0]
  uint32_t seed;             // Same prompt, settings and seed: same text ^G2. [0]
  float temperature;         // 0: always the likeliest token. 0..2. [0.7]
  float top_p;               // (0, 1]. [0.95]
  int32_t top_k;             // 0: off. 0..1000. [40]
  float min_p;               // [0, 1). [0.05]
  float repeat_penalty;      // 1: off. 0.5..2. [1]
  uint32_t primer;           // 1: start from the pack's primer, unless `system` is given. [1]
  const char* model;         // Catalogue id or path. NULL: the pack's. [NULL]
  const char* system;        // System text. NULL: the primer's or none. [NULL]
  const char* const* stops;  // [num_stops] strings before which the text ends. [NULL]
  size_t num_stops;          // 0..16. [0]
} sotto_generation_config;

// [ANY]
SOTTO_API void sotto_generation_config_init(sotto_generation_config* config);

// Creates a generation; loads its model if it is not loaded. [ONE]. Errors of
// sotto_model_load(); INVALID_ARGUMENT for a setting.
SOTTO_API SOTTO_NODISCARD sotto_status sotto_generation_create(
    sotto_engine* engine, const sotto_generation_config* config, sotto_generation** out_generation);

enum {
  SOTTO_CHAT_SYSTEM = 0,
  SOTTO_CHAT_USER = 1,
  SOTTO_CHAT_ASSISTANT = 2,
  SOTTO_CHAT_TOOL = 3,
};

// Appends a message. Text that looks like a marker of the template stays text ^G3. [ANY]
//
// INVALID_ARGUMENT     Not valid UTF-8, or an unknown role.
// FAILED_PRECONDITION  A reply is being generated.
SOTTO_API sotto_status sotto_generation_push_message(sotto_generation* generation, int32_t role,
                                                     const char* text, size_t text_bytes);

// Begins the reply to the messages so far. [ANY]
//
// FAILED_PRECONDITION  No user message, or a reply is being generated.
SOTTO_API sotto_status sotto_generation_start(sotto_generation* generation);

enum {
  SOTTO_GENERATION_NONE = 0,  // Nothing yet.
  SOTTO_GENERATION_TEXT = 1,  // `text` continues the reply; whole characters only ^G4.
  SOTTO_GENERATION_DONE = 2,  // The reply's last event. `status`, `finish`. The message of a
                              // failure is the last error (status.h, Streams).
};

enum {
  SOTTO_FINISH_NONE = 0,    // Failed or cancelled.
  SOTTO_FINISH_STOP = 1,    // The model ended it, or a stop string.
  SOTTO_FINISH_LENGTH = 2,  // max_tokens, or the context is full.
};

typedef struct sotto_generation_event {
  uint32_t struct_size;
  int32_t type;
  sotto_status status;  // RESOURCE_EXHAUSTED: the prompt is longer than the context.
  int32_t finish;
  uint32_t text_bytes;
  uint32_t reserved;
  const char* text;
} sotto_generation_event;

// Takes the oldest event. [ONE]
SOTTO_API sotto_status sotto_generation_next(sotto_generation* generation,
                                             sotto_generation_event* event, int64_t timeout_ms);

typedef struct sotto_generation_stats {
  uint32_t struct_size;
  uint32_t prompt_tokens;
  uint32_t reused_tokens;  // Of prompt_tokens, not computed again.
  uint32_t completion_tokens;
  int64_t first_token_us;  // From start to the first token; -1 before it.
  int64_t prompt_us;       // Spent on the prompt.
  int64_t decode_us;       // Spent on decode steps.
} sotto_generation_stats;

// Figures of the current or last reply. [ANY]
SOTTO_API sotto_status sotto_generation_stats_get(sotto_generation* generation,
                                                  sotto_generation_stats* stats);

// Stops within one step; DONE(CANCELLED) follows and the generation can be started again. [ANY]
SOTTO_API sotto_status sotto_generation_cancel(sotto_generation* generation);

// [ANY]
SOTTO_API void sotto_generation_release(sotto_generation* generation);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // SOTTO_GENERATE_H_
