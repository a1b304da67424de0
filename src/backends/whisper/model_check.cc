#include "backends/whisper/model_check.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file.h"

namespace sotto::whisper {
namespace {

constexpr uint32_t kMagic = 0x67676d6c;  // "ggml" as a little-endian word

// What whisper.cpp's token arithmetic, window and attention rest on; every published model has it.
constexpr int32_t kMinVocab = 51864;  // English only
constexpr int32_t kMaxVocab = 51866;  // large-v3
constexpr int32_t kAudioContext = 1500;
constexpr int32_t kTextContext = 448;
constexpr int32_t kHeadSize = 64;
constexpr int32_t kMaxState = 2048;
constexpr int32_t kFftBins = 201;
constexpr int32_t kMaxWordBytes = 512;
constexpr int32_t kMaxNameBytes = 128;
constexpr std::array<int32_t, 5> kAudioLayers = {4, 6, 12, 24, 32};  // tiny to large
constexpr int32_t kQuantVersionFactor = 1000;

struct TypeSize {
  int32_t id;
  int64_t block_values;
  int64_t block_bytes;
};
// ggml's type ids and block layouts.
constexpr std::array<TypeSize, 12> kTypes = {{{0, 1, 4},
                                              {1, 1, 2},
                                              {2, 32, 18},
                                              {3, 32, 20},
                                              {6, 32, 22},
                                              {7, 32, 24},
                                              {8, 32, 34},
                                              {10, 256, 84},
                                              {11, 256, 110},
                                              {12, 256, 144},
                                              {13, 256, 176},
                                              {14, 256, 210}}};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  size_t at() const { return at_; }
  bool done() const { return at_ == bytes_.size(); }

  std::optional<int32_t> Int() {
    int32_t value = 0;
    if (bytes_.size() - at_ < sizeof(value)) {
      return std::nullopt;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof(value));
    at_ += sizeof(value);
    return value;
  }

  std::optional<std::string_view> Bytes(uint64_t count) {
    if (bytes_.size() - at_ < count) {
      return std::nullopt;
    }
    const std::string_view out(reinterpret_cast<const char*>(bytes_.data()) + at_,
                               static_cast<size_t>(count));
    at_ += static_cast<size_t>(count);
    return out;
  }

 private:
  std::span<const std::byte> bytes_;
  size_t at_ = 0;
};

Status Malformed(const Reader& reader, std::string_view what) {
  return DataLossError("whisper model: byte " + std::to_string(reader.at()) + ": " +
                       std::string(what));
}

struct Header {
  int32_t vocab, audio_ctx, audio_state, audio_head, audio_layer;
  int32_t text_ctx, text_state, text_head, text_layer, mels, ftype;
};

Status CheckHeader(const Reader& reader, const Header& h) {
  const auto named = [&](std::string_view name, int32_t value) {
    return Malformed(reader,
                     std::string(name) + ": " + std::to_string(value) + ": not of a Whisper model");
  };
  if (h.vocab < kMinVocab || h.vocab > kMaxVocab) {
    return named("vocabulary size", h.vocab);
  }
  if (h.audio_ctx != kAudioContext) {
    return named("audio context", h.audio_ctx);
  }
  if (h.text_ctx != kTextContext) {
    return named("text context", h.text_ctx);
  }
  if (h.audio_state < kHeadSize || h.audio_state > kMaxState || h.audio_state != h.text_state) {
    return named("width", h.audio_state);
  }
  if (h.audio_head != h.audio_state / kHeadSize || h.text_head != h.audio_head ||
      h.audio_state % kHeadSize != 0) {
    return named("attention heads", h.audio_head);
  }
  if (std::find(kAudioLayers.begin(), kAudioLayers.end(), h.audio_layer) == kAudioLayers.end()) {
    return named("encoder layers", h.audio_layer);
  }
  if (h.text_layer < 1 || h.text_layer > h.audio_layer) {
    return named("decoder layers", h.text_layer);
  }
  if (h.mels != 80 && h.mels != 128) {
    return named("mel bands", h.mels);
  }
  if (h.ftype < 0 || h.ftype % kQuantVersionFactor > 14) {
    return named("weight format", h.ftype);
  }
  return OkStatus();
}

Result<Header> ReadHeader(Reader& reader) {
  const std::optional<int32_t> magic = reader.Int();
  if (!magic || static_cast<uint32_t>(*magic) != kMagic) {
    return Malformed(reader, "not a Whisper model in ggml format");
  }
  std::array<int32_t, 11> v = {};
  for (int32_t& value : v) {
    const std::optional<int32_t> read = reader.Int();
    if (!read) {
      return Malformed(reader, "cut within the header");
    }
    value = *read;
  }
  const Header header = {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]};
  SOTTO_RETURN_IF_ERROR(CheckHeader(reader, header));
  return header;
}

Status SkipFilters(Reader& reader, const Header& header) {
  const std::optional<int32_t> mels = reader.Int();
  const std::optional<int32_t> bins = reader.Int();
  if (!mels || !bins || *mels != header.mels || *bins != kFftBins) {
    return Malformed(reader, "mel filters do not match the header");
  }
  if (!reader.Bytes(uint64_t{4} * static_cast<uint64_t>(*mels) * static_cast<uint64_t>(*bins))) {
    return Malformed(reader, "cut within the mel filters");
  }
  return OkStatus();
}

Status SkipVocabulary(Reader& reader, const Header& header) {
  const std::optional<int32_t> words = reader.Int();
  if (!words || *words < 1 || *words > header.vocab) {
    return Malformed(reader, "vocabulary does not match the header");
  }
  bool has_space = false;
  for (int32_t i = 0; i < *words; ++i) {
    const std::optional<int32_t> size = reader.Int();
    if (!size || *size < 0 || *size > kMaxWordBytes) {
      return Malformed(reader, "length of word " + std::to_string(i));
    }
    const auto word = reader.Bytes(static_cast<uint64_t>(*size));
    if (!word) {
      return Malformed(reader, "cut within the vocabulary");
    }
    has_space = has_space || *word == " ";
  }
  return has_space ? OkStatus() : Malformed(reader, "vocabulary without a space");
}

Result<uint64_t> TensorBytes(const Reader& reader, int32_t type, std::span<const int32_t> dims) {
  const auto known =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeSize& t) { return t.id == type; });
  if (known == kTypes.end()) {
    return Malformed(reader, "tensor type " + std::to_string(type));
  }
  uint64_t values = 1;
  for (const int32_t dim : dims) {
    // Three dimensions of at most 2^20 stay far below the end of 64 bits.
    if (dim < 1 || dim > (1 << 20)) {
      return Malformed(reader, "tensor dimension " + std::to_string(dim));
    }
    values *= static_cast<uint64_t>(dim);
  }
  if (dims[0] % known->block_values != 0) {
    return Malformed(reader, "tensor row is no whole number of blocks");
  }
  return values / static_cast<uint64_t>(known->block_values) *
         static_cast<uint64_t>(known->block_bytes);
}

Status SkipTensor(Reader& reader) {
  const std::optional<int32_t> num_dims = reader.Int();
  const std::optional<int32_t> name_bytes = reader.Int();
  const std::optional<int32_t> type = reader.Int();
  if (!num_dims || !name_bytes || !type || *num_dims < 1 || *num_dims > 3 || *name_bytes < 1 ||
      *name_bytes > kMaxNameBytes) {
    return Malformed(reader, "no tensor begins here");
  }
  std::array<int32_t, 3> dims = {1, 1, 1};
  for (int32_t i = 0; i < *num_dims; ++i) {
    const std::optional<int32_t> dim = reader.Int();
    if (!dim) {
      return Malformed(reader, "cut within a tensor's shape");
    }
    dims[static_cast<size_t>(i)] = *dim;
  }
  if (!reader.Bytes(static_cast<uint64_t>(*name_bytes))) {
    return Malformed(reader, "cut within a tensor's name");
  }
  SOTTO_ASSIGN_OR_RETURN(const uint64_t size, TensorBytes(reader, *type, dims));
  if (!reader.Bytes(size)) {
    return Malformed(
        reader, "cut within a tensor of " + std::to_string(size) + " bytes; fetch the file again");
  }
  return OkStatus();
}

}  // namespace

Status CheckModelBytes(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  SOTTO_ASSIGN_OR_RETURN(const Header header, ReadHeader(reader));
  SOTTO_RETURN_IF_ERROR(SkipFilters(reader, header));
  SOTTO_RETURN_IF_ERROR(SkipVocabulary(reader, header));
  int32_t tensors = 0;
  for (; !reader.done(); ++tensors) {
    SOTTO_RETURN_IF_ERROR(SkipTensor(reader));
  }
  // 7 of the encoder, 4 of the decoder, and those of each layer.
  const int32_t expected = 11 + 15 * header.audio_layer + 24 * header.text_layer;
  if (tensors != expected) {
    return Malformed(reader, std::to_string(tensors) + " tensors: expected " +
                                 std::to_string(expected) + "; fetch the file again");
  }
  return OkStatus();
}

Status CheckModelFile(const std::string& path) {
  SOTTO_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  const Status status = CheckModelBytes(file.bytes());
  return status.ok() ? status : status.WithContext(path);
}

}  // namespace sotto::whisper
