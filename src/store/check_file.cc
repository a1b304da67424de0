#include "store/check_file.h"

#include <cmath>
#include <cstring>
#include <span>
#include <string_view>

#include "base/file.h"
#include "modelfiles/model_file.h"
#include "store/json.h"

namespace sotto {
namespace {

// A Kokoro voice: rows of 256 float32, one per count of phonemes.
constexpr size_t kVoiceRowBytes = 256 * sizeof(float);
constexpr uint64_t kMaxVoiceBytes = 16u << 20;
// "ggml" as a little-endian number, at the head of every file of that family.
constexpr std::string_view kGgmlMagic = "lmgg";

Status Wrong(const FileToCheck& file, std::string_view why) {
  return DataLossError("model: " + file.name + ": " + std::string(why));
}

bool FitsFormat(ModelFileKind kind, std::string_view format) {
  switch (kind) {
    case ModelFileKind::kGguf:
      return format == "gguf";
    case ModelFileKind::kWhisperGgml:
    case ModelFileKind::kSileroGgml:
      return format == "ggml";
    case ModelFileKind::kOnnx:
      return format == "onnx";
    default:
      return false;
  }
}

Status CheckWeights(const FileToCheck& file) {
  if (file.format == "ggml" && file.architecture != "whisper" &&
      file.architecture != "silero-vad") {
    // Another model of the ggml family: its own loader knows the rest.
    SOTTO_ASSIGN_OR_RETURN(const MappedFile map, MappedFile::Open(file.path));
    const bool magic = map.bytes().size() > kGgmlMagic.size() &&
                       std::memcmp(map.bytes().data(), kGgmlMagic.data(), kGgmlMagic.size()) == 0;
    return magic ? OkStatus() : Wrong(file, "not a ggml file");
  }
  SOTTO_ASSIGN_OR_RETURN(const ModelFileKind kind, IdentifyModelFile(file.path));
  if (!FitsFormat(kind, file.format)) {
    return Wrong(file, "is " + std::string(DescribeModelFileKind(kind)) + ", not " + file.format);
  }
  const Status status = ValidateModelFile(file.path).status();
  return status.code() == Code::kUnimplemented ? OkStatus() : status;
}

Status CheckVoice(const FileToCheck& file) {
  SOTTO_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file.path, kMaxVoiceBytes));
  if (bytes.empty() || bytes.size() % kVoiceRowBytes != 0) {
    return Wrong(file, std::to_string(bytes.size()) + " bytes: not whole rows of 256 float32");
  }
  for (size_t at = 0; at < bytes.size(); at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    if (!std::isfinite(value)) {
      return Wrong(file, "byte " + std::to_string(at) + ": not a finite number");
    }
  }
  return OkStatus();
}

}  // namespace

Status CheckStoreFile(const FileToCheck& file) {
  if (file.format == "gguf" || file.format == "ggml" || file.format == "onnx") {
    return CheckWeights(file);
  }
  if (file.format == "voice") {
    return CheckVoice(file);
  }
  if (file.format == "json") {
    SOTTO_ASSIGN_OR_RETURN(const std::string text, ReadFile(file.path, JsonView::kMaxBytes));
    return CheckJson(text, "model: " + file.name);
  }
  SOTTO_ASSIGN_OR_RETURN(const uint64_t size_bytes, FileSizeBytes(file.path));
  return size_bytes > 0 ? OkStatus() : Wrong(file, "empty");
}

}  // namespace sotto
