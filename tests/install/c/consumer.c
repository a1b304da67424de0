// A program of somebody else, in C11: knows the installed header and library alone.
#include <sotto/sotto.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  sotto_engine_config config;
  sotto_engine_config_init(&config);
  sotto_engine* engine = NULL;
  config.threads = 100000;
  if (sotto_engine_create(&config, &engine) != SOTTO_INVALID_ARGUMENT || engine != NULL ||
      strlen(sotto_last_error_message()) == 0) {
    fprintf(stderr, "100000 threads: no INVALID_ARGUMENT with a message\n");
    return 1;
  }
  config.threads = 1;
  if (sotto_engine_create(&config, &engine) != SOTTO_OK) {
    fprintf(stderr, "%s\n", sotto_last_error_message());
    return 1;
  }
  sotto_engine_release(engine);
  printf("%s\n", sotto_version());
  return 0;
}
