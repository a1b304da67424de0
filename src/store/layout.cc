#include "store/layout.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/file.h"
#include "store/fd.h"

namespace sotto {

namespace fs = std::filesystem;

std::string EnvironmentOr(const char* name, std::string_view fallback) {
  // The library never changes the environment; a host that does so while threads run has the
  // same problem with every library.
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return std::string(value == nullptr || *value == '\0' ? fallback : value);
}

std::string HomeDir() {
  if (std::string home = EnvironmentOr("HOME", ""); !home.empty()) {
    return home;
  }
  std::array<char, 4096> text = {};
  passwd entry = {};
  passwd* found = nullptr;
  const bool known = ::getpwuid_r(::geteuid(), &entry, text.data(), text.size(), &found) == 0 &&
                     found != nullptr && found->pw_dir != nullptr && *found->pw_dir != '\0';
  // Never a folder that others can write to.
  return known ? found->pw_dir : "/nonexistent";
}

std::string DefaultStoreDir() {
  if (std::string home = EnvironmentOr("SOTTO_HOME", ""); !home.empty()) {
    return home;
  }
  if (const std::string data = EnvironmentOr("XDG_DATA_HOME", ""); !data.empty()) {
    return data + "/sotto/models";
  }
  return HomeDir() + "/.local/share/sotto/models";
}

Status Layout::Create() const {
  for (const char* name : {"/blobs", "/models", "/packs", "/pins", "/tmp/parts", "/tmp/packages",
                           "/tmp/inputs", "/locks"}) {
    SOTTO_RETURN_IF_ERROR(MakeDirs(dir + name));
  }
  return OkStatus();
}

Status MakeDirs(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? ErrnoError(error.value(), "make folder", path) : OkStatus();
}

void RemoveTree(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
}

Status ReplaceLink(const std::string& target, const std::string& link) {
  static std::atomic<uint32_t> counter{0};
  SOTTO_RETURN_IF_ERROR(MakeDirs(fs::path(link).parent_path().string()));
  const std::string temporary =
      link + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter.fetch_add(1));
  if (::symlink(target.c_str(), temporary.c_str()) != 0) {
    return ErrnoError(errno, "link", temporary);
  }
  if (::rename(temporary.c_str(), link.c_str()) != 0) {
    const int error_number = errno;
    ::unlink(temporary.c_str());
    return ErrnoError(error_number, "link", link);
  }
  return OkStatus();
}

void RemoveTemporaries(const std::string& path) {
  const fs::path at(path);
  const std::string prefix = at.filename().string() + ".tmp-";
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(at.parent_path(), error)) {
    if (entry.path().filename().string().starts_with(prefix)) {
      found.push_back(entry.path());
    }
  }
  for (const fs::path& one : found) {
    fs::remove(one, error);
  }
}

Status RenameDurably(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    return ErrnoError(errno, "rename", to);
  }
  const std::string folder = fs::path(to).parent_path().string();
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || ::fsync(fd.get()) != 0) {
    return ErrnoError(errno, "sync", folder);
  }
  return OkStatus();
}

void ClearForFile(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    RemoveTree(path);
  }
}

Status WriteWhole(const std::string& path, std::string_view text) {
  SOTTO_RETURN_IF_ERROR(MakeDirs(fs::path(path).parent_path().string()));
  ClearForFile(path);
  SOTTO_ASSIGN_OR_RETURN(AtomicFileWriter writer, AtomicFileWriter::Create(path));
  SOTTO_RETURN_IF_ERROR(writer.Append(text));
  return writer.Commit();
}

uint64_t TreeBytes(const std::string& path) {
  uint64_t sum = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code size_error;
    if (it->is_regular_file(size_error)) {
      const uint64_t size = it->file_size(size_error);
      sum += size_error ? 0 : size;
    }
  }
  return sum;
}

namespace {

fs::path NearestExisting(const std::string& path) {
  fs::path at = path;
  std::error_code error;
  while (!fs::exists(at, error) && at.has_relative_path()) {
    at = at.parent_path();
  }
  return at;
}

}  // namespace

bool OnOneDisk(const std::string& a, const std::string& b) {
  struct stat of_a = {};
  struct stat of_b = {};
  return ::stat(NearestExisting(a).c_str(), &of_a) == 0 &&
         ::stat(NearestExisting(b).c_str(), &of_b) == 0 && of_a.st_dev == of_b.st_dev;
}

Result<uint64_t> FreeBytes(const std::string& path) {
  const fs::path at = NearestExisting(path);
  struct statvfs info = {};
  if (::statvfs(at.c_str(), &info) != 0) {
    return ErrnoError(errno, "free space", at.string());
  }
  return static_cast<uint64_t>(info.f_bavail) * static_cast<uint64_t>(info.f_frsize);
}

Status PauseMs(int64_t wait_ms, const CancelToken& cancel) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
  while (std::chrono::steady_clock::now() < until) {
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    const auto left = until - std::chrono::steady_clock::now();
    std::this_thread::sleep_for(
        std::min<std::chrono::nanoseconds>(left, std::chrono::milliseconds(50)));
  }
  return cancel.Check();
}

std::string HumanBytes(uint64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1000 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text.data();
}

}  // namespace sotto
