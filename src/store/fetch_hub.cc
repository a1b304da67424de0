// The hub's recipes: through its cache, which other tools share.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/file.h"
#include "store/fetch.h"
#include "store/lock.h"
#include "store/sha256.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

// The hash by which git, and so the hub, names a small file.
Result<std::string> GitBlobSha1(const std::string& path, uint64_t size_bytes,
                                const CancelToken& cancel) {
  Digest digest = Digest::Sha1();
  digest.Update("blob " + std::to_string(size_bytes) + std::string(1, '\0'));
  SOTTO_RETURN_IF_ERROR(DigestFile(path, size_bytes, cancel, digest));
  return digest.Finish();
}

bool IsFile(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

}  // namespace

Result<uint64_t> Fetcher::AskSize(const CatalogueFile& file, const HubPin& pin) {
  if (pin.size_bytes > 0) {
    return pin.size_bytes;
  }
  for (const Recipe& recipe : file.recipes) {
    if (recipe.parts.size() != 1 || recipe.parts.front().kind != Source::Kind::kHub ||
        settings_.offline || hub_is_silent_) {
      continue;
    }
    const Result<HubFile> remote =
        HubStat(settings_.hub, recipe.parts.front(), settings_.http, cancel_, on_retry_);
    SOTTO_RETURN_IF_ERROR(cancel_.Check());
    hub_is_silent_ = remote.status().code() == Code::kUnavailable;
    if (remote.ok()) {
      return remote->size_bytes;
    }
  }
  return uint64_t{0};
}

void Fetcher::Discard(const std::string& hub_blob) {
  for (const std::string& own : replaceable_) {
    std::error_code error;
    if (own == hub_blob || fs::equivalent(own, hub_blob, error)) {
      ::unlink(hub_blob.c_str());
      return;
    }
  }
}

// A blob of the cache, hashed and looked at, whoever put it there.
Result<FetchedFile> Fetcher::HubUse(const Job& job, const std::string& blob, const HubFile& remote,
                                    const std::string& source) {
  SOTTO_ASSIGN_OR_RETURN(const uint64_t size_bytes, FileSizeBytes(blob));
  on_event_(PullPhase::kVerify, source, 0, size_bytes);
  SOTTO_ASSIGN_OR_RETURN(const std::string sha256, Sha256File(blob, cancel_));
  const std::string name = fs::path(blob).filename().string();
  std::string expected = job.sha256.empty() ? remote.Sha256() : job.sha256;
  if (expected.empty() && IsSha256(name)) {
    expected = name;  // the cache names large files by their hash
  }
  if (!expected.empty() && sha256 != expected) {
    Discard(blob);
    return DataLossError("hub cache: " + blob + ": sha256 " + sha256 + ": expected " + expected +
                         "; remove the file and pull again");
  }
  if (expected.empty()) {
    SOTTO_ASSIGN_OR_RETURN(const std::string sha1, GitBlobSha1(blob, size_bytes, cancel_));
    if (sha1 != name) {
      Discard(blob);
      return DataLossError("hub cache: " + blob + ": git hash " + sha1 +
                           " differs from its name; remove the file and pull again");
    }
  }
  SOTTO_RETURN_IF_ERROR(Validate(job, blob).WithContext(source));
  return FetchedFile{.name = job.file.name,
                     .sha256 = sha256,
                     .size_bytes = size_bytes,
                     .source = source,
                     .hub_blob = blob,
                     .hub_commit = remote.commit};
}

// What can be had without asking the hub; NOT_FOUND when nothing can.
Result<FetchedFile> Fetcher::HubCached(const Job& job, const Source& source) {
  const bool offline = settings_.offline || settings_.hub.offline;
  if (!job.sha256.empty()) {
    const std::string blob = HubBlobPath(settings_.hub, source, job.sha256);
    if (IsFile(blob)) {
      Result<FetchedFile> used = HubUse(job, blob, {}, source.text);
      if (used.ok() || used.status().code() == Code::kCancelled) {
        return used;
      }
    }
  }
  const std::string blob = HubCachedBlob(settings_.hub, source, job.pin.commit);
  if (!blob.empty() && (offline || !job.sha256.empty())) {
    return HubUse(job, blob, {}, source.text);
  }
  return NotFoundError(source.text + ": not in the hub's cache");
}

Result<FetchedFile> Fetcher::RunHub(const Job& job, const Source& source) {
  Result<FetchedFile> cached = HubCached(job, source);
  if (cached.ok() || EndsSearch(cached.status().code())) {
    return cached;
  }
  if (settings_.offline || settings_.hub.offline) {
    return UnavailableError(source.text +
                            ": offline and not in the hub's cache; pull again with a "
                            "network (HF_HUB_OFFLINE unset)");
  }
  Source pinned = source;
  if (!job.pin.commit.empty()) {
    pinned.version = job.pin.commit;
  }
  SOTTO_ASSIGN_OR_RETURN(const HubFile remote,
                         HubStat(settings_.hub, pinned, settings_.http, cancel_, on_retry_));
  const std::string remote_sha256 = remote.Sha256();
  if (!job.sha256.empty() && !remote_sha256.empty() && remote_sha256 != job.sha256) {
    return DataLossError(source.text + ": the hub has sha256 " + remote_sha256 + ": expected " +
                         job.sha256);
  }
  if (job.file.size_bytes > 0 && remote.size_bytes != job.file.size_bytes) {
    return DataLossError(source.text + ": the hub has " + std::to_string(remote.size_bytes) +
                         " bytes: expected " + std::to_string(job.file.size_bytes));
  }
  const std::string lock_path = HubLockPath(settings_.hub, source, remote.etag);
  SOTTO_RETURN_IF_ERROR(MakeDirs(fs::path(lock_path).parent_path().string()));
  SOTTO_ASSIGN_OR_RETURN(const FileLock lock, FileLock::Acquire(lock_path, cancel_, [&] {
                           on_event_(PullPhase::kWait, source.text, 0, remote.size_bytes);
                         }));
  const std::string blob = HubBlobPath(settings_.hub, source, remote.etag);
  Result<FetchedFile> file =
      IsFile(blob) ? HubUse(job, blob, remote, source.text) : HubDownload(job, pinned, remote);
  if (file.ok()) {
    SOTTO_RETURN_IF_ERROR(HubPublish(settings_.hub, pinned, remote));
  }
  return file;
}

Result<FetchedFile> Fetcher::HubDownload(const Job& job, const Source& source,
                                         const HubFile& remote) {
  const std::string blob = HubBlobPath(settings_.hub, source, remote.etag);
  SOTTO_RETURN_IF_ERROR(MakeDirs(fs::path(blob).parent_path().string()));
  const std::string part_path = blob + ".incomplete";  // the hub's tools resume it too
  std::string sha256;
  for (int round = 0;; ++round) {
    bool resumed = false;
    const Status status = HubDownloadOnce(job, source, remote, sha256, resumed);
    if (status.ok()) {
      break;
    }
    if (status.code() != Code::kDataLoss) {
      return status;
    }
    ::unlink(part_path.c_str());
    if (!resumed || round > 0) {
      return status;
    }
  }
  if (const Status status = Validate(job, part_path); !status.ok()) {
    ::unlink(part_path.c_str());
    return status.WithContext(source.text);
  }
  SOTTO_RETURN_IF_ERROR(RenameDurably(part_path, blob));
  SOTTO_ASSIGN_OR_RETURN(const uint64_t size_bytes, FileSizeBytes(blob));
  return FetchedFile{.name = job.file.name,
                     .sha256 = sha256,
                     .size_bytes = size_bytes,
                     .source = source.text,
                     .hub_blob = blob,
                     .hub_commit = remote.commit,
                     .hub_fetched = true};
}

// Leaves the .incomplete whole and what the hub and the catalogue promised.
Status Fetcher::HubDownloadOnce(const Job& job, const Source& source, const HubFile& remote,
                                std::string& sha256, bool& resumed) {
  const std::string part_path = HubBlobPath(settings_.hub, source, remote.etag) + ".incomplete";
  SOTTO_ASSIGN_OR_RETURN(PartFile part, PartFile::Open(part_path, UINT64_MAX, cancel_));
  resumed = part.size_bytes() > 0;
  Download download{.request = HubRequest(settings_.hub, source, remote.commit),
                    .size_bytes = remote.size_bytes,
                    .what = source.text,
                    .on_retry = on_retry_};
  download.on_progress = [&](uint64_t done_bytes, uint64_t total_bytes) {
    on_event_(PullPhase::kDownload, source.text, done_bytes, total_bytes);
  };
  SOTTO_RETURN_IF_ERROR(DownloadToPart(download, part, settings_.http, cancel_));
  const uint64_t size_bytes = part.size_bytes();
  sha256 = part.FinishSha256();
  bool right = job.sha256.empty() || sha256 == job.sha256;
  if (!remote.Sha256().empty()) {
    right = right && sha256 == remote.Sha256();
  } else {
    SOTTO_ASSIGN_OR_RETURN(const std::string sha1, GitBlobSha1(part_path, size_bytes, cancel_));
    right = right && sha1 == remote.etag;
  }
  if (!right) {
    return DataLossError(source.text + ": sha256 " + sha256 + ": the hub promised " +
                         (job.sha256.empty() ? remote.etag : job.sha256));
  }
  return part.Sync();
}

}  // namespace sotto
