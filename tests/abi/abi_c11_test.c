// The C ABI from a C11 program, without any model: frozen values, NULLs, struct sizes, errors,
// lifetimes that need no weights.
// PROMISES: A1, A2, A3
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sotto/sotto.h"

static int failures = 0;

#define EXPECT(condition)                                             \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

#define EXPECT_STATUS(expected, call)                                                           \
  do {                                                                                          \
    const sotto_status got = (call);                                                            \
    if (got != (expected)) {                                                                    \
      fprintf(stderr, "%s:%d: %s: %s, want %s: %s\n", __FILE__, __LINE__, #call,                \
              sotto_status_name(got), sotto_status_name(expected), sotto_last_error_message()); \
      ++failures;                                                                               \
    }                                                                                           \
  } while (0)

#define EXPECT_INVALID(call) EXPECT_STATUS(SOTTO_INVALID_ARGUMENT, call)

// ^A1: the numbers are frozen, in this copy of them.
_Static_assert(SOTTO_OK == 0 && SOTTO_CANCELLED == 1 && SOTTO_INVALID_ARGUMENT == 3, "A1");
_Static_assert(SOTTO_DEADLINE_EXCEEDED == 4 && SOTTO_NOT_FOUND == 5, "A1");
_Static_assert(SOTTO_ALREADY_EXISTS == 6 && SOTTO_PERMISSION_DENIED == 7, "A1");
_Static_assert(SOTTO_RESOURCE_EXHAUSTED == 8 && SOTTO_FAILED_PRECONDITION == 9, "A1");
_Static_assert(SOTTO_UNIMPLEMENTED == 12 && SOTTO_INTERNAL == 13, "A1");
_Static_assert(SOTTO_UNAVAILABLE == 14 && SOTTO_DATA_LOSS == 15, "A1");
_Static_assert(sizeof(sotto_status) == 4, "A1");

static void* const kGarbage = (void*)0x5a5a;

static char folder[256];

static const char* InFolder(const char* name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

// An engine over an empty store.
static sotto_engine* MakeEngine(void) {
  sotto_engine_config config;
  sotto_engine_config_init(&config);
  config.store_dir = folder;
  config.threads = 1;
  sotto_engine* engine = NULL;
  EXPECT_STATUS(SOTTO_OK, sotto_engine_create(&config, &engine));
  return engine;
}

static void StatusNamesAndMessages(void) {
  EXPECT(strcmp(sotto_status_name(SOTTO_OK), "ok") == 0);
  EXPECT(strcmp(sotto_status_name(SOTTO_NOT_FOUND), "not_found") == 0);
  EXPECT(strcmp(sotto_status_name(999), "unknown") == 0);
  EXPECT(strcmp(sotto_status_name(-1), "unknown") == 0);
  EXPECT(strcmp(sotto_status_name(2), "unknown") == 0);
  EXPECT(strncmp(sotto_version(), "0.", 2) == 0);
  sotto_string_free(NULL);
}

// ^A2: a message holds until the next failing call, over calls that succeed.
static void MessagesHoldUntilTheNextFailure(void) {
  EXPECT(sotto_last_error_message() != NULL);
  EXPECT(sotto_last_error_message()[0] == '\0');
  sotto_audio_clip* clip = kGarbage;
  EXPECT_STATUS(SOTTO_NOT_FOUND, sotto_audio_clip_load("/no/such/file.wav", 16000, &clip));
  EXPECT(clip == NULL);
  const char* message = sotto_last_error_message();
  EXPECT(strstr(message, "/no/such/file.wav") != NULL);
  EXPECT(strchr(message, '\n') == NULL);
  char copy[512];
  snprintf(copy, sizeof copy, "%s", message);
  char* json = NULL;
  EXPECT_STATUS(SOTTO_OK, sotto_build_info_json(&json));
  EXPECT(json != NULL && strstr(json, "\"version\"") != NULL);
  sotto_string_free(json);
  EXPECT(strcmp(sotto_last_error_message(), copy) == 0);
  EXPECT_INVALID(sotto_audio_clip_load(NULL, 16000, &clip));
  EXPECT(strcmp(sotto_last_error_message(), copy) != 0);
}

static void ReleasesOfNull(void) {
  sotto_engine_release(NULL);
  sotto_model_release(NULL);
  sotto_audio_clip_release(NULL);
  sotto_audio_reader_release(NULL);
  sotto_audio_writer_release(NULL);
  sotto_transcriber_release(NULL);
  sotto_speech_release(NULL);
  sotto_generation_release(NULL);
  sotto_turn_release(NULL);
  sotto_vad_release(NULL);
  sotto_pull_release(NULL);
  sotto_engine_config_init(NULL);
  sotto_transcriber_config_init(NULL);
  sotto_speech_config_init(NULL);
  sotto_generation_config_init(NULL);
  sotto_turn_config_init(NULL);
  sotto_vad_config_init(NULL);
  EXPECT(sotto_model_capabilities(NULL) == 0);
  EXPECT(sotto_speech_rate_hz(NULL) == 0);
  EXPECT(sotto_turn_reply_rate_hz(NULL) == 0);
}

// Every creating function: NULL where each pointer goes, and a NULL handle on failure.
static void NullsOfCreators(sotto_engine* engine) {
  sotto_engine_config engine_config;
  sotto_engine_config_init(&engine_config);
  sotto_engine* e = kGarbage;
  EXPECT_INVALID(sotto_engine_create(NULL, &e));
  EXPECT(e == NULL);
  EXPECT_INVALID(sotto_engine_create(&engine_config, NULL));

  sotto_model* model = kGarbage;
  EXPECT_INVALID(sotto_model_load(NULL, SOTTO_ROLE_TEXT, SOTTO_PROFILE_DEFAULT, NULL, &model));
  EXPECT(model == NULL);
  EXPECT_INVALID(sotto_model_load(engine, SOTTO_ROLE_TEXT, SOTTO_PROFILE_DEFAULT, NULL, NULL));

#define CREATOR(kind)                                                  \
  do {                                                                 \
    sotto_##kind##_config config;                                      \
    sotto_##kind##_config_init(&config);                               \
    sotto_##kind* handle = kGarbage;                                   \
    EXPECT_INVALID(sotto_##kind##_create(NULL, &config, &handle));     \
    EXPECT(handle == NULL);                                            \
    handle = kGarbage;                                                 \
    EXPECT_INVALID(sotto_##kind##_create(engine, NULL, &handle));      \
    EXPECT(handle == NULL);                                            \
    EXPECT_INVALID(sotto_##kind##_create(engine, &config, NULL));      \
    config.struct_size = 0;                                            \
    handle = kGarbage;                                                 \
    EXPECT_INVALID(sotto_##kind##_create(engine, &config, &handle));   \
    EXPECT(handle == NULL);                                            \
    EXPECT(strstr(sotto_last_error_message(), "struct_size") != NULL); \
  } while (0)
  CREATOR(transcriber);
  CREATOR(speech);
  CREATOR(generation);
  CREATOR(turn);
  CREATOR(vad);

  const char* ids[1] = {"mini-en"};
  const char* null_ids[1] = {NULL};
  sotto_pull* pull = kGarbage;
  EXPECT_INVALID(sotto_pull_create(NULL, ids, 1, &pull));
  EXPECT(pull == NULL);
  EXPECT_INVALID(sotto_pull_create(engine, NULL, 1, &pull));
  EXPECT_INVALID(sotto_pull_create(engine, null_ids, 1, &pull));
  EXPECT_INVALID(sotto_pull_create(engine, ids, 0, &pull));
  EXPECT_INVALID(sotto_pull_create(engine, ids, 1, NULL));
  ids[0] = "no-such-id";
  pull = kGarbage;
  EXPECT_STATUS(SOTTO_NOT_FOUND, sotto_pull_create(engine, ids, 1, &pull));
  EXPECT(pull == NULL);
}

static void NullsOfJson(sotto_engine* engine) {
  char* json = kGarbage;
  EXPECT_INVALID(sotto_build_info_json(NULL));
  EXPECT_INVALID(sotto_engine_doctor_json(NULL, &json));
  EXPECT(json == NULL);
  EXPECT_INVALID(sotto_engine_doctor_json(engine, NULL));
  EXPECT_INVALID(sotto_engine_trace_json(NULL, &json));
  EXPECT_INVALID(sotto_engine_trace_json(engine, NULL));
  EXPECT_INVALID(sotto_store_list_json(NULL, &json));
  EXPECT_INVALID(sotto_store_list_json(engine, NULL));
  EXPECT_INVALID(sotto_store_show_json(NULL, "x", &json));
  EXPECT_INVALID(sotto_store_show_json(engine, NULL, &json));
  EXPECT_INVALID(sotto_store_show_json(engine, "x", NULL));
  EXPECT_INVALID(sotto_store_verify_json(NULL, NULL, &json));
  EXPECT_INVALID(sotto_store_verify_json(engine, NULL, NULL));
  EXPECT_INVALID(sotto_store_remove_json(NULL, "x", 0, &json));
  EXPECT_INVALID(sotto_store_remove_json(engine, NULL, 0, &json));
  EXPECT_INVALID(sotto_store_remove_json(engine, "x", 0, NULL));
  EXPECT_INVALID(sotto_model_describe_json(NULL, &json));
  EXPECT_INVALID(sotto_model_describe_json(NULL, NULL));
  EXPECT_INVALID(sotto_turn_trace_json(NULL, &json));
  EXPECT_INVALID(sotto_turn_trace_json(NULL, NULL));
  EXPECT(json == NULL);
  json = kGarbage;
  EXPECT_STATUS(SOTTO_NOT_FOUND, sotto_store_show_json(engine, "no-such-id", &json));
  EXPECT(json == NULL);
  EXPECT_STATUS(SOTTO_OK, sotto_store_list_json(engine, &json));
  EXPECT(json != NULL && strstr(json, "\"packs\"") != NULL);
  sotto_string_free(json);
  EXPECT_STATUS(SOTTO_OK, sotto_engine_doctor_json(engine, &json));
  EXPECT(json != NULL && strstr(json, "\"checks\"") != NULL);
  sotto_string_free(json);
}

// Functions of a handle, with NULL for the handle and for what they fill.
static void NullsOfHandles(sotto_engine* engine) {
  float sample = 0;
  size_t count = 7;
  int32_t flag = 7;
  int64_t time_ms = 7;
  uint64_t bytes = 7;
  EXPECT_INVALID(sotto_transcriber_feed(NULL, &sample, 1));
  EXPECT_INVALID(sotto_transcriber_finish(NULL));
  EXPECT_INVALID(sotto_transcriber_next(NULL, NULL, 0));
  EXPECT_INVALID(sotto_transcriber_cancel(NULL));
  EXPECT_INVALID(sotto_speech_push_text(NULL, "a", 1));
  EXPECT_INVALID(sotto_speech_finish(NULL));
  EXPECT_INVALID(sotto_speech_read(NULL, &sample, 1, &count, &flag, 0));
  EXPECT_INVALID(sotto_speech_spoken(NULL, 0, &bytes));
  EXPECT_INVALID(sotto_speech_cancel(NULL));
  EXPECT_INVALID(sotto_generation_push_message(NULL, SOTTO_CHAT_USER, "a", 1));
  EXPECT_INVALID(sotto_generation_start(NULL));
  EXPECT_INVALID(sotto_generation_next(NULL, NULL, 0));
  EXPECT_INVALID(sotto_generation_stats_get(NULL, NULL));
  EXPECT_INVALID(sotto_generation_cancel(NULL));
  EXPECT_INVALID(sotto_turn_push_audio(NULL, &sample, 1));
  EXPECT_INVALID(sotto_turn_push_text(NULL, "a", 1));
  EXPECT_INVALID(sotto_turn_finish(NULL));
  EXPECT_INVALID(sotto_turn_next(NULL, NULL, 0));
  EXPECT_INVALID(sotto_turn_read_audio(NULL, &sample, 1, &count, &flag, 0));
  EXPECT_INVALID(sotto_turn_mark_played(NULL));
  EXPECT_INVALID(sotto_turn_cancel(NULL));
  EXPECT_INVALID(sotto_vad_feed(NULL, &sample, 1));
  EXPECT_INVALID(sotto_vad_finish(NULL));
  EXPECT_INVALID(sotto_vad_next(NULL, &time_ms, &time_ms, &flag));
  EXPECT_INVALID(sotto_turn_score(NULL, &sample, 1, 16000, &sample));
  EXPECT_INVALID(sotto_turn_score(engine, NULL, 1, 16000, &sample));
  EXPECT_INVALID(sotto_turn_score(engine, &sample, 1, 16000, NULL));
  EXPECT_INVALID(sotto_embed_text(NULL, NULL, "a", 1, &sample, 1, &count));
  EXPECT_INVALID(sotto_embed_text(engine, NULL, NULL, 1, &sample, 1, &count));
  EXPECT_INVALID(sotto_embed_text(engine, NULL, "a", 1, NULL, 1, &count));
  EXPECT_INVALID(sotto_embed_text(engine, NULL, "a", 1, &sample, 1, NULL));
  EXPECT_INVALID(sotto_embed_speaker(NULL, NULL, &sample, 1, 16000, &sample, 1, &count));
  EXPECT_INVALID(sotto_embed_speaker(engine, NULL, NULL, 1, 16000, &sample, 1, &count));
  EXPECT_INVALID(sotto_embed_speaker(engine, NULL, &sample, 1, 16000, NULL, 1, &count));
  EXPECT_INVALID(sotto_embed_speaker(engine, NULL, &sample, 1, 16000, &sample, 1, NULL));
  EXPECT_INVALID(sotto_engine_memory_get(NULL, NULL));
  EXPECT_INVALID(sotto_engine_memory_get(engine, NULL));
  EXPECT_INVALID(sotto_pull_next(NULL, NULL, 0));
  EXPECT_INVALID(sotto_pull_cancel(NULL));
  EXPECT(count == 7 && flag == 7 && time_ms == 7 && bytes == 7);
}

static void NullsOfAudio(void) {
  float sample = 0;
  size_t count = 7;
  sotto_audio_clip* clip = kGarbage;
  EXPECT_INVALID(sotto_audio_clip_load(NULL, 16000, &clip));
  EXPECT(clip == NULL);
  EXPECT_INVALID(sotto_audio_clip_load("x", 16000, NULL));
  EXPECT_INVALID(sotto_audio_clip_load("x", 0, &clip));
  EXPECT_INVALID(sotto_audio_clip_load("x", 400000, &clip));
  EXPECT_INVALID(sotto_audio_clip_get(NULL, NULL));
  sotto_audio_reader* reader = kGarbage;
  EXPECT_INVALID(sotto_audio_reader_open(NULL, &reader));
  EXPECT(reader == NULL);
  EXPECT_INVALID(sotto_audio_reader_open("x", NULL));
  EXPECT_INVALID(sotto_audio_reader_open_memory(NULL, 4, "x", &reader));
  EXPECT_INVALID(sotto_audio_reader_open_memory("x", 1, NULL, &reader));
  EXPECT_INVALID(sotto_audio_reader_open_memory("x", 1, "x", NULL));
  EXPECT_INVALID(sotto_audio_reader_info(NULL, NULL));
  EXPECT_INVALID(sotto_audio_reader_read(NULL, &sample, 1, &count));
  sotto_audio_writer* writer = kGarbage;
  EXPECT_INVALID(sotto_audio_writer_create(NULL, 16000, 1, &writer));
  EXPECT(writer == NULL);
  EXPECT_INVALID(sotto_audio_writer_create("x", 16000, 1, NULL));
  EXPECT_INVALID(sotto_audio_writer_create("x", 16000, 0, &writer));
  EXPECT_INVALID(sotto_audio_writer_create("x", 16000, 65, &writer));
  EXPECT_INVALID(sotto_audio_writer_write(NULL, &sample, 1));
  EXPECT_INVALID(sotto_audio_writer_commit(NULL));
  EXPECT(count == 7);
}

// Settings out of range are named.
static void SettingsOutOfRange(sotto_engine* engine) {
  sotto_engine_config engine_config;
  sotto_engine_config_init(&engine_config);
  engine_config.threads = 257;
  sotto_engine* other = kGarbage;
  EXPECT_INVALID(sotto_engine_create(&engine_config, &other));
  EXPECT(other == NULL);
  EXPECT(strstr(sotto_last_error_message(), "threads") != NULL);

#define REFUSED(kind, field, bad)                                    \
  do {                                                               \
    sotto_##kind##_config config;                                    \
    sotto_##kind##_config_init(&config);                             \
    config.field = bad;                                              \
    sotto_##kind* handle = kGarbage;                                 \
    EXPECT_INVALID(sotto_##kind##_create(engine, &config, &handle)); \
    EXPECT(handle == NULL);                                          \
    EXPECT(strstr(sotto_last_error_message(), #field) != NULL);      \
  } while (0)
  REFUSED(transcriber, rate_hz, 0);
  REFUSED(transcriber, rate_hz, 400000);
  REFUSED(transcriber, channels, 0);
  REFUSED(transcriber, channels, 65);
  REFUSED(transcriber, profile, 3);
  REFUSED(speech, speed, 0.4f);
  REFUSED(speech, speed, 2.1f);
  REFUSED(speech, speed, NAN);
  REFUSED(speech, rate_hz, 100);
  REFUSED(generation, max_tokens, 0);
  REFUSED(generation, temperature, -0.1f);
  REFUSED(generation, temperature, NAN);
  REFUSED(generation, top_p, 0);
  REFUSED(generation, top_k, -1);
  REFUSED(generation, min_p, 1);
  REFUSED(generation, num_stops, 17);
  REFUSED(turn, rate_hz, 0);
  REFUSED(turn, temperature, 3);
  REFUSED(turn, max_tokens, 0);
  REFUSED(vad, threshold, 0);
  REFUSED(vad, threshold, NAN);
  REFUSED(vad, min_silence_ms, 0);
  REFUSED(vad, pre_roll_ms, 2001);

  sotto_model* model = kGarbage;
  EXPECT_INVALID(sotto_model_load(engine, 0, 0, NULL, &model));
  EXPECT_INVALID(sotto_model_load(engine, 99, 0, NULL, &model));
  EXPECT_INVALID(sotto_model_load(engine, SOTTO_ROLE_ASR, 9, NULL, &model));
  EXPECT(model == NULL);
}

// A store without models: typed errors that say what to do.
static void ModelsThatAreNotThere(sotto_engine* engine) {
  sotto_model* model = kGarbage;
  EXPECT_STATUS(SOTTO_UNAVAILABLE,
                sotto_model_load(engine, SOTTO_ROLE_ASR, SOTTO_PROFILE_FAST, NULL, &model));
  EXPECT(model == NULL);
  EXPECT(strstr(sotto_last_error_message(), "sotto pull") != NULL);
  // A name in an error is shown as one line of UTF-8, whatever bytes it has.
  EXPECT_STATUS(SOTTO_NOT_FOUND, sotto_model_load(engine, SOTTO_ROLE_TEXT, SOTTO_PROFILE_DEFAULT,
                                                  "/caf\xe9\nna\tme.gguf", &model));
  EXPECT(strstr(sotto_last_error_message(), "/caf\xef\xbf\xbd na me.gguf") != NULL);
  EXPECT_STATUS(SOTTO_NOT_FOUND, sotto_model_load(engine, SOTTO_ROLE_TEXT, SOTTO_PROFILE_DEFAULT,
                                                  "no-such-model", &model));
  EXPECT_STATUS(SOTTO_NOT_FOUND, sotto_model_load(engine, SOTTO_ROLE_TEXT, SOTTO_PROFILE_DEFAULT,
                                                  "/no/such/file.gguf", &model));
  EXPECT(strstr(sotto_last_error_message(), "/no/such/file.gguf") != NULL);
  sotto_turn_config config;
  sotto_turn_config_init(&config);
  sotto_turn* turn = kGarbage;
  EXPECT_STATUS(SOTTO_UNAVAILABLE, sotto_turn_create(engine, &config, &turn));
  EXPECT(turn == NULL);
}

// Structs of a shorter and of a longer header than the library's.
static void StructSizes(sotto_engine* engine) {
  struct {
    sotto_engine_memory memory;
    unsigned char beyond[64];
  } wide;
  memset(&wide, 0xa5, sizeof wide);
  wide.memory.struct_size = sizeof wide;
  EXPECT_STATUS(SOTTO_OK, sotto_engine_memory_get(engine, &wide.memory));
  EXPECT(wide.memory.limit_bytes > 0);
  for (size_t i = 0; i < sizeof wide.beyond; ++i) {
    EXPECT(wide.beyond[i] == 0xa5);
  }

  sotto_engine_memory narrow;
  memset(&narrow, 0xa5, sizeof narrow);
  narrow.struct_size = offsetof(sotto_engine_memory, leased_bytes);
  EXPECT_STATUS(SOTTO_OK, sotto_engine_memory_get(engine, &narrow));
  EXPECT(narrow.limit_bytes > 0 && narrow.limit_bytes != 0xa5a5a5a5a5a5a5a5u);
  EXPECT(narrow.leased_bytes == 0xa5a5a5a5a5a5a5a5u);
  EXPECT(narrow.peak_bytes == 0xa5a5a5a5a5a5a5a5u);
  narrow.struct_size = 0;
  EXPECT_INVALID(sotto_engine_memory_get(engine, &narrow));

  struct {
    sotto_engine_config config;
    unsigned char newer[64];
  } newer;
  memset(&newer, 0xff, sizeof newer);
  sotto_engine_config_init(&newer.config);
  newer.config.struct_size = sizeof newer;
  newer.config.store_dir = folder;
  sotto_engine* other = NULL;
  EXPECT_STATUS(SOTTO_OK, sotto_engine_create(&newer.config, &other));
  sotto_engine_release(other);

  // An older program's struct ends before the fields that this one fills with nonsense.
  sotto_engine_config older;
  memset(&older, 0xff, sizeof older);
  older.struct_size = offsetof(sotto_engine_config, store_dir);
  older.threads = 1;
  older.memory_limit_bytes = 0;
  setenv("SOTTO_HOME", folder, 1);
  EXPECT_STATUS(SOTTO_OK, sotto_engine_create(&older, &other));
  sotto_engine_release(other);
}

// ^A3: nothing under the name before commit, the whole file after it; a release leaves what was.
static void WritersAreAtomic(void) {
  const float tone[4] = {0.0f, 0.5f, -0.5f, 2.0f};
  char path[512];
  snprintf(path, sizeof path, "%s", InFolder("sound.wav"));
  sotto_audio_writer* writer = NULL;
  EXPECT_STATUS(SOTTO_OK, sotto_audio_writer_create(path, 8000, 1, &writer));
  EXPECT_STATUS(SOTTO_OK, sotto_audio_writer_write(writer, tone, 4));
  EXPECT_STATUS(SOTTO_OK, sotto_audio_writer_write(writer, NULL, 0));
  EXPECT_INVALID(sotto_audio_writer_write(writer, NULL, 1));
  EXPECT(access(path, F_OK) != 0);
  EXPECT_STATUS(SOTTO_OK, sotto_audio_writer_commit(writer));
  EXPECT(access(path, F_OK) == 0);
  EXPECT_STATUS(SOTTO_FAILED_PRECONDITION, sotto_audio_writer_commit(writer));
  sotto_audio_writer_release(writer);

  EXPECT_STATUS(SOTTO_OK, sotto_audio_writer_create(path, 8000, 1, &writer));
  EXPECT_STATUS(SOTTO_OK, sotto_audio_writer_write(writer, tone, 1));
  sotto_audio_writer_release(writer);
  sotto_audio_reader* reader = NULL;
  EXPECT_STATUS(SOTTO_OK, sotto_audio_reader_open(path, &reader));
  sotto_audio_info info = {.struct_size = sizeof info};
  EXPECT_STATUS(SOTTO_OK, sotto_audio_reader_info(reader, &info));
  EXPECT(info.rate_hz == 8000 && info.channels == 1 && info.num_frames == 4);
  float samples[8] = {0};
  size_t count = 0;
  EXPECT_STATUS(SOTTO_OK, sotto_audio_reader_read(reader, samples, 8, &count));
  EXPECT(count == 4);
  EXPECT(fabsf(samples[1] - 0.5f) < 1e-3f && samples[3] > 0.99f && samples[3] <= 1.0f);
  EXPECT_STATUS(SOTTO_OK, sotto_audio_reader_read(reader, samples, 8, &count));
  EXPECT(count == 0);
  sotto_audio_reader_release(reader);

  writer = kGarbage;
  EXPECT_STATUS(SOTTO_NOT_FOUND,
                sotto_audio_writer_create("/no/such/folder/x.wav", 8000, 1, &writer));
  EXPECT(writer == NULL);
}

// Many engines at once, released in another order than made.
static void ManyEngines(void) {
  enum { kMany = 8 };
  sotto_engine* engines[kMany];
  for (int i = 0; i < kMany; ++i) {
    engines[i] = MakeEngine();
  }
  for (int i = 0; i < kMany; ++i) {
    sotto_engine_release(engines[(i * 3) % kMany]);
  }
}

int main(void) {
  snprintf(folder, sizeof folder, "%s/sotto-abi-XXXXXX",
           getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
  if (mkdtemp(folder) == NULL) {
    perror(folder);
    return 1;
  }
  MessagesHoldUntilTheNextFailure();
  StatusNamesAndMessages();
  ReleasesOfNull();
  NullsOfAudio();
  WritersAreAtomic();
  sotto_engine* engine = MakeEngine();
  if (engine != NULL) {
    NullsOfCreators(engine);
    NullsOfJson(engine);
    NullsOfHandles(engine);
    SettingsOutOfRange(engine);
    ModelsThatAreNotThere(engine);
    StructSizes(engine);
    ManyEngines();
  }
  // The engine is not released: a program may just end.
  fprintf(stderr, "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
