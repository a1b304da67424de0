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
// silence before and after), greedy: 31 with the whole window, 35 with headroom 128 over a floor of
// 256, 42 with none over 192. Of 600, 24 with headroom 64 and 24 with 128. Beam search: 15 of 600
// with headroom 128.
constexpr Room kFastRoom = {64, 256};
constexpr Room kAccurateRoom = {128, 384};

}  // namespace

int32_t ContextFor(int64_t num_samples, AsrProfile profile) {
  const Room room = profile == AsrProfile::kFast ? kFastRoom : kAccurateRoom;
  const int64_t used = (num_samples + kSamplesPerPosition - 1) / kSamplesPerPosition;
  const int64_t wanted = std::max<int64_t>(used + room.headroom, room.floor);
  return static_cast<int32_t>(std::min<int64_t>((wanted + 31) / 32 * 32, kFullContext));
}

std::vector<Attempt> AttemptsFor(int64_t num_samples, AsrProfile profile) {
  const bool beam = profile == AsrProfile::kAccurate;
  std::vector<Attempt> attempts;
  const int32_t context = ContextFor(num_samples, profile);
  attempts.push_back({.context = context, .temperature = 0.0f, .beam = beam});
  // A clip that loops with or without timestamps seldom does so both ways, and half as much again
  // costs a fraction of the whole window.
  attempts.push_back({.context = std::min((context * 3 / 2 + 31) / 32 * 32, kFullContext),
                      .temperature = 0.0f,
                      .beam = beam,
                      .flips_timestamps = true});
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
