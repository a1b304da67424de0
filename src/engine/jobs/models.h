// What a job sees of the models: loaded ones, by role, from a provider that the composition root
// implements.
#ifndef SOTTO_ENGINE_JOBS_MODELS_H_
#define SOTTO_ENGINE_JOBS_MODELS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/memory/arbiter.h"
#include "models/asr.h"
#include "models/embedder.h"
#include "models/end_of_turn.h"
#include "models/llm.h"
#include "models/speaker.h"
#include "models/tts.h"
#include "models/vad.h"

namespace sotto {

// Numerically equal to SOTTO_ROLE_* and SOTTO_PROFILE_* of include/sotto/model.h.
enum class ModelRole : int32_t {
  kText = 1,
  kAsr = 2,
  kVad = 3,
  kTurn = 4,
  kTts = 5,
  kEmbedding = 6,
  kSpeaker = 7,
};
enum class ModelProfile : int32_t { kDefault = 0, kFast = 1, kBest = 2 };

std::string_view ModelRoleName(ModelRole role);

struct ModelSpec {
  ModelRole role = ModelRole::kText;
  ModelProfile profile = ModelProfile::kDefault;
  std::string id;  // catalogue id or path; empty: the pack's for role and profile
};

// One model in memory, shared by whoever uses it. Exactly one port is set, by role. What the ports
// say of threads holds: jobs of one engine take turns through its ComputeGate.
struct LoadedModel {
  std::string id;  // user-facing
  ModelRole role = ModelRole::kText;
  std::vector<ChatMessage> primer;  // of text models that a pack gives one
  std::string licence;
  uint64_t file_bytes = 0;
  Lease lease;

  std::unique_ptr<Llm> llm;
  std::unique_ptr<Asr> asr;
  std::unique_ptr<Vad> vad;
  std::unique_ptr<EndOfTurn> end_of_turn;
  std::unique_ptr<Tts> tts;
  std::unique_ptr<Embedder> embedder;
  std::unique_ptr<SpeakerEncoder> speaker;
};

// Any thread.
class ModelProvider {
 public:
  virtual ~ModelProvider() = default;

  // The model, loaded now or shared with its other users. Concurrent requests for one model share
  // one load. Errors as sotto_model_load() documents them.
  virtual Result<std::shared_ptr<LoadedModel>> Load(const ModelSpec& spec) = 0;
};

}  // namespace sotto

#endif  // SOTTO_ENGINE_JOBS_MODELS_H_
