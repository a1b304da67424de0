// Any audio file becomes mono floats at one rate.
//
//   AudioReader -> channels mixed down -> rate changed -> offset removed -> LoadedAudio
//
// Mix-down is the average of the channels that are not silent (40 dB below the loudest), so speech
// on one channel of six keeps its level. Channels that cancel each other (one wired the wrong way
// round) are found by the loss of level, and the loudest channel is taken alone.
#ifndef SOTTO_AUDIO_LOAD_H_
#define SOTTO_AUDIO_LOAD_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "audio/audio_file.h"
#include "audio/resampler.h"
#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

inline constexpr int32_t kMaxChannels = 64;

struct LoadOptions {
  int32_t rate_hz = 16000;
  // 4 h. A longer file is RESOURCE_EXHAUSTED: read it with MonoStream, piece by piece.
  int64_t max_duration_s = 4 * 3600;
};

// What was met on the way.
struct LoadReport {
  int32_t source_rate_hz = 0;
  int32_t source_channels = 0;
  int64_t source_frames = 0;       // decoded
  int64_t non_finite_samples = 0;  // NaN or infinite, taken as 0
  int64_t clipped_samples = 0;     // at or above full scale, all channels counted
  int32_t silent_channels = 0;     // left out of the mix
  int32_t picked_channel = -1;     // taken alone because the channels cancel; else -1
  float removed_offset = 0.0f;     // mean of the samples, if it was removed; else 0
  bool truncated = false;          // the file held less than it claims
};

struct LoadedAudio {
  std::vector<float> samples;
  int32_t rate_hz = 0;
  LoadReport report;
};

// Reads a file piece by piece with bounded memory: the average of all channels at `rate_hz`.
// No look ahead, so silent or cancelling channels are averaged like the others and an offset
// stays. Used from one thread at a time.
class MonoStream {
 public:
  // INVALID_ARGUMENT for rates outside kMinRateHz..kMaxRateHz or more than kMaxChannels channels.
  static Result<std::unique_ptr<MonoStream>> Make(std::unique_ptr<AudioReader> reader,
                                                  ResamplerFactory make_resampler, int32_t rate_hz);

  // Appends the next samples, about a tenth of a second of them. False at the end.
  Result<bool> ReadMore(std::vector<float>* out);

  int32_t rate_hz() const { return rate_hz_; }
  // Of what was read so far.
  const LoadReport& report() const { return report_; }

 private:
  friend class MonoLoader;
  MonoStream(std::unique_ptr<AudioReader> reader, std::unique_ptr<Resampler> resampler,
             int32_t rate_hz);
  void Observe(std::span<const float> interleaved);
  Status Restart(int32_t channel);

  std::unique_ptr<AudioReader> reader_;
  std::unique_ptr<Resampler> resampler_;  // null if the rates are equal
  int32_t rate_hz_;
  bool ended_ = false;
  int32_t picked_channel_ = -1;
  std::vector<float> interleaved_;
  std::vector<float> mono_;
  std::vector<double> channel_power_;  // sums of squares
  double mix_power_ = 0.0;             // of the average of all channels
  LoadReport report_;
};

// The whole file. Errors of the reader, INVALID_ARGUMENT as MonoStream::Make(),
// RESOURCE_EXHAUSTED if it is too long, CANCELLED. A file without frames is OK and empty.
Result<LoadedAudio> LoadMono(std::unique_ptr<AudioReader> reader, ResamplerFactory make_resampler,
                             const LoadOptions& options, const CancelToken& cancel);

}  // namespace sotto

#endif  // SOTTO_AUDIO_LOAD_H_
