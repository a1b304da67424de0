// Where in a clip somebody may be speaking, by level alone.
#ifndef SOTTO_BACKENDS_WHISPER_SPEECH_SPAN_H_
#define SOTTO_BACKENDS_WHISPER_SPEECH_SPAN_H_

#include <cstdint>
#include <span>
#include <vector>

namespace sotto::whisper {

inline constexpr int32_t kRateHz = 16000;

// A half-open range of samples.
struct SampleSpan {
  int64_t begin = 0;
  int64_t end = 0;

  bool empty() const { return begin >= end; }
  int64_t size() const { return end - begin; }
};

// `samples` with whatever is not finite as 0 and the rest within [-1, 1].
std::vector<float> Sanitised(std::span<const float> samples);

// The part of `samples` that stands out of its own background, without margins: cuts only what is
// both far below the loudest part and near the quietest. Empty if nothing is louder than -66 dBFS:
// speech at a microphone is not that soft. Errs on the side of keeping.
SampleSpan LoudSpan(std::span<const float> samples);

// Samples that were taken out of a clip.
struct PauseCut {
  int64_t at_sample = 0;  // in the shortened clip: where the sound behind the cut begins
  int64_t removed_samples = 0;
};

struct ShortenedClip {
  std::vector<float> samples;
  std::vector<PauseCut> cuts;  // in order

  // Where a sample of the shortened clip was in the whole one, if sound begins there or ends there:
  // within `near_samples` of a seam, what begins lies behind the pause and what ends lies before
  // it.
  int64_t BeginInWhole(int64_t at_sample, int64_t near_samples) const;
  int64_t EndInWhole(int64_t at_sample, int64_t near_samples) const;
};

// `samples` with every pause of more than 360 ms shortened to 360 ms: the encoder's cost
// grows with the length, and a decoder that hears nothing for long makes something up. A pause is
// what LoudSpan() would cut at the ends; the sound on both sides of it keeps half of what is left,
// and the seam is faded over 10 ms.
ShortenedClip ShortenPauses(std::span<const float> samples);

}  // namespace sotto::whisper

#endif  // SOTTO_BACKENDS_WHISPER_SPEECH_SPAN_H_
