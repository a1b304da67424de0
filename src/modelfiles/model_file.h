// What a file is, before any backend opens it.
//
//   SOTTO_ASSIGN_OR_RETURN(const ModelFileSummary summary, ValidateModelFile(path));
//   if (summary.kind != ModelFileKind::kGguf) ...;
#ifndef SOTTO_MODELFILES_MODEL_FILE_H_
#define SOTTO_MODELFILES_MODEL_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "modelfiles/gguf.h"
#include "modelfiles/onnx.h"
#include "modelfiles/whisper_file.h"

namespace sotto {

enum class ModelFileKind {
  // Files that a backend reads.
  kGguf,
  kWhisperGgml,
  kSileroGgml,
  kOnnx,
  // Weights in a form that has to be converted first.
  kSafetensors,
  kTorchZip,
  kTorchLegacy,
  kCt2,
  // No weights at all.
  kEmpty,
  kUnfinished,  // by its name: .part, .partial, .tmp-..., .crdownload, .download
  kLfsPointer,
  kHtml,
  kImage,
  kAudio,
  kArchive,
  kText,
  kUnknown,
};

// "a JPEG, PNG, GIF or WebP image" and so on, for messages.
std::string_view DescribeModelFileKind(ModelFileKind kind);

struct ModelFileSummary {
  ModelFileKind kind = ModelFileKind::kUnknown;
  uint64_t size_bytes = 0;
  // The one of `kind`; none for kSileroGgml.
  std::optional<GgufSummary> gguf;
  std::optional<WhisperSummary> whisper;
  std::optional<OnnxSummary> onnx;
};

// By its first bytes and, for unfinished downloads and ONNX, its name. Errors are those of
// opening: NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT for a directory.
Result<ModelFileKind> IdentifyModelFile(const std::string& path);

// Identifies the file and checks it whole. DATA_LOSS for everything that is not one of the first
// four kinds, saying what it is and what to do, and for what the validators find.
Result<ModelFileSummary> ValidateModelFile(const std::string& path);

}  // namespace sotto

#endif  // SOTTO_MODELFILES_MODEL_FILE_H_
