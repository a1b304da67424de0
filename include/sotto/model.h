// sotto/model.h - loaded models: kept warm, described, given back.
//
// Every job (transcribe.h, speak.h, generate.h ...) loads the model it needs by itself. Holding a
// sotto_model keeps the weights in memory between jobs; jobs and handles share one copy.
//
// Conventions: sotto/status.h.
#ifndef SOTTO_MODEL_H_
#define SOTTO_MODEL_H_

#include "sotto/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_model sotto_model;  // Opaque, reference-counted.

enum {
  SOTTO_ROLE_TEXT = 1,
  SOTTO_ROLE_ASR = 2,
  SOTTO_ROLE_VAD = 3,
  SOTTO_ROLE_TURN = 4,
  SOTTO_ROLE_TTS = 5,
  SOTTO_ROLE_EMBEDDING = 6,
  SOTTO_ROLE_SPEAKER = 7,
};

// A role may have two models in a pack: a quick one and a good one.
enum {
  SOTTO_PROFILE_DEFAULT = 0,
  SOTTO_PROFILE_FAST = 1,  // Least latency: live use.
  SOTTO_PROFILE_BEST = 2,  // Best result: batch use.
};

enum {
  SOTTO_CAN_STREAM = 1 << 0,      // Results come in pieces while the model works.
  SOTTO_CAN_CHAT = 1 << 1,        // The file carries a chat template.
  SOTTO_CAN_TIMESTAMPS = 1 << 2,  // Segments have times.
};

// Loads a model, or shares it if it is loaded. [ONE], seconds at most for a cold large file.
//
// role     SOTTO_ROLE_*.
// profile  SOTTO_PROFILE_*; used when `id` is NULL.
// id       A catalogue id, or the path of a model file. NULL: the engine's pack decides.
//
// NOT_FOUND            No such id in the catalogue and no such file.
// UNAVAILABLE          Known but not installed; the message says the command that gets it.
// DATA_LOSS            The file is malformed; the message names the file and the field.
// INVALID_ARGUMENT     The model does not fit the role.
// RESOURCE_EXHAUSTED   It does not fit the memory; the message gives asked and free bytes and
//                      smaller choices.
SOTTO_API SOTTO_NODISCARD sotto_status sotto_model_load(sotto_engine* engine, int32_t role,
                                                        int32_t profile, const char* id,
                                                        sotto_model** out_model);

// Gives up the handle. The weights go when the last handle and job that use them have gone ^M1.
// [ANY]
SOTTO_API void sotto_model_release(sotto_model* model);

// {"id", "role", "architecture", "bytes", "languages", "rate_hz", "voices", "licence", ...}: what
// applies to the role. User-facing names; lineage is in sotto_store_show_json(). [ANY]
SOTTO_API SOTTO_NODISCARD sotto_status sotto_model_describe_json(sotto_model* model,
                                                                 char** out_json);

// The SOTTO_CAN_* bits. 0 for NULL. [ANY]
SOTTO_API uint64_t sotto_model_capabilities(const sotto_model* model);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // SOTTO_MODEL_H_
