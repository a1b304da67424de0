#include "backends/sndfile/mpeg_reader.h"

#include <mpg123.h>
#include <sys/types.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <utility>

#include "audio/load.h"
#include "backends/sndfile/mpeg_frames.h"
#include "backends/sndfile/mpeg_side_info.h"
#include "backends/sndfile/whole_frames.h"

namespace sotto {
namespace {

struct DeleteDecoder {
  void operator()(mpg123_handle* decoder) const { mpg123_delete(decoder); }
};
using DecoderHandle = std::unique_ptr<mpg123_handle, DeleteDecoder>;

ssize_t ReadCallback(void* cursor, void* out, size_t count) {
  return static_cast<ssize_t>(
      static_cast<ByteCursor*>(cursor)->Read({static_cast<std::byte*>(out), count}));
}

off_t SeekCallback(void* cursor, off_t offset, int whence) {
  return static_cast<ByteCursor*>(cursor)->Seek(offset, whence);
}

// libmpg123 needs no call of mpg123_init() since 1.26, and the build asks for 1.31.
Result<DecoderHandle> NewDecoder(const std::string& name) {
  int error = MPG123_OK;
  DecoderHandle decoder(mpg123_new(nullptr, &error));
  if (decoder == nullptr) {
    const Status status(error == MPG123_OUT_OF_MEM ? Code::kResourceExhausted : Code::kUnavailable,
                        "open: " + name + ": no MPEG decoder: " + mpg123_plain_strerror(error));
    return status;
  }
  mpg123_handle* handle = decoder.get();
  // Its own resampling would hide a rate that changes.
  const bool ready =
      mpg123_param2(handle, MPG123_REMOVE_FLAGS, MPG123_AUTO_RESAMPLE, 0.0) == MPG123_OK &&
      mpg123_param2(handle, MPG123_ADD_FLAGS,
                    MPG123_QUIET | MPG123_FORCE_FLOAT | MPG123_GAPLESS | MPG123_SKIP_ID3V2,
                    0.0) == MPG123_OK &&
      mpg123_format_none(handle) == MPG123_OK &&
      mpg123_format2(handle, 0, MPG123_MONO | MPG123_STEREO, MPG123_ENC_FLOAT_32) == MPG123_OK &&
      mpg123_replace_reader_handle(handle, ReadCallback, SeekCallback, nullptr) == MPG123_OK;
  if (!ready) {
    return UnavailableError("open: " + name + ": MPEG decoder without float samples: " +
                            mpg123_strerror(handle) + "; install libmpg123 1.31 or later");
  }
  return decoder;
}

struct Format {
  long rate_hz = 0;
  int channels = 0;
  int encoding = 0;

  bool operator==(const Format&) const = default;
};

bool AllZero(std::span<const float> samples) {
  return std::ranges::all_of(samples, [](float sample) { return sample == 0.0f; });
}

class MpegReader final : public AudioReader {
 public:
  MpegReader(std::string name, std::unique_ptr<ByteSource> source, DecoderHandle decoder,
             LengthClaims claims)
      : name_(std::move(name)),
        cursor_(std::move(source)),
        decoder_(std::move(decoder)),
        claims_(claims),
        truncated_(claims.cut) {}

  // Before anything else, once.
  Status Open(std::string_view container, int64_t mpeg_frames) {
    SOTTO_RETURN_IF_ERROR(Start());
    if (format_.encoding != MPG123_ENC_FLOAT_32 || format_.channels < 1 ||
        format_.channels > kMaxChannels || format_.rate_hz < 1) {
      return DataLossError("open: " + name_ + ": " + std::to_string(format_.channels) +
                           " channels at " + std::to_string(format_.rate_hz) + " Hz: limit 1 to " +
                           std::to_string(kMaxChannels) + " channels");
    }
    info_.rate_hz = static_cast<int32_t>(format_.rate_hz);
    info_.channels = format_.channels;
    info_.container = container;
    info_.encoding = "mpeg";
    CountFrames(mpeg_frames);
    return OkStatus();
  }

  const AudioFileInfo& info() const override { return info_; }

  Result<size_t> Read(std::span<float> interleaved) override {
    const size_t channels = static_cast<size_t>(info_.channels);
    SOTTO_RETURN_IF_ERROR(CheckWholeFrames(name_, interleaved.size(), channels));
    size_t done = 0;
    while (done < interleaved.size() && (!decoded_.empty() || DecodeFrame())) {
      const size_t count = std::min(decoded_.size(), interleaved.size() - done);
      std::ranges::copy(decoded_.first(count), interleaved.begin() + static_cast<ptrdiff_t>(done));
      decoded_ = decoded_.subspan(count);
      done += count;
    }
    frames_read_ += static_cast<int64_t>(done / channels);
    if (done == interleaved.size()) {
      return done / channels;
    }
    truncated_ = truncated_ || frames_read_ < claims_.frames;
    if (frames_read_ == 0) {
      return DataLossError("read: " + name_ + ": no frame can be decoded");
    }
    return done / channels;
  }

  bool truncated() const override { return truncated_; }

  // Opened anew rather than sought: the decoder keeps sound of the frames before.
  Status Rewind() override {
    const Format before = format_;
    SOTTO_RETURN_IF_ERROR(Start());
    if (format_ != before) {
      ended_ = true;
      return DataLossError("rewind: " + name_ + ": the file has changed; open it again");
    }
    return OkStatus();
  }

 private:
  Status Start() {
    ended_ = false;
    decoded_ = {};
    sounds_ = false;
    owes_sound_ = false;
    frames_read_ = 0;
    error_position_ = -1;
    truncated_ = claims_.cut;
    cursor_.Seek(0, SEEK_SET);
    if (mpg123_open_handle(decoder_.get(), &cursor_) != MPG123_OK ||
        mpg123_getformat(decoder_.get(), &format_.rate_hz, &format_.channels, &format_.encoding) !=
            MPG123_OK) {
      ended_ = true;
      return DataLossError("open: " + name_ +
                           ": no MPEG audio that decodes: " + mpg123_strerror(decoder_.get()));
    }
    return OkStatus();
  }

  // libmpg123 knows what encoders ask it to trim, but guesses the length of streams without an
  // information frame.
  void CountFrames(int64_t mpeg_frames) {
    const int64_t found = mpeg_frames * mpg123_spf(decoder_.get());
    const int64_t told = mpg123_length(decoder_.get());
    const int64_t least = std::max<int64_t>(0, found - found / 100 - kMaxTrimmedFrames);
    info_.frames = told >= least && told <= found + found / 100 ? told : found;
    claims_.frames = std::max(claims_.frames, least);
  }

  // Makes decoded_ not empty, or returns false: the end.
  bool DecodeFrame() {
    while (!ended_) {
      off_t number = 0;
      unsigned char* audio = nullptr;
      size_t bytes = 0;
      const int result = mpg123_decode_frame(decoder_.get(), &number, &audio, &bytes);
      if (result == MPG123_OK) {
        decoded_ = {reinterpret_cast<const float*>(audio), bytes / sizeof(float)};
        // libmpg123 tells nobody but stderr that it could not decode a frame.
        truncated_ = truncated_ || IsBroken();
        if (!decoded_.empty()) {
          return true;
        }
      } else if (!GoesOnAfter(result)) {
        ended_ = true;
      }
    }
    return false;
  }

  bool GoesOnAfter(int result) {
    if (result == MPG123_DONE) {
      return false;
    }
    if (result == MPG123_NEW_FORMAT) {
      Format format;
      if (mpg123_getformat(decoder_.get(), &format.rate_hz, &format.channels, &format.encoding) ==
              MPG123_OK &&
          format == format_) {
        return true;
      }
      truncated_ = true;
      return false;
    }
    truncated_ = true;
    // Only behind the last fault, so that faults end.
    const int64_t position = cursor_.position();
    const bool goes_on = result == MPG123_ERR && position > error_position_;
    error_position_ = position;
    return goes_on;
  }

  // What the frame that was decoded last says of itself.
  MpegContent Content() {
    std::array<std::byte, kSideInfoBytes> head;
    const off_t position = mpg123_framepos(decoder_.get());
    const size_t count =
        position < 0 ? 0 : cursor_.source().ReadAt(static_cast<uint64_t>(position), head);
    return ReadMpegContent(std::span(head).first(count));
  }

  // A frame that cannot be decoded is given as zeros from the granule of the fault to its end. So
  // is digital silence, but no encoder writes coefficients for that, and no decoder falls silent
  // from one sample to the next: its filters hold 512 samples.
  bool IsBroken() {
    const MpegContent content = Content();
    const size_t channels = static_cast<size_t>(info_.channels);
    const bool sounded = std::exchange(
        sounds_, !AllZero(decoded_.last(std::min(decoded_.size(), kTailFrames * channels))));
    const bool owed = std::exchange(owes_sound_, content.is_coded[content.granules - 1]);
    if (!content.is_allowed || sounds_ || decoded_.empty()) {
      return !content.is_allowed;
    }
    if (AllZero(decoded_)) {
      return sounded || owed || content.sounds[0] || content.sounds[1] ||
             (content.granules == 2 && content.is_coded[0]);
    }
    // The ends of a stream may be trimmed: their granules are not told apart.
    if (content.granules < 2 || decoded_.size() != channels * content.frame_samples) {
      return false;
    }
    const size_t half = decoded_.size() / 2;
    const bool first_sounds =
        !AllZero(decoded_.subspan(half - kTailFrames * channels, kTailFrames * channels));
    return AllZero(decoded_.subspan(half)) &&
           (first_sounds || content.is_coded[0] || content.sounds[1]);
  }

  // Delay and padding have 12 bits each in an information frame.
  static constexpr int64_t kMaxTrimmedFrames = 2 * 4095;
  // One step of the decoder's filters.
  static constexpr size_t kTailFrames = 32;

  std::string name_;
  ByteCursor cursor_;  // outlives decoder_, which points to it
  DecoderHandle decoder_;
  AudioFileInfo info_;
  LengthClaims claims_;
  Format format_;
  std::span<const float> decoded_;  // what is left of the last frame, in the decoder's memory
  bool sounds_ = false;             // the last frame does not end in zeros
  bool owes_sound_ = false;         // the last granule coded what sounds in the next one
  int64_t frames_read_ = 0;
  int64_t error_position_ = -1;
  bool ended_ = false;
  bool truncated_;
};

}  // namespace

Result<std::unique_ptr<AudioReader>> OpenMpeg(const std::string& name, std::string_view container,
                                              std::unique_ptr<ByteSource> source,
                                              LengthClaims claims) {
  Result<MpegFrames> frames = FindMpegFrames(std::move(source));
  if (!frames.ok()) {
    return frames.status().WithContext("open: " + name);
  }
  claims.cut = claims.cut || frames->damaged;
  SOTTO_ASSIGN_OR_RETURN(DecoderHandle decoder, NewDecoder(name));
  auto reader =
      std::make_unique<MpegReader>(name, std::move(frames->source), std::move(decoder), claims);
  SOTTO_RETURN_IF_ERROR(reader->Open(container, frames->frames));
  return std::unique_ptr<AudioReader>(std::move(reader));
}

}  // namespace sotto
