#include "store/hub.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/file.h"
#include "store/layout.h"
#include "store/sha256.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

bool Truthy(std::string value) {
  std::ranges::transform(value, value.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return value == "1" || value == "true" || value == "yes" || value == "on";
}

std::string CacheDir() {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (std::string dir = EnvironmentOr(name, ""); !dir.empty()) {
      return dir;
    }
  }
  if (const std::string home = EnvironmentOr("HF_HOME", ""); !home.empty()) {
    return home + "/hub";
  }
  if (const std::string cache = EnvironmentOr("XDG_CACHE_HOME", ""); !cache.empty()) {
    return cache + "/huggingface/hub";
  }
  return HomeDir() + "/.cache/huggingface/hub";
}

// The etag becomes a file name.
bool IsEtag(std::string_view text) {
  return !text.empty() && text.size() <= 128 && text.front() != '.' &&
         std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '-' || c == '_' || c == '.';
         });
}

std::string Unquoted(std::string_view etag) {
  if (etag.starts_with("W/")) {
    etag.remove_prefix(2);
  }
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') {
    etag = etag.substr(1, etag.size() - 2);
  }
  return std::string(etag);
}

std::string FirstHeader(const HttpResponse& response, const std::string& a, const std::string& b) {
  const std::string value = response.Header(a);
  return value.empty() ? response.Header(b) : value;
}

}  // namespace

HubSettings HubSettingsFromEnvironment() {
  HubSettings settings;
  settings.endpoint = EnvironmentOr("HF_ENDPOINT", settings.endpoint);
  while (settings.endpoint.ends_with('/')) {
    settings.endpoint.pop_back();
  }
  settings.token = EnvironmentOr("HF_TOKEN", "");
  settings.offline = Truthy(EnvironmentOr("HF_HUB_OFFLINE", ""));
  settings.cache_dir = CacheDir();
  return settings;
}

std::string HubFile::Sha256() const { return IsSha256(etag) ? etag : ""; }

HttpRequest HubRequest(const HubSettings& settings, const Source& source,
                       const std::string& commit) {
  return {.url = settings.endpoint + "/" + source.name + "/resolve/" +
                 (commit.empty() ? source.version : commit) + "/" + source.path,
          .bearer_token = settings.token};
}

Result<HubFile> HubStat(const HubSettings& settings, const Source& source, const HttpLimits& limits,
                        const CancelToken& cancel, const OnRetry& on_retry) {
  if (settings.offline) {
    return UnavailableError(source.text +
                            ": offline and not in the hub's cache; unset HF_HUB_OFFLINE");
  }
  HttpRequest request = HubRequest(settings, source, "");
  request.head_only = true;
  // Large files are redirected to another host; what is wanted stands in the first response.
  request.follow_redirects = false;
  request.headers = {"Accept-Encoding: identity"};
  HttpOutcome outcome;
  for (int attempt = 0; attempt < limits.attempts; ++attempt) {
    outcome = HttpExchange(request, {}, limits, cancel);
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    const long code = outcome.response.status;
    const std::string location = outcome.response.Header("location");
    if (outcome.status.ok() && code >= 300 && code < 400 &&
        outcome.response.Header("x-linked-etag").empty() && location.starts_with('/')) {
      request.url = settings.endpoint + location;  // a renamed repository
      continue;
    }
    if (outcome.status.ok() && code != 429 && code < 500) {
      break;
    }
    const int attempts = outcome.no_connection ? std::min(limits.attempts, limits.connect_attempts)
                                               : limits.attempts;
    if (attempt + 1 >= attempts) {
      break;
    }
    const int64_t wait_ms = std::min(limits.backoff_ms << attempt, limits.backoff_max_ms);
    if (on_retry) {
      on_retry(outcome.status.ok() ? HttpStatusError(code, source.text)
                                   : outcome.status.WithContext(source.text),
               attempt + 1, attempts, wait_ms);
    }
    SOTTO_RETURN_IF_ERROR(PauseMs(wait_ms, cancel));
  }
  if (!outcome.status.ok()) {
    return outcome.status.WithContext(source.text);
  }
  if (outcome.response.status < 200 || outcome.response.status >= 400) {
    return HttpStatusError(outcome.response.status, source.text);
  }
  HubFile file;
  file.commit = outcome.response.Header("x-repo-commit");
  file.etag = Unquoted(FirstHeader(outcome.response, "x-linked-etag", "etag"));
  const std::string size = FirstHeader(outcome.response, "x-linked-size", "content-length");
  std::from_chars(size.data(), size.data() + size.size(), file.size_bytes);
  if (!IsEtag(file.etag) || !IsEtag(file.commit)) {
    return DataLossError(source.text + ": the hub's answer has no commit or etag");
  }
  return file;
}

std::string HubRepoDir(const HubSettings& settings, const Source& source) {
  std::string name = source.name;
  const size_t slash = name.find('/');
  name.replace(slash, 1, "--");
  return settings.cache_dir + "/models--" + name;
}

std::string HubBlobPath(const HubSettings& settings, const Source& source,
                        const std::string& etag) {
  return HubRepoDir(settings, source) + "/blobs/" + etag;
}

std::string HubLockPath(const HubSettings& settings, const Source& source,
                        const std::string& etag) {
  std::string repo = HubRepoDir(settings, source);
  repo.insert(settings.cache_dir.size(), "/.locks");
  return repo + "/" + etag + ".lock";
}

std::string HubCachedBlob(const HubSettings& settings, const Source& source,
                          const std::string& commit) {
  const std::string repo = HubRepoDir(settings, source);
  std::string snapshot = commit;
  if (snapshot.empty()) {
    const Result<std::string> ref = ReadFile(repo + "/refs/" + source.version, 256);
    snapshot = ref.ok() ? *ref : source.version;  // a revision may be a commit itself
    while (snapshot.ends_with('\n')) {
      snapshot.pop_back();
    }
  }
  if (!IsEtag(snapshot)) {
    return "";
  }
  std::error_code error;
  const fs::path blob = fs::canonical(repo + "/snapshots/" + snapshot + "/" + source.path, error);
  return error || !fs::is_regular_file(blob, error) ? "" : blob.string();
}

Status HubPublish(const HubSettings& settings, const Source& source, const HubFile& file) {
  const std::string repo = HubRepoDir(settings, source);
  const std::string link = repo + "/snapshots/" + file.commit + "/" + source.path;
  std::string up = "../../";
  for (const char c : source.path) {
    up += c == '/' ? "../" : "";
  }
  RemoveTemporaries(link);
  SOTTO_RETURN_IF_ERROR(ReplaceLink(up + "blobs/" + file.etag, link));
  if (source.version == file.commit) {
    return OkStatus();
  }
  SOTTO_RETURN_IF_ERROR(MakeDirs(repo + "/refs"));
  SOTTO_ASSIGN_OR_RETURN(AtomicFileWriter ref,
                         AtomicFileWriter::Create(repo + "/refs/" + source.version));
  SOTTO_RETURN_IF_ERROR(ref.Append(file.commit));
  return ref.Commit();
}

Status HubRemoveBlob(const HubSettings& settings, const Source& source, const std::string& etag) {
  const std::string repo = HubRepoDir(settings, source);
  std::error_code error;
  std::vector<fs::path> links;
  for (fs::recursive_directory_iterator it(repo + "/snapshots", error), end; !error && it != end;
       it.increment(error)) {
    std::error_code link_error;
    const fs::path target = fs::read_symlink(it->path(), link_error);
    if (!link_error && target.filename() == etag) {
      links.push_back(it->path());
    }
  }
  for (const fs::path& link : links) {
    fs::remove(link, error);
  }
  const std::string blob = HubBlobPath(settings, source, etag);
  if (::unlink(blob.c_str()) != 0 && errno != ENOENT) {
    return ErrnoError(errno, "remove", blob);
  }
  return OkStatus();
}

}  // namespace sotto
