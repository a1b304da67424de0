// How much of Whisper's 30 s window a clip is given, and in which order a decode is tried again.
#ifndef SOTTO_BACKENDS_WHISPER_DECODE_PLAN_H_
#define SOTTO_BACKENDS_WHISPER_DECODE_PLAN_H_

#include <cstdint>
#include <vector>

#include "models/asr.h"

namespace sotto::whisper {

// Encoder positions of the whole window; one is 20 ms.
inline constexpr int32_t kFullContext = 1500;

// Encoder positions for a clip of `num_samples`, at most kFullContext, a multiple of 8. Less than
// the clip needs makes the decoder lose its end and loop, so there is headroom and a floor.
int32_t ContextFor(int64_t num_samples, AsrProfile profile);

struct Attempt {
  int32_t context = kFullContext;
  float temperature = 0.0f;
  bool beam = false;
  bool timestamps = true;
  // A quick look: taken only if it is good and every token is at least this likely (a logarithm),
  // and forgotten otherwise. 0 for the others.
  float least_logprob = 0.0f;

  bool is_quick_look() const { return least_logprob < 0.0f; }
};

// The attempts for a clip in order; each is made only if all before it were judged bad.
std::vector<Attempt> AttemptsFor(int64_t num_samples, AsrProfile profile);

}  // namespace sotto::whisper

#endif  // SOTTO_BACKENDS_WHISPER_DECODE_PLAN_H_
