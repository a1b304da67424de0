#include "backends/onnx/kokoro_files.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "text/utf8.h"

namespace sotto {
namespace {

constexpr uint64_t kRowBytes = kKokoroStyleFloats * sizeof(float);
constexpr uint64_t kMaxRows = 4096;
constexpr int64_t kMaxSymbolId = 100000;
constexpr size_t kMaxVoices = 1000;

bool IsEnglishVoice(std::string_view name) {
  return name.size() > 3 && (name[0] == 'a' || name[0] == 'b') &&
         (name[1] == 'f' || name[1] == 'm') && name[2] == '_';
}

std::string VoicePath(const std::string& voices_dir, const std::string& voice) {
  return voices_dir + "/" + voice + ".bin";
}

Status CheckVoiceSize(const std::string& path) {
  SOTTO_ASSIGN_OR_RETURN(const uint64_t size_bytes, FileSizeBytes(path));
  if (size_bytes == 0 || size_bytes % kRowBytes != 0 || size_bytes / kRowBytes > kMaxRows) {
    return DataLossError(path + ": " + std::to_string(size_bytes) +
                         " bytes: not a number of style vectors of 256 floats");
  }
  return OkStatus();
}

}  // namespace

Result<SymbolTable> ParseKokoroVocab(std::string_view json) {
  using Json = nlohmann::json;
  const Json file = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!file.is_object()) {
    return DataLossError("vocabulary: not a JSON object");
  }
  const auto nested = file.find("vocab");
  const Json& vocab = nested != file.end() && nested->is_object() ? *nested : file;
  SymbolTable table;
  for (const auto& [symbol, id] : vocab.items()) {
    const bool one_character = !symbol.empty() && DecodeUtf8(symbol, 0).size_bytes == symbol.size();
    if (!one_character || !id.is_number_integer() || id.get<int64_t>() < 0 ||
        id.get<int64_t>() > kMaxSymbolId) {
      return DataLossError("vocabulary: entry " + std::to_string(table.size()) +
                           ": not one character with a number");
    }
    table.Add(DecodeUtf8(symbol, 0).value, {id.get<int64_t>()});
  }
  if (table.size() == 0) {
    return DataLossError("vocabulary: no symbols");
  }
  return table;
}

Result<std::vector<std::string>> ListKokoroVoices(const std::string& voices_dir) {
  std::vector<std::string> voices;
  std::error_code error;
  std::filesystem::directory_iterator entry(voices_dir, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::filesystem::path& path = entry->path();
    if (path.extension() == ".bin" && IsEnglishVoice(path.stem().string())) {
      SOTTO_RETURN_IF_ERROR(CheckVoiceSize(path.string()));
      voices.push_back(path.stem().string());
      if (voices.size() > kMaxVoices) {
        return ResourceExhaustedError(voices_dir + ": more than 1000 voices");
      }
    }
  }
  if (error) {
    return ErrnoError(error.value(), "list", voices_dir);
  }
  if (voices.empty()) {
    return NotFoundError(voices_dir + ": no English voice (af_*.bin, am_*.bin, ...)");
  }
  std::sort(voices.begin(), voices.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a != "af_heart", a) < std::pair(b != "af_heart", b);
  });
  return voices;
}

Result<KokoroStyle> KokoroStyle::Load(const std::string& voices_dir, const std::string& voice) {
  const std::string path = VoicePath(voices_dir, voice);
  SOTTO_RETURN_IF_ERROR(CheckVoiceSize(path));
  SOTTO_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path, kRowBytes * kMaxRows));
  if (bytes.size() < kRowBytes) {
    return DataLossError(path + ": changed while it was read");
  }
  KokoroStyle style;
  style.values_.resize(bytes.size() / kRowBytes * kKokoroStyleFloats);
  std::memcpy(style.values_.data(), bytes.data(), style.values_.size() * sizeof(float));
  if (!std::all_of(style.values_.begin(), style.values_.end(),
                   [](float value) { return std::isfinite(value); })) {
    return DataLossError(path + ": values that are not finite");
  }
  return style;
}

std::span<const float> KokoroStyle::Row(size_t num_tokens) const {
  const size_t rows = values_.size() / kKokoroStyleFloats;
  return std::span(values_).subspan(std::min(num_tokens, rows - 1) * kKokoroStyleFloats,
                                    kKokoroStyleFloats);
}

}  // namespace sotto
