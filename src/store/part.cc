#include "store/part.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/file.h"

namespace sotto {

Result<PartFile> PartFile::Open(const std::string& path, uint64_t keep_bytes,
                                const CancelToken& cancel) {
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd.valid()) {
    return ErrnoError(errno, "open", path);
  }
  struct stat info = {};
  if (::fstat(fd.get(), &info) != 0) {
    return ErrnoError(errno, "stat", path);
  }
  PartFile part(path, std::move(fd));
  part.size_bytes_ = std::min(static_cast<uint64_t>(info.st_size), keep_bytes);
  if (::ftruncate(part.fd_.get(), static_cast<off_t>(part.size_bytes_)) != 0) {
    return ErrnoError(errno, "truncate", path);
  }
  SOTTO_RETURN_IF_ERROR(DigestFile(path, part.size_bytes_, cancel, part.digest_));
  return part;
}

Status PartFile::Append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n =
        ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(size_bytes_));
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return ErrnoError(errno, "write", path_);
    }
    digest_.Update(bytes.first(static_cast<size_t>(n)));
    size_bytes_ += static_cast<uint64_t>(n);
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return OkStatus();
}

Status PartFile::Restart() {
  if (::ftruncate(fd_.get(), 0) != 0) {
    return ErrnoError(errno, "truncate", path_);
  }
  size_bytes_ = 0;
  digest_ = Digest::Sha256();
  return OkStatus();
}

Status PartFile::AppendFile(const std::string& path, uint64_t max_bytes,
                            const CancelToken& cancel) {
  SOTTO_ASSIGN_OR_RETURN(const uint64_t source_bytes, FileSizeBytes(path));
  if (source_bytes > max_bytes) {
    return DataLossError("source: " + path + ": " + std::to_string(source_bytes) +
                         " bytes: expected " + std::to_string(max_bytes));
  }
  const Fd from(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!from.valid()) {
    return ErrnoError(errno, "open", path);
  }
  std::vector<std::byte> buffer(1u << 20);
  while (true) {
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    const ssize_t n = ::read(from.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return ErrnoError(errno, "read", path);
    }
    if (n == 0) {
      return OkStatus();
    }
    SOTTO_RETURN_IF_ERROR(Append(std::span(buffer.data(), static_cast<size_t>(n))));
  }
}

Status PartFile::Sync() {
  return ::fsync(fd_.get()) == 0 ? OkStatus() : ErrnoError(errno, "sync", path_);
}

}  // namespace sotto
