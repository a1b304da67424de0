#include "backends/llama/llama_weights.h"

#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include "backends/llama/llama_log.h"
#include "modelfiles/model_file.h"

namespace sotto::llama {
namespace {

void InitOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    InstallLog();
    llama_backend_init();
  });
}

Result<GgufSummary> CheckFile(const std::string& path) {
  SOTTO_ASSIGN_OR_RETURN(ModelFileSummary summary, ValidateModelFile(path));
  if (!summary.gguf) {
    return InvalidArgumentError("llama: " + path + ": is " +
                                std::string(DescribeModelFileKind(summary.kind)) +
                                ": a GGUF file is needed");
  }
  if (summary.gguf->needs_target) {
    return InvalidArgumentError("llama: " + path + ": " + summary.gguf->architecture +
                                ": drafts for another model and cannot run alone");
  }
  return *std::move(summary.gguf);
}

}  // namespace

Result<std::shared_ptr<const LlamaWeights>> LoadWeights(const std::string& path,
                                                        const LlamaOptions& options) {
  InitOnce();
  auto weights = std::make_shared<LlamaWeights>();
  weights->path = path;
  SOTTO_ASSIGN_OR_RETURN(weights->file, CheckFile(path));
  llama_model_params params = llama_model_default_params();
  params.n_gpu_layers = options.gpu_layers;
  params.load_mode = options.use_mmap ? LLAMA_LOAD_MODE_MMAP : LLAMA_LOAD_MODE_NONE;
  params.lazy_mode =
      options.use_mmap && options.read_lazily ? LLAMA_LAZY_MODE_AUTO : LLAMA_LAZY_MODE_OFF;
  params.check_tensors = options.check_tensors;
  ErrorCapture errors;
  try {
    weights->model.reset(llama_model_load_from_file(path.c_str(), params));
  } catch (const std::bad_alloc&) {
    return ResourceExhaustedError("llama: load: " + path + ": out of memory");
  } catch (const std::exception& e) {
    return DataLossError("llama: load: " + path + ": " + e.what());
  }
  if (!weights->model) {
    return DataLossError("llama: load: " + path + ": " +
                         (errors.last().empty() ? "refused by llama.cpp" : errors.last()));
  }
  weights->vocab = llama_model_get_vocab(weights->model.get());
  return std::shared_ptr<const LlamaWeights>(std::move(weights));
}

}  // namespace sotto::llama
