#include "convert/mel_filters.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr double kRateHz = 16000.0;
constexpr double kFftPoints = 400.0;

// Slaney's mel scale (Auditory Toolbox): linear to 1 kHz = 15 mel, then 27 mel per factor of 6.4.
constexpr double kHzPerMel = 200.0 / 3.0;
constexpr double kBreakMel = 15.0;
constexpr double kBreakHz = 1000.0;
double LogStep() { return std::log(6.4) / 27.0; }

double HzFromMel(double mel) {
  return mel >= kBreakMel ? kBreakHz * std::exp(LogStep() * (mel - kBreakMel)) : kHzPerMel * mel;
}

}  // namespace

std::vector<float> MakeMelFilters(uint64_t mel_count) {
  const double top_mel = kBreakMel + std::log(kRateHz / 2.0 / kBreakHz) / LogStep();
  const double step = top_mel / static_cast<double>(mel_count + 1);
  std::vector<double> edges_hz(mel_count + 2);
  for (uint64_t i = 0; i < edges_hz.size(); ++i) {
    edges_hz[i] = HzFromMel(i == mel_count + 1 ? top_mel : static_cast<double>(i) * step);
  }
  const double bin_hz = 1.0 / (kFftPoints * (1.0 / kRateHz));
  std::vector<float> filters(mel_count * kWhisperFftBins);
  for (uint64_t m = 0; m < mel_count; ++m) {
    const double left = edges_hz[m];
    const double centre = edges_hz[m + 1];
    const double right = edges_hz[m + 2];
    const double area = 2.0 / (right - left);
    for (uint64_t bin = 0; bin < kWhisperFftBins; ++bin) {
      const double hz = static_cast<double>(bin) * bin_hz;
      const double rising = -(left - hz) / (centre - left);
      const double falling = (right - hz) / (right - centre);
      // The order of the arguments keeps the sign of a zero.
      const double height = std::max(std::min(rising, falling), 0.0);
      filters[m * kWhisperFftBins + bin] = static_cast<float>(height * area);
    }
  }
  return filters;
}

}  // namespace sotto
