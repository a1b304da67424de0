// Asks the language model two questions of one conversation.
//
//   ./04_generate "Who wrote Hamlet?" "When?"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sotto/sotto.h"

enum { kMaxReplyBytes = 16384 };

// Prints the reply as it comes and keeps it in `reply`.
static sotto_status Ask(sotto_generation* generation, const char* question, char* reply) {
  size_t reply_bytes = 0;
  sotto_status status =
      sotto_generation_push_message(generation, SOTTO_CHAT_USER, question, strlen(question));
  if (status == SOTTO_OK) {
    status = sotto_generation_start(generation);
  }
  sotto_generation_event event = {.struct_size = sizeof event};
  while (status == SOTTO_OK) {
    status = sotto_generation_next(generation, &event, -1);
    if (status == SOTTO_OK && event.type == SOTTO_GENERATION_TEXT) {
      fwrite(event.text, 1, event.text_bytes, stdout);
      fflush(stdout);
      if (reply_bytes + event.text_bytes < kMaxReplyBytes) {
        memcpy(reply + reply_bytes, event.text, event.text_bytes);
        reply_bytes += event.text_bytes;
      }
    } else if (status == SOTTO_OK && event.type == SOTTO_GENERATION_DONE) {
      status = event.status;
      break;
    }
  }
  reply[reply_bytes] = '\0';
  printf("\n");
  return status;
}

static sotto_status Converse(sotto_engine* engine, int count, char** questions) {
  static char reply[kMaxReplyBytes];
  sotto_generation_config config;
  sotto_generation_config_init(&config);
  config.temperature = 0;
  config.max_tokens = 64;
  sotto_generation* generation = NULL;
  sotto_status status = sotto_generation_create(engine, &config, &generation);
  for (int i = 0; i < count && status == SOTTO_OK; ++i) {
    status = Ask(generation, questions[i], reply);
    // What was said becomes part of the conversation; the next question reuses its prompt.
    if (status == SOTTO_OK) {
      status =
          sotto_generation_push_message(generation, SOTTO_CHAT_ASSISTANT, reply, strlen(reply));
    }
  }
  sotto_generation_stats stats = {.struct_size = sizeof stats};
  if (status == SOTTO_OK && sotto_generation_stats_get(generation, &stats) == SOTTO_OK) {
    printf("%u prompt tokens, %u of them reused\n", (unsigned)stats.prompt_tokens,
           (unsigned)stats.reused_tokens);
  }
  sotto_generation_release(generation);
  return status;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: 04_generate QUESTION...\n");
    return 2;
  }
  sotto_engine_config config;
  sotto_engine_config_init(&config);
  sotto_engine* engine = NULL;
  sotto_status status = sotto_engine_create(&config, &engine);
  if (status == SOTTO_OK) {
    status = Converse(engine, argc - 1, argv + 1);
  }
  if (status != SOTTO_OK) {
    fprintf(stderr, "%s\n", sotto_last_error_message());
  }
  sotto_engine_release(engine);
  return status == SOTTO_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
