#include "store/fetch.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/file.h"
#include "store/json.h"
#include "store/lock.h"
#include "store/sha256.h"

namespace sotto {

namespace fs = std::filesystem;

bool EndsSearch(Code code) { return code == Code::kCancelled || code == Code::kResourceExhausted; }

std::string_view PullPhaseName(PullPhase phase) {
  switch (phase) {
    case PullPhase::kWait:
      return "wait";
    case PullPhase::kDownload:
      return "download";
    case PullPhase::kPackage:
      return "package";
    case PullPhase::kUnpack:
      return "unpack";
    case PullPhase::kConvert:
      return "convert";
    case PullPhase::kVerify:
      return "verify";
    case PullPhase::kRetry:
      return "retry";
    case PullPhase::kDone:
      return "done";
  }
  return "unknown";
}

namespace {

std::vector<Source> AllSources(const Recipe& recipe) {
  std::vector<Source> all = recipe.parts;
  for (const Ingredient& input : recipe.inputs) {
    all.insert(all.end(), input.parts.begin(), input.parts.end());
  }
  return all;
}

// "1.5 s"
std::string SecondsText(int64_t ms) {
  return std::to_string(ms / 1000) + "." + std::to_string(ms % 1000 / 100) + " s";
}

// Bytes that a file of `size_bytes` may still take: no limit where its size is learned at the pull.
uint64_t BytesLeft(uint64_t size_bytes, const PartFile& part) {
  return size_bytes == 0 ? UINT64_MAX : size_bytes - std::min(size_bytes, part.size_bytes());
}

}  // namespace

// How far a .part is, beside it on disk.
struct Fetcher::PartState {
  std::string recipe = {};    // label of the sources it is made from
  uint64_t done = 0;          // sources appended whole
  uint64_t offset_bytes = 0;  // their bytes together
  std::string etag = {};      // of the one source being downloaded

  static PartState Load(const std::string& path) {
    PartState state;
    const Result<std::string> text = ReadFile(path, 1 << 16);
    if (!text.ok()) {
      return state;
    }
    const Result<JsonView> root = JsonView::Parse(*text, path);
    if (!root.ok()) {
      return state;  // a .part without a state begins again
    }
    const Result<std::string> recipe = root->StringOr("recipe", "");
    const Result<uint64_t> done = root->UintOr("done", 0);
    const Result<uint64_t> offset = root->UintOr("offset_bytes", 0);
    const Result<std::string> etag = root->StringOr("etag", "");
    if (recipe.ok() && done.ok() && offset.ok() && etag.ok()) {
      state = {.recipe = *recipe, .done = *done, .offset_bytes = *offset, .etag = *etag};
    }
    return state;
  }

  Status Save(const std::string& path) const {
    JsonOut out = JsonOut::Object();
    out.Set("recipe", recipe).Set("done", done).Set("offset_bytes", offset_bytes);
    out.Set("etag", etag);
    return WriteWhole(path, out.Dump());
  }
};

Fetcher::Fetcher(const FetchSettings& settings, CancelToken cancel, OnEvent on_event,
                 OnTrouble on_trouble)
    : settings_(settings),
      cancel_(std::move(cancel)),
      on_event_(std::move(on_event)),
      on_trouble_(std::move(on_trouble)),
      on_retry_([this](const Status& why, int failed, int attempts, int64_t wait_ms) {
        on_trouble_(why.message() + ": attempt " + std::to_string(failed) + " of " +
                    std::to_string(attempts) + "; again in " + SecondsText(wait_ms));
      }),
      packages_(settings.layout, settings.clients, settings.http, on_retry_) {}

void Fetcher::Plan(const CatalogueFile& file) {
  // The first recipe is the one that usually runs; the others want for themselves when they do.
  for (const Source& source : AllSources(file.recipes.front())) {
    if (source.is_package()) {
      packages_.Want(source);
    }
  }
}

Result<std::optional<FetchedFile>> Fetcher::Fetch(const CatalogueModel& model,
                                                  const CatalogueFile& file, const HubPin& pin,
                                                  bool wait) {
  Job job{.model = model, .file = file, .pin = pin};
  job.sha256 = file.pinned_at_pull() ? pin.sha256 : file.sha256;
  job.key = job.sha256.empty() ? "hub-" + Sha256Of(file.recipes.front().Label()).substr(0, 32)
                               : Layout::BlobName(job.sha256);
  const std::string lock_path = settings_.layout.Lock(job.key);
  const std::string part_path = settings_.layout.Part(job.key);
  const auto on_wait = [&] {
    std::error_code error;
    const uint64_t size = fs::file_size(part_path, error);
    on_event_(PullPhase::kWait, "", error ? 0 : size, file.size_bytes);
  };
  SOTTO_ASSIGN_OR_RETURN(const FileLock lock, wait ? FileLock::Acquire(lock_path, cancel_, on_wait)
                                                   : FileLock::Try(lock_path));
  if (!lock.held()) {
    return std::optional<FetchedFile>();
  }
  Result<FetchedFile> fetched = FetchLocked(job);
  if (!fetched.ok()) {
    return fetched.status();
  }
  return std::optional<FetchedFile>(*std::move(fetched));
}

Result<FetchedFile> Fetcher::Present(const Job& job) {
  const std::string blob = settings_.layout.Blob(job.sha256);
  SOTTO_ASSIGN_OR_RETURN(const uint64_t size_bytes, FileSizeBytes(blob));
  on_event_(PullPhase::kVerify, "", 0, size_bytes);
  SOTTO_ASSIGN_OR_RETURN(const std::string sha256, Sha256File(blob, cancel_));
  if (sha256 != job.sha256) {
    ::unlink(blob.c_str());  // rotten: fetched again
    return DataLossError("store: " + blob + ": hash differs");
  }
  return FetchedFile{.name = job.file.name, .sha256 = sha256, .size_bytes = size_bytes};
}

Result<FetchedFile> Fetcher::FetchLocked(const Job& job) {
  const std::string part_path = settings_.layout.Part(job.key);
  RemoveTemporaries(part_path);  // of a killed conversion
  RemoveTemporaries(part_path + ".json");
  RemoveTree(settings_.layout.CheckDir(job.key));
  Result<FetchedFile> fetched = Search(job);
  if (fetched.ok()) {  // what other recipes and killed runs left of it is of no more use
    ::unlink(part_path.c_str());
    ::unlink((part_path + ".json").c_str());
    RemoveTree(settings_.layout.InputDir(job.key));
  }
  return fetched;
}

Result<FetchedFile> Fetcher::Search(const Job& job) {
  if (!job.sha256.empty()) {
    Result<FetchedFile> present = Present(job);
    if (present.ok() || present.status().code() == Code::kCancelled) {
      return present;
    }
  }
  std::vector<Status> failures;
  for (const Recipe& recipe : job.file.recipes) {
    Result<FetchedFile> fetched = Run(job, recipe);
    if (fetched.ok() || EndsSearch(fetched.status().code())) {
      return fetched;
    }
    failures.push_back(fetched.status());
    if (failures.size() < job.file.recipes.size()) {
      on_trouble_(fetched.status().message() + ": trying " +
                  job.file.recipes[failures.size()].Label());
    }
  }
  if (failures.size() == 1) {
    return failures.front();
  }
  std::string all;
  for (const Status& failure : failures) {
    all += (all.empty() ? "" : " | ") + failure.message();
  }
  return Status(failures.front().code(),
                std::to_string(failures.size()) + " sources failed: " + all);
}

Result<FetchedFile> Fetcher::Run(const Job& job, const Recipe& recipe) {
  SOTTO_RETURN_IF_ERROR(cancel_.Check());
  if (recipe.convert.empty() && recipe.parts.size() == 1 &&
      recipe.parts.front().kind == Source::Kind::kHub) {
    return RunHub(job, recipe.parts.front());
  }
  const std::vector<Source> sources = AllSources(recipe);
  if (settings_.offline && std::ranges::any_of(sources, &Source::is_remote)) {
    return UnavailableError(recipe.Label() + ": offline; pull again with a network");
  }
  return recipe.convert.empty() ? RunParts(job, recipe) : RunConversion(job, recipe);
}

Result<FetchedFile> Fetcher::RunParts(const Job& job, const Recipe& recipe) {
  const Target target{.part_path = settings_.layout.Part(job.key),
                      .sha256 = job.sha256,
                      .size_bytes = job.file.size_bytes,
                      .label = recipe.Label()};
  SOTTO_RETURN_IF_ERROR(Assemble(target, recipe.parts));
  return Keep(job, target, recipe.Label());
}

Status Fetcher::Validate(const Job& job, const std::string& path) {
  if (!settings_.validate) {
    return OkStatus();
  }
  // Validators may judge a file by its name too, and a .part by that name is none.
  const std::string dir = settings_.layout.CheckDir(job.key);
  const std::string link = dir + "/" + fs::path(job.file.name).filename().string();
  SOTTO_RETURN_IF_ERROR(ReplaceLink(path, link));
  const Status status = settings_.validate({.path = link,
                                            .name = job.file.name,
                                            .role = job.model.role,
                                            .architecture = job.model.architecture,
                                            .kind = job.file.kind,
                                            .format = job.file.format});
  RemoveTree(dir);
  return status;
}

// The .part is whole and its hash right: the last look, then its name.
Result<FetchedFile> Fetcher::Keep(const Job& job, const Target& target, const std::string& source) {
  if (const Status status = Validate(job, target.part_path); !status.ok()) {
    ::unlink(target.part_path.c_str());
    ::unlink((target.part_path + ".json").c_str());
    return status.WithContext(source);
  }
  SOTTO_ASSIGN_OR_RETURN(const uint64_t size_bytes, FileSizeBytes(target.part_path));
  ::chmod(target.part_path.c_str(), 0444);
  ClearForFile(settings_.layout.Blob(job.sha256));
  SOTTO_RETURN_IF_ERROR(RenameDurably(target.part_path, settings_.layout.Blob(job.sha256)));
  ::unlink((target.part_path + ".json").c_str());
  return FetchedFile{
      .name = job.file.name, .sha256 = job.sha256, .size_bytes = size_bytes, .source = source};
}

Status Fetcher::Assemble(const Target& target, const std::vector<Source>& parts) {
  // What an earlier run left may be wrong where this run's bytes are right: once more from the
  // beginning before the source is blamed.
  for (int round = 0;; ++round) {
    bool resumed = false;
    const Status status = AssembleOnce(target, parts, resumed);
    if (status.code() != Code::kDataLoss) {
      return status;
    }
    ::unlink(target.part_path.c_str());
    ::unlink((target.part_path + ".json").c_str());
    if (!resumed || round > 0) {
      return status;
    }
  }
}

Status Fetcher::AssembleOnce(const Target& target, const std::vector<Source>& parts,
                             bool& resumed) {
  const bool only = parts.size() == 1;
  std::string recipe = only ? "one source" : "";
  for (const Source& source : parts) {
    recipe += only ? "" : source.text + "\n";
  }
  const std::string state_path = target.part_path + ".json";
  PartState state = PartState::Load(state_path);
  if (state.recipe != recipe) {
    state = {.recipe = recipe};
    // Bytes of unknown origin are no beginning of anything.
    ::unlink(target.part_path.c_str());
  }
  const Result<uint64_t> left_bytes = FileSizeBytes(target.part_path);
  const bool whole_left =
      left_bytes.ok() && target.size_bytes > 0 && *left_bytes == target.size_bytes;
  const bool take = only && parts.front().is_package() && !whole_left;
  if (take) {
    SOTTO_RETURN_IF_ERROR(TakeMember(target, parts.front()));
  }
  const uint64_t keep_bytes = only ? UINT64_MAX : state.offset_bytes;
  SOTTO_ASSIGN_OR_RETURN(PartFile part, PartFile::Open(target.part_path, keep_bytes, cancel_));
  if (!only && part.size_bytes() < state.offset_bytes) {
    state = {.recipe = recipe};
    SOTTO_RETURN_IF_ERROR(part.Restart());
  }
  resumed = part.size_bytes() > 0 && !take;
  SOTTO_RETURN_IF_ERROR(state.Save(state_path));
  for (uint64_t i = state.done; i < parts.size(); ++i) {
    SOTTO_RETURN_IF_ERROR(AppendSource(target, parts[i], only, state, part));
    if (!only) {
      SOTTO_RETURN_IF_ERROR(part.Sync());
      state.done = i + 1;
      state.offset_bytes = part.size_bytes();
      SOTTO_RETURN_IF_ERROR(state.Save(state_path));
    }
  }
  return CheckPart(target, part);
}

Status Fetcher::CheckPart(const Target& target, PartFile& part) {
  if (target.size_bytes > 0 && part.size_bytes() != target.size_bytes) {
    return DataLossError(target.label + ": " + std::to_string(part.size_bytes()) +
                         " bytes: expected " + std::to_string(target.size_bytes));
  }
  const std::string sha256 = part.FinishSha256();
  if (!target.sha256.empty() && sha256 != target.sha256) {
    return DataLossError(target.label + ": sha256 " + sha256 + ": expected " + target.sha256);
  }
  return part.Sync();
}

Result<PackageMember> Fetcher::Member(const Target& target, const Source& source,
                                      uint64_t before_bytes) {
  return packages_.Take(source, cancel_, [&](Packages::Step step, uint64_t done_bytes) {
    const PullPhase phase = step == Packages::Step::kWait       ? PullPhase::kWait
                            : step == Packages::Step::kDownload ? PullPhase::kPackage
                                                                : PullPhase::kUnpack;
    // A package is compressed and holds other files too: its bytes are shown, up to the file's
    // end.
    const uint64_t so_far = before_bytes + done_bytes;
    on_event_(phase, source.text,
              target.size_bytes > 0 ? std::min(so_far, target.size_bytes) : so_far,
              target.size_bytes);
  });
}

Status Fetcher::TakeMember(const Target& target, const Source& source) {
  SOTTO_ASSIGN_OR_RETURN(const PackageMember member, Member(target, source, 0));
  return RenameDurably(member.path(), target.part_path);
}

Status Fetcher::AppendSource(const Target& target, const Source& source, bool only,
                             PartState& state, PartFile& part) {
  if (only && source.kind == Source::Kind::kFile) {
    SOTTO_RETURN_IF_ERROR(part.Restart());
  }
  const uint64_t left_bytes = BytesLeft(target.size_bytes, part);
  switch (source.kind) {
    case Source::Kind::kHub:
    case Source::Kind::kUrl:
      return AppendRemote(target, source, only, state, part);
    case Source::Kind::kFile:
      return part.AppendFile(source.path, left_bytes, cancel_);
    case Source::Kind::kPypi:
    case Source::Kind::kNpm:
      break;
  }
  if (only) {
    return OkStatus();  // it became the .part itself
  }
  SOTTO_ASSIGN_OR_RETURN(const PackageMember member, Member(target, source, part.size_bytes()));
  return part.AppendFile(member.path(), left_bytes, cancel_);
}

Status Fetcher::AppendRemote(const Target& target, const Source& source, bool only,
                             PartState& state, PartFile& part) {
  Download download{.what = source.text, .on_retry = on_retry_};
  download.request = source.kind == Source::Kind::kHub ? HubRequest(settings_.hub, source, "")
                                                       : HttpRequest{.url = source.path};
  const uint64_t base_bytes = only ? 0 : part.size_bytes();
  download.on_progress = [&](uint64_t done_bytes, uint64_t total_bytes) {
    on_event_(PullPhase::kDownload, source.text, base_bytes + done_bytes,
              target.size_bytes > 0 ? target.size_bytes : base_bytes + total_bytes);
  };
  if (only) {
    download.size_bytes = target.size_bytes;
    download.etag = state.etag;
    const Status status = DownloadToPart(download, part, settings_.http, cancel_);
    state.etag = download.etag;
    const Status saved = state.Save(target.part_path + ".json");
    return status.ok() ? saved : status;
  }
  const uint64_t left_bytes = BytesLeft(target.size_bytes, part);
  download.max_bytes = left_bytes;
  const std::string piece_path = target.part_path + ".piece";
  ::unlink(piece_path.c_str());
  SOTTO_ASSIGN_OR_RETURN(PartFile piece, PartFile::Open(piece_path, 0, cancel_));
  Status status = DownloadToPart(download, piece, settings_.http, cancel_);
  if (status.ok()) {
    status = part.AppendFile(piece_path, left_bytes, cancel_);
  }
  ::unlink(piece_path.c_str());
  return status;
}

Status Fetcher::MakeInputs(const Job& job, const Recipe& recipe, const std::string& dir,
                           ConversionJob& conversion) {
  SOTTO_RETURN_IF_ERROR(MakeDirs(dir));
  for (const Ingredient& input : recipe.inputs) {
    const std::string path = dir + "/" + input.name;
    conversion.inputs.push_back(path);
    std::error_code error;
    if (fs::is_regular_file(path, error)) {
      continue;  // made whole by a run that did not get further
    }
    SOTTO_RETURN_IF_ERROR(MakeDirs(fs::path(path).parent_path().string()));
    const Target target{.part_path = path + ".part",
                        .sha256 = input.sha256,
                        .size_bytes = input.size_bytes,
                        .label = input.parts.front().text};
    SOTTO_RETURN_IF_ERROR(Assemble(target, input.parts).WithContext(job.file.name));
    SOTTO_RETURN_IF_ERROR(RenameDurably(target.part_path, path));
    ::unlink((target.part_path + ".json").c_str());
  }
  return OkStatus();
}

Result<FetchedFile> Fetcher::RunConversion(const Job& job, const Recipe& recipe) {
  if (!settings_.convert) {
    return UnimplementedError(recipe.convert + ": this build has no converters");
  }
  const Target target{.part_path = settings_.layout.Part(job.key),
                      .sha256 = job.sha256,
                      .size_bytes = job.file.size_bytes,
                      .label = recipe.Label()};
  // Inputs of different recipes do not mix.
  const std::string dir =
      settings_.layout.InputDir(job.key) + "/" + Sha256Of(recipe.Label()).substr(0, 16);
  ConversionJob conversion{.kind = recipe.convert, .type = recipe.type};
  conversion.output = target.part_path;
  conversion.on_progress = [&](double fraction) {
    const double clamped = std::clamp(fraction, 0.0, 1.0);
    on_event_(PullPhase::kConvert, recipe.convert,
              static_cast<uint64_t>(clamped * static_cast<double>(target.size_bytes)),
              target.size_bytes);
    return !cancel_.cancelled();
  };
  SOTTO_RETURN_IF_ERROR(MakeInputs(job, recipe, dir, conversion));
  ::unlink(target.part_path.c_str());
  Status status = settings_.convert(conversion).WithContext(recipe.convert);
  if (status.ok()) {
    SOTTO_ASSIGN_OR_RETURN(PartFile part, PartFile::Open(target.part_path, UINT64_MAX, cancel_));
    status = CheckPart(target, part);
  }
  if (!EndsSearch(status.code())) {
    RemoveTree(settings_.layout.InputDir(job.key));
  }
  if (!status.ok()) {
    ::unlink(target.part_path.c_str());
    return status;
  }
  return Keep(job, target, recipe.Label());
}

}  // namespace sotto
