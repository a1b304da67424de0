// Port: voice activity detection.
#ifndef SOTTO_MODELS_VAD_H_
#define SOTTO_MODELS_VAD_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/status.h"

namespace sotto {

// One stream of audio. Used from one thread at a time; never allocates after it was made.
class Vad {
 public:
  virtual ~Vad() = default;

  virtual int32_t rate_hz() const = 0;
  // Samples in one window, the only length Process() takes.
  virtual size_t window_samples() const = 0;

  // Probability of speech in the next window of the stream, 0..1. INVALID_ARGUMENT for another
  // length; the stream's state is then unchanged. A sample that is not finite counts as 0.
  virtual Result<float> Process(std::span<const float> window) = 0;

  // Back to the state of a new stream.
  virtual void Reset() = 0;

  // A new stream over the same weights. Any thread.
  virtual std::unique_ptr<Vad> NewStream() const = 0;
};

}  // namespace sotto

#endif  // SOTTO_MODELS_VAD_H_
