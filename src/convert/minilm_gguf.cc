// sentence-transformers' all-MiniLM-L6-v2 (a BERT with mean pooling) to llama.cpp's GGUF.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "convert/converters.h"
#include "convert/output.h"
#include "convert/safetensors.h"
#include "modelfiles/gguf_writer.h"

namespace sotto {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kMaxConfigBytes = 1u << 20;
constexpr uint64_t kMaxVocabularyBytes = 16u << 20;
constexpr uint32_t kPoolingMean = 1;  // llama.h, LLAMA_POOLING_TYPE_MEAN
constexpr int32_t kTokenNormal = 1;   // llama.h, LLAMA_TOKEN_TYPE_NORMAL
constexpr int32_t kTokenControl = 3;  // llama.h, LLAMA_TOKEN_TYPE_CONTROL
constexpr float kScore = -1000.0f;    // WordPiece has no scores; llama.cpp wants some
constexpr std::string_view kPhantomSpace = "\u2581";

struct Config {
  uint32_t positions = 0;
  uint32_t width = 0;
  uint32_t feed_forward = 0;
  uint32_t layers = 0;
  uint32_t heads = 0;
  uint32_t token_types = 0;
  uint32_t vocabulary = 0;
  float norm_epsilon = 0.0f;
};

struct PlannedTensor {
  std::string name;
  WeightView source;
  OutputType type = OutputType::kF32;
};

Result<Config> ReadConfig(const std::string& path) {
  SOTTO_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxConfigBytes));
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return DataLossError("convert: " + path + ": not a JSON object");
  }
  Config config;
  struct Field {
    const char* name;
    uint32_t* out;
    uint32_t max;
  };
  const std::array<Field, 7> fields{{{"max_position_embeddings", &config.positions, 1u << 20},
                                     {"hidden_size", &config.width, 1u << 16},
                                     {"intermediate_size", &config.feed_forward, 1u << 20},
                                     {"num_hidden_layers", &config.layers, 512},
                                     {"num_attention_heads", &config.heads, 1024},
                                     {"type_vocab_size", &config.token_types, 1024},
                                     {"vocab_size", &config.vocabulary, 1u << 22}}};
  for (const Field& field : fields) {
    const auto found = json.find(field.name);
    if (found == json.end() || !found->is_number_unsigned() || found->get<uint64_t>() == 0 ||
        found->get<uint64_t>() > field.max) {
      return DataLossError("convert: " + path + ": " + field.name + ": missing, or not 1 to " +
                           std::to_string(field.max));
    }
    *field.out = found->get<uint32_t>();
  }
  const auto epsilon = json.find("layer_norm_eps");
  if (epsilon == json.end() || !epsilon->is_number() || !(epsilon->get<double>() > 0.0) ||
      !(epsilon->get<double>() < 1.0)) {
    return DataLossError("convert: " + path + ": layer_norm_eps: missing, or not in 0 to 1");
  }
  config.norm_epsilon = static_cast<float>(epsilon->get<double>());
  if (config.width % config.heads != 0) {
    return DataLossError("convert: " + path + ": hidden_size: not a multiple of the heads");
  }
  return config;
}

Result<std::vector<std::string>> ReadVocabulary(const std::string& path, uint32_t count) {
  SOTTO_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxVocabularyBytes));
  std::vector<std::string> tokens;
  for (size_t at = 0; at < text.size() && tokens.size() < count;) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string token = text.substr(at, end - at);
    if (token.ends_with('\r')) {
      token.pop_back();
    }
    tokens.push_back(std::move(token));
    at = end + 1;
  }
  if (tokens.size() != count) {
    return DataLossError("convert: " + path + ": " + std::to_string(tokens.size()) +
                         " lines: config.json says " + std::to_string(count));
  }
  return tokens;
}

bool IsSpecial(std::string_view token) { return token.starts_with('[') && token.ends_with(']'); }

// llama.cpp marks the start of a word; WordPiece marks its continuation with "##".
std::string Marked(const std::string& token) {
  if (IsSpecial(token)) {
    return token;
  }
  return token.starts_with("##") ? token.substr(2) : std::string(kPhantomSpace) + token;
}

Status AddTokenizer(const std::string& path, const Config& config,
                    const std::vector<std::string>& tokens, GgufWriter& gguf) {
  const auto id = [&](std::string_view token) -> std::optional<uint32_t> {
    const auto found = std::find(tokens.begin(), tokens.end(), token);
    return found == tokens.end() ? std::nullopt
                                 : std::optional(static_cast<uint32_t>(found - tokens.begin()));
  };
  const std::optional<uint32_t> unknown = id("[UNK]");
  const std::optional<uint32_t> separator = id("[SEP]");
  const std::optional<uint32_t> start = id("[CLS]");
  const std::optional<uint32_t> mask = id("[MASK]");
  if (!unknown || !separator || !start || !mask) {
    return DataLossError("convert: " + path + ": no [UNK], [SEP], [CLS] or [MASK]");
  }
  std::vector<std::string> marked;
  std::vector<int32_t> types;
  for (const std::string& token : tokens) {
    marked.push_back(Marked(token));
    types.push_back(IsSpecial(token) ? kTokenControl : kTokenNormal);
  }
  gguf.AddString("tokenizer.ggml.model", "bert");
  gguf.AddString("tokenizer.ggml.pre", "default");
  gguf.AddStrings("tokenizer.ggml.tokens", marked);
  gguf.AddI32s("tokenizer.ggml.token_type", types);
  gguf.AddU32("tokenizer.ggml.token_type_count", config.token_types);
  gguf.AddF32s("tokenizer.ggml.scores", std::vector<float>(tokens.size(), kScore));
  gguf.AddU32("tokenizer.ggml.unknown_token_id", *unknown);
  gguf.AddU32("tokenizer.ggml.seperator_token_id", *separator);  // spelt like this in the format
  gguf.AddU32("tokenizer.ggml.mask_token_id", *mask);
  gguf.AddU32("tokenizer.ggml.bos_token_id", *start);
  gguf.AddU32("tokenizer.ggml.eos_token_id", *separator);
  return OkStatus();
}

void AddHyperParameters(const Config& config, OutputType type, GgufWriter& gguf) {
  gguf.AddString("general.name", "all-MiniLM-L6-v2");
  gguf.AddString("general.license", "apache-2.0");
  gguf.AddU32("bert.context_length", config.positions);
  gguf.AddU32("bert.embedding_length", config.width);
  gguf.AddU32("bert.feed_forward_length", config.feed_forward);
  gguf.AddU32("bert.block_count", config.layers);
  gguf.AddU32("bert.attention.head_count", config.heads);
  gguf.AddF32("bert.attention.layer_norm_epsilon", config.norm_epsilon);
  gguf.AddBool("bert.attention.causal", false);
  gguf.AddU32("bert.pooling_type", kPoolingMean);
  // llama.h, LLAMA_FTYPE_*: all f32, mostly f16, mostly q8_0.
  gguf.AddU32("general.file_type", type == OutputType::kF32 ? 0 : type == OutputType::kF16 ? 1 : 7);
}

// Name in the GGUF and shape of a tensor; nullopt for the ones that llama.cpp does not use.
class Names {
 public:
  explicit Names(const Config& config) {
    const uint64_t width = config.width;
    const uint64_t feed_forward = config.feed_forward;
    Put("embeddings.word_embeddings.weight", "token_embd.weight", {config.vocabulary, width});
    Put("embeddings.position_embeddings.weight", "position_embd.weight", {config.positions, width});
    Put("embeddings.token_type_embeddings.weight", "token_types.weight",
        {config.token_types, width});
    PutNorm("embeddings.LayerNorm", "token_embd_norm", width);
    for (uint32_t i = 0; i < config.layers; ++i) {
      const std::string from = "encoder.layer." + std::to_string(i) + ".";
      const std::string to = "blk." + std::to_string(i) + ".";
      PutLinear(from + "attention.self.query", to + "attn_q", width, width);
      PutLinear(from + "attention.self.key", to + "attn_k", width, width);
      PutLinear(from + "attention.self.value", to + "attn_v", width, width);
      PutLinear(from + "attention.output.dense", to + "attn_output", width, width);
      PutNorm(from + "attention.output.LayerNorm", to + "attn_output_norm", width);
      PutLinear(from + "intermediate.dense", to + "ffn_up", feed_forward, width);
      PutLinear(from + "output.dense", to + "ffn_down", width, feed_forward);
      PutNorm(from + "output.LayerNorm", to + "layer_output_norm", width);
    }
  }

  struct Target {
    std::string name;
    std::vector<uint64_t> dims;
  };
  const std::map<std::string, Target, std::less<>>& all() const { return targets_; }

 private:
  void Put(const std::string& from, const std::string& to, std::vector<uint64_t> dims) {
    targets_[from] = {to, std::move(dims)};
  }
  void PutNorm(const std::string& from, const std::string& to, uint64_t width) {
    Put(from + ".weight", to + ".weight", {width});
    Put(from + ".bias", to + ".bias", {width});
  }
  void PutLinear(const std::string& from, const std::string& to, uint64_t out, uint64_t in) {
    Put(from + ".weight", to + ".weight", {out, in});
    Put(from + ".bias", to + ".bias", {out});
  }

  std::map<std::string, Target, std::less<>> targets_;
};

OutputType TypeOf(const std::string& name, const WeightView& source, OutputType wanted) {
  const bool keeps_float =
      source.dims.size() < 2 || name == "position_embd.weight" || name == "token_types.weight";
  return keeps_float ? OutputType::kF32 : wanted;
}

Result<std::vector<PlannedTensor>> Plan(const std::string& file, const Config& config,
                                        std::span<const std::byte> bytes, OutputType type) {
  SOTTO_ASSIGN_OR_RETURN(const auto sources, ReadSafetensors(file, bytes));
  const Names names(config);
  std::vector<PlannedTensor> plan;
  for (const auto& [source_name, view] : sources) {
    const std::string_view bare = source_name.starts_with("bert.")
                                      ? std::string_view(source_name).substr(5)
                                      : std::string_view(source_name);
    const auto target = names.all().find(bare);
    if (target == names.all().end()) {
      continue;  // position_ids, pooler
    }
    const std::string& name = target->second.name;
    if (view.dims != target->second.dims) {
      return DataLossError("convert: " + file + ": " + name + ": shape: config.json says other");
    }
    const OutputType tensor_type = TypeOf(name, view, type);
    if (view.dims.back() % BlockElements(tensor_type) != 0) {
      return InvalidArgumentError("convert: " + file + ": " + name +
                                  ": row is no multiple of 32; try f16");
    }
    plan.push_back({name, view, tensor_type});
  }
  std::map<std::string_view, int> seen;
  for (const PlannedTensor& tensor : plan) {
    if (++seen[tensor.name] > 1) {
      return DataLossError("convert: " + file + ": " + tensor.name + ": appears twice");
    }
  }
  if (plan.size() != names.all().size()) {
    return DataLossError("convert: " + file + ": " + std::to_string(plan.size()) + " of " +
                         std::to_string(names.all().size()) + " tensors of a BERT are there");
  }
  return plan;
}

}  // namespace

Status ConvertStMiniLm(const ConvertRequest& request, OutputType type) {
  const std::string& file = request.inputs[0];
  SOTTO_ASSIGN_OR_RETURN(const MappedFile mapped, MappedFile::Open(file));
  SOTTO_ASSIGN_OR_RETURN(const Config config, ReadConfig(request.inputs[1]));
  SOTTO_ASSIGN_OR_RETURN(const std::vector<std::string> tokens,
                         ReadVocabulary(request.inputs[2], config.vocabulary));
  SOTTO_ASSIGN_OR_RETURN(const std::vector<PlannedTensor> plan,
                         Plan(file, config, mapped.bytes(), type));
  GgufWriter gguf("bert");
  AddHyperParameters(config, type, gguf);
  SOTTO_RETURN_IF_ERROR(AddTokenizer(request.inputs[2], config, tokens, gguf));
  uint64_t total_bytes = 0;
  for (const PlannedTensor& tensor : plan) {
    const std::vector<uint64_t> dims(tensor.source.dims.rbegin(), tensor.source.dims.rend());
    gguf.AddTensor(tensor.name, dims, GgmlTypeOf(tensor.type),
                   tensor.source.elements() / BlockElements(tensor.type) * BlockBytes(tensor.type));
    total_bytes += tensor.source.data.size();
  }
  SOTTO_ASSIGN_OR_RETURN(ConvertOutput output,
                         ConvertOutput::Create(request.output, total_bytes, request.on_progress));
  SOTTO_RETURN_IF_ERROR(output.Write(gguf.Header()));
  for (const PlannedTensor& tensor : plan) {
    SOTTO_RETURN_IF_ERROR(
        output.WriteTensor(file + ": " + tensor.name, tensor.source, tensor.type));
    SOTTO_RETURN_IF_ERROR(
        output.Pad(tensor.source.elements() / BlockElements(tensor.type) * BlockBytes(tensor.type),
                   kGgufAlignmentBytes));
  }
  return output.Commit();
}

}  // namespace sotto
