// The model store: what is in it, what can be had, and bringing it here.
//
//   SOTTO_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, Store::Open({}));
//   SOTTO_RETURN_IF_ERROR(store->Pull({"mini-en"}, {}, cancel).status());
//   SOTTO_ASSIGN_OR_RETURN(ResolvedPack pack, store->ResolvePack("mini-en"));
//
// A file is a model once its hash is right and it passed the validator, never before; what a
// stopped or killed pull leaves is resumed by the next one. Several processes may use one store.
#ifndef SOTTO_STORE_STORE_H_
#define SOTTO_STORE_STORE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/log.h"
#include "base/status.h"
#include "store/catalogue.h"
#include "store/fetch.h"
#include "store/pack.h"
#include "store/receipt.h"

namespace sotto {

struct StoreOptions {
  std::string dir = {};  // empty: DefaultStoreDir()
  std::string catalogue_path =
      {};  // a JSON catalogue merged over the built-in; empty: SOTTO_CATALOGUE
  std::vector<std::string> manifest_paths = {};  // packs beside the built-in ones
  bool offline = false;                          // also set by SOTTO_OFFLINE
  Packages::Clients clients = {};
  HttpLimits http = {};
  Converter convert = {};
  Validator validate = {};  // empty: CheckStoreFile()
  // Free bytes of the file system of a path; empty: the system's answer.
  std::function<Result<uint64_t>(const std::string& path)> free_bytes = {};
  LogSink log = {};
};

// One file of an installed model.
struct ResolvedFile {
  std::string name = {};  // in the catalogue
  std::string kind = {};  // model, config, voice, vocabulary, lexicon
  std::string path = {};  // readable name below the store; a link to the contents
  uint64_t size_bytes = 0;
};

struct ResolvedModel {
  std::string id = {};
  std::string name = {};  // what users see
  std::string role = {};
  std::string profile = {};
  std::string architecture = {};
  std::string dir = {};   // holds the files under their names
  std::string path = {};  // of the file that is loaded
  std::vector<ResolvedFile> files = {};
  uint64_t min_memory_bytes = 0;
  std::string default_voice = {};

  // Path of the file with this name; empty when there is none.
  std::string PathOf(std::string_view file_name) const;
};

struct ResolvedPack {
  PackManifest manifest = {};
  std::vector<ResolvedModel> models = {};

  // The model for a role, as PackManifest::ModelFor; null when the pack has none.
  const ResolvedModel* Find(std::string_view role, std::string_view profile) const;
};

// State of a model in this store.
enum class ModelState { kAbsent, kInstalled, kOutdated };

struct ModelInfo {
  const CatalogueModel* model = nullptr;
  ModelState state = ModelState::kAbsent;
  uint64_t installed_bytes = 0;
  std::vector<FetchedFile> files = {};      // of the receipt, when installed
  std::vector<std::string> needed_by = {};  // installed packs
};

struct PackInfo {
  const PackManifest* manifest = nullptr;
  bool installed = false;
  uint64_t size_bytes = 0;
  uint64_t missing_bytes = 0;
};

struct VerifiedFile {
  std::string model = {};
  std::string name = {};
  Status status = {};  // DATA_LOSS: changed or cut; NOT_FOUND: gone
};

struct RemoveReport {
  uint64_t freed_bytes = 0;
  std::vector<std::string> removed = {};           // model and pack ids
  std::vector<std::string> kept = {};              // "ID: reason"
  std::vector<std::string> incomplete_packs = {};  // installed packs that lack a model now
};

struct PullEvent {
  enum class Type { kLicence, kProgress, kFileDone, kNote };
  Type type = Type::kProgress;
  std::string model = {};  // id
  std::string file = {};
  PullPhase phase = PullPhase::kDownload;
  std::string source = {};
  uint64_t done_bytes = 0;
  uint64_t total_bytes = 0;  // 0: unknown
  double rate_bytes_per_s = 0;
  uint64_t all_done_bytes = 0;  // over the whole pull
  uint64_t all_total_bytes = 0;
  std::string text = {};  // the licence with its models and notice, or the note
};

struct PullOptions {
  // Called on the pulling thread: licences first, one event for all models that share one; then
  // for progress, for attempts that failed (kNote with the phase kRetry), and once per finished
  // file. May be empty.
  std::function<void(const PullEvent&)> on_event = {};
  // Progress within one phase of a file is told at most this often; 0: every step.
  int64_t event_gap_ms = 100;
  // Forgets the hashes pinned for hub models and takes what the hub has today.
  bool repin = false;
};

struct PullReport {
  struct File {
    std::string model = {};
    FetchedFile file = {};
  };
  std::vector<std::string> models;
  std::vector<std::string> packs;
  std::vector<File> files;  // each file of each model; an empty source: it was here
  std::vector<std::string> warnings;
  uint64_t fetched_bytes = 0;
};

// Thread-safe: nothing in it changes after Open(); the disk's state is guarded by locks there.
class Store {
 public:
  // Reads the catalogues and packs; creates no folder. DATA_LOSS when one of them is malformed.
  static Result<std::unique_ptr<Store>> Open(StoreOptions options);

  const std::string& dir() const { return layout_.dir; }
  const Catalogue& catalogue() const { return catalogue_; }
  const std::vector<PackManifest>& packs() const { return packs_; }
  const PackManifest* FindPack(std::string_view id) const;

  std::vector<ModelInfo> List() const;
  std::vector<PackInfo> ListPacks() const;
  // By id or alias. NOT_FOUND lists near names.
  Result<ModelInfo> Show(std::string_view id) const;

  // Paths of an installed model. NOT_FOUND: no such model; UNAVAILABLE: not installed ("sotto pull
  // ID"); DATA_LOSS: a file is gone or has another size. Does not hash.
  Result<ResolvedModel> Resolve(std::string_view id) const;
  // Every model of an installed pack.
  Result<ResolvedPack> ResolvePack(std::string_view id) const;
  // The pack with this id; an empty id is the pack of ResolveDefaultPack(). Its models may be
  // missing. NOT_FOUND, UNAVAILABLE.
  Result<const PackManifest*> ChoosePack(std::string_view id) const;
  // The one model of `pack` for a role, as PackManifest::ModelFor(), whatever else of the pack is
  // missing. UNAVAILABLE: the pack has none, or it is not installed; the message says what to pull.
  Result<ResolvedModel> ResolveFor(const PackManifest& pack, std::string_view role,
                                   std::string_view profile) const;
  // The pack to use when none is named: SOTTO_PACK, else the first installed of small-en,
  // mini-en and the others. UNAVAILABLE when none is.
  Result<ResolvedPack> ResolveDefaultPack() const;

  // Checks installed files against their receipts: sizes when `quick`, else hashes (about 2 s a
  // gigabyte). Empty `ids`: everything installed. Fails only for unknown ids and cancel; what is
  // wrong with files stands in the result. A model with a wrong hash is marked, and the next pull
  // of it hashes its files and brings the damaged ones anew.
  Result<std::vector<VerifiedFile>> Verify(const std::vector<std::string>& ids, bool quick,
                                           const CancelToken& cancel) const;

  // Removes a model, or a pack with the models that no other installed pack needs and that were
  // not pulled by name. FAILED_PRECONDITION when an installed pack needs the model, unless
  // `force`. What interrupted pulls left of it goes too. Files of the hub's cache go only if this
  // store brought them there.
  Result<RemoveReport> Remove(std::string_view id, bool force) const;

  // Brings models and packs here. Installed ones cost a look; a file with a wrong size, and one
  // with a wrong hash of a model that Verify() found damaged, is brought anew. RESOURCE_EXHAUSTED
  // before the first byte when the disk cannot hold it. One pull per process and file at a time
  // does the work, the others wait for it.
  Result<PullReport> Pull(const std::vector<std::string>& ids, const PullOptions& options,
                          const CancelToken& cancel) const;

  // The same as JSON documents (store_json.cc).
  std::string ListJson() const;
  Result<std::string> ShowJson(std::string_view id) const;
  Result<std::string> VerifyJson(const std::vector<std::string>& ids, bool quick,
                                 const CancelToken& cancel) const;
  Result<std::string> RemoveJson(std::string_view id, bool force) const;
  Result<std::string> PullJson(const std::vector<std::string>& ids, const PullOptions& options,
                               const CancelToken& cancel) const;

 private:
  friend class Puller;

  explicit Store(StoreOptions options) : options_(std::move(options)) {}
  Status Load();
  Status AddPack(std::string_view json, std::string_view what);
  ModelInfo Info(const CatalogueModel& model) const;
  bool PackInstalled(const PackManifest& pack) const;
  std::vector<std::string> NeededBy(std::string_view model_id) const;
  Status RemoveModel(const std::string& model_id, RemoveReport& report) const;
  Status RemoveContents(const std::string& sha256, RemoveReport& report) const;
  Status RemoveHubFile(const std::string& model_id, const FetchedFile& file,
                       RemoveReport& report) const;
  Status RemovePack(const PackManifest& pack, RemoveReport& report) const;
  Result<RemoveReport> RemoveLocked(std::string_view id, bool force) const;
  Status UnknownId(std::string_view id) const;
  Result<ResolvedModel> ResolveOf(const PackManifest& pack, const std::string& model_id) const;
  Status VerifyFile(const std::string& model_id, const FetchedFile& file, bool quick,
                    const CancelToken& cancel) const;
  void MarkDamage(const std::string& model_id, bool damaged) const;

  StoreOptions options_;
  Layout layout_;
  Catalogue catalogue_;
  std::vector<PackManifest> packs_;
  FetchSettings fetch_;
};

// One line of JSON for an event of a pull.
std::string PullEventJson(const PullEvent& event);

}  // namespace sotto

#endif  // SOTTO_STORE_STORE_H_
