// sotto/audio.h - sound files in and out, of any rate and layout.
//
// Conventions: sotto/status.h.
#ifndef SOTTO_AUDIO_H_
#define SOTTO_AUDIO_H_

#include "sotto/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_audio_reader sotto_audio_reader;  // Opaque. [ONE]
typedef struct sotto_audio_writer sotto_audio_writer;  // Opaque. [ONE]

typedef struct sotto_audio_clip sotto_audio_clip;  // Opaque, unchangeable. [ANY]

// --- A whole file as mono ---------------------------------------------------------------------

typedef struct sotto_audio_clip_info {
  uint32_t struct_size;
  uint32_t rate_hz;  // Of the samples.
  uint64_t num_samples;
  const float* samples;      // [num_samples] mono; the clip's own.
  uint32_t source_rate_hz;   // Of the file.
  uint32_t source_channels;  // Of the file.
  uint32_t truncated;        // 1: the file promises more than it holds.
  uint32_t reserved;
  uint64_t clipped_samples;     // At or above full scale in the file.
  uint64_t non_finite_samples;  // NaN or infinite in the file; 0 here.
} sotto_audio_clip_info;

// Loads a file of any rate and channel count as mono at `rate_hz`. Silent channels are left out
// of the mix, channels that cancel each other are not added, a constant offset is removed. Takes
// about a thousandth of the sound's duration. [ANY]
//
// path     Of a file; "/dev/stdin" or another pipe is read to its end.
// rate_hz  4000..384000.
//
// Errors of sotto_audio_reader_open(); RESOURCE_EXHAUSTED for more than 4 h.
SOTTO_API SOTTO_NODISCARD sotto_status sotto_audio_clip_load(const char* path, uint32_t rate_hz,
                                                             sotto_audio_clip** out_clip);

SOTTO_API sotto_status sotto_audio_clip_get(const sotto_audio_clip* clip,
                                            sotto_audio_clip_info* info);

SOTTO_API void sotto_audio_clip_release(sotto_audio_clip* clip);

// --- A file piece by piece --------------------------------------------------------------------

typedef struct sotto_audio_info {
  uint32_t struct_size;
  uint32_t rate_hz;     // 4000..384000
  uint32_t channels;    // 1..64
  uint32_t truncated;   // 1: the file promises more than it holds
  uint64_t num_frames;  // 0 when the container does not say
} sotto_audio_info;

// Opens WAV, FLAC, OGG (Vorbis, Opus), MP3, AIFF, CAF, W64 and what else libsndfile reads.
//
// NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT (a directory), DATA_LOSS (not a sound file, or
// its header cannot be true). Each names the file.
SOTTO_API SOTTO_NODISCARD sotto_status sotto_audio_reader_open(const char* path,
                                                               sotto_audio_reader** out_reader);

// The same over [num_bytes] in memory, which are copied. `name` stands in messages.
SOTTO_API SOTTO_NODISCARD sotto_status sotto_audio_reader_open_memory(
    const void* data, size_t num_bytes, const char* name, sotto_audio_reader** out_reader);

SOTTO_API sotto_status sotto_audio_reader_info(sotto_audio_reader* reader, sotto_audio_info* info);

// Reads up to `max_frames` frames into `out_samples` [max_frames x channels]. Zero frames with
// SOTTO_OK is the end of the file, here alone: a file cannot be "not yet".
SOTTO_API sotto_status sotto_audio_reader_read(sotto_audio_reader* reader, float* out_samples,
                                               size_t max_frames, size_t* out_num_frames);

SOTTO_API void sotto_audio_reader_release(sotto_audio_reader* reader);

// --- Writing ----------------------------------------------------------------------------------

// Creates a 16-bit PCM WAV file. The file appears under `path` whole, at
// sotto_audio_writer_commit(); a release before that leaves what was there ^A3. A pipe or device
// is written as it comes.
//
// rate_hz   4000..384000.   channels  1..64.
SOTTO_API SOTTO_NODISCARD sotto_status sotto_audio_writer_create(const char* path, uint32_t rate_hz,
                                                                 uint32_t channels,
                                                                 sotto_audio_writer** out_writer);

// Appends [num_frames x channels]; values beyond [-1, 1] are limited to it.
// RESOURCE_EXHAUSTED when the disk is full.
SOTTO_API sotto_status sotto_audio_writer_write(sotto_audio_writer* writer, const float* samples,
                                                size_t num_frames);

// Finishes the header, syncs, and renames into place. At most once.
SOTTO_API SOTTO_NODISCARD sotto_status sotto_audio_writer_commit(sotto_audio_writer* writer);

SOTTO_API void sotto_audio_writer_release(sotto_audio_writer* writer);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // SOTTO_AUDIO_H_
