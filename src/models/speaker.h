// Port: who is speaking, as a vector.
#ifndef SOTTO_MODELS_SPEAKER_H_
#define SOTTO_MODELS_SPEAKER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

// Used from one thread at a time.
class SpeakerEncoder {
 public:
  virtual ~SpeakerEncoder() = default;

  virtual int32_t rate_hz() const = 0;
  virtual int32_t dimensions() const = 0;

  // [dimensions()] of Euclidean length 1: cosine similarity tells speakers apart.
  // INVALID_ARGUMENT under 0.5 s of audio.
  virtual Result<std::vector<float>> Encode(std::span<const float> samples,
                                            const CancelToken& cancel) = 0;
};

}  // namespace sotto

#endif  // SOTTO_MODELS_SPEAKER_H_
