// The mel filter bank that Whisper's front end multiplies power spectra with.
#ifndef SOTTO_CONVERT_MEL_FILTERS_H_
#define SOTTO_CONVERT_MEL_FILTERS_H_

#include <cstdint>
#include <vector>

namespace sotto {

inline constexpr uint64_t kWhisperFftBins = 201;  // of a 400-point transform at 16 kHz

// Slaney-style triangles of unit area, [mel_count, kWhisperFftBins] row-major. REQUIRES:
// mel_count > 0.
std::vector<float> MakeMelFilters(uint64_t mel_count);

}  // namespace sotto

#endif  // SOTTO_CONVERT_MEL_FILTERS_H_
