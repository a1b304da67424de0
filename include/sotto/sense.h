// sotto/sense.h - the small models: voice activity, end of turn, embeddings, speakers.
//
// Conventions: sotto/status.h.
#ifndef SOTTO_SENSE_H_
#define SOTTO_SENSE_H_

#include "sotto/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- Voice activity -----------------------------------------------------------------------

typedef struct sotto_vad sotto_vad;  // Opaque. [ONE]

typedef struct sotto_vad_config {
  uint32_t struct_size;
  uint32_t rate_hz;   // Of what is fed. 4000..384000. [16000]
  uint32_t channels;  // 1..64. [1]
  float threshold;    // Probability that opens a span; it closes 0.15 below. 0.05..0.95. [0.5]
  uint32_t min_silence_ms;  // Silence that closes a span. 30..5000. [300]
  uint32_t pre_roll_ms;     // A span begins so much before its first window. 0..2000. [200]
  const char* model;        // Catalogue id or path. NULL: the pack's. [NULL]
} sotto_vad_config;

// [ANY]
SOTTO_API void sotto_vad_config_init(sotto_vad_config* config);

// Errors of sotto_model_load(); INVALID_ARGUMENT for a setting.
SOTTO_API SOTTO_NODISCARD sotto_status sotto_vad_create(sotto_engine* engine,
                                                        const sotto_vad_config* config,
                                                        sotto_vad** out_vad);

// Appends [num_frames x channels]; any count. Costs about 0.1 % of the audio's duration.
SOTTO_API sotto_status sotto_vad_feed(sotto_vad* vad, const float* samples, size_t num_frames);

// Closes an open span; feed may follow and begins a new stream.
SOTTO_API sotto_status sotto_vad_finish(sotto_vad* vad);

// Takes the oldest finished span; *out_found is 0 when there is none. Times count from the
// first sample fed; spans are in order and do not overlap ^V1.
SOTTO_API sotto_status sotto_vad_next(sotto_vad* vad, int64_t* out_start_ms, int64_t* out_end_ms,
                                      int32_t* out_found);

SOTTO_API void sotto_vad_release(sotto_vad* vad);

// --- End of turn --------------------------------------------------------------------------

// Probability that the speaker is done, from the audio of the turn so far [num_frames], mono at
// `rate_hz`, ending now; the last 8 s count. Meant to be asked about 200 ms into a pause. [ONE]
// Loads the pack's model at the first call; tens of milliseconds after that.
SOTTO_API sotto_status sotto_turn_score(sotto_engine* engine, const float* samples,
                                        size_t num_frames, uint32_t rate_hz,
                                        float* out_probability);

// --- Vectors ------------------------------------------------------------------------------

// Embeds `text` into `out_vector` [capacity], of Euclidean length 1 ^V2. [ONE]
//
// model             Catalogue id or path; NULL: the pack's.
// out_dimensions    Numbers written. With capacity 0 and out_vector NULL: how many there would be.
//
// RESOURCE_EXHAUSTED  `capacity` is too small; *out_dimensions is set.
SOTTO_API sotto_status sotto_embed_text(sotto_engine* engine, const char* model, const char* text,
                                        size_t text_bytes, float* out_vector, size_t capacity,
                                        size_t* out_dimensions);

// Embeds a voice: mono `samples` [num_frames] at `rate_hz`, 0.5 s at least. As above.
SOTTO_API sotto_status sotto_embed_speaker(sotto_engine* engine, const char* model,
                                           const float* samples, size_t num_frames,
                                           uint32_t rate_hz, float* out_vector, size_t capacity,
                                           size_t* out_dimensions);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // SOTTO_SENSE_H_
