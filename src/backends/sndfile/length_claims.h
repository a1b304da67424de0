// What a file claims about its length, compared with what is there: libsndfile reads a file that
// was cut off as if it were whole.
#ifndef SOTTO_BACKENDS_SNDFILE_LENGTH_CLAIMS_H_
#define SOTTO_BACKENDS_SNDFILE_LENGTH_CLAIMS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "audio/probe.h"
#include "backends/sndfile/byte_source.h"

namespace sotto {

struct LengthClaims {
  bool cut = false;    // the file ends before its own lengths say
  int64_t frames = 0;  // frames promised by the header; 0 if it promises none
};

// Bytes of the head that ReadLengthClaims looks at.
inline constexpr size_t kClaimHeadBytes = size_t{1} << 16;

LengthClaims ReadLengthClaims(AudioContainer container, std::span<const std::byte> head,
                              ByteSource& source);

// True if the frame count that libsndfile reports comes from the header rather than an estimate.
bool CountIsExact(AudioContainer container);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_SNDFILE_LENGTH_CLAIMS_H_
