#include "audio/wav_writer.h"

#include <algorithm>
#include <bit>

#include "audio/probe.h"
#include "kernels/pcm/pcm.h"

namespace sotto {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are written as they lie");

constexpr uint32_t kStreamBytes = 0xffffffffu;

void AppendLe(std::string* out, uint32_t value, int bytes) {
  for (int k = 0; k < bytes; ++k) {
    out->push_back(static_cast<char>(value >> (8 * k) & 0xff));
  }
}

uint32_t SampleBytes(WavEncoding encoding) { return encoding == WavEncoding::kPcm16 ? 2 : 4; }

uint32_t FrameBytes(const WavFormat& format) {
  return SampleBytes(format.encoding) * static_cast<uint32_t>(format.channels);
}

}  // namespace

std::string MakeWavHeader(const WavFormat& format, uint64_t data_bytes) {
  const bool is_float = format.encoding == WavEncoding::kFloat32;
  const bool is_stream = data_bytes == WavHeader::kUnknownBytes;
  // Formats other than PCM carry an extension size and a fact chunk.
  const uint32_t header_bytes = is_float ? 58 : 44;
  std::string header = "RIFF";
  AppendLe(&header, is_stream ? kStreamBytes : static_cast<uint32_t>(data_bytes) + header_bytes - 8,
           4);
  header += "WAVEfmt ";
  AppendLe(&header, is_float ? 18 : 16, 4);
  AppendLe(&header, is_float ? 3 : 1, 2);
  AppendLe(&header, static_cast<uint32_t>(format.channels), 2);
  AppendLe(&header, static_cast<uint32_t>(format.rate_hz), 4);
  AppendLe(&header, static_cast<uint32_t>(format.rate_hz) * FrameBytes(format), 4);
  AppendLe(&header, FrameBytes(format), 2);
  AppendLe(&header, 8 * SampleBytes(format.encoding), 2);
  if (is_float) {
    AppendLe(&header, 0, 2);
    header += "fact";
    AppendLe(&header, 4, 4);
    AppendLe(&header,
             is_stream ? kStreamBytes : static_cast<uint32_t>(data_bytes / FrameBytes(format)), 4);
  }
  header += "data";
  AppendLe(&header, is_stream ? kStreamBytes : static_cast<uint32_t>(data_bytes), 4);
  return header;
}

Result<WavWriter> WavWriter::Create(const std::string& path, const WavFormat& format) {
  if (format.rate_hz < 1000 || format.rate_hz > 384000) {
    return InvalidArgumentError("write wav: " + path + ": rate " + std::to_string(format.rate_hz) +
                                " Hz: limit 1000 to 384000");
  }
  if (format.channels < 1 || format.channels > 64) {
    return InvalidArgumentError("write wav: " + path + ": " + std::to_string(format.channels) +
                                " channels: limit 1 to 64");
  }
  SOTTO_ASSIGN_OR_RETURN(AtomicFileWriter file, AtomicFileWriter::Create(path));
  SOTTO_RETURN_IF_ERROR(file.Append(MakeWavHeader(format, WavHeader::kUnknownBytes)));
  return WavWriter(std::move(file), format);
}

Status WavWriter::Write(std::span<const float> interleaved) {
  const size_t channels = static_cast<size_t>(format_.channels);
  if (interleaved.size() % channels != 0) {
    return InvalidArgumentError("write wav: " + std::to_string(interleaved.size()) +
                                " samples: not a multiple of " + std::to_string(channels) +
                                " channels");
  }
  const uint64_t frame_bytes = FrameBytes(format_);
  const uint64_t new_frames = interleaved.size() / channels;
  const uint64_t limit_frames = (uint64_t{0xffffff00u} - 64) / frame_bytes;
  if (new_frames > limit_frames - static_cast<uint64_t>(frames_)) {
    return ResourceExhaustedError("write wav: more than " + std::to_string(limit_frames) +
                                  " frames: limit of the format is 4 GiB");
  }
  if (format_.encoding == WavEncoding::kFloat32) {
    SOTTO_RETURN_IF_ERROR(file_.Append(std::as_bytes(interleaved)));
  } else {
    constexpr size_t kPieceSamples = 1 << 14;
    scratch_.resize(std::min(interleaved.size(), kPieceSamples));
    for (std::span<const float> rest = interleaved; !rest.empty();) {
      const size_t count = std::min(rest.size(), kPieceSamples);
      FloatToInt16Plain(rest.data(), scratch_.data(), count);
      SOTTO_RETURN_IF_ERROR(file_.Append(std::as_bytes(std::span(scratch_).first(count))));
      rest = rest.subspan(count);
    }
  }
  frames_ += static_cast<int64_t>(new_frames);
  return OkStatus();
}

Status WavWriter::Finish() {
  const uint64_t data_bytes = static_cast<uint64_t>(frames_) * FrameBytes(format_);
  const std::string header = MakeWavHeader(format_, data_bytes);
  const Status status = file_.WriteAt(0, std::as_bytes(std::span(header.data(), header.size())));
  // A pipe keeps the header it got.
  if (!status.ok() && status.code() != Code::kFailedPrecondition) {
    return status;
  }
  return file_.Commit();
}

}  // namespace sotto
