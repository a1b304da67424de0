// Speaks a text into a WAV file, block by block as it is made.
//
//   ./03_say "It is four o'clock." out.wav
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sotto/sotto.h"

// Moves the sound to the file until its end.
static sotto_status WriteSound(sotto_speech* speech, sotto_audio_writer* writer) {
  float block[4096];
  for (int32_t is_end = 0; !is_end;) {
    size_t num_samples = 0;
    sotto_status status =
        sotto_speech_read(speech, block, sizeof block / sizeof *block, &num_samples, &is_end, -1);
    if (status == SOTTO_OK) {
      status = sotto_audio_writer_write(writer, block, num_samples);  // or play it
    }
    if (status != SOTTO_OK) {
      return status;
    }
  }
  return sotto_audio_writer_commit(writer);
}

static sotto_status Say(sotto_engine* engine, const char* text, const char* path) {
  sotto_speech_config config;
  sotto_speech_config_init(&config);
  sotto_speech* speech = NULL;
  sotto_audio_writer* writer = NULL;
  sotto_status status = sotto_speech_create(engine, &config, &speech);
  if (status == SOTTO_OK) {
    status = sotto_audio_writer_create(path, sotto_speech_rate_hz(speech), 1, &writer);
  }
  // Text may come in pieces, from a language model for example; speech begins with the first
  // phrase.
  if (status == SOTTO_OK) {
    status = sotto_speech_push_text(speech, text, strlen(text));
  }
  if (status == SOTTO_OK) {
    status = sotto_speech_finish(speech);
  }
  if (status == SOTTO_OK) {
    status = WriteSound(speech, writer);
  }
  sotto_audio_writer_release(writer);  // without a commit no file appears
  sotto_speech_release(speech);
  return status;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: 03_say TEXT OUT.wav\n");
    return 2;
  }
  sotto_engine_config config;
  sotto_engine_config_init(&config);
  sotto_engine* engine = NULL;
  sotto_status status = sotto_engine_create(&config, &engine);
  if (status == SOTTO_OK) {
    status = Say(engine, argv[1], argv[2]);
  }
  if (status != SOTTO_OK) {
    fprintf(stderr, "%s\n", sotto_last_error_message());
  }
  sotto_engine_release(engine);
  return status == SOTTO_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
