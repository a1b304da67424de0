#include "modelfiles/whisper_file.h"

#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modelfiles/byte_reader.h"
#include "modelfiles/ggml_types.h"

namespace sotto {
namespace {

constexpr uint32_t kMagic = 0x67676d6c;  // "ggml" as a number
// What OpenAI's models have in common; whisper.cpp sizes its buffers by them.
constexpr uint32_t kEnglishVocab = 51864;
constexpr uint32_t kLargestVocab = 51866;
constexpr uint32_t kFewestTokens = 50256;  // stored ones; whisper.cpp makes up the others
constexpr uint32_t kAudioContext = 1500;
constexpr uint32_t kTextContext = 448;
constexpr uint32_t kHeadWidth = 64;
constexpr uint32_t kMaxState = 2048;
constexpr uint32_t kMaxLayers = 64;
constexpr uint32_t kFftBins = 201;
constexpr uint32_t kMaxTokenBytes = 1024;
constexpr int32_t kVersionFactor = 1000;  // GGML_QNT_VERSION_FACTOR
constexpr int32_t kMaxVersion = 2;        // GGML_QNT_VERSION
constexpr uint32_t kF32 = 0;
constexpr uint32_t kF16 = 1;

// ggml_ftype_to_ggml_type() of ggml.h.
std::optional<uint32_t> MatrixType(int32_t ftype) {
  switch (ftype) {
    case 0:
      return kF32;
    case 1:
      return kF16;
    case 2:
      return 2;  // q4_0
    case 3:
      return 3;  // q4_1
    case 7:
      return 8;  // q8_0
    case 8:
      return 6;  // q5_0
    case 9:
      return 7;  // q5_1
    case 10:
      return 10;  // q2_K and on
    case 11:
      return 11;
    case 12:
      return 12;
    case 13:
      return 13;
    case 14:
      return 14;
    default:
      return std::nullopt;
  }
}

std::string SizeName(uint32_t encoder_layers) {
  switch (encoder_layers) {
    case 4:
      return "tiny";
    case 6:
      return "base";
    case 12:
      return "small";
    case 24:
      return "medium";
    case 32:
      return "large";
    default:
      return "other";
  }
}

struct Expected {
  std::vector<uint64_t> dims;  // fastest first
  uint32_t type = kF32;
  bool seen = false;
};

using ExpectedTensors = std::unordered_map<std::string, Expected>;

Status WhisperError(const std::string& file, std::string_view field, std::string_view what) {
  std::string message = "model: " + file + ": whisper field ";
  message += field;
  message += ": ";
  message += what;
  return DataLossError(std::move(message));
}

// The tensors that whisper.cpp creates for the sizes.
class TensorList {
 public:
  TensorList(const WhisperSummary& sizes, uint32_t matrix_type)
      : state_(sizes.state_dim),
        matrix_type_(matrix_type),
        convolution_type_(matrix_type == kF32 ? kF32 : kF16) {
    Put("encoder.positional_embedding", {state_, sizes.audio_context}, kF32);
    Put("encoder.conv1.weight", {3, sizes.mels, state_}, convolution_type_);
    Put("encoder.conv1.bias", {1, state_}, kF32);
    Put("encoder.conv2.weight", {3, state_, state_}, convolution_type_);
    Put("encoder.conv2.bias", {1, state_}, kF32);
    Norm("encoder.ln_post");
    Put("decoder.positional_embedding", {state_, sizes.text_context}, kF32);
    Put("decoder.token_embedding.weight", {state_, sizes.vocab_size}, matrix_type_);
    Norm("decoder.ln");
    for (uint32_t i = 0; i < sizes.encoder_layers; ++i) {
      Block("encoder.blocks." + std::to_string(i), false);
    }
    for (uint32_t i = 0; i < sizes.decoder_layers; ++i) {
      Block("decoder.blocks." + std::to_string(i), true);
    }
  }

  ExpectedTensors& all() { return all_; }

 private:
  void Put(std::string name, std::vector<uint64_t> dims, uint32_t type) {
    all_[std::move(name)] = {std::move(dims), type, false};
  }
  void Norm(const std::string& name) {
    Put(name + ".weight", {state_}, kF32);
    Put(name + ".bias", {state_}, kF32);
  }
  void Linear(const std::string& name, uint64_t in, uint64_t out, bool has_bias) {
    Put(name + ".weight", {in, out}, matrix_type_);
    if (has_bias) {
      Put(name + ".bias", {out}, kF32);
    }
  }
  void Attention(const std::string& block, const std::string& name) {
    Norm(block + "." + name + "_ln");
    const std::string at = block + "." + name;
    Linear(at + ".query", state_, state_, true);
    Linear(at + ".key", state_, state_, false);
    Linear(at + ".value", state_, state_, true);
    Linear(at + ".out", state_, state_, true);
  }
  void Block(const std::string& block, bool has_cross) {
    Attention(block, "attn");
    if (has_cross) {
      Attention(block, "cross_attn");
    }
    Norm(block + ".mlp_ln");
    Linear(block + ".mlp.0", state_, 4 * state_, true);
    Linear(block + ".mlp.2", 4 * state_, state_, true);
  }

  uint64_t state_;
  uint32_t matrix_type_;
  uint32_t convolution_type_;
  ExpectedTensors all_;
};

// One tensor record of the container.
struct Record {
  std::string_view name;
  std::vector<uint64_t> dims;
  const GgmlTypeInfo* type = nullptr;
  uint64_t size_bytes = 0;
};

class Reader {
 public:
  Reader(const std::string& file, std::span<const std::byte> bytes) : file_(file), in_(bytes) {}

  Result<WhisperSummary> RunWhisper() {
    SOTTO_RETURN_IF_ERROR(ReadMagic());
    SOTTO_RETURN_IF_ERROR(ReadSizes());
    SOTTO_RETURN_IF_ERROR(ReadFilters());
    SOTTO_RETURN_IF_ERROR(ReadVocabulary());
    TensorList expected(summary_, matrix_type_);
    for (size_t i = 0; in_.remaining_bytes() > 0; ++i) {
      const std::string field = "tensor[" + std::to_string(i) + "]";
      Record record;
      SOTTO_RETURN_IF_ERROR(ReadRecord(field, record));
      SOTTO_RETURN_IF_ERROR(Match(field, record, expected.all()));
    }
    for (const auto& [name, tensor] : expected.all()) {
      if (!tensor.seen) {
        return Bad("tensors", name + " is missing: the file is cut short or of another kind");
      }
    }
    return summary_;
  }

  Status RunSilero() {
    SOTTO_RETURN_IF_ERROR(ReadMagic());
    std::string_view name;
    uint32_t length_bytes = 0;
    if (!in_.Read(length_bytes) || !in_.ReadText(length_bytes, name) || name != "silero-16k") {
      return Bad("kind", "not silero-16k");
    }
    // Version (3), window, context, layers; four convolutions of three sizes; LSTM (2), head (2).
    constexpr std::array<uint32_t, 22> kLayout{6, 2,  0,  512, 64, 4,   129, 128, 3,   128, 64,
                                               3, 64, 64, 3,   64, 128, 3,   128, 128, 128, 1};
    for (const uint32_t want : kLayout) {
      uint32_t number = 0;
      if (!in_.Read(number) || number != want) {
        return Bad("sizes", "not those of version 6.2 of the detector");
      }
    }
    size_t count = 0;
    for (; in_.remaining_bytes() > 0; ++count) {
      Record record;
      SOTTO_RETURN_IF_ERROR(ReadRecord("tensor[" + std::to_string(count) + "]", record));
    }
    constexpr size_t kSileroTensors = 15;
    return count == kSileroTensors ? OkStatus()
                                   : Bad("tensors", std::to_string(count) + ": want 15");
  }

 private:
  Status Bad(std::string_view field, std::string_view what) const {
    return WhisperError(file_, field, what);
  }
  Status Cut(std::string_view field) const {
    return Bad(field, "reaches past the end of the file: it is cut short; fetch it again");
  }

  Status ReadMagic() {
    uint32_t magic = 0;
    return in_.Read(magic) && magic == kMagic ? OkStatus() : Bad("magic", "not a ggml file");
  }

  Status ReadSizes() {
    struct Field {
      const char* name;
      uint32_t* out;
      uint32_t min;
      uint32_t max;
    };
    uint32_t text_state = 0;
    uint32_t text_heads = 0;
    WhisperSummary& s = summary_;
    const std::array<Field, 10> fields{
        {{"n_vocab", &s.vocab_size, kEnglishVocab, kLargestVocab},
         {"n_audio_ctx", &s.audio_context, kAudioContext, kAudioContext},
         {"n_audio_state", &s.state_dim, kHeadWidth, kMaxState},
         {"n_audio_head", &s.heads, 1, kMaxState / kHeadWidth},
         {"n_audio_layer", &s.encoder_layers, 1, kMaxLayers},
         {"n_text_ctx", &s.text_context, kTextContext, kTextContext},
         {"n_text_state", &text_state, kHeadWidth, kMaxState},
         {"n_text_head", &text_heads, 1, kMaxState / kHeadWidth},
         {"n_text_layer", &s.decoder_layers, 1, kMaxLayers},
         {"n_mels", &s.mels, 80, 128}}};
    for (const Field& field : fields) {
      if (!in_.Read(*field.out)) {
        return Cut(field.name);
      }
      if (*field.out < field.min || *field.out > field.max) {
        return Bad(field.name, std::to_string(*field.out) + ": want " + std::to_string(field.min) +
                                   " to " + std::to_string(field.max));
      }
    }
    if (s.heads * kHeadWidth != s.state_dim || text_heads != s.heads || text_state != s.state_dim) {
      return Bad("n_audio_state",
                 std::to_string(s.state_dim) + ": want heads of 64, and the text side the same");
    }
    int32_t ftype = 0;
    if (!in_.Read(ftype)) {
      return Cut("ftype");
    }
    const std::optional<uint32_t> type = ftype < 0 || ftype / kVersionFactor > kMaxVersion
                                             ? std::nullopt
                                             : MatrixType(ftype % kVersionFactor);
    if (!type) {
      return Bad("ftype", std::to_string(ftype) + ": unknown");
    }
    matrix_type_ = *type;
    s.type = FindGgmlType(*type)->name;
    s.size_name = SizeName(s.encoder_layers);
    return OkStatus();
  }

  Status ReadFilters() {
    uint32_t mels = 0;
    uint32_t bins = 0;
    if (!in_.Read(mels) || !in_.Read(bins)) {
      return Cut("filters");
    }
    if (mels != summary_.mels || bins != kFftBins) {
      return Bad("filters", std::to_string(mels) + " x " + std::to_string(bins) + ": want " +
                                std::to_string(summary_.mels) + " x 201");
    }
    return in_.Skip(uint64_t{mels} * bins * sizeof(float)) ? OkStatus() : Cut("filters");
  }

  Status ReadVocabulary() {
    uint32_t count = 0;
    if (!in_.Read(count)) {
      return Cut("vocabulary");
    }
    if (count < kFewestTokens || count > summary_.vocab_size) {
      return Bad("vocabulary", std::to_string(count) + " tokens: want 50256 to " +
                                   std::to_string(summary_.vocab_size));
    }
    bool has_blank = false;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t length_bytes = 0;
      if (!in_.Read(length_bytes)) {
        return Cut("vocabulary");
      }
      if (length_bytes > kMaxTokenBytes) {
        return Bad("vocabulary[" + std::to_string(i) + "]",
                   std::to_string(length_bytes) + " bytes: limit 1024");
      }
      std::string_view token;
      if (!in_.ReadText(length_bytes, token)) {
        return Cut("vocabulary");
      }
      has_blank = has_blank || token == " ";
    }
    // whisper.cpp looks this one up without asking whether it is there.
    return has_blank ? OkStatus() : Bad("vocabulary", "has no token for a blank");
  }

  Status ReadRecord(const std::string& field, Record& record) {
    uint32_t dim_count = 0;
    uint32_t name_bytes = 0;
    uint32_t type = 0;
    if (!in_.Read(dim_count) || !in_.Read(name_bytes) || !in_.Read(type)) {
      return Cut(field);
    }
    if (dim_count > 4) {
      return Bad(field + ".dims", std::to_string(dim_count) + " dimensions: limit 4");
    }
    for (uint32_t i = 0; i < dim_count; ++i) {
      uint32_t dim = 0;
      if (!in_.Read(dim)) {
        return Cut(field + ".dims");
      }
      record.dims.push_back(dim);
    }
    if (record.dims.empty()) {
      record.dims.push_back(1);  // a scalar
    }
    record.type = FindGgmlType(type);
    if (record.type == nullptr) {
      return Bad(field + ".type", std::to_string(type) + ": not a type of ggml");
    }
    const std::optional<uint64_t> size_bytes = GgmlTensorBytes(*record.type, record.dims);
    if (!size_bytes) {
      return Bad(field + ".dims", "zero, too large, or rows that are no whole blocks");
    }
    record.size_bytes = *size_bytes;
    return in_.ReadText(name_bytes, record.name) && in_.Skip(record.size_bytes)
               ? OkStatus()
               : Cut(field + ".data");
  }

  Status Match(const std::string& field, const Record& record, ExpectedTensors& expected) {
    const auto found = expected.find(std::string(record.name));
    if (found == expected.end()) {
      return Bad(field + ".name", "not a tensor of a Whisper model of these sizes");
    }
    if (found->second.seen) {
      return Bad(found->first, "appears twice");
    }
    found->second.seen = true;
    if (record.dims != found->second.dims || record.type->number != found->second.type) {
      return Bad(found->first, "its shape or type is not what the sizes call for");
    }
    summary_.weights_bytes += record.size_bytes;
    summary_.parameter_count +=
        record.size_bytes / record.type->block_bytes * record.type->block_elements;
    return OkStatus();
  }

  const std::string& file_;
  ByteReader in_;
  WhisperSummary summary_;
  uint32_t matrix_type_ = kF32;
};

}  // namespace

Result<WhisperSummary> ValidateWhisper(const std::string& file, std::span<const std::byte> bytes) {
  return Reader(file, bytes).RunWhisper();
}

Status ValidateSileroGgml(const std::string& file, std::span<const std::byte> bytes) {
  return Reader(file, bytes).RunSilero();
}

}  // namespace sotto
