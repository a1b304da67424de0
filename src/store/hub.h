// The hub's files and its cache on disk, shared with the hub's own tools.
//
//   CACHE/models--ORG--REPO/blobs/ETAG                 contents; ETAG is the SHA-256 of large
//                                                      files and git's SHA-1 of small ones
//   CACHE/models--ORG--REPO/snapshots/COMMIT/PATH      links to blobs
//   CACHE/models--ORG--REPO/refs/REVISION              the commit a branch was at
//   CACHE/.locks/models--ORG--REPO/ETAG.lock           flock, held while a blob is fetched
#ifndef SOTTO_STORE_HUB_H_
#define SOTTO_STORE_HUB_H_

#include <cstdint>
#include <string>

#include "base/cancel.h"
#include "base/status.h"
#include "store/catalogue.h"
#include "store/http.h"

namespace sotto {

struct HubSettings {
  std::string endpoint = "https://huggingface.co";
  std::string token = {};  // empty: none is sent
  std::string cache_dir = {};
  bool offline = false;
};

// From HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE, and the first of HF_HUB_CACHE,
// HUGGINGFACE_HUB_CACHE, HF_HOME/hub, XDG_CACHE_HOME/huggingface/hub, ~/.cache/huggingface/hub.
HubSettings HubSettingsFromEnvironment();

// What the hub says about a file.
struct HubFile {
  std::string commit = {};
  std::string etag = {};  // without quotes
  uint64_t size_bytes = 0;

  // The SHA-256 of the contents; empty when the hub knows only git's SHA-1 of it.
  std::string Sha256() const;
};

// One HEAD request. Errors as of DownloadToPart(); UNAVAILABLE when settings.offline.
Result<HubFile> HubStat(const HubSettings& settings, const Source& source, const HttpLimits& limits,
                        const CancelToken& cancel, const OnRetry& on_retry);

// The request that downloads it (commit empty: the source's own revision).
HttpRequest HubRequest(const HubSettings& settings, const Source& source,
                       const std::string& commit);

// Where things of a repository lie in the cache.
std::string HubRepoDir(const HubSettings& settings, const Source& source);
std::string HubBlobPath(const HubSettings& settings, const Source& source, const std::string& etag);
std::string HubLockPath(const HubSettings& settings, const Source& source, const std::string& etag);

// The blob that the cache has for this source, through its refs and snapshots; empty when none.
std::string HubCachedBlob(const HubSettings& settings, const Source& source,
                          const std::string& commit);

// Makes the snapshot link and the ref for a blob that is complete. The caller holds its lock.
Status HubPublish(const HubSettings& settings, const Source& source, const HubFile& file);

// Removes a blob, and the snapshot links to it, from the cache.
Status HubRemoveBlob(const HubSettings& settings, const Source& source, const std::string& etag);

}  // namespace sotto

#endif  // SOTTO_STORE_HUB_H_
