#include "store/pack.h"

#include <algorithm>
#include <array>
#include <set>

#include "store/catalogue.h"
#include "store/json.h"
#include "store/sha256.h"

namespace sotto {
namespace {

constexpr std::array<std::string_view, 8> kRoles = {"text", "asr",       "vad",     "turn",
                                                    "tts",  "embedding", "speaker", "lexicon"};
constexpr std::array<std::string_view, 3> kProfiles = {"", "fast", "best"};
constexpr std::array<std::string_view, 3> kStatuses = {"pass", "fail", "skipped"};
constexpr size_t kMaxItems = 1024;
constexpr size_t kMaxPrimerBytes = 8192;
// A terabyte; also keeps megabytes times a million inside 64 bits.
constexpr uint64_t kMaxRamMb = 1u << 20;

template <size_t kCount>
bool OneOf(std::string_view value, const std::array<std::string_view, kCount>& allowed) {
  return std::ranges::find(allowed, value) != allowed.end();
}

Status CheckCount(const JsonView& at, std::string_view key, size_t count, size_t min) {
  if (count < min || count > kMaxItems) {
    return at.Error(std::string(key) + ": " + std::to_string(count) + " items: expected " +
                    std::to_string(min) + " to " + std::to_string(kMaxItems));
  }
  return OkStatus();
}

Status ReadRole(const JsonView& at, std::string& role, std::string& profile) {
  SOTTO_ASSIGN_OR_RETURN(role, at.String("role"));
  SOTTO_ASSIGN_OR_RETURN(const std::string word, at.StringOr("profile", ""));
  profile = ProfileWord(word);
  if (!OneOf(role, kRoles) || !OneOf(profile, kProfiles)) {
    return at.Error("unknown role or profile");
  }
  return OkStatus();
}

Status ReadFiles(const JsonView& root, PackManifest& pack) {
  SOTTO_ASSIGN_OR_RETURN(const std::vector<JsonView> items, root.Array("files"));
  SOTTO_RETURN_IF_ERROR(CheckCount(root, "files", items.size(), 1));
  std::set<std::string> paths;
  for (const JsonView& at : items) {
    PackFile file;
    SOTTO_RETURN_IF_ERROR(ReadRole(at, file.role, file.profile));
    SOTTO_ASSIGN_OR_RETURN(file.model, at.String("model"));
    SOTTO_ASSIGN_OR_RETURN(file.path, at.String("path"));
    SOTTO_ASSIGN_OR_RETURN(file.sha256, at.String("sha256"));
    SOTTO_ASSIGN_OR_RETURN(file.size_bytes, at.Uint("size_bytes"));
    if (!IsModelId(file.model) || !IsPlainPath(file.path)) {
      return at.Error("model or path is not a plain name");
    }
    if (!IsSha256(file.sha256)) {
      return at.Error("sha256 is not 64 lower-case hexadecimal digits");
    }
    if (!paths.insert(file.role + "/" + file.profile + "/" + file.model + "/" + file.path).second) {
      return at.Error("the same file twice");
    }
    pack.files.push_back(std::move(file));
  }
  return OkStatus();
}

Status ReadLineage(const JsonView& root, PackManifest& pack) {
  SOTTO_ASSIGN_OR_RETURN(const std::vector<JsonView> items, root.Array("lineage"));
  SOTTO_RETURN_IF_ERROR(CheckCount(root, "lineage", items.size(), 1));
  for (const JsonView& at : items) {
    PackLineage lineage;
    SOTTO_RETURN_IF_ERROR(ReadRole(at, lineage.role, lineage.profile));
    SOTTO_ASSIGN_OR_RETURN(lineage.base, at.String("base"));
    SOTTO_ASSIGN_OR_RETURN(lineage.licence, at.String("licence"));
    if (lineage.base.empty() || lineage.licence.empty()) {
      return at.Error("base or licence is empty");
    }
    pack.lineage.push_back(std::move(lineage));
  }
  for (const PackFile& file : pack.files) {
    const bool told = std::ranges::any_of(pack.lineage, [&](const PackLineage& l) {
      return l.role == file.role && l.profile == file.profile;
    });
    if (!told) {
      return root.Error("lineage: nothing for role " + file.role +
                        (file.profile.empty() ? "" : " (" + file.profile + ")"));
    }
  }
  return OkStatus();
}

Status ReadKernels(const JsonView& root, PackManifest& pack) {
  SOTTO_ASSIGN_OR_RETURN(const JsonView kernels, root.Object("kernels"));
  SOTTO_ASSIGN_OR_RETURN(pack.kernels_required, kernels.StringsOr("required"));
  SOTTO_ASSIGN_OR_RETURN(pack.kernels_optional, kernels.StringsOr("optional"));
  if (!std::ranges::all_of(pack.kernels_required, IsModelId) ||
      !std::ranges::all_of(pack.kernels_optional, IsModelId)) {
    return kernels.Error("a kernel's name is not a plain name");
  }
  SOTTO_ASSIGN_OR_RETURN(const std::vector<JsonView> backends,
                         kernels.ArrayOr("verified_backends"));
  SOTTO_RETURN_IF_ERROR(CheckCount(kernels, "verified_backends", backends.size(), 0));
  for (const JsonView& at : backends) {
    PackBackend backend;
    SOTTO_ASSIGN_OR_RETURN(backend.name, at.String("name"));
    SOTTO_ASSIGN_OR_RETURN(backend.status, at.String("status"));
    SOTTO_ASSIGN_OR_RETURN(backend.report, at.StringOr("report", ""));
    if (!OneOf(backend.status, kStatuses)) {
      return at.Error("status is none of: pass, fail, skipped");
    }
    pack.verified_backends.push_back(std::move(backend));
  }
  return OkStatus();
}

Status ReadBudget(const JsonView& root, PackManifest& pack) {
  SOTTO_ASSIGN_OR_RETURN(const JsonView budget, root.Object("ram_budget_mb"));
  SOTTO_ASSIGN_OR_RETURN(pack.ram_min_mb, budget.Uint("min"));
  SOTTO_ASSIGN_OR_RETURN(pack.ram_recommended_mb, budget.Uint("recommended"));
  if (pack.ram_min_mb == 0 || pack.ram_min_mb > pack.ram_recommended_mb ||
      pack.ram_recommended_mb > kMaxRamMb) {
    return budget.Error("expected 1 <= min <= recommended <= " + std::to_string(kMaxRamMb));
  }
  return OkStatus();
}

Status ReadEvals(const JsonView& root, PackManifest& pack) {
  SOTTO_ASSIGN_OR_RETURN(const std::vector<JsonView> items, root.ArrayOr("evals"));
  SOTTO_RETURN_IF_ERROR(CheckCount(root, "evals", items.size(), 0));
  for (const JsonView& at : items) {
    PackEval eval;
    SOTTO_ASSIGN_OR_RETURN(eval.name, at.String("name"));
    SOTTO_ASSIGN_OR_RETURN(eval.unit, at.StringOr("unit", ""));
    SOTTO_ASSIGN_OR_RETURN(eval.evidence, at.StringOr("evidence", ""));
    SOTTO_ASSIGN_OR_RETURN(const double value, at.NumberOr("value", 0));
    SOTTO_ASSIGN_OR_RETURN(const bool passed, at.BoolOr("passed", false));
    if (at.Has("value")) {
      eval.value = value;
    }
    if (at.Has("passed")) {
      eval.passed = passed;
    }
    if (eval.passed.value_or(false) && !eval.value.has_value()) {
      return at.Error("passed without a value: what was not measured did not pass");
    }
    pack.evals.push_back(std::move(eval));
  }
  return OkStatus();
}

Status ReadProvenance(const JsonView& root, PackManifest& pack) {
  static constexpr std::array<std::string_view, 4> kStates = {"local", "candidate", "base-v1",
                                                              "final"};
  SOTTO_ASSIGN_OR_RETURN(const JsonView at, root.Object("provenance"));
  SOTTO_ASSIGN_OR_RETURN(pack.release_state, at.String("release_state"));
  SOTTO_ASSIGN_OR_RETURN(pack.finetuned, at.BoolOr("finetuned", false));
  SOTTO_ASSIGN_OR_RETURN(pack.source_models, at.StringsOr("source_models"));
  if (!OneOf(pack.release_state, kStates)) {
    return at.Error("release_state is none of: local, candidate, base-v1, final");
  }
  return OkStatus();
}

Status ReadPrimer(const JsonView& root, PackManifest& pack) {
  if (!root.Has("primer")) {
    return OkStatus();
  }
  SOTTO_ASSIGN_OR_RETURN(const JsonView at, root.Object("primer"));
  SOTTO_ASSIGN_OR_RETURN(pack.primer.system, at.StringOr("system", ""));
  SOTTO_ASSIGN_OR_RETURN(const std::vector<JsonView> examples, at.ArrayOr("examples"));
  size_t bytes = pack.primer.system.size();
  for (const JsonView& example_at : examples) {
    PrimerExample example;
    SOTTO_ASSIGN_OR_RETURN(example.user, example_at.String("user"));
    SOTTO_ASSIGN_OR_RETURN(example.assistant, example_at.String("assistant"));
    bytes += example.user.size() + example.assistant.size();
    if (bytes > kMaxPrimerBytes) {
      break;
    }
    pack.primer.examples.push_back(std::move(example));
  }
  if (bytes > kMaxPrimerBytes) {
    return at.Error("longer than " + std::to_string(kMaxPrimerBytes) + " bytes");
  }
  return OkStatus();
}

Status ReadIdentity(const JsonView& root, PackManifest& pack) {
  SOTTO_ASSIGN_OR_RETURN(const std::string schema, root.String("schema"));
  SOTTO_ASSIGN_OR_RETURN(const uint64_t version, root.Uint("schema_version"));
  if (schema != "sotto.pack" || version != 1) {
    return root.Error("schema " + schema.substr(0, 40) + " version " + std::to_string(version) +
                      ": this build reads sotto.pack version 1; use a newer sotto");
  }
  SOTTO_ASSIGN_OR_RETURN(pack.id, root.String("id"));
  SOTTO_ASSIGN_OR_RETURN(pack.version, root.String("version"));
  SOTTO_ASSIGN_OR_RETURN(pack.published_at, root.String("published_at"));
  SOTTO_ASSIGN_OR_RETURN(pack.name, root.StringOr("name", pack.id));
  SOTTO_ASSIGN_OR_RETURN(pack.summary, root.StringOr("summary", ""));
  SOTTO_ASSIGN_OR_RETURN(pack.languages, root.StringsOr("languages"));
  SOTTO_ASSIGN_OR_RETURN(pack.default_voice, root.StringOr("default_voice", ""));
  if (!IsModelId(pack.id) || !IsModelId(pack.version)) {
    return root.Error("id or version is not a plain name");
  }
  return OkStatus();
}

}  // namespace

Result<PackManifest> PackManifest::Parse(std::string_view json, std::string_view what) {
  SOTTO_ASSIGN_OR_RETURN(const JsonView root, JsonView::Parse(json, what));
  PackManifest pack;
  for (const auto read : {ReadIdentity, ReadFiles, ReadLineage, ReadKernels, ReadBudget, ReadEvals,
                          ReadProvenance, ReadPrimer}) {
    SOTTO_RETURN_IF_ERROR(read(root, pack));
  }
  pack.text = json;
  return pack;
}

Status PackManifest::CheckAgainst(const Catalogue& catalogue) const {
  for (const PackFile& file : files) {
    const std::string where = "pack: " + id + ": " + file.model + "/" + file.path;
    const CatalogueModel* model = catalogue.Find(file.model);
    if (model == nullptr || model->id != file.model || model->role != file.role) {
      return DataLossError(where + ": no such model of role " + file.role + " in the catalogue");
    }
    const auto it = std::ranges::find_if(
        model->files, [&](const CatalogueFile& f) { return f.name == file.path; });
    if (it == model->files.end()) {
      return DataLossError(where + ": no such file in the catalogue");
    }
    if (it->sha256 != file.sha256 || it->size_bytes != file.size_bytes) {
      return DataLossError(where + ": hash or size differs from the catalogue's");
    }
  }
  return OkStatus();
}

std::vector<std::string> PackManifest::Models() const {
  std::vector<std::string> models;
  for (const PackFile& file : files) {
    if (std::ranges::find(models, file.model) == models.end()) {
      models.push_back(file.model);
    }
  }
  return models;
}

std::string PackManifest::ModelFor(std::string_view role, std::string_view profile) const {
  std::string first;
  for (const PackFile& file : files) {
    if (file.role != role) {
      continue;
    }
    if (profile.empty() || file.profile == ProfileWord(profile)) {
      return file.model;
    }
    if (first.empty()) {
      first = file.model;
    }
  }
  return first;
}

}  // namespace sotto
