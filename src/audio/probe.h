// What kind of file is it? Told from its first bytes, before any decoder sees them.
#ifndef SOTTO_AUDIO_PROBE_H_
#define SOTTO_AUDIO_PROBE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"

namespace sotto {

enum class AudioContainer : int32_t {
  kUnknown = 0,
  kWav,  // RIFF, RIFX and RF64
  kW64,
  kAiff,  // AIFF and AIFC
  kCaf,
  kAu,
  kFlac,
  kOgg,
  kMp3,  // MPEG audio of any layer, with or without an ID3 tag
};

std::string_view AudioContainerName(AudioContainer container);

// Bytes that ProbeContainer wants to see; fewer are fine if the file is shorter.
inline constexpr size_t kProbeBytes = 64;

// kUnknown if the first bytes are no container of the list. Reads only `head`; never fails.
AudioContainer ProbeContainer(std::span<const std::byte> head);

// Text that helps somebody who gave the wrong file: "a zip archive", "a PDF document", "empty",
// "text", or "not a known audio format".
std::string_view DescribeUnknown(std::span<const std::byte> head);

// What the chunks of a WAV file claim.
struct WavHeader {
  int32_t format_tag = 0;  // of an extensible header, the tag inside it
  int32_t channels = 0;
  int32_t rate_hz = 0;
  int32_t bits_per_sample = 0;
  int32_t block_align_bytes = 0;
  uint64_t data_offset_bytes = 0;
  // As the header says; kUnknownBytes for the 0xffffffff and 0 that streams write.
  uint64_t data_bytes = 0;

  static constexpr uint64_t kUnknownBytes = ~uint64_t{0};
};

// Reads the chunks up to `data` from the first bytes of a file. DATA_LOSS if the header is cut or
// contradicts itself: no fmt or data chunk, zero or more than 1024 channels, a rate of 0 or above
// 2^31 - 1. UNIMPLEMENTED if the chunk is beyond `head`.
Result<WavHeader> ParseWavHeader(std::span<const std::byte> head);

}  // namespace sotto

#endif  // SOTTO_AUDIO_PROBE_H_
