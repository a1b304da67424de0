// MPEG audio of any layer through libmpg123, with its messages turned off.
//
// libsndfile decodes MPEG audio with the same library, but leaves it free to write to stderr about
// every damaged frame.
#ifndef SOTTO_BACKENDS_SNDFILE_MPEG_READER_H_
#define SOTTO_BACKENDS_SNDFILE_MPEG_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "audio/audio_file.h"
#include "backends/sndfile/byte_source.h"
#include "backends/sndfile/length_claims.h"

namespace sotto {

// Reads the frames that FindMpegFrames() finds in `source`; `container` is what they lie in. A
// frame that cannot be decoded is silence of its length, sets truncated() of the reader, and does
// not end what follows. DATA_LOSS if there is no frame; RESOURCE_EXHAUSTED without memory for a
// decoder. Reads `source` once.
Result<std::unique_ptr<AudioReader>> OpenMpeg(const std::string& name, std::string_view container,
                                              std::unique_ptr<ByteSource> source,
                                              LengthClaims claims);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_SNDFILE_MPEG_READER_H_
