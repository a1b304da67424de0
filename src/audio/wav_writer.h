// Writes WAV files, and WAV streams into pipes.
#ifndef SOTTO_AUDIO_WAV_WRITER_H_
#define SOTTO_AUDIO_WAV_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/status.h"

namespace sotto {

enum class WavEncoding : int32_t { kPcm16 = 0, kFloat32 = 1 };

struct WavFormat {
  int32_t rate_hz = 16000;
  int32_t channels = 1;
  WavEncoding encoding = WavEncoding::kPcm16;
};

// The header for `data_bytes` of samples; WavHeader::kUnknownBytes gives the header of a stream.
// REQUIRES: a format that WavWriter::Create takes.
std::string MakeWavHeader(const WavFormat& format, uint64_t data_bytes);

// One file. It appears under its name at Finish(), whole; without Finish() nothing appears. A
// path that is not a regular file gets the header of a stream (lengths 0xffffffff) and then each
// Write() at once. Used from one thread at a time.
class WavWriter {
 public:
  // INVALID_ARGUMENT for a rate outside 1000..384000 or channels outside 1..64; else as
  // AtomicFileWriter::Create().
  static Result<WavWriter> Create(const std::string& path, const WavFormat& format);

  // Appends frames, interleaved. Samples above full scale are held to it in 16 bits; NaN becomes 0.
  // INVALID_ARGUMENT for a part of a frame; RESOURCE_EXHAUSTED above 4 GiB, the limit of WAV, or
  // when the disk is full. After an error the file is not to be finished.
  Status Write(std::span<const float> interleaved);

  Status Finish();

  int64_t frames() const { return frames_; }

 private:
  WavWriter(AtomicFileWriter file, const WavFormat& format)
      : file_(std::move(file)), format_(format) {}

  AtomicFileWriter file_;
  WavFormat format_;
  int64_t frames_ = 0;
  std::vector<int16_t> scratch_;
};

}  // namespace sotto

#endif  // SOTTO_AUDIO_WAV_WRITER_H_
