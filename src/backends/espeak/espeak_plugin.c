/* libsotto_espeak: the plug-in of espeak_plugin_abi.h over libespeak-ng. Linked with espeak-ng, it
 * is distributed under GPL-3.0-or-later; the library does not need it. */
#include <espeak-ng/speak_lib.h>
#include <stdio.h>
#include <string.h>

#include "backends/espeak/espeak_plugin_abi.h"

static int OpenVoice(const char* voice, char* error, size_t error_bytes) {
  if (espeak_Initialize(AUDIO_OUTPUT_SYNCHRONOUS, 0, NULL, espeakINITIALIZE_DONT_EXIT) < 0) {
    snprintf(error, error_bytes, "espeak-ng finds no data");
    return -1;
  }
  if (espeak_SetVoiceByName(voice) != EE_OK) {
    snprintf(error, error_bytes, "espeak-ng has no such voice");
    return -1;
  }
  return 0;
}

static long Phonemize(const char* text, char* out, size_t out_bytes) {
  const void* rest = text;
  size_t written = 0;
  while (rest != NULL && *(const char*)rest != '\0') {
    const char* ipa = espeak_TextToPhonemes(&rest, espeakCHARS_UTF8, espeakPHONEMES_IPA);
    size_t bytes = ipa == NULL ? 0 : strlen(ipa);
    if (bytes == 0) continue;
    if (written > 0) {
      if (written < out_bytes) out[written] = ' ';
      ++written;
    }
    for (size_t i = 0; i < bytes; ++i, ++written) {
      if (written < out_bytes) out[written] = ipa[i];
    }
  }
  return (long)written;
}

static const sotto_espeak_plugin kPlugin = {SOTTO_ESPEAK_PLUGIN_VERSION, OpenVoice, Phonemize};

__attribute__((visibility("default"))) const sotto_espeak_plugin* sotto_espeak_plugin_v1(void);
const sotto_espeak_plugin* sotto_espeak_plugin_v1(void) { return &kPlugin; }
