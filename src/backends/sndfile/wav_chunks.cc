#include "backends/sndfile/wav_chunks.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto {
namespace {

constexpr uint64_t kChunkHeadBytes = 8;
// Far above any real file; ends a walk through garbage.
constexpr size_t kMaxChunks = size_t{1} << 20;
// Of a format or fact chunk. The longest formats in use have a few dozen.
constexpr uint32_t kMaxKeptBytes = 4096;
constexpr uint32_t kStreamedBytes = 0xffffffffu;

struct Chunk {
  std::string tag;
  uint32_t bytes = 0;  // as its head says
  uint64_t body = 0;   // where its content begins
};

std::string ReadText(ByteSource& source, uint64_t at, size_t count) {
  std::string text(count, '\0');
  text.resize(source.ReadAt(at, std::as_writable_bytes(std::span(text))));
  return text;
}

std::optional<Chunk> ChunkAt(ByteSource& source, uint64_t at) {
  const uint64_t size_bytes = source.size_bytes();
  if (at > size_bytes || size_bytes - at < kChunkHeadBytes) {
    return std::nullopt;
  }
  const std::string head = ReadText(source, at, kChunkHeadBytes);
  if (head.size() < kChunkHeadBytes) {
    return std::nullopt;
  }
  Chunk chunk;
  chunk.tag = head.substr(0, 4);
  for (size_t k = 4; k < 8; ++k) {
    chunk.bytes |= static_cast<uint32_t>(static_cast<uint8_t>(head[k])) << (8 * (k - 4));
  }
  chunk.body = at + kChunkHeadBytes;
  return chunk;
}

// A tag of four printable characters and a length that the file holds.
bool IsPlausible(const std::optional<Chunk>& chunk, uint64_t size_bytes) {
  return chunk.has_value() && chunk->bytes <= size_bytes - chunk->body &&
         std::ranges::all_of(chunk->tag, [](char c) { return c >= 0x20 && c < 0x7f; });
}

void AppendNumber(uint32_t value, std::string* out) {
  for (int shift = 0; shift < 32; shift += 8) {
    out->push_back(static_cast<char>(value >> shift & 0xff));
  }
}

class Gatherer {
 public:
  explicit Gatherer(ByteSource& source) : source_(source), size_bytes_(source.size_bytes()) {}

  void Walk() {
    uint64_t at = 12;
    for (size_t k = 0; k < kMaxChunks && !ended_; ++k) {
      const std::optional<Chunk> chunk = ChunkAt(source_, at);
      if (!chunk.has_value()) {
        return;
      }
      if (chunk->tag == "data") {
        AddSamples(*chunk);
      } else if ((chunk->tag == "fmt " && format_.empty()) || chunk->tag == "fact") {
        Keep(*chunk);
      }
      at = EndOf(*chunk);
    }
  }

  bool IsUsable() const {
    return !format_.empty() && has_samples_ &&
           claimed_bytes_ <
               std::numeric_limits<uint32_t>::max() - kRiffBytes - format_.size() - fact_.size();
  }

  std::string Header() const {
    const uint32_t data_bytes = streamed_ ? kStreamedBytes : static_cast<uint32_t>(claimed_bytes_);
    const uint32_t riff_bytes =
        streamed_
            ? kStreamedBytes
            : static_cast<uint32_t>(kRiffBytes + format_.size() + fact_.size() + claimed_bytes_);
    std::string header = "RIFF";
    AppendNumber(riff_bytes, &header);
    header += "WAVE" + format_ + fact_ + "data";
    AppendNumber(data_bytes, &header);
    return header;
  }

  const std::vector<ByteRun>& samples() const { return samples_; }

 private:
  static constexpr uint64_t kRiffBytes = 12;  // "WAVE" and the head of the data chunk

  void AddSamples(const Chunk& chunk) {
    const uint64_t left = size_bytes_ - chunk.body;
    // Streams are written before their length is known: 0xffffffff, or 0 with samples behind it.
    streamed_ =
        !has_samples_ &&
        (chunk.bytes == kStreamedBytes ||
         (chunk.bytes == 0 && left > 0 && !IsPlausible(ChunkAt(source_, chunk.body), size_bytes_)));
    has_samples_ = true;
    ended_ = streamed_ || chunk.bytes > left;
    claimed_bytes_ += chunk.bytes;
    samples_.push_back({chunk.body, ended_ ? left : chunk.bytes});
  }

  void Keep(const Chunk& chunk) {
    if (chunk.bytes > kMaxKeptBytes || chunk.bytes > size_bytes_ - chunk.body) {
      return;
    }
    std::string& kept = chunk.tag == "fact" ? fact_ : format_;
    kept = chunk.tag;
    AppendNumber(chunk.bytes, &kept);
    kept += ReadText(source_, chunk.body, chunk.bytes);
    kept.append(chunk.bytes & 1u, '\0');
  }

  // Chunks begin at even offsets, but some writers forget the byte between.
  uint64_t EndOf(const Chunk& chunk) const {
    const uint64_t end = chunk.body + chunk.bytes;
    if ((chunk.bytes & 1u) == 0) {
      return end;
    }
    const bool forgotten = !IsPlausible(ChunkAt(source_, end + 1), size_bytes_) &&
                           IsPlausible(ChunkAt(source_, end), size_bytes_);
    return forgotten ? end : end + 1;
  }

  ByteSource& source_;
  const uint64_t size_bytes_;
  std::string format_;  // whole chunks, with head and padding
  std::string fact_;
  std::vector<ByteRun> samples_;
  uint64_t claimed_bytes_ = 0;
  bool has_samples_ = false;
  bool streamed_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> GatherWavChunks(std::unique_ptr<ByteSource> source) {
  const std::string head = ReadText(*source, 0, 12);
  if (!head.starts_with("RIFF") || head.substr(std::min<size_t>(8, head.size())) != "WAVE") {
    return source;
  }
  Gatherer gatherer(*source);
  gatherer.Walk();
  if (!gatherer.IsUsable()) {
    return source;
  }
  return MakeRunSource(gatherer.Header(), std::move(source), gatherer.samples());
}

}  // namespace sotto
