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

Status Store::RemoveModel(const std::string& model_id, RemoveReport& report) const {
  const Result<Receipt> receipt = Receipt::Read(layout_, model_id);
  const std::set<std::string> named = NamedHashes(layout_, model_id);
  // The folder first: a kill in between leaves contents without a name, never a name without
  // contents.
  RemoveTree(layout_.ModelDir(model_id));
  report.removed.push_back(model_id);
  if (!receipt.ok()) {
    return OkStatus();
  }
  for (const FetchedFile& file : receipt->files) {
    if (named.contains(file.sha256)) {
      continue;
    }
    if (file.hub_blob.empty()) {
      if (::unlink(layout_.Blob(file.sha256).c_str()) == 0) {
        report.freed_bytes += file.size_bytes;
      } else if (errno != ENOENT) {
        return ErrnoError(errno, "remove", layout_.Blob(file.sha256));
      }
      continue;
    }
    const Source* source = HubSourceOf(catalogue_.Find(model_id), file);
    if (!file.hub_fetched || source == nullptr) {
      report.kept.push_back(file.name + ": in the hub's cache, put there by another program");
      continue;
    }
    SOTTO_RETURN_IF_ERROR(
        HubRemoveBlob(fetch_.hub, *source, fs::path(file.hub_blob).filename().string()));
    report.freed_bytes += file.size_bytes;
  }
  return OkStatus();
}

Status Store::RemovePack(const PackManifest& pack, RemoveReport& report) const {
  RemoveTree(layout_.PackDir(pack.id));
  report.removed.push_back(pack.id);
  for (const std::string& id : pack.Models()) {
    const Result<Receipt> receipt = Receipt::Read(layout_, id);
    if (!receipt.ok()) {
      continue;
    }
    const std::vector<std::string> packs = NeededBy(id);
    if (!packs.empty()) {
      report.kept.push_back(id + ": needed by " + packs.front());
    } else if (receipt->by_name) {
      report.kept.push_back(id + ": pulled by name; sotto rm " + id);
    } else {
      SOTTO_RETURN_IF_ERROR(RemoveModel(id, report));
    }
  }
  return OkStatus();
}

Result<RemoveReport> Store::RemoveLocked(std::string_view id, bool force) const {
  RemoveReport report;
  if (const PackManifest* pack = FindPack(id)) {
    std::error_code error;
    if (!fs::exists(layout_.PackManifest(pack->id), error)) {
      return NotFoundError("pack: " + pack->id + ": not installed");
    }
    SOTTO_RETURN_IF_ERROR(RemovePack(*pack, report));
    return report;
  }
  const CatalogueModel* model = catalogue_.Find(id);
  // A model that left the catalogue can still be removed by its id.
  const std::string model_id = model != nullptr ? model->id : std::string(id);
  std::error_code error;
  if (!IsModelId(model_id) || !fs::exists(layout_.ModelDir(model_id), error)) {
    return model == nullptr ? UnknownId(id)
                            : NotFoundError("model: " + model_id + ": not installed");
  }
  const std::vector<std::string> packs = NeededBy(model_id);
  if (!packs.empty() && !force) {
    return FailedPreconditionError("rm: " + model_id + ": needed by pack " + packs.front() +
                                   "; sotto rm " + packs.front() + ", or --force");
  }
  SOTTO_RETURN_IF_ERROR(RemoveModel(model_id, report));
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
