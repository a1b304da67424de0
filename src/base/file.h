// Files: whole reads with a limit, read-only mappings, and writes that appear whole or not at all.
//
// Errors name the path: NOT_FOUND (absent), PERMISSION_DENIED, INVALID_ARGUMENT (a directory or
// another thing that is not a regular file), RESOURCE_EXHAUSTED (over the limit, disk full).
#ifndef SOTTO_BASE_FILE_H_
#define SOTTO_BASE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace sotto {

// The error for a failed system call on `path`, from errno `error_number`.
Status ErrnoError(int error_number, std::string_view operation, const std::string& path);

// Size of a regular file.
Result<uint64_t> FileSizeBytes(const std::string& path);

// The whole file, RESOURCE_EXHAUSTED if it is larger than `max_bytes`.
Result<std::string> ReadFile(const std::string& path, uint64_t max_bytes);

// A regular file mapped read-only. Move-only; unmapped by the destructor. A file that shrinks
// while mapped raises SIGBUS on access, so map only files of the model store and the user's own.
class MappedFile {
 public:
  static Result<MappedFile> Open(const std::string& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_bytes_}; }

 private:
  const std::byte* data_ = nullptr;
  size_t size_bytes_ = 0;
};

// Writes a file that has no name yet; Commit() syncs it, names it and renames it over `path`.
// Without Commit() nothing of it is left, also when the process is killed, and `path` stays as it
// was. Where the file system knows no nameless files it has a temporary name beside `path` until
// then, which a kill leaves behind. A `path` that is not a regular file (a pipe, /dev/null) is
// written directly.
class AtomicFileWriter {
 public:
  static Result<AtomicFileWriter> Create(const std::string& path);

  AtomicFileWriter(AtomicFileWriter&& other) noexcept;
  AtomicFileWriter& operator=(AtomicFileWriter&& other) = delete;
  ~AtomicFileWriter();

  Status Append(std::span<const std::byte> bytes);
  Status Append(std::string_view text) {
    return Append(std::as_bytes(std::span(text.data(), text.size())));
  }
  // Writes over bytes already appended (headers with lengths). FAILED_PRECONDITION on a pipe.
  Status WriteAt(uint64_t offset_bytes, std::span<const std::byte> bytes);
  Status Commit();

 private:
  enum class Kind : int32_t { kDirect, kNameless, kNamed };

  AtomicFileWriter(Kind kind, std::string path, std::string temporary_path, int fd)
      : kind_(kind), path_(std::move(path)), temporary_path_(std::move(temporary_path)), fd_(fd) {}

  Kind kind_;
  std::string path_;
  std::string temporary_path_;  // of kNamed until it is committed
  int fd_ = -1;
};

}  // namespace sotto

#endif  // SOTTO_BASE_FILE_H_
