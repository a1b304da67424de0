/* The seam between sotto and a plug-in that phonemises with espeak-ng: plain C, two functions.
 *
 * espeak-ng is GPL-3.0-or-later. The library neither contains it nor links it; a user who wants it
 * builds the plug-in (SOTTO_ESPEAK_PLUGIN) and names its file. */
#ifndef SOTTO_BACKENDS_ESPEAK_ESPEAK_PLUGIN_ABI_H_
#define SOTTO_BACKENDS_ESPEAK_ESPEAK_PLUGIN_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows with every change that an older loader could misread. */
#define SOTTO_ESPEAK_PLUGIN_VERSION 1

/* The name of the one symbol that the plug-in exports, of type sotto_espeak_plugin_entry. */
#define SOTTO_ESPEAK_PLUGIN_ENTRY "sotto_espeak_plugin_v1"

typedef struct sotto_espeak_plugin {
  uint32_t version; /* SOTTO_ESPEAK_PLUGIN_VERSION */

  /* Loads the voice ("en-us"). 0, or not 0 with a reason in `error` (NUL-terminated, cut to fit).
   * Called once, before phonemize(). */
  int (*open)(const char* voice, char* error, size_t error_bytes);

  /* IPA of one clause of NUL-terminated UTF-8 without punctuation. Writes at most `out_bytes` bytes
   * and no NUL; returns how many the whole needs, or a negative number on failure. One call at a
   * time: espeak-ng keeps global state. */
  long (*phonemize)(const char* text, char* out, size_t out_bytes);
} sotto_espeak_plugin;

typedef const sotto_espeak_plugin* (*sotto_espeak_plugin_entry)(void);

#ifdef __cplusplus
}
#endif

#endif /* SOTTO_BACKENDS_ESPEAK_ESPEAK_PLUGIN_ABI_H_ */
