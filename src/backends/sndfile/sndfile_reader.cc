#include "backends/sndfile/sndfile_reader.h"

#include <sndfile.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "audio/load.h"
#include "audio/probe.h"
#include "backends/sndfile/byte_source.h"
#include "backends/sndfile/length_claims.h"
#include "backends/sndfile/mpeg_reader.h"
#include "backends/sndfile/wav_chunks.h"
#include "backends/sndfile/whole_frames.h"

namespace sotto {
namespace {

struct CloseSndfile {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using SndfileHandle = std::unique_ptr<SNDFILE, CloseSndfile>;

sf_count_t VirtualLength(void* user) {
  return static_cast<sf_count_t>(static_cast<ByteCursor*>(user)->source().size_bytes());
}

sf_count_t VirtualSeek(sf_count_t offset, int whence, void* user) {
  return static_cast<ByteCursor*>(user)->Seek(offset, whence);
}

sf_count_t VirtualRead(void* out, sf_count_t count, void* user) {
  if (count <= 0) {
    return 0;
  }
  const std::span<std::byte> bytes(static_cast<std::byte*>(out), static_cast<size_t>(count));
  return static_cast<sf_count_t>(static_cast<ByteCursor*>(user)->Read(bytes));
}

sf_count_t VirtualWrite(const void*, sf_count_t, void*) { return 0; }
sf_count_t VirtualTell(void* user) { return static_cast<ByteCursor*>(user)->position(); }

std::string EncodingName(int format) {
  switch (format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_PCM_S8:
    case SF_FORMAT_PCM_U8:
      return "pcm_8";
    case SF_FORMAT_PCM_16:
      return "pcm_16";
    case SF_FORMAT_PCM_24:
      return "pcm_24";
    case SF_FORMAT_PCM_32:
      return "pcm_32";
    case SF_FORMAT_FLOAT:
      return "float_32";
    case SF_FORMAT_DOUBLE:
      return "float_64";
    case SF_FORMAT_ULAW:
      return "ulaw";
    case SF_FORMAT_ALAW:
      return "alaw";
    case SF_FORMAT_VORBIS:
      return "vorbis";
    case SF_FORMAT_OPUS:
      return "opus";
    default:
      return "other";
  }
}

class SndfileReader final : public AudioReader {
 public:
  SndfileReader(std::string name, std::unique_ptr<ByteCursor> cursor, SndfileHandle file,
                AudioFileInfo info, LengthClaims claims)
      : name_(std::move(name)),
        cursor_(std::move(cursor)),
        file_(std::move(file)),
        info_(std::move(info)),
        claims_(claims),
        truncated_(claims.cut) {}

  const AudioFileInfo& info() const override { return info_; }

  Result<size_t> Read(std::span<float> interleaved) override {
    const size_t channels = static_cast<size_t>(info_.channels);
    SOTTO_RETURN_IF_ERROR(CheckWholeFrames(name_, interleaved.size(), channels));
    if (ended_ || interleaved.empty()) {
      return size_t{0};
    }
    const sf_count_t wanted = static_cast<sf_count_t>(interleaved.size() / channels);
    const sf_count_t got = sf_readf_float(file_.get(), interleaved.data(), wanted);
    const size_t frames = static_cast<size_t>(std::clamp<sf_count_t>(got, 0, wanted));
    frames_read_ += static_cast<int64_t>(frames);
    if (frames == static_cast<size_t>(wanted)) {
      return frames;
    }
    ended_ = true;
    const bool faulty = sf_error(file_.get()) != SF_ERR_NO_ERROR;
    truncated_ = truncated_ || faulty || frames_read_ < claims_.frames;
    if (frames_read_ == 0 && (truncated_ || claims_.frames > 0)) {
      return DataLossError("read: " + name_ + ": no frame can be decoded");
    }
    return frames;
  }

  bool truncated() const override { return truncated_; }

  Status Rewind() override {
    if (sf_seek(file_.get(), 0, SEEK_SET) != 0) {
      return UnimplementedError("rewind: " + name_ + ": not for this format");
    }
    ended_ = false;
    frames_read_ = 0;
    truncated_ = claims_.cut;
    return OkStatus();
  }

 private:
  std::string name_;
  std::unique_ptr<ByteCursor> cursor_;  // outlives file_, which points into it
  SndfileHandle file_;
  AudioFileInfo info_;
  LengthClaims claims_;
  int64_t frames_read_ = 0;
  bool ended_ = false;
  bool truncated_;
};

// The codecs of WAV that libsndfile decodes, by format tag, beside MPEG audio: PCM, MS ADPCM,
// float, A-law, u-law, IMA ADPCM, GSM 6.10.
bool IsDecodedTag(int32_t tag) {
  constexpr int32_t kTags[] = {0x1, 0x2, 0x3, 0x6, 0x7, 0x11, 0x31};
  return std::ranges::find(kTags, tag) != std::end(kTags);
}

// MPEG audio in WAV: any layer, and layer III.
bool IsMpegTag(int32_t tag) { return tag == 0x50 || tag == 0x55; }

// The samples of a WAV file as a file of their own.
std::unique_ptr<ByteSource> SamplesOf(const WavHeader& header, std::unique_ptr<ByteSource> source) {
  const uint64_t size_bytes = source->size_bytes();
  const uint64_t offset_bytes = std::min(header.data_offset_bytes, size_bytes);
  const ByteRun samples = {offset_bytes, std::min(header.data_bytes, size_bytes - offset_bytes)};
  return MakeRunSource("", std::move(source), {&samples, 1});
}

Status OpenError(const std::string& name, AudioContainer container, int error,
                 std::span<const std::byte> head) {
  const std::string what = "open: " + name + ": " + std::string(AudioContainerName(container));
  if (error == SF_ERR_UNSUPPORTED_ENCODING) {
    return UnimplementedError(what + ": encoding is not decoded here; convert it to PCM");
  }
  const Result<WavHeader> header = ParseWavHeader(head);
  if (header.ok() && !IsDecodedTag(header->format_tag)) {
    char tag[16];
    std::snprintf(tag, sizeof(tag), "0x%x", static_cast<unsigned>(header->format_tag));
    return UnimplementedError(what + ": codec " + tag + " is not decoded here; convert it to PCM");
  }
  return DataLossError(what + ": malformed or cut header");
}

Result<std::unique_ptr<AudioReader>> OpenSource(const std::string& name,
                                                std::unique_ptr<ByteSource> source) {
  source = GatherWavChunks(std::move(source));
  const std::vector<std::byte> head = source->Head(kClaimHeadBytes);
  const std::span<const std::byte> probe(head.data(), std::min(head.size(), kProbeBytes));
  const AudioContainer container = ProbeContainer(probe);
  if (container == AudioContainer::kUnknown) {
    return DataLossError("open: " + name + ": " + std::string(DescribeUnknown(probe)));
  }
  LengthClaims claims = ReadLengthClaims(container, head, *source);
  bool is_mpeg = container == AudioContainer::kMp3;
  if (container == AudioContainer::kWav) {
    const Result<WavHeader> header = ParseWavHeader(head);
    if (!header.ok() && header.status().code() == Code::kDataLoss) {
      return header.status().WithContext("open: " + name);
    }
    if (header.ok() && IsMpegTag(header->format_tag)) {
      is_mpeg = true;
      source = SamplesOf(*header, std::move(source));
    }
  }
  if (is_mpeg) {
    return OpenMpeg(name, AudioContainerName(container), std::move(source), claims);
  }

  auto cursor = std::make_unique<ByteCursor>(std::move(source));
  const uint64_t size_bytes = cursor->source().size_bytes();
  SF_VIRTUAL_IO callbacks = {VirtualLength, VirtualSeek, VirtualRead, VirtualWrite, VirtualTell};
  SF_INFO sf_info = {};
  SndfileHandle file(sf_open_virtual(&callbacks, SFM_READ, &sf_info, cursor.get()));
  if (file == nullptr) {
    return OpenError(name, container, sf_error(nullptr), head);
  }
  if (sf_info.channels < 1 || sf_info.channels > kMaxChannels || sf_info.samplerate < 1) {
    return DataLossError("open: " + name + ": " + std::to_string(sf_info.channels) +
                         " channels at " + std::to_string(sf_info.samplerate) + " Hz: limit 1 to " +
                         std::to_string(kMaxChannels) + " channels");
  }
  AudioFileInfo info;
  info.rate_hz = sf_info.samplerate;
  info.channels = sf_info.channels;
  info.container = AudioContainerName(container);
  info.encoding = EncodingName(sf_info.format);
  // A count that no encoder could have put into so few bytes is no count. 8192 frames per byte:
  // FLAC stores a silent block of 65535 frames in at least 8 bytes.
  const bool plausible =
      sf_info.frames >= 0 && static_cast<uint64_t>(sf_info.frames) / 8192 <= size_bytes;
  info.frames = plausible ? sf_info.frames : AudioFileInfo::kUnknownFrames;
  if (sf_info.frames < std::numeric_limits<sf_count_t>::max() && CountIsExact(container)) {
    claims.frames = std::max<int64_t>(claims.frames, sf_info.frames);
  }
  return std::unique_ptr<AudioReader>(std::make_unique<SndfileReader>(
      name, std::move(cursor), std::move(file), std::move(info), claims));
}

// What to try, where the reason does not say it.
Status WithAdvice(const Status& status) {
  if (status.message().find(';') != std::string::npos) {
    return status;
  }
  switch (status.code()) {
    case Code::kDataLoss:
    case Code::kUnimplemented:
      return Status(status.code(), status.message() + "; give WAV, FLAC, Ogg or MP3 that plays");
    case Code::kNotFound:
      return Status(status.code(), status.message() + "; check the path");
    case Code::kPermissionDenied:
      return Status(status.code(), status.message() + "; check its permissions");
    default:
      return status;
  }
}

Result<std::unique_ptr<AudioReader>> Advised(Result<std::unique_ptr<AudioReader>> reader) {
  return reader.ok() ? std::move(reader) : WithAdvice(reader.status());
}

class SndfileOpener final : public AudioFileOpener {
 public:
  Result<std::unique_ptr<AudioReader>> Open(const std::string& path,
                                            const CancelToken& cancel) const override {
    Result<std::unique_ptr<ByteSource>> source = OpenByteSource(path, kMaxStreamBytes, cancel);
    return source.ok() ? Advised(OpenSource(path, *std::move(source)))
                       : WithAdvice(source.status());
  }

  Result<std::unique_ptr<AudioReader>> OpenMemory(std::string name,
                                                  std::string bytes) const override {
    return Advised(OpenSource(name, MakeMemorySource(std::move(bytes))));
  }
};

}  // namespace

std::unique_ptr<AudioFileOpener> MakeSndfileOpener() { return std::make_unique<SndfileOpener>(); }

}  // namespace sotto
