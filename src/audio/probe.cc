#include "audio/probe.h"

#include <algorithm>
#include <string>

namespace sotto {
namespace {

uint32_t ByteAt(std::span<const std::byte> bytes, size_t at) {
  return std::to_integer<uint32_t>(bytes[at]);
}

bool HasTag(std::span<const std::byte> bytes, size_t at, std::string_view tag) {
  if (bytes.size() < at + tag.size()) {
    return false;
  }
  for (size_t k = 0; k < tag.size(); ++k) {
    if (ByteAt(bytes, at + k) != static_cast<uint8_t>(tag[k])) {
      return false;
    }
  }
  return true;
}

// A frame header of MPEG audio: 11 sync bits, then no reserved version, layer, bit rate or rate.
bool IsMpegFrame(std::span<const std::byte> head) {
  if (head.size() < 4 || ByteAt(head, 0) != 0xff || (ByteAt(head, 1) & 0xe0) != 0xe0) {
    return false;
  }
  const uint32_t version = (ByteAt(head, 1) >> 3) & 3;
  const uint32_t layer = (ByteAt(head, 1) >> 1) & 3;
  const uint32_t bit_rate = ByteAt(head, 2) >> 4;
  const uint32_t rate = (ByteAt(head, 2) >> 2) & 3;
  return version != 1 && layer != 0 && bit_rate != 0 && bit_rate != 15 && rate != 3;
}

// A cursor over the chunks of a RIFF file; RIFX stores numbers big end first.
class ChunkReader {
 public:
  ChunkReader(std::span<const std::byte> bytes, bool big_endian)
      : bytes_(bytes), big_endian_(big_endian) {}

  bool Holds(uint64_t at, uint64_t count) const {
    return at <= bytes_.size() && count <= bytes_.size() - at;
  }
  uint32_t U32(uint64_t at) const {
    uint32_t value = 0;
    for (uint32_t k = 0; k < 4; ++k) {
      const uint32_t shift = big_endian_ ? 24 - 8 * k : 8 * k;
      value |= ByteAt(bytes_, static_cast<size_t>(at) + k) << shift;
    }
    return value;
  }
  uint32_t U16(uint64_t at) const {
    const uint32_t first = ByteAt(bytes_, static_cast<size_t>(at));
    const uint32_t second = ByteAt(bytes_, static_cast<size_t>(at) + 1);
    return big_endian_ ? first << 8 | second : second << 8 | first;
  }
  uint64_t U64(uint64_t at) const {  // ds64 exists little end first only
    return static_cast<uint64_t>(U32(at + 4)) << 32 | U32(at);
  }
  bool Tag(uint64_t at, std::string_view tag) const {
    return HasTag(bytes_, static_cast<size_t>(at), tag);
  }

 private:
  std::span<const std::byte> bytes_;
  bool big_endian_;
};

constexpr uint32_t kTagExtensible = 0xfffe;

Status ReadFormat(const ChunkReader& reader, uint64_t at, uint32_t chunk_bytes, WavHeader* header) {
  if (chunk_bytes < 16 || !reader.Holds(at, 16)) {
    return DataLossError("wav header: fmt chunk of " + std::to_string(chunk_bytes) +
                         " bytes: cut, want 16");
  }
  const uint32_t rate_hz = reader.U32(at + 4);
  header->format_tag = static_cast<int32_t>(reader.U16(at));
  header->channels = static_cast<int32_t>(reader.U16(at + 2));
  header->block_align_bytes = static_cast<int32_t>(reader.U16(at + 12));
  header->bits_per_sample = static_cast<int32_t>(reader.U16(at + 14));
  if (header->format_tag == static_cast<int32_t>(kTagExtensible) && chunk_bytes >= 26 &&
      reader.Holds(at, 26)) {
    header->format_tag = static_cast<int32_t>(reader.U16(at + 24));
  }
  if (header->channels == 0 || header->channels > 1024) {
    return DataLossError("wav header: " + std::to_string(header->channels) +
                         " channels: limit 1 to 1024");
  }
  if (rate_hz == 0 || rate_hz > 0x7fffffffu) {
    return DataLossError("wav header: rate " + std::to_string(rate_hz) + " Hz: not a rate");
  }
  header->rate_hz = static_cast<int32_t>(rate_hz);
  return OkStatus();
}

}  // namespace

std::string_view AudioContainerName(AudioContainer container) {
  switch (container) {
    case AudioContainer::kWav:
      return "wav";
    case AudioContainer::kW64:
      return "w64";
    case AudioContainer::kAiff:
      return "aiff";
    case AudioContainer::kCaf:
      return "caf";
    case AudioContainer::kAu:
      return "au";
    case AudioContainer::kFlac:
      return "flac";
    case AudioContainer::kOgg:
      return "ogg";
    case AudioContainer::kMp3:
      return "mp3";
    case AudioContainer::kUnknown:
      break;
  }
  return "unknown";
}

AudioContainer ProbeContainer(std::span<const std::byte> head) {
  if ((HasTag(head, 0, "RIFF") || HasTag(head, 0, "RIFX") || HasTag(head, 0, "RF64")) &&
      HasTag(head, 8, "WAVE")) {
    return AudioContainer::kWav;
  }
  if (HasTag(head, 0, "riff") && HasTag(head, 24, "wave")) {
    return AudioContainer::kW64;
  }
  if (HasTag(head, 0, "FORM") && (HasTag(head, 8, "AIFF") || HasTag(head, 8, "AIFC"))) {
    return AudioContainer::kAiff;
  }
  if (HasTag(head, 0, "caff")) {
    return AudioContainer::kCaf;
  }
  if (HasTag(head, 0, ".snd") || HasTag(head, 0, "dns.")) {
    return AudioContainer::kAu;
  }
  if (HasTag(head, 0, "fLaC")) {
    return AudioContainer::kFlac;
  }
  if (HasTag(head, 0, "OggS")) {
    return AudioContainer::kOgg;
  }
  if (HasTag(head, 0, "ID3") || IsMpegFrame(head)) {
    return AudioContainer::kMp3;
  }
  return AudioContainer::kUnknown;
}

std::string_view DescribeUnknown(std::span<const std::byte> head) {
  if (head.empty()) {
    return "the file is empty";
  }
  static constexpr struct {
    size_t at;
    std::string_view tag;
    std::string_view name;
  } kKinds[] = {
      {0, "PK\x03\x04", "a zip archive"},
      {0, "%PDF", "a PDF document"},
      {0, "\x1f\x8b", "a gzip archive"},
      {0, "\x89PNG", "a PNG picture"},
      {0, "\xff\xd8\xff", "a JPEG picture"},
      {0,
       "\x7f"
       "ELF",
       "a program"},
      {0, "GGUF", "a GGUF model"},
      {4, "ftyp", "MP4 or M4A: convert it to WAV or FLAC"},
      {0, "\x1a\x45\xdf\xa3", "Matroska or WebM: convert it to WAV or FLAC"},
      {0, "RIFF", "RIFF without WAVE"},
  };
  for (const auto& kind : kKinds) {
    if (HasTag(head, kind.at, kind.tag)) {
      return kind.name;
    }
  }
  const bool is_text = std::all_of(head.begin(), head.end(), [](std::byte b) {
    const uint32_t c = std::to_integer<uint32_t>(b);
    return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\r' || c == '\t';
  });
  return is_text ? "text, not audio" : "not a known audio format";
}

Result<WavHeader> ParseWavHeader(std::span<const std::byte> head) {
  if (ProbeContainer(head) != AudioContainer::kWav) {
    return DataLossError("wav header: no RIFF and WAVE tags");
  }
  const ChunkReader reader(head, HasTag(head, 0, "RIFX"));
  WavHeader header;
  uint64_t long_data_bytes = WavHeader::kUnknownBytes;
  bool has_format = false;
  uint64_t at = 12;
  while (reader.Holds(at, 8)) {
    const uint32_t chunk_bytes = reader.U32(at + 4);
    const uint64_t body = at + 8;
    if (reader.Tag(at, "ds64") && reader.Holds(body, 16)) {
      long_data_bytes = reader.U64(body + 8);
    } else if (reader.Tag(at, "fmt ")) {
      SOTTO_RETURN_IF_ERROR(ReadFormat(reader, body, chunk_bytes, &header));
      has_format = true;
    } else if (reader.Tag(at, "data")) {
      if (!has_format) {
        return DataLossError("wav header: data before fmt");
      }
      header.data_offset_bytes = body;
      // Streams are written before their length is known: 0xffffffff, and 0 with data behind it.
      const bool streamed =
          chunk_bytes == 0xffffffffu || (chunk_bytes == 0 && reader.Holds(body, 1));
      header.data_bytes = streamed ? long_data_bytes : chunk_bytes;
      return header;
    }
    at = body + chunk_bytes + (chunk_bytes & 1u);  // chunks begin at even offsets
  }
  if (at > head.size()) {
    return UnimplementedError("wav header: no data chunk in the first " +
                              std::to_string(head.size()) + " bytes");
  }
  return DataLossError("wav header: ends before its data");
}

}  // namespace sotto
