// sotto/engine.h - the engine: cores, memory, model store and log of everything else.
//
//   sotto_engine_config config;
//   sotto_engine_config_init(&config);
//   sotto_engine* engine = NULL;
//   if (sotto_engine_create(&config, &engine) != SOTTO_OK) {
//     fprintf(stderr, "%s\n", sotto_last_error_message());
//   }
//
// Conventions: sotto/status.h.
#ifndef SOTTO_ENGINE_H_
#define SOTTO_ENGINE_H_

#include "sotto/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_engine sotto_engine;  // Opaque, reference-counted.

enum {
  SOTTO_LOG_DEBUG = 0,
  SOTTO_LOG_INFO = 1,
  SOTTO_LOG_WARNING = 2,
  SOTTO_LOG_ERROR = 3,
};

// Receives log lines: `line` is [line_bytes] UTF-8 without a newline, valid during the call.
// Called from any thread, also from several at once; may call no sotto function. Lines hold no
// transcript, prompt or file contents.
typedef void (*sotto_log_fn)(void* user, int32_t level, const char* line, size_t line_bytes);

typedef struct sotto_engine_config {
  uint32_t struct_size;

  // Cores the engine may keep busy, all models together. 1..256. 0: as many physical cores as
  // this process may use (affinity and cgroup quota counted). [0]
  uint32_t threads;

  // The most that models, caches and buffers may take together. 0: what the machine and the
  // cgroup have free when asked, less a reserve of max(768 MB, 8 %). [0]
  uint64_t memory_limit_bytes;

  // The model store. NULL: $SOTTO_HOME, else $XDG_DATA_HOME/sotto/models, else
  // ~/.local/share/sotto/models.
  const char* store_dir;

  // The pack whose models are used where none is named. NULL: $SOTTO_PACK, else the first
  // installed of the catalogue's packs in its order of preference.
  const char* pack;

  sotto_log_fn log;   // NULL: no log.
  void* log_user;     // Given to `log`.
  int32_t log_level;  // Lines below are dropped. [SOTTO_LOG_WARNING]

  uint32_t trace_turns;  // Recent turns kept for sotto_engine_trace_json(). 0..10000. [64]
} sotto_engine_config;

// Fills `*config` with the defaults given in [brackets] above. [ANY]
SOTTO_API void sotto_engine_config_init(sotto_engine_config* config);

// Creates an engine. Loads no model; costs a few milliseconds. [ANY]
//
// INVALID_ARGUMENT    A setting is out of range; the message names it.
// FAILED_PRECONDITION This processor lacks an instruction set the library was built for.
SOTTO_API SOTTO_NODISCARD sotto_status sotto_engine_create(const sotto_engine_config* config,
                                                           sotto_engine** out_engine);

// Gives up the caller's reference. Objects made from the engine keep it alive ^E1. [ANY]
SOTTO_API void sotto_engine_release(sotto_engine* engine);

typedef struct sotto_engine_memory {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t limit_bytes;   // What may be leased in all, now.
  uint64_t leased_bytes;  // What is leased, now.
  uint64_t peak_bytes;    // The most that ever was.
} sotto_engine_memory;

// The arbiter's books. [ANY]
SOTTO_API sotto_status sotto_engine_memory_get(sotto_engine* engine, sotto_engine_memory* memory);

// "0.1.0". Static storage. [ANY]
SOTTO_API const char* sotto_version(void);

// What this build is: {"version", "revision", "compiler", "build_type", "cpu_features": [...],
// "backends": {...}, "dependencies": {...}}. [ANY]
SOTTO_API SOTTO_NODISCARD sotto_status sotto_build_info_json(char** out_json);

// What this machine, this build and the store can do, and what is wrong with the way to mend it:
// {"machine": {...}, "build": {...}, "store": {...}, "checks": [{"name", "status": "ok" |
// "warning" | "error", "detail", "fix"}]}. Reads the store's index, loads no model. [ANY]
SOTTO_API SOTTO_NODISCARD sotto_status sotto_engine_doctor_json(sotto_engine* engine,
                                                                char** out_json);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // SOTTO_ENGINE_H_
