#include "store/store.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "base/file.h"
#include "store/builtin.h"
#include "store/check_file.h"
#include "store/lock.h"
#include "store/sha256.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxCatalogueBytes = 16u << 20;
// What a person should use first, best first.
constexpr std::array<std::string_view, 2> kPreferredPacks = {"small-en", "mini-en"};

// $SOTTO_OFFLINE. A value that says neither could let a pull use the network against its user's
// will.
Result<bool> OfflineWanted() {
  const std::string value = EnvironmentOr("SOTTO_OFFLINE", "0");
  static constexpr std::array<std::string_view, 4> kOn = {"1", "true", "yes", "on"};
  static constexpr std::array<std::string_view, 4> kOff = {"0", "false", "no", "off"};
  if (std::ranges::find(kOff, value) != kOff.end()) {
    return false;
  }
  if (std::ranges::find(kOn, value) != kOn.end()) {
    return true;
  }
  return InvalidArgumentError("$SOTTO_OFFLINE: " + value.substr(0, 64) +
                              ": not a switch; give 1, true, yes or on, or 0, false, no or off");
}

}  // namespace

std::string ResolvedModel::PathOf(std::string_view file_name) const {
  const auto it = std::ranges::find(files, file_name, &ResolvedFile::name);
  return it == files.end() ? "" : it->path;
}

const ResolvedModel* ResolvedPack::Find(std::string_view role, std::string_view profile) const {
  const std::string id = manifest.ModelFor(role, profile);
  const auto it = std::ranges::find(models, id, &ResolvedModel::id);
  return it == models.end() ? nullptr : &*it;
}

Result<std::unique_ptr<Store>> Store::Open(StoreOptions options) {
  std::unique_ptr<Store> store(new Store(std::move(options)));
  SOTTO_RETURN_IF_ERROR(store->Load());
  return store;
}

Status Store::AddPack(std::string_view json, std::string_view what) {
  SOTTO_ASSIGN_OR_RETURN(PackManifest pack, PackManifest::Parse(json, what));
  SOTTO_RETURN_IF_ERROR(pack.CheckAgainst(catalogue_));
  std::erase_if(packs_, [&](const PackManifest& p) { return p.id == pack.id; });
  packs_.push_back(std::move(pack));
  return OkStatus();
}

Status Store::Load() {
  SOTTO_ASSIGN_OR_RETURN(const bool offline, OfflineWanted());
  layout_.dir = options_.dir.empty() ? DefaultStoreDir() : options_.dir;
  std::error_code error;
  layout_.dir = fs::absolute(layout_.dir, error).string();
  while (layout_.dir.size() > 1 && layout_.dir.ends_with('/')) {
    layout_.dir.pop_back();
  }
  for (const BuiltinFile& file : BuiltinFiles()) {
    if (file.name == "catalogue.json") {
      SOTTO_ASSIGN_OR_RETURN(catalogue_, Catalogue::Parse(file.text, "catalogue"));
    }
  }
  const std::string extra = options_.catalogue_path.empty() ? EnvironmentOr("SOTTO_CATALOGUE", "")
                                                            : options_.catalogue_path;
  if (!extra.empty()) {
    const auto named = [&](const Status& status) {
      return options_.catalogue_path.empty() ? status.WithContext("$SOTTO_CATALOGUE") : status;
    };
    const Result<std::string> text = ReadFile(extra, kMaxCatalogueBytes);
    if (!text.ok()) {
      return named(text.status());
    }
    Result<Catalogue> parsed = Catalogue::Parse(*text, extra);
    if (!parsed.ok()) {
      return named(parsed.status());
    }
    Catalogue more = *std::move(parsed);
    catalogue_.Merge(std::move(more));
  }
  for (const BuiltinFile& file : BuiltinFiles()) {
    if (file.name.ends_with("/manifest.json")) {
      SOTTO_RETURN_IF_ERROR(AddPack(file.text, file.name));
    }
  }
  for (const std::string& path : options_.manifest_paths) {
    SOTTO_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxCatalogueBytes));
    SOTTO_RETURN_IF_ERROR(AddPack(text, path));
  }
  fetch_ = {.layout = layout_,
            .hub = HubSettingsFromEnvironment(),
            .http = options_.http,
            .clients = options_.clients,
            .convert = options_.convert,
            .validate = options_.validate ? options_.validate : CheckStoreFile,
            .offline = options_.offline || offline};
  return OkStatus();
}

const PackManifest* Store::FindPack(std::string_view id) const {
  const auto it = std::ranges::find(packs_, id, &PackManifest::id);
  return it == packs_.end() ? nullptr : &*it;
}

bool Store::PackInstalled(const PackManifest& pack) const {
  std::error_code error;
  if (!fs::exists(layout_.PackManifest(pack.id), error)) {
    return false;
  }
  return std::ranges::all_of(pack.Models(), [&](const std::string& id) {
    const CatalogueModel* model = catalogue_.Find(id);
    return model != nullptr && Info(*model).state == ModelState::kInstalled;
  });
}

std::vector<std::string> Store::NeededBy(std::string_view model_id) const {
  std::vector<std::string> packs;
  std::error_code error;
  for (const PackManifest& pack : packs_) {
    const std::vector<std::string> models = pack.Models();
    if (fs::exists(layout_.PackManifest(pack.id), error) &&
        std::ranges::find(models, model_id) != models.end()) {
      packs.push_back(pack.id);
    }
  }
  return packs;
}

ModelInfo Store::Info(const CatalogueModel& model) const {
  ModelInfo info{.model = &model};
  Result<Receipt> receipt = Receipt::Read(layout_, model.id);
  if (!receipt.ok()) {
    return info;
  }
  info.state = receipt->Covers(model) ? ModelState::kInstalled : ModelState::kOutdated;
  for (const FetchedFile& file : receipt->files) {
    info.installed_bytes += file.size_bytes;
  }
  info.files = std::move(receipt->files);
  info.needed_by = NeededBy(model.id);
  return info;
}

std::vector<ModelInfo> Store::List() const {
  std::vector<ModelInfo> all;
  for (const CatalogueModel& model : catalogue_.models()) {
    all.push_back(Info(model));
  }
  return all;
}

std::vector<PackInfo> Store::ListPacks() const {
  std::vector<PackInfo> all;
  for (const PackManifest& pack : packs_) {
    PackInfo info{.manifest = &pack, .installed = PackInstalled(pack)};
    for (const std::string& id : pack.Models()) {
      const CatalogueModel* model = catalogue_.Find(id);
      info.size_bytes += model->SizeBytes();
      if (Info(*model).state != ModelState::kInstalled) {
        info.missing_bytes += model->SizeBytes();
      }
    }
    all.push_back(info);
  }
  return all;
}

Status Store::UnknownId(std::string_view id) const {
  std::string near;
  for (const CatalogueModel& model : catalogue_.models()) {
    const bool alike = id.size() >= 3 && model.id.find(id.substr(0, 3)) != std::string::npos;
    if (alike && near.size() < 200) {
      near += (near.empty() ? "" : ", ") + model.id;
    }
  }
  std::string shown(id.substr(0, 64));
  std::erase_if(shown, [](char c) { return c < ' ' || c > '~'; });
  return NotFoundError("model: " + shown + ": not in the catalogue; " +
                       (near.empty() ? "see `sotto list --all`" : "near: " + near));
}

Result<ModelInfo> Store::Show(std::string_view id) const {
  const CatalogueModel* model = catalogue_.Find(id);
  if (model == nullptr) {
    return UnknownId(id);
  }
  return Info(*model);
}

Result<ResolvedModel> Store::Resolve(std::string_view id) const {
  const CatalogueModel* model = catalogue_.Find(id);
  if (model == nullptr) {
    return UnknownId(id);
  }
  const ModelInfo info = Info(*model);
  if (info.state != ModelState::kInstalled) {
    return UnavailableError(
        "model: " + model->id + ": " +
        (info.state == ModelState::kOutdated ? "older than the catalogue's" : "not installed") +
        "; sotto pull " + model->id);
  }
  ResolvedModel resolved{.id = model->id,
                         .name = model->name,
                         .role = model->role,
                         .profile = model->profile,
                         .architecture = model->architecture,
                         .dir = layout_.ModelDir(model->id),
                         .min_memory_bytes = model->min_memory_bytes,
                         .default_voice = model->default_voice};
  for (const CatalogueFile& file : model->files) {
    const auto receipt = std::ranges::find(info.files, file.name, &FetchedFile::name);
    const std::string path = resolved.dir + "/" + file.name;
    const Result<uint64_t> size_bytes = FileSizeBytes(path);
    if (!size_bytes.ok() || *size_bytes != receipt->size_bytes) {
      return DataLossError(
          "model: " + path + ": " +
          (size_bytes.ok() ? "has another size than when it was pulled" : "is gone") +
          "; sotto pull " + model->id);
    }
    resolved.files.push_back(
        {.name = file.name, .kind = file.kind, .path = path, .size_bytes = receipt->size_bytes});
  }
  resolved.path = resolved.files.front().path;
  return resolved;
}

Result<ResolvedPack> Store::ResolvePack(std::string_view id) const {
  SOTTO_ASSIGN_OR_RETURN(const PackManifest* pack, ChoosePack(id));
  ResolvedPack resolved{.manifest = *pack};
  for (const std::string& model_id : pack->Models()) {
    SOTTO_ASSIGN_OR_RETURN(ResolvedModel model, ResolveOf(*pack, model_id));
    resolved.models.push_back(std::move(model));
  }
  return resolved;
}

Result<ResolvedPack> Store::ResolveDefaultPack() const { return ResolvePack(""); }

Result<ResolvedModel> Store::ResolveOf(const PackManifest& pack,
                                       const std::string& model_id) const {
  Result<ResolvedModel> model = Resolve(model_id);
  if (!model.ok()) {
    return Status(model.status().code(), "pack: " + pack.id + ": " + model.status().message() +
                                             " or sotto pull " + pack.id);
  }
  return model;
}

Result<ResolvedModel> Store::ResolveFor(const PackManifest& pack, std::string_view role,
                                        std::string_view profile) const {
  const std::string id = pack.ModelFor(role, profile);
  if (id.empty()) {
    return UnavailableError("pack: " + pack.id + ": has no model for " + std::string(role) +
                            "; name one, `sotto list --all` shows them");
  }
  return ResolveOf(pack, id);
}

Result<const PackManifest*> Store::ChoosePack(std::string_view id) const {
  const std::string named = id.empty() ? EnvironmentOr("SOTTO_PACK", "") : std::string(id);
  if (!named.empty()) {
    const PackManifest* pack = FindPack(named);
    if (pack == nullptr) {
      return NotFoundError((id.empty() ? "$SOTTO_PACK: " : "pack: ") + named.substr(0, 64) +
                           ": unknown; see `sotto list`");
    }
    return pack;
  }
  std::vector<std::string> order(kPreferredPacks.begin(), kPreferredPacks.end());
  for (const PackManifest& pack : packs_) {
    if (std::ranges::find(order, pack.id) == order.end()) {
      order.push_back(pack.id);
    }
  }
  for (const std::string& preferred : order) {
    const PackManifest* pack = FindPack(preferred);
    if (pack != nullptr && PackInstalled(*pack)) {
      return pack;
    }
  }
  // A pack of which a model is missing is what somebody wants here: its error names the model.
  std::error_code error;
  for (const std::string& preferred : order) {
    const PackManifest* pack = FindPack(preferred);
    if (pack != nullptr && fs::exists(layout_.PackManifest(preferred), error)) {
      return pack;
    }
  }
  return UnavailableError(
      "pack: none is installed; sotto pull small-en (or mini-en, the smallest)");
}

Status Store::VerifyFile(const std::string& model_id, const FetchedFile& file, bool quick,
                         const CancelToken& cancel) const {
  const std::string path = layout_.ModelDir(model_id) + "/" + file.name;
  const std::string mend = "; sotto pull " + model_id + " mends it";
  const Result<uint64_t> size_bytes = FileSizeBytes(path);
  if (!size_bytes.ok()) {
    return Status(size_bytes.status().code(), "verify: " + size_bytes.status().message() + mend);
  }
  if (*size_bytes != file.size_bytes) {
    return DataLossError("verify: " + path + ": " + std::to_string(*size_bytes) +
                         " bytes: expected " + std::to_string(file.size_bytes) + mend);
  }
  if (quick) {
    return OkStatus();
  }
  SOTTO_ASSIGN_OR_RETURN(const std::string sha256, Sha256File(path, cancel));
  if (sha256 != file.sha256) {
    return DataLossError("verify: " + path + ": sha256 " + sha256 + ": expected " + file.sha256 +
                         mend);
  }
  return OkStatus();
}

// A store that cannot be written is left as it is: its damage cannot be mended there either.
void Store::MarkDamage(const std::string& model_id, bool damaged) const {
  const std::string mark = layout_.Damaged(model_id);
  std::error_code error;
  if (fs::exists(mark, error) == damaged) {
    return;
  }
  const Result<FileLock> lock = FileLock::Acquire(layout_.Lock("store"), CancelToken(), {});
  if (!lock.ok() || !fs::exists(layout_.Receipt(model_id), error)) {
    return;
  }
  if (damaged) {
    static_cast<void>(WriteWhole(mark, ""));
  } else {
    ::unlink(mark.c_str());
  }
}

Result<std::vector<VerifiedFile>> Store::Verify(const std::vector<std::string>& ids, bool quick,
                                                const CancelToken& cancel) const {
  std::vector<std::string> models;
  for (const std::string& id : ids) {
    if (const PackManifest* pack = FindPack(id)) {
      const std::vector<std::string> of_pack = pack->Models();
      models.insert(models.end(), of_pack.begin(), of_pack.end());
    } else if (const CatalogueModel* model = catalogue_.Find(id)) {
      models.push_back(model->id);
    } else {
      return UnknownId(id);
    }
  }
  std::vector<VerifiedFile> results;
  for (const CatalogueModel& model : catalogue_.models()) {
    if (!ids.empty() && std::ranges::find(models, model.id) == models.end()) {
      continue;
    }
    const Result<Receipt> receipt = Receipt::Read(layout_, model.id);
    if (!receipt.ok()) {
      const bool absent = receipt.status().code() == Code::kNotFound;
      if (!ids.empty() || !absent) {
        results.push_back(
            {.model = model.id,
             .status = absent ? UnavailableError("model: " + model.id +
                                                 ": not installed; sotto pull " + model.id)
                              : receipt.status()});
      }
      continue;
    }
    bool damaged = false;
    for (const FetchedFile& file : receipt->files) {
      Status status = VerifyFile(model.id, file, quick, cancel);
      if (status.code() == Code::kCancelled) {
        return status;
      }
      damaged = damaged || !status.ok();
      results.push_back({.model = model.id, .name = file.name, .status = std::move(status)});
    }
    if (!quick) {
      MarkDamage(model.id, damaged);
    }
  }
  return results;
}

}  // namespace sotto
