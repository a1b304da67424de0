// Models by catalogue id, path or pack role: found in the store, checked, loaded once, shared.
#ifndef SOTTO_CAPI_MODEL_PROVIDER_H_
#define SOTTO_CAPI_MODEL_PROVIDER_H_

#include <map>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/mutex.h"
#include "engine/jobs/context.h"
#include "store/store.h"
#include "text/phonemizer.h"

namespace sotto::capi {

// What is to be loaded, wherever it came from.
struct ModelSource {
  std::string id;    // user-facing
  std::string path;  // of the file that is loaded
  std::string architecture;
  std::string licence;
  std::string default_voice;
  uint64_t bytes = 0;         // on disk
  uint64_t memory_bytes = 0;  // expected in memory
  ResolvedModel files;        // of a store's model; empty for a path
  std::vector<ChatMessage> primer;
};

// Any thread.
class StoreModelProvider final : public ModelProvider {
 public:
  // `pack` may be empty: the store's default. `context` outlives this object's calls.
  StoreModelProvider(const Store& store, std::string pack, EngineContext& context);

  Result<std::shared_ptr<LoadedModel>> Load(const ModelSpec& spec) override;

 private:
  // One entry per (role, path). A load in progress is waited for; a loaded model is shared as long
  // as somebody holds it.
  struct Slot {
    bool loading = false;
    std::weak_ptr<LoadedModel> model;
  };

  Result<ModelSource> Find(const ModelSpec& spec) const;
  Result<ModelSource> FindInPack(const ModelSpec& spec) const;
  Result<ModelSource> FindById(const ModelSpec& spec) const;
  static Result<ModelSource> FindByPath(const ModelSpec& spec);
  ModelSource SourceOf(const ResolvedModel& model) const;

  Result<std::shared_ptr<LoadedModel>> LoadFrom(ModelRole role, const ModelSource& source);
  Status LoadPort(ModelRole role, const ModelSource& source, LoadedModel* model);
  Status LoadTts(const ModelSource& source, LoadedModel* model);
  Result<std::shared_ptr<const Phonemizer>> EnglishPhonemizer(const ModelSource& voice);

  const Store& store_;
  const std::string pack_;
  EngineContext& context_;

  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, Slot> slots_ SOTTO_GUARDED_BY(mutex_);
  Mutex phonemizer_mutex_;
  std::weak_ptr<const Phonemizer> phonemizer_ SOTTO_GUARDED_BY(phonemizer_mutex_);
};

}  // namespace sotto::capi

#endif  // SOTTO_CAPI_MODEL_PROVIDER_H_
