// What a frame of MPEG audio says of its content, without decoding it.
#ifndef SOTTO_BACKENDS_SNDFILE_MPEG_SIDE_INFO_H_
#define SOTTO_BACKENDS_SNDFILE_MPEG_SIDE_INFO_H_

#include <array>
#include <cstddef>
#include <span>

namespace sotto {

// Header, CRC and side information of layer III.
inline constexpr size_t kSideInfoBytes = 4 + 2 + 32;

struct MpegContent {
  size_t frame_samples = 0;  // of one channel
  size_t granules = 1;
  // By granule, false for layers I and II, which do not tell: it codes coefficients, which sound in
  // it or in the next; they sound in it, because they are not of short blocks, the last of which
  // begins with the next granule.
  std::array<bool, 2> is_coded = {false, false};
  std::array<bool, 2> sounds = {false, false};
  // False if it says what no encoder may: more coefficients than there are, or a block type that
  // is forbidden.
  bool is_allowed = true;
};

// `frame` begins at a frame header. Nothing is said of a frame that is shorter than its side
// information, which is full of zeros then.
MpegContent ReadMpegContent(std::span<const std::byte> frame);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_SNDFILE_MPEG_SIDE_INFO_H_
