// sotto/speak.h - text to speech that starts before the text is whole.
//
//   sotto_speech_push_text(s, text, text_bytes);   // as often as there is text
//   sotto_speech_finish(s);
//   for (int32_t end = 0; !end;) {
//     size_t n = 0;
//     if (sotto_speech_read(s, block, 4096, &n, &end, -1) != SOTTO_OK) break;
//     play(block, n);
//   }
//
// Text is cut into phrases; markdown, emoji and code are kept from the voice; numbers, dates and
// signs are spoken in words. The first block leaves before its phrase is done ^S1.
//
// Conventions: sotto/status.h.
#ifndef SOTTO_SPEAK_H_
#define SOTTO_SPEAK_H_

#include "sotto/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_speech sotto_speech;  // Opaque, reference-counted.

typedef struct sotto_speech_config {
  uint32_t struct_size;
  uint32_t rate_hz;  // Wanted from read. 8000..192000. 0: the voice's own. [0]
  int32_t profile;   // SOTTO_PROFILE_* of model.h. [SOTTO_PROFILE_FAST]
  float speed;       // 0.5..2, 2 is twice as fast. [1]
  uint32_t seed;     // Same text, voice, speed and seed: same samples ^S2. [0]
  uint32_t reserved;
  const char* model;  // Catalogue id or path. NULL: the pack's for `profile`. [NULL]
  const char* voice;  // NULL: the model's first. [NULL]
} sotto_speech_config;

// [ANY]
SOTTO_API void sotto_speech_config_init(sotto_speech_config* config);

// Creates a speech; loads its model if it is not loaded. [ONE]. Errors of sotto_model_load();
// NOT_FOUND for an unknown voice (the message lists some), INVALID_ARGUMENT for a setting.
SOTTO_API SOTTO_NODISCARD sotto_status sotto_speech_create(sotto_engine* engine,
                                                           const sotto_speech_config* config,
                                                           sotto_speech** out_speech);

// The rate of the samples that read gives. 0 for NULL. [ANY]
SOTTO_API uint32_t sotto_speech_rate_hz(const sotto_speech* speech);

// Appends text, which may end anywhere, even inside a character. [ANY]
//
// INVALID_ARGUMENT    Not valid UTF-8; the message gives the offset. The speech goes on.
// FAILED_PRECONDITION After finish.
SOTTO_API sotto_status sotto_speech_push_text(sotto_speech* speech, const char* text,
                                              size_t text_bytes);

// Says that no text follows: the last phrase is spoken too. [ANY]
SOTTO_API sotto_status sotto_speech_finish(sotto_speech* speech);

// Takes up to `max_samples` samples, mono. [ONE]
//
// out_num_samples  How many were written. 0 with SOTTO_OK and no end: nothing yet.
// out_is_end       1 when no sample follows these. Never before finish.
//
// CANCELLED after cancel. INVALID_ARGUMENT when the text holds a script the voice cannot read.
SOTTO_API sotto_status sotto_speech_read(sotto_speech* speech, float* out_samples,
                                         size_t max_samples, size_t* out_num_samples,
                                         int32_t* out_is_end, int64_t timeout_ms);

// How much of the pushed text had been said once `num_samples` had been read: the bytes up to
// the end of the last word begun, exact at phrase ends, in between by the voice's own timing
// where it gives one and by share of the phrase where not. [ANY]
SOTTO_API sotto_status sotto_speech_spoken(sotto_speech* speech, uint64_t num_samples,
                                           uint64_t* out_text_bytes);

// Stops within one block ^S3. [ANY]
SOTTO_API sotto_status sotto_speech_cancel(sotto_speech* speech);

// [ANY]
SOTTO_API void sotto_speech_release(sotto_speech* speech);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // SOTTO_SPEAK_H_
