// Port: reading audio files of any kind.
#ifndef SOTTO_AUDIO_AUDIO_FILE_H_
#define SOTTO_AUDIO_AUDIO_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

struct AudioFileInfo {
  int32_t rate_hz = 0;
  int32_t channels = 0;
  // As far as the file tells before it is decoded; kUnknownFrames if it does not.
  int64_t frames = 0;
  std::string container;  // "wav", "flac", "ogg", "mp3", ...
  std::string encoding;   // "pcm_16", "float_32", "ulaw", "vorbis", ...

  static constexpr int64_t kUnknownFrames = -1;
};

// One open file, read from its beginning to its end. Used from one thread at a time.
class AudioReader {
 public:
  virtual ~AudioReader() = default;

  virtual const AudioFileInfo& info() const = 0;

  // Decodes the next frames into `interleaved` [frames, channels] and returns how many: 0 only at
  // the end of what can be decoded. Integer formats are scaled to full scale 1.0; float formats
  // are given as they are, with values above 1.0 or not finite if the file holds them.
  // INVALID_ARGUMENT if the size is not a multiple of the channels; DATA_LOSS if nothing at all
  // can be decoded. A fault after the first frame ends the file and sets truncated().
  virtual Result<size_t> Read(std::span<float> interleaved) = 0;

  // True once the file has turned out to hold less than it claims, or to end in a fault.
  virtual bool truncated() const = 0;

  // Back to the first frame. UNIMPLEMENTED if the format cannot.
  virtual Status Rewind() = 0;
};

// Opens files. Keeps no state; any thread.
//
// Errors name the file. NOT_FOUND, PERMISSION_DENIED: from the system. INVALID_ARGUMENT: a
// directory. DATA_LOSS: not audio, or a header that is cut or contradicts itself. UNIMPLEMENTED:
// audio of a kind that is not decoded here. RESOURCE_EXHAUSTED: a stream above the limit.
class AudioFileOpener {
 public:
  virtual ~AudioFileOpener() = default;

  // A path that is not a regular file (a pipe, /dev/stdin) is read to its end first, up to
  // kMaxStreamBytes, looking at `cancel` on the way.
  virtual Result<std::unique_ptr<AudioReader>> Open(const std::string& path,
                                                    const CancelToken& cancel) const = 0;

  // The bytes of a file, taken over. `name` stands for the path in messages.
  virtual Result<std::unique_ptr<AudioReader>> OpenMemory(std::string name,
                                                          std::string bytes) const = 0;

  // 1 GiB: more than two hours of 48 kHz stereo in 24 bits.
  static constexpr uint64_t kMaxStreamBytes = uint64_t{1} << 30;
};

}  // namespace sotto

#endif  // SOTTO_AUDIO_AUDIO_FILE_H_
