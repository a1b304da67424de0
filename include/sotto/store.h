// sotto/store.h - the models on disk: what there is, getting it, checking it, removing it.
//
// Conventions: sotto/status.h.
#ifndef SOTTO_STORE_H_
#define SOTTO_STORE_H_

#include "sotto/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

// {"store", "packs": [{"id", "installed", "size_bytes", "models": [...], ...}], "models": [{"id",
// "role", "installed", "size_bytes", "licence", ...}]}. [ANY]
SOTTO_API SOTTO_NODISCARD sotto_status sotto_store_list_json(sotto_engine* engine, char** out_json);

// Everything about one model or pack, its lineage, licence and sources included. NOT_FOUND for an
// unknown id; the message names the nearest. [ANY]
SOTTO_API SOTTO_NODISCARD sotto_status sotto_store_show_json(sotto_engine* engine, const char* id,
                                                             char** out_json);

// Hashes the files of one model or pack (NULL: of all that is installed) and answers
// {"ok", "files": [{"model", "file", "ok", "message"}]}. DATA_LOSS when anything is damaged:
// *out_json is set then too. [ONE], reads every byte.
SOTTO_API SOTTO_NODISCARD sotto_status sotto_store_verify_json(sotto_engine* engine, const char* id,
                                                               char** out_json);

// Removes a model or pack and answers {"removed": [...], "kept": ["ID: reason"], "freed_bytes",
// "incomplete_packs": [...]}: the last are installed packs that lack the model now; jobs that need
// another of their models go on. FAILED_PRECONDITION when an installed pack needs the model and
// `force` is 0. [ONE]
SOTTO_API SOTTO_NODISCARD sotto_status sotto_store_remove_json(sotto_engine* engine, const char* id,
                                                               int32_t force, char** out_json);

typedef struct sotto_pull sotto_pull;  // Opaque, reference-counted.

// Begins to fetch models and packs, `ids` [num_ids]. What is present is not fetched again; what
// an earlier pull left is resumed; a file with a wrong hash never becomes a model ^P1. [ANY]
//
// NOT_FOUND  An unknown id.
SOTTO_API SOTTO_NODISCARD sotto_status sotto_pull_create(sotto_engine* engine,
                                                         const char* const* ids, size_t num_ids,
                                                         sotto_pull** out_pull);

enum {
  SOTTO_PULL_NONE = 0,       // Nothing yet.
  SOTTO_PULL_PROGRESS = 1,   // Of `file` of `item`: done_bytes of total_bytes (0: unknown).
  SOTTO_PULL_NOTICE = 2,     // `text`, for the user: a licence and the models it is for, a
                             // warning, what is installed already, or, with the phase "retry", an
                             // attempt that failed and what is tried next.
  SOTTO_PULL_FILE_DONE = 3,  // `file` of `item` is in place, its hash right.
  SOTTO_PULL_DONE = 4,       // The last event. `status`; `text`: the error's message, or "". A
                             // failure is also the last error message (status.h, Streams).
};

typedef struct sotto_pull_event {
  uint32_t struct_size;
  int32_t type;
  sotto_status status;
  uint32_t reserved;
  uint64_t done_bytes;
  uint64_t total_bytes;
  uint64_t rate_bytes_per_s;
  uint64_t all_done_bytes;   // Over the whole pull.
  uint64_t all_total_bytes;  // Over the whole pull, as far as sizes are known.
  const char* item;          // NUL-terminated id of the model; "" where it is of several or none.
  const char* file;          // NUL-terminated name of the file within the model.
  const char* phase;  // NUL-terminated: "download", "unpack", "convert", "verify", "retry" ...
  const char* text;   // NUL-terminated.
} sotto_pull_event;

// Takes the oldest event; progress events are merged when the host falls behind. [ONE]
SOTTO_API sotto_status sotto_pull_next(sotto_pull* pull, sotto_pull_event* event,
                                       int64_t timeout_ms);

// Stops; what has been fetched stays and is resumed by the next pull ^P2. [ANY]
SOTTO_API sotto_status sotto_pull_cancel(sotto_pull* pull);

// [ANY]
SOTTO_API void sotto_pull_release(sotto_pull* pull);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // SOTTO_STORE_H_
