// Says what this library is and what this machine lacks. Needs no model.
//
//   cc 01_hello.c -lsotto && ./a.out
#include <stdio.h>
#include <stdlib.h>

#include "sotto/sotto.h"

int main(void) {
  printf("sotto %s\n", sotto_version());

  // A config starts from its _init function; then only what differs is set.
  sotto_engine_config config;
  sotto_engine_config_init(&config);
  sotto_engine* engine = NULL;
  if (sotto_engine_create(&config, &engine) != SOTTO_OK) {
    fprintf(stderr, "%s\n", sotto_last_error_message());
    return EXIT_FAILURE;
  }

  char* report = NULL;  // ours, until sotto_string_free()
  const sotto_status status = sotto_engine_doctor_json(engine, &report);
  if (status == SOTTO_OK) {
    printf("%s\n", report);
  } else {
    fprintf(stderr, "%s: %s\n", sotto_status_name(status), sotto_last_error_message());
  }
  sotto_string_free(report);
  sotto_engine_release(engine);
  return status == SOTTO_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
