#include "store/packages.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "store/archive.h"
#include "store/process.h"
#include "store/sha256.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

// Wheels and tarballs hold at most a few hundred megabytes; a member beyond this is a bomb.
constexpr uint64_t kMaxMemberBytes = 8ull << 30;

std::string MemberFile(const std::string& dir, const std::string& member) {
  return dir + "/" + Sha256Of(member).substr(0, 32);
}

// The last line that says something, for a message of one line.
std::string LastLine(std::string_view output) {
  std::string last;
  while (!output.empty()) {
    const size_t end = output.find('\n');
    const std::string_view line = output.substr(0, end);
    // npm ends with the name of a log file that is gone with its cache.
    if (line.find_first_not_of(" \t\r") != std::string_view::npos &&
        line.find("A complete log of this run") == std::string_view::npos) {
      last = line;
    }
    output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
  }
  std::erase_if(last, [](char c) { return c < ' ' || c > '~'; });
  return last.substr(0, 300);
}

std::string PackageName(const Source& source) {
  return source.name + (source.kind == Source::Kind::kPypi ? "==" : "@") + source.version;
}

// The one archive that a client left in `dir`; empty when there is none.
std::string FindArchive(const std::string& dir) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dir, error)) {
    const std::string extension = entry.path().extension().string();
    if (entry.is_regular_file(error) && (extension == ".whl" || extension == ".tgz")) {
      return entry.path().string();
    }
  }
  return "";
}

// What the output of a client that failed says about another try.
enum class ClientFailure { kFinal, kNoConnection, kTransient };

ClientFailure Judge(std::string_view output) {
  const auto says = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(
        words, [&](std::string_view word) { return output.find(word) != std::string_view::npos; });
  };
  // pip (through urllib3), then npm.
  if (says({"NewConnectionError", "NameResolutionError", "ConnectTimeoutError", "ProxyError",
            "ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH"})) {
    return ClientFailure::kNoConnection;
  }
  return says({"Retrying (", "ReadTimeout", "IncompleteRead", "Connection broken", "HTTP error 5",
               "HTTP error 429", "ETIMEDOUT", "ECONNRESET", "ERR_SOCKET_TIMEOUT", "code E5",
               "code E429"})
             ? ClientFailure::kTransient
             : ClientFailure::kFinal;
}

Status ClientError(const Source& source, const ProcessResult& result) {
  const std::string what = source.text + ": ";
  if (result.output.find("No module named pip") != std::string::npos) {
    return UnavailableError(what +
                            "pip is not installed; install it (Debian: apt-get install "
                            "python3-pip)");
  }
  const bool no_space = result.output.find("No space left on device") != std::string::npos ||
                        result.output.find("ENOSPC") != std::string::npos;
  if (no_space) {
    return ResourceExhaustedError(what + "the disk is full");
  }
  const std::string client = source.kind == Source::Kind::kPypi ? "pip" : "npm";
  if (result.exit_code < 0) {
    return UnavailableError(what + client + " was ended by a signal");
  }
  if (Judge(result.output) == ClientFailure::kNoConnection) {
    return UnavailableError(what + client +
                            ": no connection to the package registry; check the network");
  }
  return UnavailableError(what + client + " exit " + std::to_string(result.exit_code) + ": " +
                          LastLine(result.output));
}

}  // namespace

PackageMember::~PackageMember() {
  if (!path_.empty()) {
    ::unlink(path_.c_str());
  }
}

std::string Packages::Key(const Source& source) {
  std::string key = source.kind == Source::Kind::kPypi ? "pypi-" : "npm-";
  key += source.name + "-" + source.version;
  std::ranges::replace(key, '/', '_');
  return key;
}

void Packages::Want(const Source& source) { wanted_[Key(source)].insert(source.path); }

Result<PackageMember> Packages::Take(const Source& source, const CancelToken& cancel,
                                     const OnProgress& on_progress) {
  const std::string key = Key(source);
  const std::string dir = layout_.PackageDir(key);
  SOTTO_ASSIGN_OR_RETURN(FileLock lock, FileLock::Acquire(layout_.Lock(key), cancel,
                                                          [&] { on_progress(Step::kWait, 0); }));
  const std::string member = MemberFile(dir, source.path);
  std::error_code error;
  if (!fs::is_regular_file(member, error)) {
    Want(source);
    SOTTO_RETURN_IF_ERROR(Fetch(source, dir, cancel, on_progress));
  }
  wanted_[key].erase(source.path);
  return PackageMember(member, std::move(lock));
}

Status Packages::Fetch(const Source& source, const std::string& dir, const CancelToken& cancel,
                       const OnProgress& on_progress) {
  // The lock is ours, so whatever work folder is here belongs to a process that died.
  const std::string work_dir = dir + "/work";
  RemoveTree(work_dir);
  SOTTO_RETURN_IF_ERROR(MakeDirs(work_dir + "/out"));
  SOTTO_RETURN_IF_ERROR(MakeDirs(work_dir + "/tmp"));
  Result<std::string> archive = RunClient(source, work_dir, cancel, on_progress);
  if (!archive.ok()) {
    RemoveTree(work_dir);
    return archive.status();
  }
  std::map<std::string, std::string> members;
  for (const std::string& path : wanted_[Key(source)]) {
    members[path] = MemberFile(work_dir, path);
  }
  Status status =
      ExtractMembers(*archive, members, kMaxMemberBytes, cancel,
                     [&](uint64_t done_bytes) { on_progress(Step::kUnpack, done_bytes); });
  for (const auto& [path, file] : members) {
    if (status.ok()) {
      status = RenameDurably(file, MemberFile(dir, path));
    }
  }
  RemoveTree(work_dir);
  return status.WithContext(PackageName(source));
}

Packages::ClientRun Packages::RunClientOnce(const Source& source,
                                            const std::vector<std::string>& arguments,
                                            const std::string& work_dir, const CancelToken& cancel,
                                            const OnProgress& on_progress) const {
  const Result<ProcessResult> result =
      RunProcess(arguments, {{"TMPDIR", work_dir + "/tmp"}, {"PYTHONUNBUFFERED", "1"}}, cancel,
                 [&] { on_progress(Step::kDownload, TreeBytes(work_dir)); });
  if (!result.ok() && result.status().code() == Code::kUnavailable) {
    const bool pypi = source.kind == Source::Kind::kPypi;
    return {.status = UnavailableError(source.text + ": " + arguments.front() +
                                       " is not installed; install it (Debian: apt-get install " +
                                       (pypi ? "python3 python3-pip" : "npm") + ")")};
  }
  if (!result.ok() || result->exit_code == 0) {
    return {.status = result.status()};
  }
  const Status error = ClientError(source, *result);
  const ClientFailure failure = Judge(result->output);
  // Clients try a second time by themselves, so that one run fewer will do.
  const int attempts = failure == ClientFailure::kNoConnection
                           ? std::max(1, std::min(limits_.attempts, limits_.connect_attempts) - 1)
                           : limits_.attempts;
  return {.status = error,
          .again = error.code() == Code::kUnavailable && failure != ClientFailure::kFinal,
          .attempts = attempts};
}

Result<std::string> Packages::RunClient(const Source& source, const std::string& work_dir,
                                        const CancelToken& cancel, const OnProgress& on_progress) {
  const std::string out_dir = work_dir + "/out";
  const std::vector<std::string> arguments =
      source.kind == Source::Kind::kPypi ? std::vector<std::string>{clients_.python,
                                                                    "-m",
                                                                    "pip",
                                                                    "download",
                                                                    "--disable-pip-version-check",
                                                                    "--no-input",
                                                                    "--quiet",
                                                                    "--retries",
                                                                    "1",
                                                                    "--no-deps",
                                                                    "--no-cache-dir",
                                                                    "--only-binary",
                                                                    ":all:",
                                                                    "-d",
                                                                    out_dir,
                                                                    PackageName(source)}
                                         : std::vector<std::string>{clients_.npm,
                                                                    "pack",
                                                                    "--loglevel=error",
                                                                    "--ignore-scripts",
                                                                    "--fetch-retries=1",
                                                                    "--fetch-retry-mintimeout=500",
                                                                    "--fetch-retry-maxtimeout=2000",
                                                                    "--cache",
                                                                    work_dir + "/tmp/npm",
                                                                    "--pack-destination",
                                                                    out_dir,
                                                                    PackageName(source)};
  int64_t wait_ms = limits_.backoff_ms;
  for (int failed = 1;; ++failed) {
    const ClientRun run = RunClientOnce(source, arguments, work_dir, cancel, on_progress);
    if (run.status.ok()) {
      break;
    }
    if (!run.again || failed >= run.attempts) {
      return run.status;
    }
    on_retry_(run.status, failed, run.attempts, wait_ms);
    SOTTO_RETURN_IF_ERROR(PauseMs(wait_ms, cancel));
    wait_ms = std::min(wait_ms * 2, limits_.backoff_max_ms);
  }
  std::string archive = FindArchive(out_dir);
  if (archive.empty()) {
    return UnavailableError(source.text + ": the package client left no archive");
  }
  return archive;
}

void Packages::CleanUp() {
  for (const auto& [key, members] : wanted_) {
    const Result<FileLock> lock = FileLock::Try(layout_.Lock(key));
    if (lock.ok() && lock->held()) {
      RemoveTree(layout_.PackageDir(key));
    }
  }
}

}  // namespace sotto
