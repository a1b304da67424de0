// Which backend serves which role. A backend that this build leaves out is linked as its null twin,
// which answers UNIMPLEMENTED and names the build option.
#ifndef SOTTO_CAPI_BACKENDS_H_
#define SOTTO_CAPI_BACKENDS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/status.h"
#include "engine/jobs/models.h"
#include "store/store.h"
#include "text/phonemizer.h"

namespace sotto::capi {

struct BackendOptions {
  int32_t num_threads = 1;
  LogSink log;
};

struct VoiceFiles {
  std::string architecture;  // "vits" or "kokoro"
  std::string model_path;
  std::string config_path;
  std::string vocab_path;
  std::string voices_dir;
};

// Our own look at a file before any third party opens it: DATA_LOSS, NOT_FOUND and the like name
// file and field.
Status CheckModelFile(ModelRole role, const std::string& path);

// How long a role's memory is kept when memory is short; higher is longer (ARCHITECTURE.md).
int32_t ModelPriority(ModelRole role);

Result<std::unique_ptr<Llm>> MakeLlm(const std::string& path, const BackendOptions& options);
Result<std::unique_ptr<Asr>> MakeAsr(const std::string& path, const BackendOptions& options);
Result<std::unique_ptr<Vad>> MakeVad(const std::string& path, const BackendOptions& options);
Result<std::unique_ptr<EndOfTurn>> MakeEndOfTurn(const std::string& path,
                                                 const BackendOptions& options);
Result<std::unique_ptr<Embedder>> MakeEmbedder(const std::string& path,
                                               const BackendOptions& options);
Result<std::unique_ptr<SpeakerEncoder>> MakeSpeaker(const std::string& path,
                                                    const BackendOptions& options);
Result<std::unique_ptr<Tts>> MakeTts(const VoiceFiles& files,
                                     std::shared_ptr<const Phonemizer> phonemizer,
                                     const BackendOptions& options);
// paths: the files of a lexicon. Where $SOTTO_ESPEAK_PLUGIN names the optional plug-in, that one
// instead (backends/espeak).
Result<std::shared_ptr<const Phonemizer>> MakePhonemizer(const std::vector<std::string>& paths);

// Sends what the runtimes below say to `log`. Theirs is one per process: the last engine made has
// it.
void RouteBackendLogs(const LogSink& log);

// The store's converter.
Status ConvertForStore(const ConversionJob& job);

}  // namespace sotto::capi

#endif  // SOTTO_CAPI_BACKENDS_H_
