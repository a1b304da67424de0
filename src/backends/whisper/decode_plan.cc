#include "backends/whisper/decode_plan.h"

#include <algorithm>

#include "backends/whisper/speech_span.h"

namespace sotto::whisper {
namespace {

constexpr int64_t kSamplesPerPosition = kRateHz / 50;

struct Room {
  int32_t headroom;
  int32_t floor;
};
// Words wrong of 1100, base q8_0, clips and ten variations of each (tempo, level, noise, band,
// silence before and after): greedy 34 with headroom 32 over a floor of 256 and 35 with 24 to 8
// (with 16 and less one clip is decoded twice), whereas without timestamps it is 38 and ten clips
// loop; 31 with the whole window; 33 with the accurate room, by beam search 31.
constexpr Room kFastRoom = {20, 256};
constexpr Room kAccurateRoom = {128, 384};

// Log of 0.22. Beam search changed nothing for the better in clips whose every token is likelier.
constexpr float kCertainLogprob = -1.5f;
constexpr int64_t kContextStep = 8;

}  // namespace

int32_t ContextFor(int64_t num_samples, AsrProfile profile) {
  const Room room = profile == AsrProfile::kFast ? kFastRoom : kAccurateRoom;
  const int64_t used = (num_samples + kSamplesPerPosition - 1) / kSamplesPerPosition;
  const int64_t wanted = std::max<int64_t>(used + room.headroom, room.floor);
  return static_cast<int32_t>(
      std::min<int64_t>((wanted + kContextStep - 1) / kContextStep * kContextStep, kFullContext));
}

std::vector<Attempt> AttemptsFor(int64_t num_samples, AsrProfile profile) {
  const bool beam = profile == AsrProfile::kAccurate;
  std::vector<Attempt> attempts;
  const int32_t context = ContextFor(num_samples, profile);
  if (beam) {
    attempts.push_back({.context = context, .least_logprob = kCertainLogprob});
  }
  attempts.push_back({.context = context, .temperature = 0.0f, .beam = beam});
  // A clip that loops with timestamps seldom does so without, and half as much again costs a
  // fraction of the whole window.
  attempts.push_back({.context = ContextFor(num_samples * 3 / 2, profile),
                      .temperature = 0.0f,
                      .beam = beam,
                      .timestamps = false});
  if (context < kFullContext) {
    attempts.push_back({.context = kFullContext, .temperature = 0.0f, .beam = beam});
  }
  // Greedy decoding that still loops is shaken loose by sampling.
  attempts.push_back({.context = kFullContext, .temperature = 0.4f, .beam = false});
  if (profile == AsrProfile::kAccurate) {
    attempts.push_back({.context = kFullContext, .temperature = 0.8f, .beam = false});
  }
  return attempts;
}

}  // namespace sotto::whisper
