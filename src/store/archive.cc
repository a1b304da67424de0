#include "store/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <span>
#include <vector>

#include "base/file.h"
#include "store/fd.h"

namespace sotto {
namespace {

struct ArchiveDeleter {
  void operator()(struct archive* a) const { archive_read_free(a); }
};
using ArchiveHandle = std::unique_ptr<struct archive, ArchiveDeleter>;

constexpr size_t kBlockBytes = 1u << 18;

Status ArchiveError(struct archive* a, const std::string& path) {
  const char* text = archive_error_string(a);
  return DataLossError("unpack: " + path + ": " + (text != nullptr ? text : "broken archive"));
}

Result<ArchiveHandle> Open(const std::string& path) {
  ArchiveHandle a(archive_read_new());
  if (!a) {
    return ResourceExhaustedError("unpack: " + path + ": out of memory");
  }
  archive_read_support_format_zip(a.get());
  archive_read_support_format_tar(a.get());
  archive_read_support_filter_gzip(a.get());
  if (archive_read_open_filename(a.get(), path.c_str(), kBlockBytes) != ARCHIVE_OK) {
    return ArchiveError(a.get(), path);
  }
  return a;
}

Status WriteAll(int fd, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return ErrnoError(errno, "write", path);
    }
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return OkStatus();
}

struct Extraction {
  const std::string& archive_path;
  uint64_t max_member_bytes;
  const CancelToken& cancel;
  const std::function<void(uint64_t)>& on_bytes;
  uint64_t total_bytes = 0;
};

Status WriteMember(struct archive* a, const std::string& to, Extraction& job) {
  const Fd fd(::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd.valid()) {
    return ErrnoError(errno, "create", to);
  }
  std::vector<std::byte> buffer(kBlockBytes);
  uint64_t member_bytes = 0;
  while (true) {
    SOTTO_RETURN_IF_ERROR(job.cancel.Check());
    const la_ssize_t n = archive_read_data(a, buffer.data(), buffer.size());
    if (n < 0) {
      return ArchiveError(a, job.archive_path);
    }
    if (n == 0) {
      break;
    }
    member_bytes += static_cast<uint64_t>(n);
    if (member_bytes > job.max_member_bytes) {
      return DataLossError("unpack: " + job.archive_path + ": a member is over " +
                           std::to_string(job.max_member_bytes) + " bytes");
    }
    SOTTO_RETURN_IF_ERROR(WriteAll(fd.get(), std::span(buffer.data(), static_cast<size_t>(n)), to));
    job.total_bytes += static_cast<uint64_t>(n);
    if (job.on_bytes) {
      job.on_bytes(job.total_bytes);
    }
  }
  return ::fsync(fd.get()) == 0 ? OkStatus() : ErrnoError(errno, "sync", to);
}

Status ExtractAll(struct archive* a, std::map<std::string, std::string> wanted, Extraction& job) {
  while (!wanted.empty()) {
    struct archive_entry* entry = nullptr;
    const int code = archive_read_next_header(a, &entry);
    if (code == ARCHIVE_EOF) {
      return NotFoundError("unpack: " + job.archive_path + ": no member " + wanted.begin()->first);
    }
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN) {
      return ArchiveError(a, job.archive_path);
    }
    const char* name = archive_entry_pathname(entry);
    const auto it = name == nullptr ? wanted.end() : wanted.find(name);
    if (it == wanted.end() || archive_entry_filetype(entry) != AE_IFREG) {
      continue;
    }
    if (const Status status = WriteMember(a, it->second, job); !status.ok()) {
      ::unlink(it->second.c_str());
      return status;
    }
    wanted.erase(it);
  }
  return OkStatus();
}

}  // namespace

Status ExtractMembers(const std::string& archive_path,
                      const std::map<std::string, std::string>& wanted, uint64_t max_member_bytes,
                      const CancelToken& cancel, const std::function<void(uint64_t)>& on_bytes) {
  SOTTO_ASSIGN_OR_RETURN(const ArchiveHandle a, Open(archive_path));
  Extraction job{.archive_path = archive_path,
                 .max_member_bytes = max_member_bytes,
                 .cancel = cancel,
                 .on_bytes = on_bytes};
  return ExtractAll(a.get(), wanted, job);
}

}  // namespace sotto
