// Makes WAV files of every plain encoding, for tests.
#ifndef SOTTO_BACKENDS_SNDFILE_WAV_BYTES_H_
#define SOTTO_BACKENDS_SNDFILE_WAV_BYTES_H_

#include <cstdint>
#include <span>
#include <string>

namespace sotto::testing_support {

enum class Encoding { kPcm8, kPcm16, kPcm24, kPcm32, kFloat32, kUlaw };

// `count` little-endian bytes of `value`.
std::string Le(uint64_t value, int count);

// One sample in that encoding.
std::string EncodeSample(float value, Encoding encoding);

// A whole file of interleaved samples. `data_bytes_claim` replaces the length in the header if it
// is not negative.
std::string WavBytes(std::span<const float> interleaved, int32_t rate_hz, int32_t channels,
                     Encoding encoding, int64_t data_bytes_claim = -1);

}  // namespace sotto::testing_support

#endif  // SOTTO_BACKENDS_SNDFILE_WAV_BYTES_H_
