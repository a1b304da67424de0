#include "capi/backends.h"

#include <algorithm>
#include <utility>

#include "backends/espeak/espeak_phonemizer.h"
#include "backends/gates/silero_vad.h"
#include "backends/llama/llama_backend.h"
#include "backends/onnx/onnx_backend.h"
#include "backends/whisper/whisper_asr.h"
#include "base/file.h"
#include "convert/convert.h"
#include "kernels/dispatch/table.h"
#include "modelfiles/model_file.h"
#include "store/layout.h"
#include "text/english_phonemizer.h"

namespace sotto::capi {
namespace {

// A lexicon file; the largest known has 4 MB.
constexpr uint64_t kMaxLexiconBytes = 64u << 20;

OnnxOptions ForOnnx(const BackendOptions& options) {
  OnnxOptions onnx;
  onnx.num_threads = options.num_threads;
  onnx.log = options.log;
  return onnx;
}

}  // namespace

Status CheckModelFile(ModelRole role, const std::string& path) {
  SOTTO_ASSIGN_OR_RETURN(const ModelFileSummary summary, ValidateModelFile(path));
  ModelFileKind wanted = ModelFileKind::kOnnx;
  switch (role) {
    case ModelRole::kText:
    case ModelRole::kEmbedding:
      wanted = ModelFileKind::kGguf;
      break;
    case ModelRole::kAsr:
      wanted = ModelFileKind::kWhisperGgml;
      break;
    default:
      break;
  }
  if (summary.kind != wanted) {
    return InvalidArgumentError(
        "model: " + path + ": is " + std::string(DescribeModelFileKind(summary.kind)) + ", and " +
        std::string(ModelRoleName(role)) + " needs " + std::string(DescribeModelFileKind(wanted)));
  }
  return OkStatus();
}

int32_t ModelPriority(ModelRole role) {
  switch (role) {
    case ModelRole::kText:
      return 100;
    case ModelRole::kVad:
      return 95;
    case ModelRole::kTurn:
      return 90;
    case ModelRole::kAsr:
    case ModelRole::kTts:
      return 60;
    case ModelRole::kEmbedding:
      return 25;
    case ModelRole::kSpeaker:
      return 18;
  }
  return 0;
}

Result<std::unique_ptr<Vad>> MakeVad(const std::string& path, const BackendOptions&) {
  SOTTO_ASSIGN_OR_RETURN(const KernelTable kernels, MakeKernels());
  return LoadSileroVad(path, kernels);
}

Result<std::unique_ptr<Llm>> MakeLlm(const std::string& path, const BackendOptions&) {
  return MakeLlamaLlm(path, {});
}
Result<std::unique_ptr<Embedder>> MakeEmbedder(const std::string& path,
                                               const BackendOptions& options) {
  LlamaEmbedderOptions embedder;
  embedder.num_threads = options.num_threads;
  return MakeLlamaEmbedder(path, embedder);
}

Result<std::unique_ptr<Asr>> MakeAsr(const std::string& path, const BackendOptions&) {
  return MakeWhisperAsr(path, {});
}

Result<std::unique_ptr<EndOfTurn>> MakeEndOfTurn(const std::string& path,
                                                 const BackendOptions& options) {
  return MakeSmartTurn(path, ForOnnx(options));
}
Result<std::unique_ptr<SpeakerEncoder>> MakeSpeaker(const std::string& path,
                                                    const BackendOptions& options) {
  return MakeSpeakerEncoder(path, ForOnnx(options));
}
Result<std::unique_ptr<Tts>> MakeTts(const VoiceFiles& files,
                                     std::shared_ptr<const Phonemizer> phonemizer,
                                     const BackendOptions& options) {
  if (files.architecture == "kokoro") {
    return MakeKokoroTts({.model_path = files.model_path,
                          .vocab_path = files.vocab_path,
                          .voices_dir = files.voices_dir},
                         std::move(phonemizer), ForOnnx(options));
  }
  return MakePiperTts({.model_path = files.model_path, .config_path = files.config_path},
                      std::move(phonemizer), ForOnnx(options));
}

Result<std::shared_ptr<const Phonemizer>> MakePhonemizer(const std::vector<std::string>& paths) {
  // A user who has the plug-in, and names it, wants it.
  if (const std::string plugin = EnvironmentOr("SOTTO_ESPEAK_PLUGIN", ""); !plugin.empty()) {
    SOTTO_ASSIGN_OR_RETURN(std::unique_ptr<Phonemizer> espeak,
                           OpenEspeakPhonemizer({.plugin_path = plugin, .voice = "en-us"}));
    return std::shared_ptr<const Phonemizer>(std::move(espeak));
  }
  std::string gold;
  std::string silver;
  std::string cmudict;
  for (const std::string& path : paths) {
    SOTTO_ASSIGN_OR_RETURN(std::string text, ReadFile(path, kMaxLexiconBytes));
    if (path.ends_with("gold.json")) {
      gold = std::move(text);
    } else if (path.ends_with("silver.json")) {
      silver = std::move(text);
    } else {
      cmudict = std::move(text);
    }
  }
  SOTTO_ASSIGN_OR_RETURN(
      std::unique_ptr<Phonemizer> made,
      MakeEnglishPhonemizer({.gold_json = gold, .silver_json = silver, .cmudict = cmudict}));
  return std::shared_ptr<const Phonemizer>(std::move(made));
}

void RouteBackendLogs(const LogSink& log) {
  // What fails below comes back as a status; what a runtime says of it beside is a warning, also
  // when it was cancelled.
  const LogSink quieter(
      [log](LogLevel level, std::string_view line) {
        log.Write(std::min(level, LogLevel::kWarning), line);
      },
      LogLevel::kDebug);
  SetWhisperLog(quieter);
  SetLlamaLog(quieter);
}

Status ConvertForStore(const ConversionJob& job) {
  return Convert({.kind = job.kind,
                  .inputs = job.inputs,
                  .output = job.output,
                  .type = job.type,
                  .on_progress = job.on_progress});
}

}  // namespace sotto::capi
