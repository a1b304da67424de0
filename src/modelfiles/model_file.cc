#include "modelfiles/model_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/file.h"
#include "modelfiles/byte_reader.h"

namespace sotto {
namespace {

using Bytes = std::span<const std::byte>;

constexpr size_t kTextProbeBytes = 512;

std::string_view Head(Bytes bytes, size_t count) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(count, bytes.size())};
}

std::string_view Behind(std::string_view head, size_t count) {
  return head.substr(std::min(count, head.size()));
}

bool IsUnfinished(const std::string& path) {
  const std::string_view name = std::string_view(path).substr(path.find_last_of('/') + 1);
  for (const std::string_view suffix : {".part", ".partial", ".crdownload", ".download"}) {
    if (name.ends_with(suffix)) {
      return true;
    }
  }
  return name.find(".tmp-") != std::string_view::npos;
}

bool IsHtml(std::string_view head) {
  std::string lower(head.substr(0, kTextProbeBytes));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const size_t start = lower.find_first_not_of(" \t\r\n");
  return start != std::string::npos &&
         (lower.compare(start, 9, "<!doctype") == 0 || lower.compare(start, 5, "<html") == 0);
}

bool IsText(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<uint8_t>(c);
    return byte >= 0x20 || c == '\n' || c == '\r' || c == '\t';
  });
}

// A JSON header behind its length.
bool IsSafetensors(Bytes bytes) {
  ByteReader in(bytes);
  uint64_t header_bytes = 0;
  uint8_t first = 0;
  return in.Read(header_bytes) && header_bytes >= 2 && header_bytes <= in.remaining_bytes() &&
         in.Read(first) && first == '{';
}

// A version, then "WhisperSpec" or the like behind its length.
bool IsCt2(Bytes bytes) {
  ByteReader in(bytes);
  uint32_t version = 0;
  uint16_t length_bytes = 0;
  std::string_view name;
  return in.Read(version) && version >= 1 && version <= 16 && in.Read(length_bytes) &&
         length_bytes >= 5 && length_bytes <= 64 && in.ReadText(length_bytes, name) &&
         name.ends_with(std::string_view("Spec\0", 5));
}

bool IsAnyOf(std::string_view head, std::span<const std::string_view> magics) {
  return std::any_of(magics.begin(), magics.end(),
                     [&](std::string_view magic) { return head.starts_with(magic); });
}

ModelFileKind IdentifyMagic(std::string_view head) {
  using namespace std::string_view_literals;
  constexpr std::array kImages{"\xFF\xD8\xFF"sv, "\x89PNG"sv, "GIF8"sv};
  constexpr std::array kAudios{"fLaC"sv, "OggS"sv, "ID3"sv};
  constexpr std::array kArchives{"\x1F\x8B"sv,
                                 "BZh"sv,
                                 "\xFD"
                                 "7zXZ"sv,
                                 "7z\xBC\xAF"sv,
                                 "\x28\xB5\x2F\xFD"sv,
                                 "Rar!"sv};
  if (head.starts_with("GGUF")) return ModelFileKind::kGguf;
  if (head.starts_with("lmgg")) {
    return Behind(head, 8).starts_with("silero") ? ModelFileKind::kSileroGgml
                                                 : ModelFileKind::kWhisperGgml;
  }
  if (head.starts_with("RIFF")) {
    return Behind(head, 8).starts_with("WEBP") ? ModelFileKind::kImage : ModelFileKind::kAudio;
  }
  if (IsAnyOf(head, kImages)) return ModelFileKind::kImage;
  if (IsAnyOf(head, kAudios)) return ModelFileKind::kAudio;
  if (IsAnyOf(head, kArchives)) return ModelFileKind::kArchive;
  if (head.starts_with("PK\x03\x04")) {
    // torch.save names its first member archive/data.pkl or NAME/data.pkl.
    return head.find("data.pkl") != std::string_view::npos ? ModelFileKind::kTorchZip
                                                           : ModelFileKind::kArchive;
  }
  // Protocol 2, and torch's magic number as a long of ten bytes.
  if (head.starts_with("\x80\x02\x8A\x0A\x6C\xFC")) return ModelFileKind::kTorchLegacy;
  if (head.starts_with("version https://git-lfs")) return ModelFileKind::kLfsPointer;
  return ModelFileKind::kUnknown;
}

ModelFileKind Identify(const std::string& path, Bytes bytes) {
  if (IsUnfinished(path)) {
    return ModelFileKind::kUnfinished;
  }
  if (bytes.empty()) {
    return ModelFileKind::kEmpty;
  }
  const std::string_view head = Head(bytes, kTextProbeBytes);
  if (const ModelFileKind kind = IdentifyMagic(head); kind != ModelFileKind::kUnknown) {
    return kind;
  }
  if (IsSafetensors(bytes)) return ModelFileKind::kSafetensors;
  if (IsCt2(bytes)) return ModelFileKind::kCt2;
  // ONNX has no magic: exporters begin with field 1, ir_version, a small number.
  const bool looks_like_onnx =
      head.size() >= 2 && head[0] == '\x08' && head[1] >= 1 && head[1] <= 32;
  if (looks_like_onnx) return ModelFileKind::kOnnx;
  if (IsHtml(head)) return ModelFileKind::kHtml;
  if (IsText(head)) return ModelFileKind::kText;
  return path.ends_with(".onnx") ? ModelFileKind::kOnnx : ModelFileKind::kUnknown;
}

std::string_view WhatToDo(ModelFileKind kind) {
  switch (kind) {
    case ModelFileKind::kSafetensors:
    case ModelFileKind::kTorchZip:
    case ModelFileKind::kTorchLegacy:
    case ModelFileKind::kCt2:
      return "convert it first, or give a GGUF, ggml or ONNX file";
    case ModelFileKind::kEmpty:
    case ModelFileKind::kUnfinished:
    case ModelFileKind::kHtml:
      return "fetch it again";
    case ModelFileKind::kLfsPointer:
      return "fetch the file it points to with git lfs pull";
    case ModelFileKind::kArchive:
      return "unpack it and give the model inside";
    default:
      return "give a GGUF, ggml or ONNX file";
  }
}

}  // namespace

std::string_view DescribeModelFileKind(ModelFileKind kind) {
  switch (kind) {
    case ModelFileKind::kGguf:
      return "a GGUF model";
    case ModelFileKind::kWhisperGgml:
      return "a Whisper model for whisper.cpp";
    case ModelFileKind::kSileroGgml:
      return "a voice activity detector for whisper.cpp";
    case ModelFileKind::kOnnx:
      return "an ONNX model";
    case ModelFileKind::kSafetensors:
      return "safetensors weights";
    case ModelFileKind::kTorchZip:
      return "a PyTorch checkpoint";
    case ModelFileKind::kTorchLegacy:
      return "a legacy PyTorch checkpoint";
    case ModelFileKind::kCt2:
      return "a CTranslate2 model";
    case ModelFileKind::kEmpty:
      return "an empty file";
    case ModelFileKind::kUnfinished:
      return "an unfinished download";
    case ModelFileKind::kLfsPointer:
      return "a Git LFS pointer, not the file itself";
    case ModelFileKind::kHtml:
      return "a web page";
    case ModelFileKind::kImage:
      return "a JPEG, PNG, GIF or WebP image";
    case ModelFileKind::kAudio:
      return "audio";
    case ModelFileKind::kArchive:
      return "an archive";
    case ModelFileKind::kText:
      return "text";
    case ModelFileKind::kUnknown:
      return "not a model file of a kind that is known";
  }
  return "unknown";
}

Result<ModelFileKind> IdentifyModelFile(const std::string& path) {
  SOTTO_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  return Identify(path, file.bytes());
}

Result<ModelFileSummary> ValidateModelFile(const std::string& path) {
  SOTTO_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  ModelFileSummary summary;
  summary.size_bytes = file.bytes().size();
  summary.kind = Identify(path, file.bytes());
  switch (summary.kind) {
    case ModelFileKind::kGguf: {
      SOTTO_ASSIGN_OR_RETURN(summary.gguf, ValidateGguf(path, file.bytes()));
      return summary;
    }
    case ModelFileKind::kWhisperGgml: {
      SOTTO_ASSIGN_OR_RETURN(summary.whisper, ValidateWhisper(path, file.bytes()));
      return summary;
    }
    case ModelFileKind::kSileroGgml:
      SOTTO_RETURN_IF_ERROR(ValidateSileroGgml(path, file.bytes()));
      return summary;
    case ModelFileKind::kOnnx: {
      SOTTO_ASSIGN_OR_RETURN(summary.onnx, ValidateOnnx(path, file.bytes()));
      return summary;
    }
    default:
      return DataLossError("model: " + path + ": is " +
                           std::string(DescribeModelFileKind(summary.kind)) + "; " +
                           std::string(WhatToDo(summary.kind)));
  }
}

}  // namespace sotto
