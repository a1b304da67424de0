// Audio in motion: a block owns samples, a view looks at some. The frame count is computed from
// the samples, so a header cannot claim more than there is.
#ifndef SOTTO_AUDIO_BLOCK_H_
#define SOTTO_AUDIO_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto {

// Mono samples of one stream, full scale 1.0. Valid as long as what it looks at.
struct AudioView {
  std::span<const float> samples;
  int32_t rate_hz = 0;
  int64_t start_sample = 0;  // position of samples[0] in its stream

  int64_t end_sample() const { return start_sample + static_cast<int64_t>(samples.size()); }
  int64_t duration_us() const {
    return rate_hz > 0 ? static_cast<int64_t>(samples.size()) * 1'000'000 / rate_hz : 0;
  }
};

// The owner of what an AudioView looks at. Moves are cheap, copies are not.
struct AudioBlock {
  std::vector<float> samples;
  int32_t rate_hz = 0;
  int64_t start_sample = 0;

  AudioView view() const { return {samples, rate_hz, start_sample}; }
};

}  // namespace sotto

#endif  // SOTTO_AUDIO_BLOCK_H_
