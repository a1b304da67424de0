#include "backends/sndfile/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "audio/probe.h"
#include "base/file.h"

namespace sotto {
namespace {

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&&) = delete;
  ~Fd() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}

  uint64_t size_bytes() const override { return bytes_.size(); }
  size_t ReadAt(uint64_t offset_bytes, std::span<std::byte> out) override {
    if (offset_bytes >= bytes_.size()) {
      return 0;
    }
    const size_t offset = static_cast<size_t>(offset_bytes);
    const size_t count = std::min(out.size(), bytes_.size() - offset);
    std::memcpy(out.data(), bytes_.data() + offset, count);
    return count;
  }

 private:
  std::string bytes_;
};

// Reads by position rather than through a mapping: a file that shrinks meanwhile gives fewer
// bytes, not a signal.
class FileSource final : public ByteSource {
 public:
  FileSource(Fd fd, uint64_t size_bytes) : fd_(std::move(fd)), size_bytes_(size_bytes) {}

  uint64_t size_bytes() const override { return size_bytes_; }
  size_t ReadAt(uint64_t offset_bytes, std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size()) {
      const ssize_t n = ::pread(fd_.get(), out.data() + done, out.size() - done,
                                static_cast<off_t>(offset_bytes + done));
      if (n < 0 && errno == EINTR) {
        continue;
      }
      if (n <= 0) {
        break;
      }
      done += static_cast<size_t>(n);
    }
    return done;
  }

 private:
  Fd fd_;
  uint64_t size_bytes_;
};

// A run, and where it begins in the chain of all.
struct Link {
  ByteRun run;
  uint64_t begin = 0;
};

class RunSource final : public ByteSource {
 public:
  RunSource(std::string prefix, std::unique_ptr<ByteSource> source, std::span<const ByteRun> runs)
      : prefix_(std::move(prefix)), source_(std::move(source)) {
    for (const ByteRun& run : runs) {
      links_.push_back({run, chain_bytes_});
      chain_bytes_ += run.bytes;
    }
  }

  uint64_t size_bytes() const override { return prefix_.size() + chain_bytes_; }
  size_t ReadAt(uint64_t offset_bytes, std::span<std::byte> out) override {
    size_t done = 0;
    if (offset_bytes < prefix_.size()) {
      done = std::min(out.size(), prefix_.size() - static_cast<size_t>(offset_bytes));
      std::memcpy(out.data(), prefix_.data() + offset_bytes, done);
    }
    if (done == out.size()) {
      return done;
    }
    const uint64_t in_chain = offset_bytes + done - prefix_.size();
    return done + ReadChain(in_chain, out.subspan(done));
  }

 private:
  size_t ReadChain(uint64_t offset_bytes, std::span<std::byte> out) {
    size_t done = 0;
    auto link = std::ranges::upper_bound(links_, offset_bytes, {}, &Link::begin);
    if (link == links_.begin()) {
      return 0;
    }
    for (--link; link != links_.end() && done < out.size(); ++link) {
      const uint64_t skip = offset_bytes + done - link->begin;
      if (skip >= link->run.bytes) {
        break;
      }
      const size_t count =
          static_cast<size_t>(std::min<uint64_t>(link->run.bytes - skip, out.size() - done));
      const size_t got = source_->ReadAt(link->run.offset_bytes + skip, out.subspan(done, count));
      done += got;
      if (got < count) {
        break;
      }
    }
    return done;
  }

  std::string prefix_;
  std::unique_ptr<ByteSource> source_;
  std::vector<Link> links_;
  uint64_t chain_bytes_ = 0;
};

constexpr int kPollMs = 50;  // how late a cancellation is seen while a pipe is silent

Result<std::string> ReadStream(int fd, const std::string& path, uint64_t max_bytes,
                               const CancelToken& cancel) {
  std::string bytes;
  std::vector<char> piece(1 << 16);
  for (;;) {
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    pollfd ready = {fd, POLLIN, 0};
    const int events = ::poll(&ready, 1, kPollMs);
    if (events == 0 || (events < 0 && errno == EINTR)) {
      continue;
    }
    const ssize_t n = ::read(fd, piece.data(), piece.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
      continue;
    }
    if (n < 0) {
      return ErrnoError(errno, "read", path);
    }
    if (n == 0) {
      return bytes;
    }
    if (bytes.size() + static_cast<size_t>(n) > max_bytes) {
      return ResourceExhaustedError("read: " + path + ": stream above " +
                                    std::to_string(max_bytes) + " bytes; save it to a file");
    }
    const bool had_head = bytes.size() >= kProbeBytes;
    bytes.append(piece.data(), static_cast<size_t>(n));
    // What cannot be audio is not worth waiting for: a device may never end.
    if (!had_head && bytes.size() >= kProbeBytes) {
      const auto head = std::as_bytes(std::span(bytes)).first(kProbeBytes);
      if (ProbeContainer(head) == AudioContainer::kUnknown) {
        return DataLossError("open: " + path + ": " + std::string(DescribeUnknown(head)));
      }
    }
  }
}

}  // namespace

std::vector<std::byte> ByteSource::Head(size_t count) {
  std::vector<std::byte> head(static_cast<size_t>(std::min<uint64_t>(count, size_bytes())));
  head.resize(ReadAt(0, head));
  return head;
}

int64_t ByteCursor::Seek(int64_t offset_bytes, int whence) {
  const int64_t base = whence == SEEK_SET   ? 0
                       : whence == SEEK_CUR ? position_
                                            : static_cast<int64_t>(source_->size_bytes());
  int64_t position = 0;
  // Chunk lengths of broken files lead anywhere.
  if (__builtin_add_overflow(base, offset_bytes, &position) || position < 0) {
    return -1;
  }
  position_ = position;
  return position;
}

size_t ByteCursor::Read(std::span<std::byte> out) {
  const size_t count = source_->ReadAt(static_cast<uint64_t>(position_), out);
  position_ += static_cast<int64_t>(count);
  return count;
}

std::unique_ptr<ByteSource> MakeMemorySource(std::string bytes) {
  return std::make_unique<MemorySource>(std::move(bytes));
}

std::unique_ptr<ByteSource> MakeRunSource(std::string prefix, std::unique_ptr<ByteSource> source,
                                          std::span<const ByteRun> runs) {
  return std::make_unique<RunSource>(std::move(prefix), std::move(source), runs);
}

Result<std::unique_ptr<ByteSource>> OpenByteSource(const std::string& path,
                                                   uint64_t max_stream_bytes,
                                                   const CancelToken& cancel) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    return InvalidArgumentError("open: empty path; give the path of an audio file");
  }
  // Opening waits for the writer of a pipe, which is right, but must not happen before stat.
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) {
    return ErrnoError(errno, "open", path);
  }
  if (S_ISDIR(info.st_mode)) {
    return InvalidArgumentError("open: " + path + ": is a directory; give an audio file");
  }
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (fd.get() < 0) {
    return ErrnoError(errno, "open", path);
  }
  if (::fstat(fd.get(), &info) != 0) {
    return ErrnoError(errno, "stat", path);
  }
  if (S_ISREG(info.st_mode)) {
    return std::unique_ptr<ByteSource>(
        std::make_unique<FileSource>(std::move(fd), static_cast<uint64_t>(info.st_size)));
  }
  SOTTO_ASSIGN_OR_RETURN(std::string bytes, ReadStream(fd.get(), path, max_stream_bytes, cancel));
  return MakeMemorySource(std::move(bytes));
}

}  // namespace sotto
