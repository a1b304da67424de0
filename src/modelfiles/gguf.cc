#include "modelfiles/gguf.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "modelfiles/gguf_checks.h"
#include "modelfiles/gguf_file.h"

namespace sotto {
namespace {

constexpr size_t kMaxMetadataText = 256;

template <typename T>
std::string Number(const GgufValue& value) {
  T number;
  std::memcpy(&number, value.bytes.data(), sizeof(T));
  return std::to_string(number);
}

// Text of a scalar; empty for arrays and long strings.
std::string ScalarText(const GgufFile& gguf, std::string_view key, const GgufValue& value) {
  if (value.is_array) {
    return {};
  }
  switch (value.type) {
    case GgufType::kU8:
      return Number<uint8_t>(value);
    case GgufType::kI8:
      return Number<int8_t>(value);
    case GgufType::kU16:
      return Number<uint16_t>(value);
    case GgufType::kI16:
      return Number<int16_t>(value);
    case GgufType::kU32:
      return Number<uint32_t>(value);
    case GgufType::kI32:
      return Number<int32_t>(value);
    case GgufType::kF32:
      return Number<float>(value);
    case GgufType::kU64:
      return Number<uint64_t>(value);
    case GgufType::kI64:
      return Number<int64_t>(value);
    case GgufType::kF64:
      return Number<double>(value);
    case GgufType::kBool:
      return value.bytes[0] != std::byte{0} ? "true" : "false";
    case GgufType::kString: {
      const std::string_view text = gguf.String(key).value_or("");
      return text.size() <= kMaxMetadataText ? std::string(text) : std::string();
    }
    case GgufType::kArray:
      return {};
  }
  return {};
}

// Architectures that other programs write but that hold no text model.
std::string_view OtherPurpose(std::string_view architecture) {
  if (architecture == "clip") return "a vision or audio projector";
  if (architecture == "wavtokenizer-dec" || architecture == "qwen3tts" ||
      architecture == "pockettts") {
    return "a voice";
  }
  if (architecture == "whisper") return "a recogniser in a form that is not read here";
  return {};
}

Status CheckSplit(const std::string& file, const GgufFile& gguf) {
  const GgufValue* value = gguf.Find("split.count");
  if (value == nullptr) {
    return OkStatus();
  }
  uint16_t count = 0;
  if (value->is_array || value->type != GgufType::kU16) {
    return GgufError(file, "split.count", "not a u16");
  }
  std::memcpy(&count, value->bytes.data(), sizeof(count));
  return count <= 1 ? OkStatus()
                    : GgufError(file, "split.count",
                                std::to_string(count) +
                                    ": a model in several files; join them with gguf-split");
}

}  // namespace

uint64_t GgufSummary::KvBytes(uint64_t tokens, double bytes_per_element,
                              uint64_t batch_tokens) const {
  double total = 0.0;
  for (const GgufLayer& layer : layers) {
    uint64_t kept = tokens;
    if (layer.is_sliding && sliding_window_tokens > 0) {
      kept = std::min<uint64_t>(tokens, sliding_window_tokens + batch_tokens);
    }
    total += static_cast<double>(kept) * layer.kv_heads *
             (static_cast<double>(layer.key_head_dim) + layer.value_head_dim) * bytes_per_element;
  }
  return static_cast<uint64_t>(total);
}

Result<GgufSummary> ValidateGguf(const std::string& file, std::span<const std::byte> bytes) {
  SOTTO_ASSIGN_OR_RETURN(const GgufFile gguf, GgufFile::Parse(file, bytes));
  GgufSummary summary;
  const std::optional<std::string_view> name = gguf.String("general.architecture");
  if (!name) {
    return GgufError(file, "general.architecture", "missing or not a string");
  }
  const LlamaArchitecture* architecture = FindLlamaArchitecture(*name);
  if (architecture == nullptr) {
    const std::string_view purpose = OtherPurpose(*name);
    return GgufError(file, "general.architecture",
                     purpose.empty()
                         ? "not an architecture that is known here; a newer model needs a newer "
                           "version of this program"
                         : std::string(purpose) + ", not a text model; give the model's own file");
  }
  SOTTO_RETURN_IF_ERROR(CheckSplit(file, gguf));
  summary.architecture = *name;
  if (gguf.Find("general.name") != nullptr && !gguf.String("general.name")) {
    return GgufError(file, "general.name", "not a string");
  }
  summary.name = gguf.String("general.name").value_or("");
  summary.is_embedder = (architecture->flags & kEncoder) != 0;
  summary.needs_target = (architecture->flags & kDrafter) != 0;
  SOTTO_RETURN_IF_ERROR(CheckTokenizer(file, gguf, summary));
  SOTTO_RETURN_IF_ERROR(CheckHyperParameters(file, gguf, *architecture, summary));
  SOTTO_RETURN_IF_ERROR(CheckTensors(file, gguf, summary));
  for (const auto& [key, value] : gguf.values()) {
    if (std::string text = ScalarText(gguf, key, value); !text.empty()) {
      summary.metadata.emplace(key, std::move(text));
    }
  }
  return summary;
}

}  // namespace sotto
