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

}  // namespace sotto::whisper

#endif  // SOTTO_BACKENDS_WHISPER_SPEECH_SPAN_H_
