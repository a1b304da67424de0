// MPEG audio as a clean chain of frames.
//
// libmpg123 guesses at everything between frames: tags it does not know, garbage, a cut last frame.
// It also stops where the first frame, or its guess, says that the stream ends. It gets the frames
// alone, behind a first frame that tells the truth.
#ifndef SOTTO_BACKENDS_SNDFILE_MPEG_FRAMES_H_
#define SOTTO_BACKENDS_SNDFILE_MPEG_FRAMES_H_

#include <cstdint>
#include <memory>

#include "backends/sndfile/byte_source.h"

namespace sotto {

struct MpegFrames {
  std::unique_ptr<ByteSource> source;  // the frames, one behind the other
  int64_t frames = 0;
  // Bytes that are neither frames nor tags, or a last frame that is cut: the file is damaged.
  bool damaged = false;
};

// Finds the frames of `source`: a frame counts if its header is sound and agrees with the first
// one's, and another such frame, a tag or the end of the file follows it. An
// information frame (Xing, Info) that is missing or wrong is replaced. DATA_LOSS if there is no
// frame; `source` may then be gone. Reads the file once.
Result<MpegFrames> FindMpegFrames(std::unique_ptr<ByteSource> source);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_SNDFILE_MPEG_FRAMES_H_
