#include "capi/model_provider.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "capi/backends.h"
#include "capi/runtime.h"

namespace sotto::capi {
namespace {

// Names of roles and profiles in the catalogue.
std::string_view StoreProfile(ModelRole role, ModelProfile profile) {
  const bool fast = profile == ModelProfile::kFast;
  switch (role) {
    case ModelRole::kAsr:
      return fast ? "fast" : "best";
    case ModelRole::kTts:
      return profile == ModelProfile::kBest ? "best" : "fast";
    default:
      return "";
  }
}

bool LooksLikePath(const std::string& id) {
  struct stat info = {};
  return id.find('/') != std::string::npos || ::stat(id.c_str(), &info) == 0 ||
         id.ends_with(".gguf") || id.ends_with(".onnx") || id.ends_with(".bin");
}

// Weights, and what computing with them takes beside: buffers and scratch of the runtimes, about
// a quarter of the weights and 32 MB at least.
uint64_t ExpectedMemoryBytes(uint64_t file_bytes) {
  return file_bytes + std::max<uint64_t>(file_bytes / 4, 32u << 20);
}

}  // namespace

StoreModelProvider::StoreModelProvider(const Store& store, std::string pack, EngineContext& context)
    : store_(store), pack_(std::move(pack)), context_(context) {}

Result<std::shared_ptr<LoadedModel>> StoreModelProvider::Load(const ModelSpec& spec) {
  SOTTO_ASSIGN_OR_RETURN(const ModelSource source, Find(spec));
  const std::string key = std::string(ModelRoleName(spec.role)) + ":" + source.path;
  {
    MutexLock lock(mutex_);
    for (;;) {
      Slot& slot = slots_[key];
      if (std::shared_ptr<LoadedModel> model = slot.model.lock(); model != nullptr) {
        return model;
      }
      if (!slot.loading) {
        slot.loading = true;
        break;
      }
      changed_.Wait(mutex_);
    }
  }
  Result<std::shared_ptr<LoadedModel>> loaded = LoadFrom(spec.role, source);
  MutexLock lock(mutex_);
  Slot& slot = slots_[key];
  slot.loading = false;
  if (loaded.ok()) {
    slot.model = *loaded;
  }
  changed_.NotifyAll();
  return loaded;
}

Result<ModelSource> StoreModelProvider::Find(const ModelSpec& spec) const {
  if (spec.id.empty()) {
    return FindInPack(spec);
  }
  if (store_.catalogue().Find(spec.id) != nullptr) {
    return FindById(spec);
  }
  if (LooksLikePath(spec.id)) {
    return FindByPath(spec);
  }
  return store_.Show(spec.id).status();  // NOT_FOUND with near names
}

Result<ModelSource> StoreModelProvider::FindInPack(const ModelSpec& spec) const {
  SOTTO_ASSIGN_OR_RETURN(const PackManifest* pack, store_.ChoosePack(pack_));
  SOTTO_ASSIGN_OR_RETURN(
      const ResolvedModel model,
      store_.ResolveFor(*pack, ModelRoleName(spec.role), StoreProfile(spec.role, spec.profile)));
  ModelSource source = SourceOf(model);
  if (spec.role == ModelRole::kText && !pack->primer.system.empty()) {
    source.primer.push_back({ChatRole::kSystem, pack->primer.system});
    for (const PrimerExample& example : pack->primer.examples) {
      source.primer.push_back({ChatRole::kUser, example.user});
      source.primer.push_back({ChatRole::kAssistant, example.assistant});
    }
  }
  return source;
}

Result<ModelSource> StoreModelProvider::FindById(const ModelSpec& spec) const {
  SOTTO_ASSIGN_OR_RETURN(const ResolvedModel model, store_.Resolve(spec.id));
  if (model.role != ModelRoleName(spec.role)) {
    return InvalidArgumentError("model: " + model.id + ": is for " + model.role + ", not for " +
                                std::string(ModelRoleName(spec.role)) + "; choose another");
  }
  return SourceOf(model);
}

Result<ModelSource> StoreModelProvider::FindByPath(const ModelSpec& spec) {
  SOTTO_ASSIGN_OR_RETURN(const uint64_t bytes, FileSizeBytes(spec.id));
  ModelSource source;
  source.id = std::filesystem::path(spec.id).filename().string();
  source.path = spec.id;
  source.bytes = bytes;
  source.memory_bytes = ExpectedMemoryBytes(bytes);
  return source;
}

ModelSource StoreModelProvider::SourceOf(const ResolvedModel& model) const {
  ModelSource source;
  source.id = model.id;
  source.path = model.path;
  source.architecture = model.architecture;
  source.default_voice = model.default_voice;
  source.files = model;
  if (const CatalogueModel* entry = store_.catalogue().Find(model.id); entry != nullptr) {
    source.licence = entry->licence.id;
  }
  for (const ResolvedFile& file : model.files) {
    if (file.path == model.path) {
      source.bytes = file.size_bytes;
    }
  }
  source.memory_bytes = ExpectedMemoryBytes(source.bytes);
  return source;
}

Result<std::shared_ptr<LoadedModel>> StoreModelProvider::LoadFrom(ModelRole role,
                                                                  const ModelSource& source) {
  SOTTO_RETURN_IF_ERROR(CheckModelFile(role, source.path));
  auto model = std::make_shared<LoadedModel>();
  model->id = source.id;
  model->role = role;
  model->primer = source.primer;
  model->licence = source.licence;
  model->file_bytes = source.bytes;
  SOTTO_ASSIGN_OR_RETURN(
      model->lease,
      context_.arbiter().Acquire(
          {.name = source.id, .bytes = source.memory_bytes, .priority = ModelPriority(role)}));
  SOTTO_RETURN_IF_ERROR(LoadPort(role, source, model.get()));
  StopComputingAtExit();
  context_.log().Write(LogLevel::kInfo,
                       "model: loaded " + source.id + " for " + std::string(ModelRoleName(role)));
  return model;
}

Status StoreModelProvider::LoadPort(ModelRole role, const ModelSource& source, LoadedModel* model) {
  const BackendOptions options{.num_threads = context_.num_threads(), .log = context_.log()};
  switch (role) {
    case ModelRole::kText: {
      SOTTO_ASSIGN_OR_RETURN(model->llm, MakeLlm(source.path, options));
      return OkStatus();
    }
    case ModelRole::kAsr: {
      SOTTO_ASSIGN_OR_RETURN(model->asr, MakeAsr(source.path, options));
      return OkStatus();
    }
    case ModelRole::kVad: {
      SOTTO_ASSIGN_OR_RETURN(model->vad, MakeVad(source.path, options));
      return OkStatus();
    }
    case ModelRole::kTurn: {
      SOTTO_ASSIGN_OR_RETURN(model->end_of_turn, MakeEndOfTurn(source.path, options));
      return OkStatus();
    }
    case ModelRole::kTts:
      return LoadTts(source, model);
    case ModelRole::kEmbedding: {
      SOTTO_ASSIGN_OR_RETURN(model->embedder, MakeEmbedder(source.path, options));
      return OkStatus();
    }
    case ModelRole::kSpeaker: {
      SOTTO_ASSIGN_OR_RETURN(model->speaker, MakeSpeaker(source.path, options));
      return OkStatus();
    }
  }
  return InternalError("model: unknown role");
}

Status StoreModelProvider::LoadTts(const ModelSource& source, LoadedModel* model) {
  const BackendOptions options{.num_threads = context_.num_threads(), .log = context_.log()};
  SOTTO_ASSIGN_OR_RETURN(std::shared_ptr<const Phonemizer> phonemizer, EnglishPhonemizer(source));
  VoiceFiles files;
  files.model_path = source.path;
  files.architecture = source.architecture.empty() ? "vits" : source.architecture;
  for (const ResolvedFile& file : source.files.files) {
    if (file.kind == "config") {
      files.config_path = file.path;
    } else if (file.kind == "vocabulary") {
      files.vocab_path = file.path;
    } else if (file.kind == "voice") {
      files.voices_dir = std::filesystem::path(file.path).parent_path().string();
    }
  }
  if (files.config_path.empty()) {
    files.config_path = source.path + ".json";  // beside a voice given by path
  }
  SOTTO_ASSIGN_OR_RETURN(model->tts, MakeTts(files, std::move(phonemizer), options));
  return OkStatus();
}

Result<std::shared_ptr<const Phonemizer>> StoreModelProvider::EnglishPhonemizer(
    const ModelSource& voice) {
  MutexLock lock(phonemizer_mutex_);
  if (std::shared_ptr<const Phonemizer> shared = phonemizer_.lock(); shared != nullptr) {
    return shared;
  }
  // The lexicon of the voice, else the pack's.
  std::string lexicon_id = "misaki-lexicon-en-us";
  if (const CatalogueModel* entry = store_.catalogue().Find(voice.id); entry != nullptr) {
    if (const auto companion = entry->companions.find("lexicon");
        companion != entry->companions.end()) {
      lexicon_id = companion->second;
    }
  }
  SOTTO_ASSIGN_OR_RETURN(const ResolvedModel lexicon, store_.Resolve(lexicon_id));
  std::vector<std::string> paths;
  for (const ResolvedFile& file : lexicon.files) {
    paths.push_back(file.path);
  }
  SOTTO_ASSIGN_OR_RETURN(std::shared_ptr<const Phonemizer> made, MakePhonemizer(paths));
  phonemizer_ = made;
  return made;
}

}  // namespace sotto::capi
