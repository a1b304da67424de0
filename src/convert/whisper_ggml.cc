// CTranslate2 Whisper to whisper.cpp's ggml .bin.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "convert/converters.h"
#include "convert/ct2_reader.h"
#include "convert/mel_filters.h"
#include "convert/output.h"

namespace sotto {
namespace {

constexpr uint64_t kHeadWidth = 64;            // every Whisper size
constexpr uint64_t kMaxLayers = 128;           // large has 32
constexpr uint64_t kMaxTokensWritten = 50257;  // whisper.cpp makes up the special ones above
constexpr uint64_t kMaxVocabularyBytes = 16u << 20;
constexpr uint32_t kGgmlMagic = 0x67676d6c;

// One tensor of the output. `dims` slowest first, as the reader of `source` must see it.
struct PlannedTensor {
  std::string name;
  std::vector<uint64_t> dims;
  WeightView source;
};

template <typename T>
void Put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

uint64_t CountLayers(const Ct2Model& model, std::string_view side) {
  const std::string prefix = std::string(side) + "/layer_";
  uint64_t count = 0;
  for (auto it = model.variables.lower_bound(prefix);
       it != model.variables.end() && it->first.starts_with(prefix); ++it) {
    uint64_t index = 0;
    size_t at = prefix.size();
    for (; at < it->first.size() && it->first[at] >= '0' && it->first[at] <= '9'; ++at) {
      index =
          std::min<uint64_t>(index * 10 + static_cast<uint64_t>(it->first[at] - '0'), kMaxLayers);
    }
    if (at > prefix.size()) {
      count = std::max(count, index + 1);
    }
  }
  return count;
}

// Picks the variables in the order of the output and checks every shape against the sizes that
// the embeddings and convolutions state.
class Planner {
 public:
  Planner(const std::string& file, const Ct2Model& model) : file_(file), model_(model) {}

  Status Run() {
    SOTTO_RETURN_IF_ERROR(ReadSizes());
    Encoder();
    Decoder();
    return status_;
  }

  // The eleven numbers after the magic, without the type.
  std::array<uint64_t, 10> Sizes() const {
    return {vocab_,          audio_ctx_, state_, state_ / kHeadWidth,
            encoder_layers_, text_ctx_,  state_, state_ / kHeadWidth,
            decoder_layers_, mels_};
  }
  uint64_t mels() const { return mels_; }
  uint64_t vocab() const { return vocab_; }
  const std::vector<PlannedTensor>& tensors() const { return tensors_; }

 private:
  Status Bad(const std::string& field, const std::string& what) const {
    return DataLossError("convert: " + file_ + ": " + field + ": " + what);
  }

  // The variable, or nullptr and `status_` set. Shape 0 matches any.
  const WeightView* Find(const std::string& name, const std::vector<uint64_t>& shape) {
    if (!status_.ok()) {
      return nullptr;
    }
    const auto found = model_.variables.find(name);
    if (found == model_.variables.end()) {
      status_ = Bad(name, "missing; this is not a CTranslate2 Whisper model");
      return nullptr;
    }
    const std::vector<uint64_t>& dims = found->second.dims;
    bool same = dims.size() == shape.size();
    for (size_t i = 0; same && i < shape.size(); ++i) {
      same = shape[i] == 0 || shape[i] == dims[i];
    }
    if (!same) {
      status_ = Bad(name, "unexpected shape");
      return nullptr;
    }
    return &found->second;
  }

  Status ReadSizes() {
    const WeightView* conv = Find("encoder/conv1/weight", {0, 0, 3});
    const WeightView* audio = Find("encoder/position_encodings/encodings", {0, 0});
    const WeightView* text = Find("decoder/position_encodings/encodings", {0, 0});
    const WeightView* tokens = Find("decoder/embeddings/weight", {0, 0});
    SOTTO_RETURN_IF_ERROR(status_);
    state_ = conv->dims[0];
    mels_ = conv->dims[1];
    audio_ctx_ = audio->dims[0];
    text_ctx_ = text->dims[0];
    vocab_ = tokens->dims[0];
    encoder_layers_ = CountLayers(model_, "encoder");
    decoder_layers_ = CountLayers(model_, "decoder");
    if (state_ % kHeadWidth != 0 || state_ > 4096 || mels_ > 256 || audio_ctx_ > 65536 ||
        text_ctx_ > 65536 || vocab_ > (1u << 20)) {
      return Bad("sizes", "outside of what Whisper models have");
    }
    if (encoder_layers_ == 0 || decoder_layers_ == 0 || encoder_layers_ > kMaxLayers ||
        decoder_layers_ > kMaxLayers) {
      return Bad("layers", std::to_string(encoder_layers_) + " and " +
                               std::to_string(decoder_layers_) + ": want 1 to " +
                               std::to_string(kMaxLayers));
    }
    return OkStatus();
  }

  void Add(std::string name, const WeightView* source) {
    if (source != nullptr) {
      tensors_.push_back({std::move(name), source->dims, *source});
    }
  }
  void AddRows(std::string name, const WeightView* source, uint64_t part) {
    if (source != nullptr) {
      const WeightView rows = source->Rows(part * state_, state_);
      tensors_.push_back({std::move(name), rows.dims, rows});
    }
  }

  void Norm(const std::string& to, const std::string& from) {
    Add(to + ".weight", Find(from + "/gamma", {state_}));
    Add(to + ".bias", Find(from + "/beta", {state_}));
  }

  void Linear(const std::string& to, const std::string& from, uint64_t out, uint64_t in) {
    Add(to + ".weight", Find(from + "/weight", {out, in}));
    Add(to + ".bias", Find(from + "/bias", {out}));
  }

  // Parts of a fused projection; Whisper's keys have no bias.
  void Projection(const std::string& to, const std::string& from, uint64_t parts, uint64_t part,
                  bool has_bias) {
    AddRows(to + ".weight", Find(from + "/weight", {parts * state_, state_}), part);
    if (has_bias) {
      AddRows(to + ".bias", Find(from + "/bias", {parts * state_}), part);
    }
  }

  void SelfAttention(const std::string& to, const std::string& from) {
    Norm(to + ".attn_ln", from + "/layer_norm");
    Projection(to + ".attn.query", from + "/linear_0", 3, 0, true);
    Projection(to + ".attn.key", from + "/linear_0", 3, 1, false);
    Projection(to + ".attn.value", from + "/linear_0", 3, 2, true);
    Linear(to + ".attn.out", from + "/linear_1", state_, state_);
  }

  void CrossAttention(const std::string& to, const std::string& from) {
    Norm(to + ".cross_attn_ln", from + "/layer_norm");
    Linear(to + ".cross_attn.query", from + "/linear_0", state_, state_);
    Projection(to + ".cross_attn.key", from + "/linear_1", 2, 0, false);
    Projection(to + ".cross_attn.value", from + "/linear_1", 2, 1, true);
    Linear(to + ".cross_attn.out", from + "/linear_2", state_, state_);
  }

  void FeedForward(const std::string& to, const std::string& from) {
    Norm(to + ".mlp_ln", from + "/layer_norm");
    Linear(to + ".mlp.0", from + "/linear_0", 4 * state_, state_);
    Linear(to + ".mlp.2", from + "/linear_1", state_, 4 * state_);
  }

  void Convolution(const std::string& name, uint64_t in) {
    Add("encoder." + name + ".weight", Find("encoder/" + name + "/weight", {state_, in, 3}));
    const std::string bias = "encoder." + name + ".bias";
    if (const WeightView* source = Find("encoder/" + name + "/bias", {state_})) {
      tensors_.push_back({bias, {state_, 1}, *source});
    }
  }

  void Encoder() {
    Convolution("conv1", mels_);
    Convolution("conv2", state_);
    Add("encoder.positional_embedding",
        Find("encoder/position_encodings/encodings", {audio_ctx_, state_}));
    for (uint64_t i = 0; i < encoder_layers_; ++i) {
      const std::string from = "encoder/layer_" + std::to_string(i);
      const std::string to = "encoder.blocks." + std::to_string(i);
      SelfAttention(to, from + "/self_attention");
      FeedForward(to, from + "/ffn");
    }
    Norm("encoder.ln_post", "encoder/layer_norm");
  }

  void Decoder() {
    Add("decoder.positional_embedding",
        Find("decoder/position_encodings/encodings", {text_ctx_, state_}));
    Add("decoder.token_embedding.weight", Find("decoder/embeddings/weight", {vocab_, state_}));
    for (uint64_t i = 0; i < decoder_layers_; ++i) {
      const std::string from = "decoder/layer_" + std::to_string(i);
      const std::string to = "decoder.blocks." + std::to_string(i);
      SelfAttention(to, from + "/self_attention");
      CrossAttention(to, from + "/attention");
      FeedForward(to, from + "/ffn");
    }
    Norm("decoder.ln", "decoder/layer_norm");
  }

  const std::string& file_;
  const Ct2Model& model_;
  Status status_;
  std::vector<PlannedTensor> tensors_;
  uint64_t state_ = 0;
  uint64_t mels_ = 0;
  uint64_t audio_ctx_ = 0;
  uint64_t text_ctx_ = 0;
  uint64_t vocab_ = 0;
  uint64_t encoder_layers_ = 0;
  uint64_t decoder_layers_ = 0;
};

// whisper.cpp reads these as float32 whatever the type of the model.
OutputType TypeOf(const PlannedTensor& tensor, OutputType wanted) {
  const bool keeps_float =
      tensor.dims.size() < 2 || tensor.name.ends_with(".positional_embedding") ||
      tensor.name == "encoder.conv1.bias" || tensor.name == "encoder.conv2.bias";
  if (keeps_float || wanted == OutputType::kF32) {
    return OutputType::kF32;
  }
  return tensor.dims.size() == 2 ? wanted : OutputType::kF16;
}

// The number of the whole model's type: ggml's ftype, with the quantisation version in thousands.
int32_t FileType(OutputType type) {
  switch (type) {
    case OutputType::kF32:
      return 0;
    case OutputType::kF16:
      return 1;
    case OutputType::kQ8_0:
      return 2007;
    case OutputType::kQ5_0:
      return 2008;
    case OutputType::kQ5_1:
      return 2009;
  }
  return 0;
}

// GPT-2 writes byte b as the character b where that is printable, and as the next of U+0100...
// where it is not.
std::map<uint32_t, char> ByteOfCharacter() {
  std::map<uint32_t, char> bytes;
  uint32_t next = 256;
  for (uint32_t b = 0; b < 256; ++b) {
    const bool printable = (b >= 33 && b < 127) || (b >= 161 && b < 173) || b >= 174;
    bytes[printable ? b : next++] = static_cast<char>(b);
  }
  return bytes;
}

// The character at `at`, which moves on. False at bytes that are not UTF-8.
bool NextCharacter(std::string_view text, size_t& at, uint32_t& out) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(at);
  const size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 0 || lead > 0xF4 || at + length > text.size()) {
    return false;
  }
  out = length == 1 ? lead : lead & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) {
      return false;
    }
    out = (out << 6) | (byte(at + i) & 0x3Fu);
  }
  at += length;
  return true;
}

// A token's bytes: decoded if every character stands for a byte, else as they are written.
bool DecodeToken(const std::map<uint32_t, char>& bytes, std::string_view token, std::string& out) {
  out.clear();
  bool plain = true;
  for (size_t at = 0; at < token.size();) {
    uint32_t character = 0;
    if (!NextCharacter(token, at, character)) {
      return false;
    }
    const auto found = bytes.find(character);
    plain = plain && found != bytes.end();
    if (plain) {
      out += found->second;
    }
  }
  if (!plain) {
    out = token;
  }
  return true;
}

// Count and tokens as whisper.cpp reads them; `wanted` at least.
Result<std::string> EncodeVocabulary(const std::string& path, uint64_t wanted) {
  SOTTO_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxVocabularyBytes));
  const std::map<uint32_t, char> bytes = ByteOfCharacter();
  std::string tokens;
  std::string decoded;
  int32_t count = 0;
  for (size_t at = 0; at <= text.size() && count < static_cast<int32_t>(kMaxTokensWritten);) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view token(text.data() + at, end - at);
    if (token.ends_with('\r')) {
      token.remove_suffix(1);
    }
    if (!DecodeToken(bytes, token, decoded)) {
      return DataLossError("convert: " + path + ": line " + std::to_string(count + 1) +
                           ": not UTF-8");
    }
    Put(tokens, static_cast<int32_t>(decoded.size()));
    tokens += decoded;
    ++count;
    at = end + 1;
  }
  if (static_cast<uint64_t>(count) < wanted) {
    return DataLossError("convert: " + path + ": " + std::to_string(count) + " lines: want " +
                         std::to_string(wanted) + "; the file is cut or of another model");
  }
  std::string out;
  Put(out, count);
  return out + tokens;
}

std::string Header(const Planner& plan, OutputType type) {
  std::string out;
  Put(out, kGgmlMagic);
  for (const uint64_t size : plan.Sizes()) {
    Put(out, static_cast<int32_t>(size));
  }
  Put(out, FileType(type));
  const std::vector<float> filters = MakeMelFilters(plan.mels());
  Put(out, static_cast<int32_t>(plan.mels()));
  Put(out, static_cast<int32_t>(kWhisperFftBins));
  out.append(reinterpret_cast<const char*>(filters.data()), filters.size() * sizeof(float));
  return out;
}

std::string TensorHeader(const PlannedTensor& tensor, OutputType type) {
  std::string out;
  Put(out, static_cast<int32_t>(tensor.dims.size()));
  Put(out, static_cast<int32_t>(tensor.name.size()));
  Put(out, static_cast<int32_t>(GgmlTypeOf(type)));
  for (auto dim = tensor.dims.rbegin(); dim != tensor.dims.rend(); ++dim) {
    Put(out, static_cast<int32_t>(*dim));
  }
  return out + tensor.name;
}

}  // namespace

Status ConvertCt2Whisper(const ConvertRequest& request, OutputType type) {
  const std::string& file = request.inputs[0];
  SOTTO_ASSIGN_OR_RETURN(const MappedFile mapped, MappedFile::Open(file));
  SOTTO_ASSIGN_OR_RETURN(const Ct2Model model, ReadCt2Model(file, mapped.bytes()));
  Planner plan(file, model);
  SOTTO_RETURN_IF_ERROR(plan.Run());
  SOTTO_ASSIGN_OR_RETURN(
      const std::string vocabulary,
      EncodeVocabulary(request.inputs[1], std::min(plan.vocab(), kMaxTokensWritten)));
  uint64_t total_bytes = 0;
  for (const PlannedTensor& tensor : plan.tensors()) {
    total_bytes += tensor.source.data.size();
  }
  SOTTO_ASSIGN_OR_RETURN(ConvertOutput output,
                         ConvertOutput::Create(request.output, total_bytes, request.on_progress));
  SOTTO_RETURN_IF_ERROR(output.Write(Header(plan, type)));
  SOTTO_RETURN_IF_ERROR(output.Write(vocabulary));
  for (const PlannedTensor& tensor : plan.tensors()) {
    const OutputType tensor_type = TypeOf(tensor, type);
    SOTTO_RETURN_IF_ERROR(output.Write(TensorHeader(tensor, tensor_type)));
    SOTTO_RETURN_IF_ERROR(
        output.WriteTensor(file + ": " + tensor.name, tensor.source, tensor_type));
  }
  return output.Commit();
}

}  // namespace sotto
