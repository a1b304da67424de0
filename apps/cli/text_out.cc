#include "cli/text_out.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "cli/console.h"
#include "cli/exit_code.h"

namespace sotto::cli {
namespace {

[[noreturn]] void Fail(const std::string& path, const std::string& operation) {
  const int error = errno;
  throw CliError(error == ENOSPC ? kNoResources : kBadInput,
                 "output: " + path + ": " + operation + ": " +
                     std::generic_category().message(error) + "; give another file with -o");
}

}  // namespace

TextOut::TextOut(const std::string& path) : path_(path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    temporary_path_ = path + ".tmp-" + std::to_string(::getpid());
    // Without a name until it is finished, so that a kill leaves nothing; where that is unknown,
    // under a temporary name.
    const std::filesystem::path parent = std::filesystem::path(path).parent_path();
    fd_ = ::open(parent.empty() ? "." : parent.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    is_named_ = fd_ < 0;
    if (is_named_) {
      fd_ = ::open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
  }
  if (fd_ < 0) {
    Fail(path, "cannot be created");
  }
}

TextOut::~TextOut() {
  if (fd_ >= 0) {
    ::close(fd_);
    if (is_named_ && !temporary_path_.empty()) {
      ::unlink(temporary_path_.c_str());
    }
  }
}

void TextOut::Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd_, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<size_t>(n));
    } else if (errno != EINTR) {
      Fail(path_, "cannot be written");
    }
  }
}

void TextOut::Finish() {
  if (temporary_path_.empty()) {
    return;
  }
  const std::string self = "/proc/self/fd/" + std::to_string(fd_);
  if (::fsync(fd_) != 0 ||
      (!is_named_ && ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, temporary_path_.c_str(),
                              AT_SYMLINK_FOLLOW) != 0) ||
      ::rename(temporary_path_.c_str(), path_.c_str()) != 0) {
    Fail(path_, "cannot be finished");
  }
  temporary_path_.clear();
}

}  // namespace sotto::cli
