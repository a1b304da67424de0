#include "audio/load.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "kernels/pcm/pcm.h"

namespace sotto {
namespace {

// Values beyond this are not audio but would overflow the sums behind us.
constexpr float kSampleLimit = 1e4f;

// An offset above 0.01 (-40 dBFS) disturbs level gates; smaller ones are common and harmless.
constexpr double kOffsetToRemove = 0.01;
// High-pass corner of the offset removal: below any voice (lowest about 70 Hz).
constexpr double kOffsetCornerHz = 10.0;

// A channel 40 dB below the loudest is silent: dither, or cross-talk of a cable.
constexpr double kSilentShare = 1e-4;

// Channels cancel if their average is this much weaker than unrelated channels would leave it.
constexpr double kCancelledShare = 0.25;

void RemoveLargeOffset(LoadedAudio* audio) {
  const size_t n = audio->samples.size();
  if (n == 0) {
    return;
  }
  const Level level = MeasureLevelPlain(audio->samples.data(), n);
  const double mean = level.sum / static_cast<double>(n);
  if (std::abs(mean) < kOffsetToRemove) {
    return;
  }
  // Starts at the mean of the first 50 ms, so that the file does not begin with a step.
  const size_t lead = std::min(n, static_cast<size_t>(audio->rate_hz / 20));
  const Level first = MeasureLevelPlain(audio->samples.data(), lead);
  float offset = static_cast<float>(first.sum / static_cast<double>(lead));
  const float follow = static_cast<float>(2.0 * M_PI * kOffsetCornerHz / audio->rate_hz);
  RemoveOffset(audio->samples.data(), n, follow, &offset);
  audio->report.removed_offset = static_cast<float>(mean);
}

}  // namespace

MonoStream::MonoStream(std::unique_ptr<AudioReader> reader, std::unique_ptr<Resampler> resampler,
                       int32_t rate_hz)
    : reader_(std::move(reader)), resampler_(std::move(resampler)), rate_hz_(rate_hz) {
  const AudioFileInfo& info = reader_->info();
  const size_t frames = static_cast<size_t>(std::max(1, info.rate_hz / 10));
  interleaved_.resize(frames * static_cast<size_t>(info.channels));
  mono_.resize(frames);
  channel_power_.resize(static_cast<size_t>(info.channels));
  report_.source_rate_hz = info.rate_hz;
  report_.source_channels = info.channels;
}

Result<std::unique_ptr<MonoStream>> MonoStream::Make(std::unique_ptr<AudioReader> reader,
                                                     ResamplerFactory make_resampler,
                                                     int32_t rate_hz) {
  const AudioFileInfo& info = reader->info();
  SOTTO_RETURN_IF_ERROR(CheckRate(rate_hz));
  SOTTO_RETURN_IF_ERROR(CheckRate(info.rate_hz).WithContext("audio file"));
  if (info.channels < 1 || info.channels > kMaxChannels) {
    return InvalidArgumentError("audio file: " + std::to_string(info.channels) +
                                " channels: limit 1 to " + std::to_string(kMaxChannels));
  }
  std::unique_ptr<Resampler> resampler;
  if (info.rate_hz != rate_hz) {
    SOTTO_ASSIGN_OR_RETURN(resampler, make_resampler(info.rate_hz, rate_hz));
  }
  return std::unique_ptr<MonoStream>(
      new MonoStream(std::move(reader), std::move(resampler), rate_hz));
}

void MonoStream::Observe(std::span<const float> interleaved) {
  const size_t channels = channel_power_.size();
  for (size_t at = 0; at < interleaved.size(); ++at) {
    const float sample = interleaved[at];
    channel_power_[at % channels] += static_cast<double>(sample) * static_cast<double>(sample);
    // 16-bit full scale reads as 32767 / 32768.
    report_.clipped_samples += std::abs(sample) >= 0.99996f ? 1 : 0;
  }
}

Result<bool> MonoStream::ReadMore(std::vector<float>* out) {
  if (ended_) {
    return false;
  }
  SOTTO_ASSIGN_OR_RETURN(const size_t frames, reader_->Read(interleaved_));
  report_.truncated = reader_->truncated();
  if (frames == 0) {
    ended_ = true;
    if (resampler_ != nullptr) {
      SOTTO_RETURN_IF_ERROR(AppendFlushed(*resampler_, out));
    }
    return false;
  }
  const size_t channels = channel_power_.size();
  const std::span<float> samples = std::span(interleaved_).first(frames * channels);
  report_.non_finite_samples +=
      static_cast<int64_t>(ReplaceNonFinitePlain(samples.data(), samples.size(), kSampleLimit));
  report_.source_frames += static_cast<int64_t>(frames);
  Observe(samples);
  const std::span<float> mono = std::span(mono_).first(frames);
  if (picked_channel_ >= 0) {
    PickChannel(samples.data(), frames, channels, static_cast<size_t>(picked_channel_),
                mono.data());
  } else {
    MixDown(samples.data(), frames, channels, 1.0f / static_cast<float>(channels), mono.data());
  }
  mix_power_ += MeasureLevelPlain(mono.data(), frames).sum_of_squares;
  if (resampler_ == nullptr) {
    out->insert(out->end(), mono.begin(), mono.end());
  } else {
    SOTTO_RETURN_IF_ERROR(AppendResampled(*resampler_, mono, out));
  }
  return true;
}

Status MonoStream::Restart(int32_t channel) {
  SOTTO_RETURN_IF_ERROR(reader_->Rewind());
  if (resampler_ != nullptr) {
    resampler_->Reset();
  }
  ended_ = false;
  picked_channel_ = channel;
  report_.source_frames = 0;
  report_.non_finite_samples = 0;
  report_.clipped_samples = 0;
  report_.picked_channel = channel;
  return OkStatus();
}

// The whole-file side of MonoStream: decisions that need all of the file.
class MonoLoader {
 public:
  MonoLoader(MonoStream* stream, const LoadOptions& options, const CancelToken& cancel)
      : stream_(stream), options_(options), cancel_(cancel) {}

  Status ReadAll(std::vector<float>* out) const {
    const int64_t limit = options_.max_duration_s * stream_->rate_hz_;
    for (;;) {
      SOTTO_RETURN_IF_ERROR(cancel_.Check());
      SOTTO_ASSIGN_OR_RETURN(const bool more, stream_->ReadMore(out));
      if (static_cast<int64_t>(out->size()) > limit) {
        return TooLong();
      }
      if (!more) {
        return OkStatus();
      }
    }
  }

  Status CheckDeclaredLength() const {
    const AudioFileInfo& info = stream_->reader_->info();
    if (info.frames / info.rate_hz > options_.max_duration_s) {
      return TooLong();
    }
    return OkStatus();
  }

  // The channel to take alone because the average of all lost its level, or -1.
  int32_t ChannelToPick() const {
    const std::vector<double>& power = stream_->channel_power_;
    double total = 0.0;
    size_t active = 0;
    for (const double channel : power) {
      total += channel;
      active += channel > 0.0 ? 1 : 0;
    }
    if (active < 2) {
      return -1;
    }
    // Unrelated channels add their powers: total / channels^2 is left of their average.
    const double channels = static_cast<double>(power.size());
    if (stream_->mix_power_ >= kCancelledShare * total / (channels * channels)) {
      return -1;
    }
    return static_cast<int32_t>(std::max_element(power.begin(), power.end()) - power.begin());
  }

  Status Restart(int32_t channel) const { return stream_->Restart(channel); }

  // Undoes the share of channels that never sounded.
  void LeaveOutSilent(std::vector<float>* samples) const {
    const std::vector<double>& power = stream_->channel_power_;
    const double loudest = *std::max_element(power.begin(), power.end());
    const auto silent = std::count_if(power.begin(), power.end(), [loudest](double channel) {
      return channel < kSilentShare * loudest;
    });
    if (silent == 0) {
      return;
    }
    stream_->report_.silent_channels = static_cast<int32_t>(silent);
    const double gain =
        static_cast<double>(power.size()) / static_cast<double>(power.size() - silent);
    ScalePlain(samples->data(), samples->size(), static_cast<float>(gain));
  }

 private:
  Status TooLong() const {
    return ResourceExhaustedError("audio file: longer than " +
                                  std::to_string(options_.max_duration_s) +
                                  " s: limit of one load; cut it or read it as a stream");
  }

  MonoStream* stream_;
  const LoadOptions& options_;
  const CancelToken& cancel_;
};

Result<LoadedAudio> LoadMono(std::unique_ptr<AudioReader> reader, ResamplerFactory make_resampler,
                             const LoadOptions& options, const CancelToken& cancel) {
  SOTTO_ASSIGN_OR_RETURN(const std::unique_ptr<MonoStream> stream,
                         MonoStream::Make(std::move(reader), make_resampler, options.rate_hz));
  const MonoLoader loader(stream.get(), options, cancel);
  SOTTO_RETURN_IF_ERROR(loader.CheckDeclaredLength());
  LoadedAudio audio;
  audio.rate_hz = options.rate_hz;
  SOTTO_RETURN_IF_ERROR(loader.ReadAll(&audio.samples));
  const int32_t channel = loader.ChannelToPick();
  // A format without Rewind() keeps its average.
  if (channel >= 0 && loader.Restart(channel).ok()) {
    audio.samples.clear();
    SOTTO_RETURN_IF_ERROR(loader.ReadAll(&audio.samples));
  } else {
    loader.LeaveOutSilent(&audio.samples);
  }
  audio.report = stream->report();
  RemoveLargeOffset(&audio);
  return audio;
}

}  // namespace sotto
