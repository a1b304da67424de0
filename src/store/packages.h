// Files out of Python wheels and npm tarballs, fetched by the package clients themselves.
#ifndef SOTTO_STORE_PACKAGES_H_
#define SOTTO_STORE_PACKAGES_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"
#include "store/catalogue.h"
#include "store/http.h"
#include "store/layout.h"
#include "store/lock.h"

namespace sotto {

// A member of a package, unpacked. It may be renamed away or read; the package's lock is held
// until this is destroyed, and the file, if still there, is removed then. Move-only.
class PackageMember {
 public:
  PackageMember(std::string path, FileLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  PackageMember(PackageMember&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  PackageMember& operator=(PackageMember&&) = delete;
  ~PackageMember();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  FileLock lock_;
};

// Each package is downloaded once for all members wanted of it, unpacked in one pass and removed.
// Members wait on disk under the store, so that an interrupted pull finds them again.
// Used by one thread; processes share the work through locks.
class Packages {
 public:
  struct Clients {
    std::string python = "python3";
    std::string npm = "npm";
  };
  enum class Step { kWait, kDownload, kUnpack };
  using OnProgress = std::function<void(Step step, uint64_t done_bytes)>;

  Packages(const Layout& layout, Clients clients, const HttpLimits& limits, OnRetry on_retry)
      : layout_(layout),
        clients_(std::move(clients)),
        limits_(limits),
        on_retry_(std::move(on_retry)) {}

  // Tells what will be asked for, so that one unpacking serves all.
  void Want(const Source& source);

  // UNAVAILABLE: no client (the message says what to install), or it found no such package or no
  // network. NOT_FOUND, DATA_LOSS: the package is not what the catalogue says.
  Result<PackageMember> Take(const Source& source, const CancelToken& cancel,
                             const OnProgress& on_progress);

  // Removes members that were unpacked and not taken.
  void CleanUp();

 private:
  // How one run of a client ended, and whether another may help.
  struct ClientRun {
    Status status = {};
    bool again = false;
    int attempts = 1;  // runs in all, where another may help
  };

  static std::string Key(const Source& source);
  Status Fetch(const Source& source, const std::string& dir, const CancelToken& cancel,
               const OnProgress& on_progress);
  // A client that meets no network or a failing server is run again, as HttpLimits says.
  Result<std::string> RunClient(const Source& source, const std::string& work_dir,
                                const CancelToken& cancel, const OnProgress& on_progress);
  ClientRun RunClientOnce(const Source& source, const std::vector<std::string>& arguments,
                          const std::string& work_dir, const CancelToken& cancel,
                          const OnProgress& on_progress) const;

  const Layout layout_;
  const Clients clients_;
  const HttpLimits limits_;
  const OnRetry on_retry_;
  std::map<std::string, std::set<std::string>> wanted_;  // package key -> member paths
};

}  // namespace sotto

#endif  // SOTTO_STORE_PACKAGES_H_
