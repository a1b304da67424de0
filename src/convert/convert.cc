#include "convert/convert.h"

#include <sys/stat.h>

#include <array>
#include <optional>
#include <string_view>

#include "convert/converters.h"
#include "convert/elements.h"

namespace sotto {
namespace {

struct Kind {
  std::string_view name;
  std::array<std::string_view, 3> files;  // the rest empty
  std::array<OutputType, 5> types;
  size_t type_count;
  std::string_view default_type;
  Status (*run)(const ConvertRequest&, OutputType);
};

Status RunResemblyzer(const ConvertRequest& request, OutputType) {
  return ConvertResemblyzer(request);
}

constexpr std::array<Kind, 3> kKinds{{
    {"ct2_whisper_to_ggml",
     {"model.bin", "vocabulary.txt", ""},
     {OutputType::kF32, OutputType::kF16, OutputType::kQ8_0, OutputType::kQ5_1, OutputType::kQ5_0},
     5,
     "f16",
     ConvertCt2Whisper},
    {"st_minilm_to_gguf",
     {"model.safetensors", "config.json", "vocab.txt"},
     {OutputType::kF32, OutputType::kF16, OutputType::kQ8_0},
     3,
     "f16",
     ConvertStMiniLm},
    {"resemblyzer_to_onnx",
     {"pretrained.pt", "", ""},
     {OutputType::kF32},
     1,
     "f32",
     RunResemblyzer},
}};

bool IsDirectory(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Result<std::vector<std::string>> InputFiles(const Kind& kind, const ConvertRequest& request) {
  std::string wanted;
  std::vector<std::string> in_directory;
  for (const std::string_view file : kind.files) {
    if (!file.empty()) {
      wanted += wanted.empty() ? "" : ", ";
      wanted += file;
      const std::string directory = request.inputs.empty() ? "" : request.inputs[0];
      in_directory.push_back(directory + "/" + std::string(file));
    }
  }
  if (request.inputs.size() == 1 && IsDirectory(request.inputs[0])) {
    return in_directory;
  }
  if (request.inputs.size() != in_directory.size()) {
    return InvalidArgumentError("convert: " + std::to_string(request.inputs.size()) +
                                " inputs: " + std::string(kind.name) + " wants " + wanted +
                                ", or the directory that holds them");
  }
  return request.inputs;
}

Result<OutputType> CheckedType(const Kind& kind, const std::string& name) {
  const std::optional<OutputType> type =
      ParseOutputType(name.empty() ? kind.default_type : std::string_view(name));
  for (size_t i = 0; type && i < kind.type_count; ++i) {
    if (kind.types[i] == *type) {
      return *type;
    }
  }
  return InvalidArgumentError("convert: type " + name + ": unknown or not offered by " +
                              std::string(kind.name) + "; f16 and q8_0 are usual");
}

}  // namespace

Status Convert(const ConvertRequest& request) {
  for (const Kind& kind : kKinds) {
    if (kind.name != request.kind) {
      continue;
    }
    SOTTO_ASSIGN_OR_RETURN(const OutputType type, CheckedType(kind, request.type));
    ConvertRequest resolved = request;
    SOTTO_ASSIGN_OR_RETURN(resolved.inputs, InputFiles(kind, request));
    return kind.run(resolved, type);
  }
  return InvalidArgumentError("convert: kind " + request.kind +
                              ": unknown; ct2_whisper_to_ggml, st_minilm_to_gguf and "
                              "resemblyzer_to_onnx exist");
}

}  // namespace sotto
