#include "backends/sndfile/length_claims.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace sotto {
namespace {

uint64_t Number(std::span<const std::byte> bytes, size_t at, size_t count, bool big_endian) {
  uint64_t value = 0;
  for (size_t k = 0; k < count; ++k) {
    const size_t shift = 8 * (big_endian ? count - 1 - k : k);
    value |= static_cast<uint64_t>(bytes[at + k]) << shift;
  }
  return value;
}

bool EndsBefore(uint64_t size_bytes, uint64_t offset_bytes, uint64_t count_bytes) {
  return offset_bytes > size_bytes || count_bytes > size_bytes - offset_bytes;
}

bool WavIsCut(std::span<const std::byte> head, uint64_t size_bytes) {
  const Result<WavHeader> header = ParseWavHeader(head);
  return header.ok() && header->data_bytes != WavHeader::kUnknownBytes &&
         EndsBefore(size_bytes, header->data_offset_bytes, header->data_bytes);
}

// The last page of an Ogg stream says so.
bool OggIsCut(ByteSource& source) {
  // A page is at most 65307 bytes: header, segment table and 255 segments of 255 bytes.
  constexpr uint64_t kMaxPageBytes = 65307;
  const uint64_t size_bytes = source.size_bytes();
  const uint64_t from = size_bytes - std::min(size_bytes, 2 * kMaxPageBytes);
  std::vector<std::byte> tail(static_cast<size_t>(size_bytes - from));
  tail.resize(source.ReadAt(from, tail));
  const std::string_view text(reinterpret_cast<const char*>(tail.data()), tail.size());
  const size_t page = text.rfind("OggS");
  if (page == std::string_view::npos || tail.size() - page < 27) {
    return true;
  }
  const bool says_end = (std::to_integer<uint32_t>(tail[page + 5]) & 4u) != 0;
  const size_t segments = std::to_integer<size_t>(tail[page + 26]);
  if (!says_end || tail.size() - page < 27 + segments) {
    return true;
  }
  size_t body_bytes = 0;
  for (size_t k = 0; k < segments; ++k) {
    body_bytes += std::to_integer<size_t>(tail[page + 27 + k]);
  }
  return tail.size() - page - 27 - segments < body_bytes;
}

// Frames that a Xing or Info tag in the first frame promises, or 0.
int64_t Mp3Frames(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  size_t at = text.find("Xing");
  at = at == std::string_view::npos ? text.find("Info") : at;
  if (at == std::string_view::npos || at < 13 || head.size() - at < 12 ||
      (Number(head, at + 4, 4, true) & 1u) == 0) {
    return 0;
  }
  // MPEG-1 has 1152 samples in a frame of layer III, MPEG-2 576. The tag sits 9 to 32 bytes
  // behind the 4 bytes of its frame header.
  for (const size_t side_bytes : {size_t{32}, size_t{17}, size_t{9}}) {
    if (at < side_bytes + 4) {
      continue;
    }
    const uint64_t sync = Number(head, at - side_bytes - 4, 4, true);
    if (sync >> 21 == 0x7ff) {
      const bool is_mpeg1 = (sync >> 19 & 3u) == 3;
      return static_cast<int64_t>(Number(head, at + 8, 4, true)) * (is_mpeg1 ? 1152 : 576);
    }
  }
  return 0;
}

}  // namespace

bool CountIsExact(AudioContainer container) { return container == AudioContainer::kFlac; }

LengthClaims ReadLengthClaims(AudioContainer container, std::span<const std::byte> head,
                              ByteSource& source) {
  const uint64_t size_bytes = source.size_bytes();
  LengthClaims claims;
  switch (container) {
    case AudioContainer::kWav:
      claims.cut = WavIsCut(head, size_bytes);
      break;
    case AudioContainer::kW64:
      claims.cut = head.size() >= 24 && Number(head, 16, 8, false) > size_bytes;
      break;
    case AudioContainer::kAiff:
      claims.cut = EndsBefore(size_bytes, 8, Number(head, 4, 4, true));
      break;
    case AudioContainer::kAu: {
      if (head.size() < 12) {
        break;
      }
      const bool big_endian = std::to_integer<char>(head[0]) == '.';
      const uint64_t data_bytes = Number(head, 8, 4, big_endian);
      claims.cut = data_bytes != 0xffffffffu &&
                   EndsBefore(size_bytes, Number(head, 4, 4, big_endian), data_bytes);
      break;
    }
    case AudioContainer::kOgg:
      claims.cut = OggIsCut(source);
      break;
    case AudioContainer::kMp3: {
      // Encoder delay and padding are left out by the decoder: up to three frames.
      const int64_t promised = Mp3Frames(head);
      claims.frames = std::max<int64_t>(0, promised - 3 * 1152);
      break;
    }
    default:
      break;
  }
  return claims;
}

}  // namespace sotto
