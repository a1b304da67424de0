// Port: changing the rate of a stream.
#ifndef SOTTO_AUDIO_RESAMPLER_H_
#define SOTTO_AUDIO_RESAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"

namespace sotto {

// Rates that resamplers take.
inline constexpr int32_t kMinRateHz = 4000;
inline constexpr int32_t kMaxRateHz = 384000;

// One mono stream. The output lines up with the input (no delay to compensate), any cutting of
// the input gives the same output, and `n` input samples give ResampledCount(n) in the end. Used
// from one thread at a time; Process and Flush do not allocate.
class Resampler {
 public:
  virtual ~Resampler() = default;

  virtual int32_t in_rate_hz() const = 0;
  virtual int32_t out_rate_hz() const = 0;

  struct Progress {
    size_t used = 0;  // of the input
    size_t made = 0;  // of the output
  };

  // Takes input and gives output until either runs out. Call again with the rest of the input.
  virtual Result<Progress> Process(std::span<const float> in, std::span<float> out) = 0;

  // After the last input: gives what is left, and 0 when nothing is. Process() starts a new
  // stream only after Reset(); before that it is FAILED_PRECONDITION.
  virtual Result<size_t> Flush(std::span<float> out) = 0;

  virtual void Reset() = 0;
};

// Samples that `in_samples` become: the output instants that lie within the input's duration,
// ceil(in_samples * out_rate / in_rate). REQUIRES: rates > 0, in_samples in 0..2^45.
int64_t ResampledCount(int64_t in_samples, int32_t in_rate_hz, int32_t out_rate_hz);

// Makes a Resampler. INVALID_ARGUMENT for a rate outside kMinRateHz..kMaxRateHz.
using ResamplerFactory = Result<std::unique_ptr<Resampler>> (*)(int32_t in_rate_hz,
                                                                int32_t out_rate_hz);

// INVALID_ARGUMENT, naming the rate and the limits, unless it lies within them.
Status CheckRate(int32_t rate_hz);

// Appends to `out` what `in` becomes.
Status AppendResampled(Resampler& resampler, std::span<const float> in, std::vector<float>* out);
// Appends to `out` what is left at the end of the stream.
Status AppendFlushed(Resampler& resampler, std::vector<float>* out);

}  // namespace sotto

#endif  // SOTTO_AUDIO_RESAMPLER_H_
