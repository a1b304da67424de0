// Store::Pull: what to fetch, whether it fits, fetching, and writing down that it is here.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "store/lock.h"
#include "store/sha256.h"
#include "store/store.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

// Left free on the disk beyond what a pull writes.
constexpr uint64_t kSpareBytes = 64u << 20;
// Members of packages in the catalogue are at most this much compressed; used where a part's size
// is not known.
constexpr uint64_t kTypicalPartBytes = 64u << 20;

// The most that a recipe needs on disk beside the file it makes: a package and its member at a
// time, and a converter's inputs.
uint64_t TemporaryBytes(const CatalogueFile& file, const Recipe& recipe) {
  uint64_t bytes = 0;
  for (const Ingredient& input : recipe.inputs) {
    bytes += input.size_bytes > 0 ? input.size_bytes : kTypicalPartBytes;
  }
  std::vector<Source> sources = recipe.parts;
  for (const Ingredient& input : recipe.inputs) {
    sources.insert(sources.end(), input.parts.begin(), input.parts.end());
  }
  if (std::ranges::any_of(sources, &Source::is_package)) {
    const uint64_t part_bytes =
        recipe.parts.empty() ? kTypicalPartBytes : file.size_bytes / recipe.parts.size();
    bytes += 2 * part_bytes;
  }
  return bytes;
}

}  // namespace

class Puller {
 public:
  Puller(const Store& store, const PullOptions& options, const CancelToken& cancel)
      : store_(store),
        options_(options),
        cancel_(cancel),
        fetcher_(
            store.fetch_, cancel,
            [this](PullPhase phase, const std::string& source, uint64_t done_bytes,
                   uint64_t total_bytes) { Progress(phase, source, done_bytes, total_bytes); },
            [this](const std::string& text) { Trouble(text); }) {}

  Result<PullReport> Run(const std::vector<std::string>& ids);

 private:
  struct Item {
    const CatalogueModel* model;
    const CatalogueFile* file;
    uint64_t size_bytes = 0;  // the catalogue's, or the hub's answer; 0: unknown
    bool done = false;
  };

  Status Choose(const std::vector<std::string>& ids);
  Status PlanFiles();
  Status CheckSpace();
  Status FetchAll();
  Status FetchItem(Item& item, bool wait);
  Status Link(const CatalogueModel& model, const FetchedFile& file);
  Status WriteDown(bool all);
  Status WriteModel(const CatalogueModel& model);
  void TellLicences();
  void TellPresent(const std::vector<std::string>& ids);
  void Trouble(const std::string& text);
  void WarnOfMemory(const PackManifest& pack);
  void Progress(PullPhase phase, const std::string& source, uint64_t done_bytes,
                uint64_t total_bytes);
  void Emit(const PullEvent& event) {
    if (options_.on_event) {
      options_.on_event(event);
    }
  }
  // True when the file at its readable name is the one the receipt tells of: by its size, and by
  // its hash where a verification found damage.
  bool Installed(const CatalogueModel& model, const CatalogueFile& file) const;

  const Store& store_;
  const PullOptions& options_;
  const CancelToken& cancel_;
  Fetcher fetcher_;
  PullReport report_;

  std::vector<const CatalogueModel*> models_;
  std::vector<const PackManifest*> packs_;
  std::set<std::string> by_name_;
  std::vector<Item> items_;
  std::map<std::string, Pins> pins_;
  std::map<std::string, std::vector<FetchedFile>> fetched_;  // model id -> its files

  const Item* current_ = nullptr;
  uint64_t finished_bytes_ = 0;
  uint64_t all_bytes_ = 0;
  int64_t last_event_us_ = 0;
  PullPhase last_phase_ = PullPhase::kDone;
  int64_t rate_start_us_ = 0;
  uint64_t rate_start_bytes_ = 0;
  double rate_bytes_per_s_ = 0;
};

Status Puller::Choose(const std::vector<std::string>& ids) {
  if (ids.empty()) {
    return InvalidArgumentError(
        "pull: nothing named; sotto pull small-en (see `sotto list --all`)");
  }
  std::vector<std::string> wanted;
  for (const std::string& id : ids) {
    if (const PackManifest* pack = store_.FindPack(id)) {
      packs_.push_back(pack);
      const std::vector<std::string> models = pack->Models();
      wanted.insert(wanted.end(), models.begin(), models.end());
    } else if (const CatalogueModel* model = store_.catalogue().Find(id)) {
      by_name_.insert(model->id);
      wanted.push_back(model->id);
    } else {
      return store_.UnknownId(id);
    }
  }
  for (const std::string& id : wanted) {
    const CatalogueModel* model = store_.catalogue().Find(id);
    if (std::ranges::find(models_, model) == models_.end()) {
      models_.push_back(model);
    }
  }
  return OkStatus();
}

bool Puller::Installed(const CatalogueModel& model, const CatalogueFile& file) const {
  const Result<Receipt> receipt = Receipt::Read(store_.layout_, model.id);
  if (!receipt.ok()) {
    return false;
  }
  const FetchedFile* mine = receipt->Find(file.name);
  if (mine == nullptr || (!file.pinned_at_pull() && mine->sha256 != file.sha256)) {
    return false;
  }
  const Result<uint64_t> size = FileSizeBytes(store_.layout_.ModelDir(model.id) + "/" + file.name);
  if (!size.ok() || *size != mine->size_bytes) {
    return false;
  }
  std::error_code error;
  if (!fs::exists(store_.layout_.Damaged(model.id), error)) {
    return true;
  }
  const Result<std::string> sha256 =
      Sha256File(store_.layout_.ModelDir(model.id) + "/" + file.name, cancel_);
  return sha256.ok() && *sha256 == mine->sha256;
}

Status Puller::PlanFiles() {
  for (const CatalogueModel* model : models_) {
    SOTTO_ASSIGN_OR_RETURN(pins_[model->id], ReadPins(store_.layout_, model->id));
    if (options_.repin) {
      pins_[model->id].clear();
    }
    for (const CatalogueFile& file : model->files) {
      if (Installed(*model, file) && !(options_.repin && file.pinned_at_pull())) {
        SOTTO_ASSIGN_OR_RETURN(const Receipt receipt, Receipt::Read(store_.layout_, model->id));
        FetchedFile mine = *receipt.Find(file.name);
        mine.source = receipt.Find(file.name)->source;
        fetched_[model->id].push_back(mine);
        FetchedFile shown = mine;
        shown.source.clear();
        report_.files.push_back({.model = model->id, .file = shown});
        continue;
      }
      if (const Result<Receipt> receipt = Receipt::Read(store_.layout_, model->id); receipt.ok()) {
        const FetchedFile* damaged = receipt->Find(file.name);
        if (damaged != nullptr && damaged->hub_fetched) {
          fetcher_.MayReplace(damaged->hub_blob);
        }
      }
      items_.push_back({.model = model, .file = &file, .size_bytes = file.size_bytes});
      fetcher_.Plan(file);
      if (items_.back().size_bytes == 0) {
        SOTTO_ASSIGN_OR_RETURN(items_.back().size_bytes,
                               fetcher_.AskSize(file, pins_[model->id][file.name]));
      }
      all_bytes_ += items_.back().size_bytes;
    }
  }
  return OkStatus();
}

Status Puller::CheckSpace() {
  uint64_t store_bytes = 0;
  uint64_t hub_bytes = 0;
  uint64_t temporary_bytes = 0;
  for (const Item& item : items_) {
    const CatalogueFile& file = *item.file;
    const Recipe& first = file.recipes.front();
    const bool hub = first.convert.empty() && first.parts.size() == 1 &&
                     first.parts.front().kind == Source::Kind::kHub;
    (hub ? hub_bytes : store_bytes) += item.size_bytes;
    temporary_bytes = std::max(temporary_bytes, TemporaryBytes(file, first));
  }
  if (store_bytes + temporary_bytes + hub_bytes == 0) {
    return OkStatus();
  }
  // What earlier attempts left counts as written.
  const uint64_t left_bytes = std::min(store_bytes, TreeBytes(store_.layout_.dir + "/tmp/parts"));
  store_bytes += temporary_bytes - left_bytes;
  const auto check = [&](const std::string& path, uint64_t need_bytes) -> Status {
    SOTTO_ASSIGN_OR_RETURN(const uint64_t free_bytes, store_.options_.free_bytes
                                                          ? store_.options_.free_bytes(path)
                                                          : FreeBytes(path));
    if (free_bytes >= need_bytes + kSpareBytes) {
      return OkStatus();
    }
    return ResourceExhaustedError(
        "pull: needs " + HumanBytes(need_bytes + kSpareBytes) + ": " + HumanBytes(free_bytes) +
        " free in " + path + "; remove a model (sotto rm ID) or set SOTTO_HOME to a larger disk");
  };
  if (hub_bytes > 0 && OnOneDisk(store_.layout_.dir, store_.fetch_.hub.cache_dir)) {
    return check(store_.layout_.dir, store_bytes + hub_bytes);
  }
  SOTTO_RETURN_IF_ERROR(check(store_.layout_.dir, store_bytes));
  return hub_bytes > 0 ? check(store_.fetch_.hub.cache_dir, hub_bytes) : OkStatus();
}

// One event a licence, in the order of the first model that has it.
void Puller::TellLicences() {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_licence;
  for (const CatalogueModel* model : models_) {
    const bool wanted =
        std::ranges::any_of(items_, [&](const Item& item) { return item.model == model; });
    if (!wanted) {
      continue;
    }
    std::string text = model->licence.id;
    if (!model->licence.url.empty()) {
      text += " (" + model->licence.url + ")";
    }
    if (!model->licence.notice.empty()) {
      text += ": " + model->licence.notice;
    }
    auto it = std::ranges::find(by_licence, text, [](const auto& entry) { return entry.first; });
    if (it == by_licence.end()) {
      it = by_licence.insert(by_licence.end(), {text, {}});
    }
    it->second.push_back(model->id);
  }
  for (const auto& [text, models] : by_licence) {
    PullEvent event{.type = PullEvent::Type::kLicence};
    event.model = models.size() == 1 ? models.front() : "";
    event.text = "licence of ";
    for (const std::string& id : models) {
      event.text += (id == models.front() ? "" : ", ") + id;
    }
    event.text += ": " + text;
    Emit(event);
  }
}

void Puller::TellPresent(const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    const PackManifest* pack = store_.FindPack(id);
    const std::vector<std::string> models =
        pack != nullptr ? pack->Models() : std::vector<std::string>{store_.catalogue_.Find(id)->id};
    const bool wanted = std::ranges::any_of(items_, [&](const Item& item) {
      return std::ranges::find(models, item.model->id) != models.end();
    });
    if (!wanted) {
      Emit({.type = PullEvent::Type::kNote, .text = id + ": is installed; nothing to fetch"});
    }
  }
}

void Puller::WarnOfMemory(const PackManifest& pack) {
  const Result<std::string> text = ReadFile("/proc/meminfo", 1 << 16);
  const size_t at = text.ok() ? text->find("MemTotal:") : std::string::npos;
  if (at == std::string::npos) {
    return;
  }
  const uint64_t total_kb = std::strtoull(text->c_str() + at + 9, nullptr, 10);
  if (total_kb > 0 && total_kb / 1000 < pack.ram_min_mb) {
    report_.warnings.push_back("pack: " + pack.id + ": needs " + std::to_string(pack.ram_min_mb) +
                               " MB of memory: this machine has " +
                               std::to_string(total_kb / 1000));
    Emit({.type = PullEvent::Type::kNote, .text = report_.warnings.back()});
  }
}

void Puller::Progress(PullPhase phase, const std::string& source, uint64_t done_bytes,
                      uint64_t total_bytes) {
  const int64_t now_us = SystemClock().NowUs();
  if (current_ == nullptr ||
      (phase == last_phase_ && now_us - last_event_us_ < options_.event_gap_ms * 1000)) {
    return;
  }
  const bool moving = phase == PullPhase::kDownload || phase == PullPhase::kPackage;
  if (phase != last_phase_ || done_bytes < rate_start_bytes_) {
    rate_start_us_ = now_us;
    rate_start_bytes_ = done_bytes;
    rate_bytes_per_s_ = 0;
  } else if (moving && now_us - rate_start_us_ > 500'000) {
    const double rate = static_cast<double>(done_bytes - rate_start_bytes_) * 1e6 /
                        static_cast<double>(now_us - rate_start_us_);
    // Smoothed over about two seconds, so that a bar's figure can be read.
    rate_bytes_per_s_ = rate_bytes_per_s_ == 0 ? rate : 0.7 * rate_bytes_per_s_ + 0.3 * rate;
    rate_start_us_ = now_us;
    rate_start_bytes_ = done_bytes;
  }
  last_phase_ = phase;
  last_event_us_ = now_us;
  Emit({.type = PullEvent::Type::kProgress,
        .model = current_->model->id,
        .file = current_->file->name,
        .phase = phase,
        .source = source,
        .done_bytes = done_bytes,
        .total_bytes = total_bytes,
        .rate_bytes_per_s = moving ? rate_bytes_per_s_ : 0,
        .all_done_bytes =
            std::min(all_bytes_, finished_bytes_ + std::min(done_bytes, current_->size_bytes)),
        .all_total_bytes = all_bytes_});
}

void Puller::Trouble(const std::string& text) {
  PullEvent event{.type = PullEvent::Type::kNote, .phase = PullPhase::kRetry, .text = text};
  if (current_ != nullptr) {
    event.model = current_->model->id;
    event.file = current_->file->name;
  }
  Emit(event);
}

// The readable name. Contents in the hub's cache are named by their absolute path.
Status Puller::Link(const CatalogueModel& model, const FetchedFile& file) {
  std::string target = file.hub_blob;
  if (target.empty()) {
    target = "../../blobs/" + Layout::BlobName(file.sha256);
    for (const char c : file.name) {
      target.insert(0, c == '/' ? "../" : "");
    }
  }
  const std::string link = store_.layout_.ModelDir(model.id) + "/" + file.name;
  RemoveTemporaries(link);
  if (std::error_code error; fs::is_directory(fs::symlink_status(link, error))) {
    ClearForFile(link);
  }
  SOTTO_RETURN_IF_ERROR(ReplaceLink(target, link));
  // A removal elsewhere may have taken the contents since they were fetched.
  return FileSizeBytes(link).ok()
             ? OkStatus()
             : UnavailableError("pull: " + link + ": removed meanwhile; sotto pull " + model.id);
}

Status Puller::FetchItem(Item& item, bool wait) {
  current_ = &item;
  const CatalogueModel& model = *item.model;
  Pins& pins = pins_[model.id];
  Result<std::optional<FetchedFile>> fetched =
      fetcher_.Fetch(model, *item.file, pins[item.file->name], wait);
  if (!fetched.ok()) {
    return fetched.status().WithContext("pull: " + model.id + "/" + item.file->name);
  }
  if (!fetched->has_value()) {
    return OkStatus();  // somebody else is at it: asked again at the end
  }
  const FetchedFile& file = **fetched;
  if (item.file->pinned_at_pull()) {
    pins[item.file->name] = {
        .sha256 = file.sha256, .commit = file.hub_commit, .size_bytes = file.size_bytes};
    SOTTO_ASSIGN_OR_RETURN(const FileLock lock,
                           FileLock::Acquire(store_.layout_.Lock("store"), cancel_, {}));
    RemoveTemporaries(store_.layout_.Pins(model.id));
    SOTTO_RETURN_IF_ERROR(WritePins(store_.layout_, model.id, pins));
  }
  item.done = true;
  finished_bytes_ += item.size_bytes;
  report_.fetched_bytes += file.source.empty() ? 0 : file.size_bytes;
  report_.files.push_back({.model = model.id, .file = file});
  fetched_[model.id].push_back(file);
  Emit({.type = PullEvent::Type::kFileDone,
        .model = model.id,
        .file = file.name,
        .phase = PullPhase::kDone,
        .source = file.source,
        .done_bytes = file.size_bytes,
        .total_bytes = file.size_bytes,
        .all_done_bytes = finished_bytes_,
        .all_total_bytes = all_bytes_});
  return OkStatus();
}

Status Puller::FetchAll() {
  for (const bool wait : {false, true}) {
    for (Item& item : items_) {
      if (!item.done) {
        SOTTO_RETURN_IF_ERROR(FetchItem(item, wait));
      }
    }
  }
  return OkStatus();
}

Status Puller::WriteModel(const CatalogueModel& model) {
  const Result<Receipt> before = Receipt::Read(store_.layout_, model.id);
  Receipt receipt{.id = model.id};
  receipt.by_name = by_name_.contains(model.id) || (before.ok() && before->by_name);
  for (const CatalogueFile& file : model.files) {
    const auto& mine = fetched_[model.id];
    const auto it = std::ranges::find(mine, file.name, &FetchedFile::name);
    if (it == mine.end()) {
      return InternalError("pull: " + model.id + "/" + file.name + ": not fetched");
    }
    SOTTO_RETURN_IF_ERROR(Link(model, *it));
    receipt.files.push_back(*it);
  }
  RemoveTemporaries(store_.layout_.Receipt(model.id));
  SOTTO_RETURN_IF_ERROR(receipt.Write(store_.layout_));
  ::unlink(store_.layout_.Damaged(model.id).c_str());
  return OkStatus();
}

// Also after a failure: models that are whole are installed, whatever became of the others.
Status Puller::WriteDown(bool all) {
  SOTTO_ASSIGN_OR_RETURN(const FileLock lock,
                         FileLock::Acquire(store_.layout_.Lock("store"), CancelToken(), {}));
  for (const CatalogueModel* model : models_) {
    if (!all && fetched_[model->id].size() < model->files.size()) {
      continue;
    }
    SOTTO_RETURN_IF_ERROR(WriteModel(*model));
    report_.models.push_back(model->id);
  }
  if (!all) {
    return OkStatus();
  }
  for (const PackManifest* pack : packs_) {
    RemoveTemporaries(store_.layout_.PackManifest(pack->id));
    SOTTO_RETURN_IF_ERROR(WriteWhole(store_.layout_.PackManifest(pack->id), pack->text));
    report_.packs.push_back(pack->id);
  }
  return OkStatus();
}

Result<PullReport> Puller::Run(const std::vector<std::string>& ids) {
  SOTTO_RETURN_IF_ERROR(Choose(ids));
  SOTTO_RETURN_IF_ERROR(store_.layout_.Create());
  SOTTO_RETURN_IF_ERROR(PlanFiles());
  for (const PackManifest* pack : packs_) {
    WarnOfMemory(*pack);
  }
  SOTTO_RETURN_IF_ERROR(CheckSpace());
  TellLicences();
  TellPresent(ids);
  const Status fetched = FetchAll();
  if (fetched.ok()) {
    fetcher_.CleanUp();
  }
  const Status written = WriteDown(fetched.ok());
  SOTTO_RETURN_IF_ERROR(fetched);
  SOTTO_RETURN_IF_ERROR(written);
  return std::move(report_);
}

Result<PullReport> Store::Pull(const std::vector<std::string>& ids, const PullOptions& options,
                               const CancelToken& cancel) const {
  Puller puller(*this, options, cancel);
  return puller.Run(ids);
}

}  // namespace sotto
