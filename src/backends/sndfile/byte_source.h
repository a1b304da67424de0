// The bytes that the decoders read: a regular file by position, or memory.
#ifndef SOTTO_BACKENDS_SNDFILE_BYTE_SOURCE_H_
#define SOTTO_BACKENDS_SNDFILE_BYTE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

// Used from one thread at a time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual uint64_t size_bytes() const = 0;
  // Copies bytes from `offset_bytes` on and returns how many: fewer at the end of the file or
  // after a read error.
  virtual size_t ReadAt(uint64_t offset_bytes, std::span<std::byte> out) = 0;

  // Up to `count` of the first bytes.
  std::vector<std::byte> Head(size_t count);
};

// A source and the position in it, as the callbacks of decoders see a file. Used from one thread
// at a time.
class ByteCursor {
 public:
  explicit ByteCursor(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  ByteSource& source() { return *source_; }
  int64_t position() const { return position_; }
  // As lseek(): the position, or -1 for one before the beginning. Behind the end is nothing.
  int64_t Seek(int64_t offset_bytes, int whence);
  // As ByteSource::ReadAt(), and moves on.
  size_t Read(std::span<std::byte> out);

 private:
  std::unique_ptr<ByteSource> source_;
  int64_t position_ = 0;
};

std::unique_ptr<ByteSource> MakeMemorySource(std::string bytes);

// A regular file is read in place; anything else is read to its end, at most `max_stream_bytes`
// of it. Errors as AudioFileOpener::Open().
Result<std::unique_ptr<ByteSource>> OpenByteSource(const std::string& path,
                                                   uint64_t max_stream_bytes,
                                                   const CancelToken& cancel);

// `bytes` bytes of a source, from `offset_bytes` on.
struct ByteRun {
  uint64_t offset_bytes = 0;
  uint64_t bytes = 0;
};

// `prefix` and then the runs of `source`, one behind the other, as if they were one file.
std::unique_ptr<ByteSource> MakeRunSource(std::string prefix, std::unique_ptr<ByteSource> source,
                                          std::span<const ByteRun> runs);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_SNDFILE_BYTE_SOURCE_H_
