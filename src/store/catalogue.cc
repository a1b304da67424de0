#include "store/catalogue.h"

#include <algorithm>
#include <array>
#include <set>

#include "store/json.h"
#include "store/sha256.h"

namespace sotto {
namespace {

// No weight file known is near a petabyte; sums of sizes below this cannot overflow.
constexpr uint64_t kMaxSizeBytes = 1ull << 50;
constexpr size_t kMaxModels = 4096;
constexpr size_t kMaxItems = 1024;
constexpr size_t kMaxTextBytes = 4096;

bool IsAlnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Letters, digits and `also`, beginning with a letter or digit: safe in paths, URLs and as a
// word of a command line.
bool IsWord(std::string_view text, std::string_view also) {
  return !text.empty() && text.size() <= 256 && IsAlnum(text.front()) &&
         std::ranges::all_of(
             text, [&](char c) { return IsAlnum(c) || also.find(c) != std::string_view::npos; });
}

bool HasPlainSegments(std::string_view text, std::string_view also) {
  if (text.empty() || text.size() > 512) {
    return false;
  }
  while (true) {
    const size_t slash = text.find('/');
    const std::string_view segment = text.substr(0, slash);
    const bool plain = !segment.empty() && segment.front() != '.' && segment.front() != '-' &&
                       std::ranges::all_of(segment, [&](char c) {
                         return IsAlnum(c) || also.find(c) != std::string_view::npos;
                       });
    if (!plain) {
      return false;
    }
    if (slash == std::string_view::npos) {
      return true;
    }
    text.remove_prefix(slash + 1);
  }
}

Status BadSource(std::string_view text, std::string_view reason) {
  return InvalidArgumentError("source: " + std::string(text.substr(0, 200)) + ": " +
                              std::string(reason));
}

Result<Source> ParseHub(std::string_view text, std::string_view rest) {
  const size_t first = rest.find('/');
  const size_t second = first == std::string_view::npos ? first : rest.find('/', first + 1);
  if (second == std::string_view::npos) {
    return BadSource(text, "expected hf:ORG/REPO/PATH");
  }
  Source source{.kind = Source::Kind::kHub, .text = std::string(text)};
  std::string_view repo = rest.substr(0, second);
  source.path = rest.substr(second + 1);
  source.version = "main";
  if (const size_t at = repo.find('@'); at != std::string_view::npos) {
    source.version = repo.substr(at + 1);
    repo = repo.substr(0, at);
  }
  source.name = repo;
  if (!HasPlainSegments(source.name, "._-") || !IsWord(source.version, "._-") ||
      !HasPlainSegments(source.path, "._-+")) {
    return BadSource(text, "a name outside letters, digits and ._-");
  }
  return source;
}

Result<Source> ParsePackage(std::string_view text, std::string_view rest, Source::Kind kind) {
  const std::string_view separator = kind == Source::Kind::kPypi ? "==" : "@";
  const size_t bang = rest.find('!');
  const std::string_view spec = rest.substr(0, bang);
  const size_t split = spec.rfind(separator);
  if (bang == std::string_view::npos || split == std::string_view::npos || split == 0) {
    return BadSource(text, kind == Source::Kind::kPypi ? "expected pypi:NAME==VERSION!PATH"
                                                       : "expected npm:NAME@VERSION!PATH");
  }
  Source source{.kind = kind, .text = std::string(text)};
  source.name = spec.substr(0, split);
  source.version = spec.substr(split + separator.size());
  source.path = rest.substr(bang + 1);
  // npm's scoped packages are @scope/name.
  const std::string_view name = source.name;
  const bool scoped = kind == Source::Kind::kNpm && name.starts_with('@');
  const bool name_ok =
      scoped ? HasPlainSegments(name.substr(1), "._-") && std::ranges::count(name, '/') == 1
             : IsWord(name, "._-");
  if (!name_ok || !IsWord(source.version, "._-+") || !HasPlainSegments(source.path, "._-+@")) {
    return BadSource(text, "a name outside letters, digits and ._-");
  }
  return source;
}

Result<Source> ParseUrl(std::string_view text) {
  // Printable ASCII without spaces and quotes; no user:password, which would end up in messages.
  const size_t host = text.find("://") + 3;
  const std::string_view authority = text.substr(host, text.find('/', host) - host);
  const bool printable =
      std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127 && c != '"'; });
  if (!printable || authority.empty() || authority.find('@') != std::string_view::npos ||
      text.size() > 2048) {
    return BadSource(text, "not a plain URL");
  }
  return Source{.kind = Source::Kind::kUrl, .text = std::string(text), .path = std::string(text)};
}

}  // namespace

std::string_view ProfileWord(std::string_view profile) {
  return profile == "accurate" || profile == "better" ? "best" : profile;
}

bool IsModelId(std::string_view text) {
  return text.size() <= 64 && IsWord(text, "._-") &&
         std::ranges::none_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool IsPlainPath(std::string_view text) { return HasPlainSegments(text, "._-+"); }

Result<Source> ParseSource(std::string_view text) {
  if (text.starts_with("hf:")) {
    return ParseHub(text, text.substr(3));
  }
  if (text.starts_with("pypi:")) {
    return ParsePackage(text, text.substr(5), Source::Kind::kPypi);
  }
  if (text.starts_with("npm:")) {
    return ParsePackage(text, text.substr(4), Source::Kind::kNpm);
  }
  if (text.starts_with("https://") || text.starts_with("http://")) {
    return ParseUrl(text);
  }
  if (text.starts_with("file:/")) {
    const std::string_view path = text.substr(5);
    if (path.find('\0') != std::string_view::npos || path.size() > 4096) {
      return BadSource(text, "not a path");
    }
    return Source{
        .kind = Source::Kind::kFile, .text = std::string(text), .path = std::string(path)};
  }
  return BadSource(text, "expected hf:, https://, pypi:, npm: or file:/");
}

std::string Recipe::Label() const {
  if (!parts.empty()) {
    return parts.front().text;
  }
  if (!inputs.empty() && !inputs.front().parts.empty()) {
    return convert + "(" + inputs.front().parts.front().text + ")";
  }
  return convert;
}

uint64_t CatalogueModel::SizeBytes() const {
  uint64_t sum = 0;
  for (const CatalogueFile& file : files) {
    sum += file.size_bytes;
  }
  return sum;
}

namespace {

template <size_t kCount>
Status CheckOneOf(const JsonView& at, std::string_view key, std::string_view value,
                  const std::array<std::string_view, kCount>& allowed) {
  if (std::ranges::find(allowed, value) != allowed.end()) {
    return OkStatus();
  }
  std::string list;
  for (const std::string_view item : allowed) {
    list += list.empty() ? "" : ", ";
    list += item.empty() ? "(empty)" : item;
  }
  return at.Error(std::string(key) + " is none of: " + list);
}

Result<std::string> Text(const JsonView& at, std::string_view key) {
  SOTTO_ASSIGN_OR_RETURN(std::string text, at.StringOr(key, ""));
  if (text.size() > kMaxTextBytes) {
    return at.Error(std::string(key) + " is longer than " + std::to_string(kMaxTextBytes) +
                    " bytes");
  }
  return text;
}

Result<uint64_t> Size(const JsonView& at, std::string_view key) {
  SOTTO_ASSIGN_OR_RETURN(const uint64_t size, at.UintOr(key, 0));
  if (size > kMaxSizeBytes) {
    return at.Error(std::string(key) + " is over " + std::to_string(kMaxSizeBytes));
  }
  return size;
}

Result<std::vector<Source>> ReadSources(const JsonView& at, std::string_view key) {
  SOTTO_ASSIGN_OR_RETURN(const std::vector<std::string> texts, at.StringsOr(key));
  if (texts.empty() || texts.size() > kMaxItems) {
    return at.Error(std::string(key) + " needs 1 to " + std::to_string(kMaxItems) + " sources");
  }
  std::vector<Source> sources;
  for (const std::string& text : texts) {
    Result<Source> source = ParseSource(text);
    if (!source.ok()) {
      return at.Error(source.status().message());
    }
    sources.push_back(*std::move(source));
  }
  return sources;
}

Result<Ingredient> ReadIngredient(const JsonView& at) {
  Ingredient input;
  SOTTO_ASSIGN_OR_RETURN(input.name, at.String("name"));
  SOTTO_ASSIGN_OR_RETURN(input.sha256, at.StringOr("sha256", ""));
  SOTTO_ASSIGN_OR_RETURN(input.size_bytes, Size(at, "size_bytes"));
  SOTTO_ASSIGN_OR_RETURN(input.parts, ReadSources(at, "concatenate"));
  if (!IsPlainPath(input.name)) {
    return at.Error("name is not a plain file name");
  }
  if (!input.sha256.empty() && !IsSha256(input.sha256)) {
    return at.Error("sha256 is not 64 lower-case hexadecimal digits");
  }
  return input;
}

Result<Recipe> ReadRecipe(const JsonView& at) {
  Recipe recipe;
  if (at.is_string()) {
    SOTTO_ASSIGN_OR_RETURN(const std::string text, at.AsString());
    Result<Source> source = ParseSource(text);
    if (!source.ok()) {
      return at.Error(source.status().message());
    }
    recipe.parts.push_back(*std::move(source));
    return recipe;
  }
  if (at.Has("concatenate")) {
    SOTTO_ASSIGN_OR_RETURN(recipe.parts, ReadSources(at, "concatenate"));
    return recipe;
  }
  SOTTO_ASSIGN_OR_RETURN(recipe.convert, at.String("convert"));
  SOTTO_ASSIGN_OR_RETURN(recipe.type, at.StringOr("type", ""));
  if (!IsModelId(recipe.convert) || (!recipe.type.empty() && !IsModelId(recipe.type))) {
    return at.Error("convert or type is not a plain name");
  }
  SOTTO_ASSIGN_OR_RETURN(const std::vector<JsonView> inputs, at.Array("inputs"));
  if (inputs.empty() || inputs.size() > 16) {
    return at.Error("inputs: needs 1 to 16");
  }
  for (const JsonView& input : inputs) {
    SOTTO_ASSIGN_OR_RETURN(Ingredient ingredient, ReadIngredient(input));
    recipe.inputs.push_back(std::move(ingredient));
  }
  return recipe;
}

Status CheckHash(const JsonView& at, const CatalogueFile& file) {
  if (!file.pinned_at_pull()) {
    return IsSha256(file.sha256) ? OkStatus()
                                 : at.Error("sha256 is not 64 lower-case hexadecimal digits");
  }
  // Without a hash of its own a file may only come from where one is published with it.
  for (const Recipe& recipe : file.recipes) {
    if (recipe.parts.size() != 1 || recipe.parts.front().kind != Source::Kind::kHub) {
      return at.Error("sha256 \"hub\" allows single hf: sources only");
    }
  }
  return OkStatus();
}

Result<CatalogueFile> ReadFile(const JsonView& at) {
  static constexpr std::array<std::string_view, 5> kKinds = {"model", "config", "voice",
                                                             "vocabulary", "lexicon"};
  static constexpr std::array<std::string_view, 6> kFormats = {"gguf", "ggml",  "onnx",
                                                               "json", "voice", "text"};
  CatalogueFile file;
  SOTTO_ASSIGN_OR_RETURN(file.name, at.String("name"));
  SOTTO_ASSIGN_OR_RETURN(file.kind, at.StringOr("kind", "model"));
  SOTTO_ASSIGN_OR_RETURN(file.format, at.String("format"));
  SOTTO_ASSIGN_OR_RETURN(file.sha256, at.String("sha256"));
  SOTTO_ASSIGN_OR_RETURN(file.size_bytes, Size(at, "size_bytes"));
  if (file.sha256 == "hub") {
    file.sha256.clear();
  }
  if (!IsPlainPath(file.name) || file.name == "receipt.json") {
    return at.Error("name is not a plain file name");
  }
  SOTTO_RETURN_IF_ERROR(CheckOneOf(at, "kind", file.kind, kKinds));
  SOTTO_RETURN_IF_ERROR(CheckOneOf(at, "format", file.format, kFormats));
  SOTTO_ASSIGN_OR_RETURN(const std::vector<JsonView> recipes, at.Array("sources"));
  if (recipes.empty() || recipes.size() > 16) {
    return at.Error("sources: needs 1 to 16");
  }
  for (const JsonView& recipe_at : recipes) {
    SOTTO_ASSIGN_OR_RETURN(Recipe recipe, ReadRecipe(recipe_at));
    file.recipes.push_back(std::move(recipe));
  }
  SOTTO_RETURN_IF_ERROR(CheckHash(at, file));
  return file;
}

Status ReadOrigin(const JsonView& at, CatalogueModel& model) {
  SOTTO_ASSIGN_OR_RETURN(const JsonView licence, at.Object("licence"));
  SOTTO_ASSIGN_OR_RETURN(model.licence.id, licence.String("id"));
  SOTTO_ASSIGN_OR_RETURN(model.licence.url, Text(licence, "url"));
  SOTTO_ASSIGN_OR_RETURN(model.licence.notice, Text(licence, "notice"));
  SOTTO_ASSIGN_OR_RETURN(const JsonView lineage, at.Object("lineage"));
  SOTTO_ASSIGN_OR_RETURN(model.lineage.base, lineage.String("base"));
  SOTTO_ASSIGN_OR_RETURN(model.lineage.maker, Text(lineage, "maker"));
  SOTTO_ASSIGN_OR_RETURN(model.lineage.via, Text(lineage, "via"));
  return OkStatus();
}

Status ReadCompanions(const JsonView& at, CatalogueModel& model) {
  if (!at.Has("companions")) {
    return OkStatus();
  }
  SOTTO_ASSIGN_OR_RETURN(const JsonView companions, at.Object("companions"));
  for (const std::string& role : companions.Keys()) {
    SOTTO_ASSIGN_OR_RETURN(model.companions[role], companions.String(role));
    if (!IsModelId(model.companions[role])) {
      return companions.Error(role + " is not a model id");
    }
  }
  return OkStatus();
}

Status ReadFiles(const JsonView& at, CatalogueModel& model) {
  SOTTO_ASSIGN_OR_RETURN(const std::vector<JsonView> files, at.Array("files"));
  if (files.empty() || files.size() > kMaxItems) {
    return at.Error("files: needs 1 to " + std::to_string(kMaxItems));
  }
  std::set<std::string> names;
  for (const JsonView& file_at : files) {
    SOTTO_ASSIGN_OR_RETURN(CatalogueFile file, ReadFile(file_at));
    if (!names.insert(file.name).second) {
      return file_at.Error("name appears twice");
    }
    model.files.push_back(std::move(file));
  }
  return OkStatus();
}

Result<CatalogueModel> ReadModel(const JsonView& at) {
  static constexpr std::array<std::string_view, 10> kRoles = {
      "text",      "asr",     "vad",     "turn",      "tts",
      "embedding", "speaker", "lexicon", "projector", "drafter"};
  static constexpr std::array<std::string_view, 3> kProfiles = {"", "fast", "best"};
  CatalogueModel model;
  SOTTO_ASSIGN_OR_RETURN(model.id, at.String("id"));
  if (!IsModelId(model.id)) {
    return at.Error("id is not 1 to 64 of a-z 0-9 . _ -");
  }
  SOTTO_ASSIGN_OR_RETURN(model.name, Text(at, "name"));
  SOTTO_ASSIGN_OR_RETURN(model.aliases, at.StringsOr("aliases"));
  if (!std::ranges::all_of(model.aliases, IsModelId)) {
    return at.Error("aliases: one is not a plain id");
  }
  SOTTO_ASSIGN_OR_RETURN(model.role, at.String("role"));
  SOTTO_RETURN_IF_ERROR(CheckOneOf(at, "role", model.role, kRoles));
  SOTTO_ASSIGN_OR_RETURN(const std::string profile, at.StringOr("profile", ""));
  model.profile = ProfileWord(profile);
  SOTTO_RETURN_IF_ERROR(CheckOneOf(at, "profile", model.profile, kProfiles));
  SOTTO_ASSIGN_OR_RETURN(model.architecture, at.String("architecture"));
  SOTTO_ASSIGN_OR_RETURN(model.languages, at.StringsOr("languages"));
  SOTTO_ASSIGN_OR_RETURN(model.min_memory_bytes, Size(at, "min_memory_bytes"));
  SOTTO_ASSIGN_OR_RETURN(model.sample_rate_hz, Size(at, "sample_rate_hz"));
  SOTTO_ASSIGN_OR_RETURN(model.default_voice, Text(at, "default_voice"));
  SOTTO_ASSIGN_OR_RETURN(model.notes, Text(at, "notes"));
  SOTTO_RETURN_IF_ERROR(ReadOrigin(at, model));
  SOTTO_RETURN_IF_ERROR(ReadCompanions(at, model));
  SOTTO_RETURN_IF_ERROR(ReadFiles(at, model));
  if (model.name.empty()) {
    model.name = model.id;
  }
  return model;
}

}  // namespace

Result<Catalogue> Catalogue::Parse(std::string_view json, std::string_view what) {
  SOTTO_ASSIGN_OR_RETURN(const JsonView root, JsonView::Parse(json, what));
  SOTTO_ASSIGN_OR_RETURN(const uint64_t version, root.Uint("schema_version"));
  if (version != 1) {
    return root.Error("schema_version " + std::to_string(version) +
                      ": this build reads 1; use a newer sotto");
  }
  SOTTO_ASSIGN_OR_RETURN(const std::vector<JsonView> items, root.Array("models"));
  if (items.size() > kMaxModels) {
    return root.Error("models: more than " + std::to_string(kMaxModels));
  }
  Catalogue catalogue;
  std::set<std::string> ids;
  for (const JsonView& item : items) {
    SOTTO_ASSIGN_OR_RETURN(CatalogueModel model, ReadModel(item));
    std::vector<std::string> names = model.aliases;
    names.push_back(model.id);
    for (const std::string& name : names) {
      if (!ids.insert(name).second) {
        return item.Error("id or alias " + name + " appears twice");
      }
    }
    catalogue.models_.push_back(std::move(model));
  }
  return catalogue;
}

void Catalogue::Merge(Catalogue other) {
  for (CatalogueModel& model : other.models_) {
    std::erase_if(models_, [&](const CatalogueModel& m) { return m.id == model.id; });
    models_.push_back(std::move(model));
  }
}

const CatalogueModel* Catalogue::Find(std::string_view id_or_alias) const {
  for (const CatalogueModel& model : models_) {
    if (model.id == id_or_alias ||
        std::ranges::find(model.aliases, id_or_alias) != model.aliases.end()) {
      return &model;
    }
  }
  return nullptr;
}

}  // namespace sotto
