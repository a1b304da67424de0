// RIFF WAVE as one format and one run of samples.
//
// Recorders and editors write what libsndfile refuses or misreads: samples in several data chunks,
// chunks of odd length without their padding byte, large or foreign chunks before the samples.
#ifndef SOTTO_BACKENDS_SNDFILE_WAV_CHUNKS_H_
#define SOTTO_BACKENDS_SNDFILE_WAV_CHUNKS_H_

#include <memory>

#include "backends/sndfile/byte_source.h"

namespace sotto {

// A file of the format and fact chunks of `source` and of all its samples, behind a header that
// makes the same claim about their length. `source` itself if it is not RIFF WAVE (RIFX and RF64
// are left alone), has no format or no samples, or claims more than RIFF can. Reads only the heads
// of the chunks.
std::unique_ptr<ByteSource> GatherWavChunks(std::unique_ptr<ByteSource> source);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_SNDFILE_WAV_CHUNKS_H_
