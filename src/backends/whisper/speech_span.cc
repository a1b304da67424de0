#include "backends/whisper/speech_span.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sotto::whisper {
namespace {

constexpr size_t kFrameSamples = kRateHz / 50;  // 20 ms
constexpr double kSilentPower = 2.5e-7;         // -66 dBFS
constexpr double kBelowPeakPower = 1e-4;        // 40 dB under the loudest frame
constexpr double kAboveFloorPower = 4.0;        // 6 dB over the background

std::vector<double> FramePowers(std::span<const float> samples) {
  std::vector<double> powers;
  powers.reserve(samples.size() / kFrameSamples + 1);
  for (size_t at = 0; at < samples.size(); at += kFrameSamples) {
    const auto frame = samples.subspan(at, std::min(kFrameSamples, samples.size() - at));
    double mean = 0.0;
    for (float s : frame) {
      mean += s;
    }
    mean /= static_cast<double>(frame.size());
    double power = 0.0;
    for (float s : frame) {
      power += (s - mean) * (s - mean);  // a constant offset is no sound
    }
    powers.push_back(power / static_cast<double>(kFrameSamples));
  }
  return powers;
}

}  // namespace

std::vector<float> Sanitised(std::span<const float> samples) {
  std::vector<float> out(samples.begin(), samples.end());
  for (float& s : out) {
    s = std::isfinite(s) ? std::clamp(s, -1.0f, 1.0f) : 0.0f;
  }
  return out;
}

SampleSpan LoudSpan(std::span<const float> samples) {
  const std::vector<double> powers = FramePowers(samples);
  if (powers.empty()) {
    return {};
  }
  const double peak = *std::max_element(powers.begin(), powers.end());
  if (peak < kSilentPower) {
    return {};
  }
  std::vector<double> sorted = powers;
  const auto tenth = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 10);
  std::nth_element(sorted.begin(), tenth, sorted.end());
  // A clip cut tight has no background: its quietest tenth is speech, and only the distance to the
  // peak counts.
  const double floor = std::min(*tenth * kAboveFloorPower, peak * 0.01);
  const double loud = std::max({kSilentPower, peak * kBelowPeakPower, floor});

  const auto is_loud = [loud](double power) { return power >= loud; };
  const auto first = std::find_if(powers.begin(), powers.end(), is_loud);
  const auto last = std::find_if(powers.rbegin(), powers.rend(), is_loud);
  const int64_t begin = (first - powers.begin()) * static_cast<int64_t>(kFrameSamples);
  const int64_t end = (powers.rend() - last) * static_cast<int64_t>(kFrameSamples);
  return {begin, std::min(end, static_cast<int64_t>(samples.size()))};
}

}  // namespace sotto::whisper
