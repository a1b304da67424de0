// The store's answers as JSON documents.
#include "store/json.h"
#include "store/store.h"

namespace sotto {
namespace {

std::string_view StateName(ModelState state) {
  switch (state) {
    case ModelState::kAbsent:
      return "absent";
    case ModelState::kInstalled:
      return "installed";
    case ModelState::kOutdated:
      return "outdated";
  }
  return "absent";
}

JsonOut LicenceJson(const Licence& licence) {
  JsonOut out = JsonOut::Object();
  out.Set("id", licence.id).Set("url", licence.url).Set("notice", licence.notice);
  return out;
}

void SetCommon(const ModelInfo& info, JsonOut& out) {
  const CatalogueModel& model = *info.model;
  out.Set("id", model.id).Set("name", model.name).Set("role", model.role);
  out.Set("profile", model.profile).Set("architecture", model.architecture);
  out.Set("languages", model.languages);
  out.Set("state", StateName(info.state)).Set("installed", info.state == ModelState::kInstalled);
  out.Set("size_bytes",
          info.state == ModelState::kAbsent ? model.SizeBytes() : info.installed_bytes);
  out.Set("min_memory_bytes", model.min_memory_bytes);
  out.Set("needed_by", info.needed_by);
}

JsonOut FetchedJson(const FetchedFile& file) {
  JsonOut out = JsonOut::Object();
  out.Set("name", file.name).Set("size_bytes", file.size_bytes).Set("sha256", file.sha256);
  out.Set("source", file.source).Set("in_hub_cache", !file.hub_blob.empty());
  return out;
}

JsonOut RecipeJson(const Recipe& recipe) {
  JsonOut out = JsonOut::Object();
  if (!recipe.convert.empty()) {
    out.Set("convert", recipe.convert).Set("type", recipe.type);
  }
  JsonOut sources = JsonOut::Array();
  for (const Source& source : recipe.parts) {
    sources.Add(source.text);
  }
  for (const Ingredient& input : recipe.inputs) {
    for (const Source& source : input.parts) {
      sources.Add(source.text);
    }
  }
  return std::move(out.Set("sources", std::move(sources)));
}

JsonOut CatalogueFileJson(const CatalogueFile& file) {
  JsonOut out = JsonOut::Object();
  out.Set("name", file.name).Set("kind", file.kind).Set("format", file.format);
  if (file.pinned_at_pull()) {
    out.Set("sha256", "hub: taken from the hub at the first pull and pinned");
  } else {
    out.Set("sha256", file.sha256).Set("size_bytes", file.size_bytes);
  }
  JsonOut recipes = JsonOut::Array();
  for (const Recipe& recipe : file.recipes) {
    recipes.Add(RecipeJson(recipe));
  }
  return std::move(out.Set("recipes", std::move(recipes)));
}

JsonOut StringsJson(const std::vector<std::string>& strings) {
  JsonOut out = JsonOut::Array();
  for (const std::string& s : strings) {
    out.Add(s);
  }
  return out;
}

JsonOut PackJson(const PackInfo& info) {
  const PackManifest& pack = *info.manifest;
  JsonOut out = JsonOut::Object();
  out.Set("id", pack.id).Set("name", pack.name).Set("version", pack.version);
  out.Set("summary", pack.summary).Set("languages", pack.languages);
  out.Set("installed", info.installed).Set("size_bytes", info.size_bytes);
  out.Set("missing_bytes", info.missing_bytes).Set("models", pack.Models());
  JsonOut budget = JsonOut::Object();
  budget.Set("min", pack.ram_min_mb).Set("recommended", pack.ram_recommended_mb);
  out.Set("ram_budget_mb", std::move(budget));
  return out;
}

// A pack shows what its models come from, role by role.
JsonOut PackDetailJson(const PackInfo& info) {
  JsonOut out = PackJson(info);
  const PackManifest& pack = *info.manifest;
  JsonOut lineage = JsonOut::Array();
  for (const PackLineage& one : pack.lineage) {
    JsonOut row = JsonOut::Object();
    row.Set("role", one.role).Set("profile", one.profile).Set("base", one.base);
    lineage.Add(std::move(row.Set("licence", one.licence)));
  }
  out.Set("lineage", std::move(lineage));
  JsonOut evals = JsonOut::Array();
  for (const PackEval& eval : pack.evals) {
    JsonOut row = JsonOut::Object();
    row.Set("name", eval.name).Set("unit", eval.unit).Set("evidence", eval.evidence);
    if (eval.value.has_value()) {
      row.Set("value", *eval.value);
    } else {
      row.SetNull("value");
    }
    if (eval.passed.has_value()) {
      row.Set("passed", *eval.passed);
    } else {
      row.SetNull("passed");
    }
    evals.Add(std::move(row));
  }
  return std::move(out.Set("evals", std::move(evals)));
}

}  // namespace

std::string Store::ListJson() const {
  JsonOut models = JsonOut::Array();
  for (const ModelInfo& info : List()) {
    JsonOut out = JsonOut::Object();
    SetCommon(info, out);
    models.Add(std::move(out.Set("licence", info.model->licence.id)));
  }
  JsonOut packs = JsonOut::Array();
  for (const PackInfo& info : ListPacks()) {
    packs.Add(PackJson(info));
  }
  JsonOut root = JsonOut::Object();
  root.Set("store", dir()).Set("packs", std::move(packs)).Set("models", std::move(models));
  return root.Dump();
}

Result<std::string> Store::ShowJson(std::string_view id) const {
  for (const PackInfo& info : ListPacks()) {
    if (info.manifest->id == id) {
      return PackDetailJson(info).Dump();
    }
  }
  SOTTO_ASSIGN_OR_RETURN(const ModelInfo info, Show(id));
  const CatalogueModel& model = *info.model;
  JsonOut out = JsonOut::Object();
  SetCommon(info, out);
  JsonOut lineage = JsonOut::Object();
  lineage.Set("base", model.lineage.base).Set("maker", model.lineage.maker);
  out.Set("lineage", std::move(lineage.Set("via", model.lineage.via)));
  out.Set("licence", LicenceJson(model.licence)).Set("aliases", model.aliases);
  JsonOut companions = JsonOut::Object();
  for (const auto& [role, companion] : model.companions) {
    companions.Set(role, companion);
  }
  out.Set("companions", std::move(companions)).Set("notes", model.notes);
  out.Set("default_voice", model.default_voice);
  JsonOut files = JsonOut::Array();
  for (const CatalogueFile& file : model.files) {
    files.Add(CatalogueFileJson(file));
  }
  out.Set("files", std::move(files));
  JsonOut installed = JsonOut::Array();
  for (const FetchedFile& file : info.files) {
    installed.Add(FetchedJson(file));
  }
  return out.Set("installed_files", std::move(installed)).Dump();
}

Result<std::string> Store::VerifyJson(const std::vector<std::string>& ids, bool quick,
                                      const CancelToken& cancel) const {
  SOTTO_ASSIGN_OR_RETURN(const std::vector<VerifiedFile> results, Verify(ids, quick, cancel));
  JsonOut files = JsonOut::Array();
  bool all_ok = true;
  for (const VerifiedFile& file : results) {
    JsonOut out = JsonOut::Object();
    out.Set("model", file.model).Set("file", file.name).Set("ok", file.status.ok());
    if (!file.status.ok()) {
      out.Set("code", CodeName(file.status.code())).Set("message", file.status.message());
    }
    all_ok = all_ok && file.status.ok();
    files.Add(std::move(out));
  }
  JsonOut root = JsonOut::Object();
  root.Set("ok", all_ok).Set("hashed", !quick).Set("files", std::move(files));
  return root.Dump();
}

Result<std::string> Store::RemoveJson(std::string_view id, bool force) const {
  SOTTO_ASSIGN_OR_RETURN(const RemoveReport report, Remove(id, force));
  JsonOut root = JsonOut::Object();
  root.Set("freed_bytes", report.freed_bytes);
  root.Set("removed", StringsJson(report.removed)).Set("kept", StringsJson(report.kept));
  root.Set("incomplete_packs", StringsJson(report.incomplete_packs));
  return root.Dump();
}

Result<std::string> Store::PullJson(const std::vector<std::string>& ids, const PullOptions& options,
                                    const CancelToken& cancel) const {
  SOTTO_ASSIGN_OR_RETURN(const PullReport report, Pull(ids, options, cancel));
  JsonOut files = JsonOut::Array();
  for (const PullReport::File& file : report.files) {
    JsonOut out = FetchedJson(file.file);
    out.Set("model", file.model);
    files.Add(std::move(out.Set("fetched", !file.file.source.empty())));
  }
  JsonOut root = JsonOut::Object();
  root.Set("models", report.models).Set("packs", report.packs);
  root.Set("fetched_bytes", report.fetched_bytes).Set("files", std::move(files));
  root.Set("warnings", report.warnings);
  return root.Dump();
}

std::string PullEventJson(const PullEvent& event) {
  static constexpr std::string_view kTypes[] = {"licence", "progress", "file_done", "note"};
  JsonOut out = JsonOut::Object();
  out.Set("event", kTypes[static_cast<size_t>(event.type)]);
  if (!event.model.empty()) {
    out.Set("model", event.model);
  }
  if (!event.file.empty()) {
    out.Set("file", event.file).Set("phase", PullPhaseName(event.phase));
    out.Set("source", event.source);
    out.Set("done_bytes", event.done_bytes).Set("total_bytes", event.total_bytes);
    out.Set("rate_bytes_per_s", event.rate_bytes_per_s);
    out.Set("all_done_bytes", event.all_done_bytes).Set("all_total_bytes", event.all_total_bytes);
  }
  if (!event.text.empty()) {
    out.Set("text", event.text);
  }
  return out.Dump();
}

}  // namespace sotto
