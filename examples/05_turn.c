// Answers a spoken question aloud: hears, thinks and speaks in one call chain, then prints where
// the time went.
//
//   ./05_turn question.wav reply.wav
#include <stdio.h>
#include <stdlib.h>

#include "sotto/sotto.h"

// Prints what is heard and answered. Returns the end of the turn.
static sotto_status FollowEvents(sotto_turn* turn) {
  sotto_turn_event event = {.struct_size = sizeof event};
  for (;;) {
    const sotto_status status = sotto_turn_next(turn, &event, -1);
    if (status != SOTTO_OK) {
      return status;
    }
    if (event.type == SOTTO_TURN_TRANSCRIPT) {
      printf("heard: %.*s\nreply: ", (int)event.text_bytes, event.text);
    } else if (event.type == SOTTO_TURN_REPLY_TEXT) {
      fwrite(event.text, 1, event.text_bytes, stdout);
    } else if (event.type == SOTTO_TURN_ENDED) {
      printf("\n");
      return event.status;
    }
  }
}

// A live host reads the sound on its audio thread while events come; here both are fine in turn,
// for unread sound is kept.
static sotto_status WriteReply(sotto_turn* turn, const char* path) {
  sotto_audio_writer* writer = NULL;
  sotto_status status = sotto_audio_writer_create(path, sotto_turn_reply_rate_hz(turn), 1, &writer);
  float block[4096];
  for (int32_t is_end = 0; status == SOTTO_OK && !is_end;) {
    size_t num_samples = 0;
    status =
        sotto_turn_read_audio(turn, block, sizeof block / sizeof *block, &num_samples, &is_end, -1);
    if (status == SOTTO_OK) {
      status = sotto_audio_writer_write(writer, block, num_samples);
    }
  }
  if (status == SOTTO_OK) {
    status = sotto_audio_writer_commit(writer);
  }
  sotto_audio_writer_release(writer);
  return status;
}

static sotto_status Answer(sotto_engine* engine, const char* question, const char* reply) {
  sotto_turn_config config;
  sotto_turn_config_init(&config);
  sotto_audio_clip* clip = NULL;
  sotto_turn* turn = NULL;
  sotto_audio_clip_info info = {.struct_size = sizeof info};
  sotto_status status = sotto_audio_clip_load(question, config.rate_hz, &clip);
  if (status == SOTTO_OK) {
    status = sotto_audio_clip_get(clip, &info);
  }
  if (status == SOTTO_OK) {
    status = sotto_turn_create(engine, &config, &turn);
  }
  if (status == SOTTO_OK) {
    status = sotto_turn_push_audio(turn, info.samples, (size_t)info.num_samples);
  }
  if (status == SOTTO_OK) {
    status = sotto_turn_finish(turn);
  }
  if (status == SOTTO_OK) {
    status = FollowEvents(turn);
  }
  if (status == SOTTO_OK) {
    status = WriteReply(turn, reply);
  }
  char* waterfall = NULL;
  if (status == SOTTO_OK && sotto_turn_trace_json(turn, &waterfall) == SOTTO_OK) {
    printf("%s\n", waterfall);
  }
  sotto_string_free(waterfall);
  sotto_turn_release(turn);
  sotto_audio_clip_release(clip);
  return status;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: 05_turn QUESTION.wav REPLY.wav\n");
    return 2;
  }
  sotto_engine_config config;
  sotto_engine_config_init(&config);
  sotto_engine* engine = NULL;
  sotto_status status = sotto_engine_create(&config, &engine);
  if (status == SOTTO_OK) {
    status = Answer(engine, argv[1], argv[2]);
  }
  if (status != SOTTO_OK) {
    fprintf(stderr, "%s\n", sotto_last_error_message());
  }
  sotto_engine_release(engine);
  return status == SOTTO_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
