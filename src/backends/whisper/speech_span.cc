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
// Of a pause, 180 ms stay on each side of a cut. Words wrong of 1100 (see decode_plan.cc): 35 with
// 200 or 180 ms kept, 37 with 160 ms, 56 with 100 ms; 39 before any was cut.
constexpr size_t kKeptFrames = 9;
constexpr auto kLongestPauseFrames = static_cast<std::ptrdiff_t>(2 * kKeptFrames);
constexpr size_t kFadeSamples = kRateHz / 100;

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

// What was cut out up to `at_sample` of the shortened clip.
int64_t RemovedBefore(std::span<const PauseCut> cuts, int64_t at_sample) {
  int64_t removed = 0;
  for (const PauseCut& cut : cuts) {
    removed += cut.at_sample <= at_sample ? cut.removed_samples : 0;
  }
  return removed;
}

// True for the frames that stand out of the background; none if nothing is loud enough.
std::vector<bool> LoudFrames(std::span<const float> samples) {
  const std::vector<double> powers = FramePowers(samples);
  std::vector<bool> is_loud(powers.size());
  if (powers.empty()) {
    return is_loud;
  }
  const double peak = *std::max_element(powers.begin(), powers.end());
  if (peak < kSilentPower) {
    return is_loud;
  }
  std::vector<double> sorted = powers;
  const auto tenth = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 10);
  std::nth_element(sorted.begin(), tenth, sorted.end());
  // A clip cut tight has no background: its quietest tenth is speech, and only the distance to the
  // peak counts.
  const double floor = std::min(*tenth * kAboveFloorPower, peak * 0.01);
  const double loud = std::max({kSilentPower, peak * kBelowPeakPower, floor});
  std::transform(powers.begin(), powers.end(), is_loud.begin(),
                 [loud](double power) { return power >= loud; });
  return is_loud;
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
  const std::vector<bool> loud = LoudFrames(samples);
  const auto first = std::find(loud.begin(), loud.end(), true);
  if (first == loud.end()) {
    return {};
  }
  const auto last = std::find(loud.rbegin(), loud.rend(), true);
  const int64_t begin = (first - loud.begin()) * static_cast<int64_t>(kFrameSamples);
  const int64_t end = (loud.rend() - last) * static_cast<int64_t>(kFrameSamples);
  return {begin, std::min(end, static_cast<int64_t>(samples.size()))};
}

int64_t ShortenedClip::BeginInWhole(int64_t at_sample, int64_t near_samples) const {
  return at_sample + RemovedBefore(cuts, at_sample + near_samples);
}

int64_t ShortenedClip::EndInWhole(int64_t at_sample, int64_t near_samples) const {
  return at_sample + RemovedBefore(cuts, at_sample - near_samples);
}

ShortenedClip ShortenPauses(std::span<const float> samples) {
  const std::vector<bool> loud = LoudFrames(samples);
  ShortenedClip clip;
  size_t kept_to = 0;  // in `samples`
  for (auto from = std::find(loud.begin(), loud.end(), true); from != loud.end();) {
    const auto pause = std::find(from, loud.end(), false);
    from = std::find(pause, loud.end(), true);
    if (from == loud.end() || from - pause <= kLongestPauseFrames) {
      continue;
    }
    // The pause's first and last part stay, and what follows the cut fades in over the end of the
    // first.
    const size_t cut_begin =
        (static_cast<size_t>(pause - loud.begin()) + kKeptFrames) * kFrameSamples;
    const size_t cut_end = (static_cast<size_t>(from - loud.begin()) - kKeptFrames) * kFrameSamples;
    clip.samples.insert(clip.samples.end(), samples.begin() + static_cast<ptrdiff_t>(kept_to),
                        samples.begin() + static_cast<ptrdiff_t>(cut_begin));
    const size_t fade_begin = clip.samples.size() - kFadeSamples;
    for (size_t k = 0; k < kFadeSamples; ++k) {
      const float share = (static_cast<float>(k) + 0.5f) / static_cast<float>(kFadeSamples);
      float& sample = clip.samples[fade_begin + k];
      sample += (samples[cut_end - kFadeSamples + k] - sample) * share;
    }
    clip.cuts.push_back(
        {static_cast<int64_t>(clip.samples.size()), static_cast<int64_t>(cut_end - cut_begin)});
    kept_to = cut_end;
  }
  clip.samples.insert(clip.samples.end(), samples.begin() + static_cast<ptrdiff_t>(kept_to),
                      samples.end());
  return clip;
}

}  // namespace sotto::whisper
