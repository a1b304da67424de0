#include "backends/onnx/piper_config.h"

#include <nlohmann/json.hpp>

#include "text/utf8.h"

namespace sotto {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxSpeakers = 10000;
constexpr size_t kMaxIdsPerSymbol = 16;
constexpr int64_t kMaxSymbolId = 100000;

Status BadField(std::string field) {
  return DataLossError("voice config: " + std::move(field) + ": missing or malformed");
}

const Json* Find(const Json& object, const char* key) {
  if (!object.is_object()) {
    return nullptr;
  }
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

// Leaves `out` alone when the field is absent.
Status ReadScale(const Json& config, const char* key, float max, float& out) {
  const Json* inference = Find(config, "inference");
  const Json* value = inference == nullptr ? nullptr : Find(*inference, key);
  if (value == nullptr) {
    return OkStatus();
  }
  if (!value->is_number() || !(value->get<float>() >= 0.0f && value->get<float>() <= max)) {
    return BadField(std::string("inference.") + key);
  }
  out = value->get<float>();
  return OkStatus();
}

Result<std::vector<int64_t>> ReadIds(const Json& value) {
  std::vector<int64_t> ids;
  if (!value.is_array() || value.size() > kMaxIdsPerSymbol) {
    return BadField("phoneme_id_map");
  }
  for (const Json& id : value) {
    if (!id.is_number_integer() || id.get<int64_t>() < 0 || id.get<int64_t>() > kMaxSymbolId) {
      return BadField("phoneme_id_map");
    }
    ids.push_back(id.get<int64_t>());
  }
  return ids;
}

Status ReadSymbols(const Json& config, PiperConfig& out) {
  const Json* map = Find(config, "phoneme_id_map");
  if (map == nullptr || !map->is_object()) {
    return BadField("phoneme_id_map");
  }
  for (const auto& [key, value] : map->items()) {
    SOTTO_ASSIGN_OR_RETURN(std::vector<int64_t> ids, ReadIds(value));
    const CodePoint point = key.empty() ? CodePoint() : DecodeUtf8(key, 0);
    if (point.size_bytes != key.size() || key.empty()) {
      continue;  // symbols of several characters are reached through phoneme_map only
    }
    if (point.value == U'^') {
      out.begin_ids = std::move(ids);
    } else if (point.value == U'$') {
      out.end_ids = std::move(ids);
    } else if (point.value == U'_') {
      out.pad_ids = std::move(ids);
    } else {
      out.symbols.Add(point.value, std::move(ids));
    }
  }
  if (out.begin_ids.empty() || out.end_ids.empty() || out.pad_ids.empty() ||
      out.symbols.size() == 0) {
    return BadField("phoneme_id_map");
  }
  return OkStatus();
}

// phoneme_map: a symbol is replaced by a list of symbols before ids are looked up.
Status ApplyPhonemeMap(const Json& config, PiperConfig& out) {
  const Json* map = Find(config, "phoneme_map");
  if (map == nullptr || map->is_null()) {
    return OkStatus();
  }
  if (!map->is_object()) {
    return BadField("phoneme_map");
  }
  for (const auto& [key, value] : map->items()) {
    if (key.empty() || DecodeUtf8(key, 0).size_bytes != key.size() || !value.is_array() ||
        value.size() > kMaxIdsPerSymbol) {
      return BadField("phoneme_map");
    }
    std::vector<int64_t> ids;
    for (const Json& symbol : value) {
      const std::string text = symbol.is_string() ? symbol.get<std::string>() : std::string();
      const CodePoint point = text.empty() ? CodePoint() : DecodeUtf8(text, 0);
      if (text.empty() || point.size_bytes != text.size() || !out.symbols.Contains(point.value)) {
        return BadField("phoneme_map");
      }
      if (!ids.empty()) {
        ids.insert(ids.end(), out.pad_ids.begin(), out.pad_ids.end());
      }
      const std::vector<int64_t>& more = out.symbols.IdsOf(point.value);
      ids.insert(ids.end(), more.begin(), more.end());
    }
    out.symbols.Add(DecodeUtf8(key, 0).value, std::move(ids));
  }
  return OkStatus();
}

Status ReadSpeakers(const Json& config, PiperConfig& out) {
  const Json* map = Find(config, "speaker_id_map");
  if (map != nullptr && map->is_object() && !map->empty()) {
    if (map->size() > kMaxSpeakers) {
      return BadField("speaker_id_map");
    }
    out.speakers.resize(map->size());
    for (const auto& [name, id] : map->items()) {
      if (!id.is_number_integer() || id.get<int64_t>() < 0 ||
          id.get<int64_t>() >= static_cast<int64_t>(map->size()) ||
          !out.speakers[id.get<size_t>()].empty() || name.empty()) {
        return BadField("speaker_id_map");
      }
      out.speakers[id.get<size_t>()] = name;
    }
    return OkStatus();
  }
  const Json* dataset = Find(config, "dataset");
  const bool named = dataset != nullptr && dataset->is_string() && !dataset->empty() &&
                     !dataset->get<std::string>().empty();
  out.speakers = {named ? dataset->get<std::string>() : std::string("default")};
  return OkStatus();
}

void ReadLanguage(const Json& config, PiperConfig& out) {
  std::string code;
  if (const Json* language = Find(config, "language"); language != nullptr) {
    const Json* field = Find(*language, "code");
    code = field != nullptr && field->is_string() ? field->get<std::string>() : "";
  }
  if (const Json* espeak = Find(config, "espeak"); code.empty() && espeak != nullptr) {
    const Json* field = Find(*espeak, "voice");
    code = field != nullptr && field->is_string() ? field->get<std::string>() : "";
  }
  out.language = code.substr(0, code.find_first_of("_-"));
}

}  // namespace

Result<PiperConfig> ParsePiperConfig(std::string_view json) {
  const Json config = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object()) {
    return DataLossError("voice config: not a JSON object");
  }
  PiperConfig out;
  const Json* audio = Find(config, "audio");
  const Json* rate = audio == nullptr ? nullptr : Find(*audio, "sample_rate");
  if (rate == nullptr || !rate->is_number_integer() || rate->get<int64_t>() < 8000 ||
      rate->get<int64_t>() > 48000) {
    return BadField("audio.sample_rate");
  }
  out.rate_hz = rate->get<int32_t>();
  const Json* type = Find(config, "phoneme_type");
  if (type != nullptr && (!type->is_string() || type->get<std::string>() != "espeak")) {
    return UnimplementedError("voice config: phoneme_type: only espeak voices are spoken");
  }
  SOTTO_RETURN_IF_ERROR(ReadScale(config, "noise_scale", 2.0f, out.noise_scale));
  SOTTO_RETURN_IF_ERROR(ReadScale(config, "noise_w", 2.0f, out.noise_w));
  SOTTO_RETURN_IF_ERROR(ReadScale(config, "length_scale", 4.0f, out.length_scale));
  if (out.length_scale < 0.25f) {
    return BadField("inference.length_scale");
  }
  SOTTO_RETURN_IF_ERROR(ReadSymbols(config, out));
  SOTTO_RETURN_IF_ERROR(ApplyPhonemeMap(config, out));
  SOTTO_RETURN_IF_ERROR(ReadSpeakers(config, out));
  ReadLanguage(config, out);
  return out;
}

}  // namespace sotto
