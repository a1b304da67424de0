// Writes down what a sound file says.
//
//   ./02_transcribe speech.wav
#include <stdio.h>
#include <stdlib.h>

#include "sotto/sotto.h"

// Prints the segments as they are settled. Returns the end of the job.
static sotto_status PrintSegments(sotto_transcriber* transcriber) {
  sotto_transcript_event event = {.struct_size = sizeof event};
  for (;;) {
    const sotto_status status = sotto_transcriber_next(transcriber, &event, -1);
    if (status != SOTTO_OK) {
      return status;
    }
    if (event.type == SOTTO_TRANSCRIPT_SEGMENT) {
      printf("%7.2f  %.*s\n", (double)event.start_ms / 1000.0, (int)event.text_bytes, event.text);
    } else if (event.type == SOTTO_TRANSCRIPT_DONE) {
      return event.status;
    }
  }
}

static sotto_status Transcribe(sotto_engine* engine, const char* path) {
  sotto_audio_clip* clip = NULL;
  sotto_transcriber* transcriber = NULL;
  sotto_transcriber_config config;
  sotto_transcriber_config_init(&config);

  // Any container, rate and channel count becomes mono at the rate that we ask for.
  sotto_status status = sotto_audio_clip_load(path, config.rate_hz, &clip);
  if (status == SOTTO_OK) {
    status = sotto_transcriber_create(engine, &config, &transcriber);
  }
  sotto_audio_clip_info info = {.struct_size = sizeof info};
  if (status == SOTTO_OK) {
    status = sotto_audio_clip_get(clip, &info);
  }
  // The whole file at once: fine for a short one. Feed waits while more than 30 s are unheard, so
  // a long file is fed from a thread of its own.
  if (status == SOTTO_OK) {
    status = sotto_transcriber_feed(transcriber, info.samples, (size_t)info.num_samples);
  }
  if (status == SOTTO_OK) {
    status = sotto_transcriber_finish(transcriber);
  }
  if (status == SOTTO_OK) {
    status = PrintSegments(transcriber);
  }
  sotto_transcriber_release(transcriber);
  sotto_audio_clip_release(clip);
  return status;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: 02_transcribe FILE\n");
    return 2;
  }
  sotto_engine_config config;
  sotto_engine_config_init(&config);
  sotto_engine* engine = NULL;
  sotto_status status = sotto_engine_create(&config, &engine);
  if (status == SOTTO_OK) {
    status = Transcribe(engine, argv[1]);
  }
  if (status != SOTTO_OK) {
    fprintf(stderr, "%s\n", sotto_last_error_message());
  }
  sotto_engine_release(engine);
  return status == SOTTO_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
