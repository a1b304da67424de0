#include "backends/sndfile/mpeg_side_info.h"

#include <algorithm>
#include <cstdint>

namespace sotto {
namespace {

class Bits {
 public:
  explicit Bits(std::span<const std::byte> bytes) : bytes_(bytes) {}

  void Skip(size_t count) { at_ += count; }
  // Zeros behind the end.
  uint32_t Take(size_t count) {
    uint32_t value = 0;
    for (; count > 0; --count, ++at_) {
      const size_t byte = at_ / 8;
      const uint32_t bit =
          byte < bytes_.size() ? std::to_integer<uint32_t>(bytes_[byte]) >> (7 - at_ % 8) & 1 : 0;
      value = value << 1 | bit;
    }
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  size_t at_ = 0;
};

// Pairs of the 576 coefficients of a granule.
constexpr uint32_t kMaxBigValues = 288;

}  // namespace

// The fields of ISO 11172-3 2.4.1 and 13818-3 2.4.1, in their order.
MpegContent ReadMpegContent(std::span<const std::byte> frame) {
  Bits bits(frame);
  bits.Skip(11);
  const bool is_mpeg1 = bits.Take(2) == 3;
  const uint32_t layer = 4 - bits.Take(2);
  const bool has_crc = bits.Take(1) == 0;
  bits.Skip(8);
  const size_t channels = bits.Take(2) == 3 ? 1 : 2;
  bits.Skip(6);
  MpegContent content;
  content.frame_samples = layer == 1 ? 384 : layer == 3 && !is_mpeg1 ? 576 : 1152;
  if (layer != 3) {
    return content;
  }
  content.granules = is_mpeg1 ? 2 : 1;
  bits.Skip(has_crc ? 16 : 0);
  // main_data_begin, private bits, scfsi
  if (is_mpeg1) {
    bits.Skip(9 + (channels == 1 ? 5 : 3) + 4 * channels);
  } else {
    bits.Skip(8 + channels);
  }
  for (size_t granule = 0; granule < content.granules; ++granule) {
    for (size_t channel = 0; channel < channels; ++channel) {
      const uint32_t part2_3_length = bits.Take(12);
      const uint32_t big_values = bits.Take(9);
      // Gain and the lengths of the scale factors.
      bits.Skip(8 + (is_mpeg1 ? 4 : 9));
      const bool switches_windows = bits.Take(1) == 1;
      const uint32_t block_type = bits.Take(2);
      // Windows, tables, regions and flags: 59 bits in all, 63 in MPEG-2.
      bits.Skip(is_mpeg1 ? 23 : 22);
      if (big_values > kMaxBigValues || (switches_windows && block_type == 0)) {
        content.is_allowed = false;
      }
      const bool is_coded = part2_3_length > 0 && big_values > 0;
      const bool is_short = switches_windows && block_type == 2;
      content.is_coded[granule] = content.is_coded[granule] || is_coded;
      content.sounds[granule] = content.sounds[granule] || (is_coded && !is_short);
    }
  }
  return content;
}

}  // namespace sotto
