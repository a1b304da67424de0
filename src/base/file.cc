#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace sotto {
namespace {

// Closes the descriptor it holds.
class ScopedFd {
 public:
  explicit ScopedFd(int fd) : fd_(fd) {}
  ~ScopedFd() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  ScopedFd(const ScopedFd&) = delete;
  ScopedFd& operator=(const ScopedFd&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Result<uint64_t> RegularSize(int fd, const std::string& path) {
  struct stat info = {};
  if (::fstat(fd, &info) != 0) {
    return ErrnoError(errno, "stat", path);
  }
  if (!S_ISREG(info.st_mode)) {
    return InvalidArgumentError("open: " + path + ": is " +
                                (S_ISDIR(info.st_mode) ? "a directory" : "not a regular file") +
                                "; give the path of a file");
  }
  return static_cast<uint64_t>(info.st_size);
}

constexpr int kMaxAttempts = 100;

// Opening a pipe waits for its other end, and a terminal may become ours: neither is read here.
constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

// A name beside `path` that is ours: process id and counter; O_EXCL makes sure of it.
std::string TemporaryName(const std::string& path) {
  static std::atomic<uint32_t> counter{0};
  return path + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter.fetch_add(1));
}

}  // namespace

Status ErrnoError(int error_number, std::string_view operation, const std::string& path) {
  Code code = Code::kInternal;
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      code = Code::kNotFound;
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      code = Code::kPermissionDenied;
      break;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EFBIG:
      code = Code::kResourceExhausted;
      break;
    case EISDIR:
    case ENXIO:  // a socket, a device without hardware
    case ENODEV:
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP:
      code = Code::kInvalidArgument;
      break;
    default:
      break;
  }
  std::string message(operation);
  message += ": " + path + ": " + std::generic_category().message(error_number);
  return {code, std::move(message)};
}

Result<uint64_t> FileSizeBytes(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) {
    return ErrnoError(errno, "stat", path);
  }
  if (!S_ISREG(info.st_mode)) {
    return InvalidArgumentError("stat: " + path + ": not a regular file");
  }
  return static_cast<uint64_t>(info.st_size);
}

Result<std::string> ReadFile(const std::string& path, uint64_t max_bytes) {
  const ScopedFd fd(::open(path.c_str(), kReadFlags));
  if (fd.get() < 0) {
    return ErrnoError(errno, "open", path);
  }
  SOTTO_ASSIGN_OR_RETURN(const uint64_t size_bytes, RegularSize(fd.get(), path));
  if (size_bytes > max_bytes) {
    return ResourceExhaustedError("read: " + path + ": " + std::to_string(size_bytes) +
                                  " bytes, limit " + std::to_string(max_bytes));
  }
  std::string text(size_bytes, '\0');
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::read(fd.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return ErrnoError(errno, "read", path);
    }
    if (n == 0) {
      break;  // it shrank while being read
    }
    done += static_cast<size_t>(n);
  }
  text.resize(done);
  return text;
}

Result<MappedFile> MappedFile::Open(const std::string& path) {
  const ScopedFd fd(::open(path.c_str(), kReadFlags));
  if (fd.get() < 0) {
    return ErrnoError(errno, "open", path);
  }
  SOTTO_ASSIGN_OR_RETURN(const uint64_t size_bytes, RegularSize(fd.get(), path));
  MappedFile file;
  if (size_bytes > 0) {
    void* data = ::mmap(nullptr, size_bytes, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (data == MAP_FAILED) {
      return ErrnoError(errno, "mmap", path);
    }
    file.data_ = static_cast<const std::byte*>(data);
    file.size_bytes_ = size_bytes;
  }
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    ::munmap(const_cast<std::byte*>(data_), size_bytes_);
  }
}

Result<AtomicFileWriter> AtomicFileWriter::Create(const std::string& path) {
  if (path.empty()) {
    return InvalidArgumentError("create: empty path; give the path of a file");
  }
  struct stat info = {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
      return ErrnoError(errno, "create", path);
    }
    return AtomicFileWriter(Kind::kDirect, path, "", fd);
  }
  // Through a link its target is written, also one that does not exist yet; the link stays.
  constexpr int kMaxLinks = 40;  // as the kernel has it
  std::filesystem::path target = path;
  std::error_code error;
  for (int links = 0; std::filesystem::is_symlink(target, error); ++links) {
    if (links == kMaxLinks) {
      return ErrnoError(ELOOP, "create", path);
    }
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  if (target != path) {
    return Create(target.string());
  }
  const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
  const int nameless = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (nameless >= 0) {
    return AtomicFileWriter(Kind::kNameless, path, "", nameless);
  }
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    std::string temporary_path = TemporaryName(path);
    const int fd = ::open(temporary_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
      return AtomicFileWriter(Kind::kNamed, path, std::move(temporary_path), fd);
    }
    if (errno != EEXIST) {
      return ErrnoError(errno, "create", path);
    }
  }
  return AlreadyExistsError("create: " + path + ": too many temporary files beside it");
}

AtomicFileWriter::AtomicFileWriter(AtomicFileWriter&& other) noexcept
    : kind_(other.kind_),
      path_(std::move(other.path_)),
      temporary_path_(std::exchange(other.temporary_path_, {})),
      fd_(std::exchange(other.fd_, -1)) {}

AtomicFileWriter::~AtomicFileWriter() {
  if (fd_ >= 0) {
    ::close(fd_);
    if (!temporary_path_.empty()) {
      ::unlink(temporary_path_.c_str());
    }
  }
}

Status AtomicFileWriter::Append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return ErrnoError(errno, "write", path_);
    }
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return OkStatus();
}

Status AtomicFileWriter::WriteAt(uint64_t offset_bytes, std::span<const std::byte> bytes) {
  if (kind_ == Kind::kDirect) {
    return FailedPreconditionError("write: " + path_ + ": not seekable");
  }
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return ErrnoError(errno, "write", path_);
    }
    offset_bytes += static_cast<uint64_t>(n);
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return OkStatus();
}

Status AtomicFileWriter::Commit() {
  if (kind_ == Kind::kDirect) {
    return OkStatus();
  }
  if (::fsync(fd_) != 0) {
    return ErrnoError(errno, "sync", path_);
  }
  if (kind_ == Kind::kNameless) {
    const std::string self = "/proc/self/fd/" + std::to_string(fd_);
    for (int attempt = 0; attempt < kMaxAttempts && temporary_path_.empty(); ++attempt) {
      std::string name = TemporaryName(path_);
      if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
        temporary_path_ = std::move(name);
      } else if (errno != EEXIST) {
        return ErrnoError(errno, "name", path_);
      }
    }
  }
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0) {
    return ErrnoError(errno, "rename", path_);
  }
  temporary_path_.clear();
  return OkStatus();
}

}  // namespace sotto
