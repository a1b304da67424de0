// Resampling through libsamplerate.
#ifndef SOTTO_BACKENDS_SAMPLERATE_SAMPLERATE_RESAMPLER_H_
#define SOTTO_BACKENDS_SAMPLERATE_SAMPLERATE_RESAMPLER_H_

#include <cstdint>
#include <memory>

#include "audio/resampler.h"

namespace sotto {

// A ResamplerFactory. RESOURCE_EXHAUSTED if libsamplerate gets no memory.
Result<std::unique_ptr<Resampler>> MakeSamplerateResampler(int32_t in_rate_hz, int32_t out_rate_hz);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_SAMPLERATE_SAMPLERATE_RESAMPLER_H_
