// Store::Remove: models and packs out, and the contents nobody else names.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "store/lock.h"
#include "store/store.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

// Hashes that receipts of the store name, without those of `except`.
std::set<std::string> NamedHashes(const Layout& layout, const std::string& except) {
  std::set<std::string> named;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(layout.dir + "/models", error)) {
    const std::string id = entry.path().filename().string();
    if (id == except || !IsModelId(id)) {
      continue;
    }
    if (const Result<Receipt> receipt = Receipt::Read(layout, id); receipt.ok()) {
      for (const FetchedFile& file : receipt->files) {
        named.insert(file.sha256);
      }
    }
  }
  return named;
}

// The source of the catalogue whose cache holds `file`.
const Source* HubSourceOf(const CatalogueModel* model, const FetchedFile& file) {
  if (model == nullptr) {
    return nullptr;
  }
  for (const CatalogueFile& known : model->files) {
    for (const Recipe& recipe : known.recipes) {
      const bool hub = recipe.parts.size() == 1 && recipe.parts.front().kind == Source::Kind::kHub;
      if (known.name == file.name && hub && recipe.parts.front().text == file.source) {
        return &recipe.parts.front();
      }
    }
  }
  return nullptr;
}

}  // namespace

// Contents and unfinished downloads under a hash that no receipt names any more. A pull that is
// at it right now keeps its lock and its files.
Status Store::RemoveContents(const std::string& sha256, RemoveReport& report) const {
  const std::string key = Layout::BlobName(sha256);
  SOTTO_ASSIGN_OR_RETURN(const FileLock lock, FileLock::Try(layout_.Lock(key)));
  if (!lock.held()) {
    return OkStatus();
  }
  const std::string part_path = layout_.Part(key);
  for (const std::string& path : {layout_.Blob(sha256), part_path, part_path + ".json"}) {
    const Result<uint64_t> size_bytes = FileSizeBytes(path);
    ClearForFile(path);
    if (::unlink(path.c_str()) == 0) {
      report.freed_bytes += size_bytes.ok() ? *size_bytes : 0;
    } else if (errno != ENOENT) {
      return ErrnoError(errno, "remove", path);
    }
  }
  report.freed_bytes += TreeBytes(layout_.InputDir(key));
  RemoveTree(layout_.InputDir(key));
  return OkStatus();
}

Status Store::RemoveHubFile(const std::string& model_id, const FetchedFile& file,
                            RemoveReport& report) const {
  const Source* source = HubSourceOf(catalogue_.Find(model_id), file);
  if (!file.hub_fetched || source == nullptr) {
    report.kept.push_back(file.name + ": in the hub's cache, put there by another program");
    return OkStatus();
  }
  SOTTO_RETURN_IF_ERROR(
      HubRemoveBlob(fetch_.hub, *source, fs::path(file.hub_blob).filename().string()));
  report.freed_bytes += file.size_bytes;
  return OkStatus();
}

Status Store::RemoveModel(const std::string& model_id, RemoveReport& report) const {
  const Result<Receipt> receipt = Receipt::Read(layout_, model_id);
  const std::set<std::string> named = NamedHashes(layout_, model_id);
  // The folder first: a kill in between leaves contents without a name, never a name without
  // contents.
  std::error_code error;
  const bool was_there = fs::exists(layout_.ModelDir(model_id), error);
  RemoveTree(layout_.ModelDir(model_id));
  if (fs::exists(fs::symlink_status(layout_.ModelDir(model_id), error))) {
    return PermissionDeniedError("rm: " + layout_.ModelDir(model_id) +
                                 ": cannot be removed whole; look at its permissions");
  }
  std::set<std::string> hashes;
  if (const CatalogueModel* model = catalogue_.Find(model_id)) {
    for (const CatalogueFile& file : model->files) {
      hashes.insert(file.sha256);
    }
    hashes.erase("");
  }
  const uint64_t freed_before = report.freed_bytes;
  if (receipt.ok()) {
    for (const FetchedFile& file : receipt->files) {
      if (file.hub_blob.empty()) {
        hashes.insert(file.sha256);
      } else if (!named.contains(file.sha256)) {
        SOTTO_RETURN_IF_ERROR(RemoveHubFile(model_id, file, report));
      }
    }
  }
  for (const std::string& sha256 : hashes) {
    if (!named.contains(sha256)) {
      SOTTO_RETURN_IF_ERROR(RemoveContents(sha256, report));
    }
  }
  if (was_there || report.freed_bytes > freed_before) {
    report.removed.push_back(model_id);
  }
  return OkStatus();
}

Status Store::RemovePack(const PackManifest& pack, RemoveReport& report) const {
  std::error_code error;
  if (fs::exists(layout_.PackDir(pack.id), error)) {
    report.removed.push_back(pack.id);
    RemoveTree(layout_.PackDir(pack.id));
  }
  for (const std::string& id : pack.Models()) {
    const Result<Receipt> receipt = Receipt::Read(layout_, id);
    const std::vector<std::string> packs = NeededBy(id);
    if (receipt.ok() && !packs.empty()) {
      report.kept.push_back(id + ": needed by " + packs.front());
    } else if (receipt.ok() && receipt->by_name) {
      report.kept.push_back(id + ": pulled by name; sotto rm " + id);
    } else {
      SOTTO_RETURN_IF_ERROR(RemoveModel(id, report));
    }
  }
  return OkStatus();
}

Result<RemoveReport> Store::RemoveLocked(std::string_view id, bool force) const {
  RemoveReport report;
  const CatalogueModel* model = catalogue_.Find(id);
  // A model that left the catalogue can still be removed by its id.
  const std::string model_id = model != nullptr ? model->id : std::string(id);
  std::error_code error;
  if (const PackManifest* pack = FindPack(id)) {
    SOTTO_RETURN_IF_ERROR(RemovePack(*pack, report));
  } else if (model == nullptr &&
             (!IsModelId(model_id) || !fs::exists(layout_.ModelDir(model_id), error))) {
    return UnknownId(id);
  } else {
    const std::vector<std::string> packs = NeededBy(model_id);
    if (!packs.empty() && !force) {
      return FailedPreconditionError("rm: " + model_id + ": needed by pack " + packs.front() +
                                     "; sotto rm " + packs.front() + ", or --force");
    }
    SOTTO_RETURN_IF_ERROR(RemoveModel(model_id, report));
    report.incomplete_packs = packs;
  }
  if (report.removed.empty()) {
    return NotFoundError("rm: " + model_id + ": not installed");
  }
  return report;
}

Result<RemoveReport> Store::Remove(std::string_view id, bool force) const {
  std::error_code error;
  if (!fs::exists(layout_.dir + "/locks", error)) {
    return NotFoundError("rm: " + std::string(id.substr(0, 64)) + ": nothing is installed in " +
                         layout_.dir);
  }
  SOTTO_ASSIGN_OR_RETURN(const FileLock lock,
                         FileLock::Acquire(layout_.Lock("store"), CancelToken(), {}));
  return RemoveLocked(id, force);
}

}  // namespace sotto
