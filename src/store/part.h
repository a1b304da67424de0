// A file on its way in: appended to, hashed as it grows, kept when interrupted.
#ifndef SOTTO_STORE_PART_H_
#define SOTTO_STORE_PART_H_

#include <cstdint>
#include <span>
#include <string>

#include "base/cancel.h"
#include "base/status.h"
#include "store/fd.h"
#include "store/sha256.h"

namespace sotto {

class PartFile {
 public:
  // Opens or creates `path`, keeps its first min(size, keep_bytes) bytes and hashes them.
  static Result<PartFile> Open(const std::string& path, uint64_t keep_bytes,
                               const CancelToken& cancel);

  // RESOURCE_EXHAUSTED when the disk is full; what was written stays.
  Status Append(std::span<const std::byte> bytes);
  // Forgets everything.
  Status Restart();
  // Appends a whole regular file. DATA_LOSS if it has more than `max_bytes`.
  Status AppendFile(const std::string& path, uint64_t max_bytes, const CancelToken& cancel);
  Status Sync();

  uint64_t size_bytes() const { return size_bytes_; }
  const std::string& path() const { return path_; }
  // Hash of all bytes; call once, after the last one.
  std::string FinishSha256() { return digest_.Finish(); }

 private:
  PartFile(std::string path, Fd fd)
      : path_(std::move(path)), fd_(std::move(fd)), digest_(Digest::Sha256()) {}

  std::string path_;
  Fd fd_;
  Digest digest_;
  uint64_t size_bytes_ = 0;
};

}  // namespace sotto

#endif  // SOTTO_STORE_PART_H_
