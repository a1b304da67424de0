#include "backends/sndfile/mpeg_frames.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto {
namespace {

struct FrameHeader {
  uint32_t version = 0;  // 3 is MPEG-1, 2 MPEG-2, 0 MPEG-2.5
  uint32_t layer = 0;    // 3 is layer I, 2 layer II, 1 layer III
  uint32_t rate_index = 0;
  bool is_mono = false;
  uint32_t bytes = 0;  // of the whole frame

  bool AgreesWith(const FrameHeader& other) const {
    return version == other.version && layer == other.layer && rate_index == other.rate_index &&
           is_mono == other.is_mono;
  }
};

// kbit/s of ISO 11172-3 and 13818-3, by bit rate index; free format (0) is not taken.
constexpr std::array<uint16_t, 15> kLayer1 = {0,   32,  64,  96,  128, 160, 192, 224,
                                              256, 288, 320, 352, 384, 416, 448};
constexpr std::array<uint16_t, 15> kLayer2 = {0,   32,  48,  56,  64,  80,  96, 112,
                                              128, 160, 192, 224, 256, 320, 384};
constexpr std::array<uint16_t, 15> kLayer3 = {0,   32,  40,  48,  56,  64,  80, 96,
                                              112, 128, 160, 192, 224, 256, 320};
constexpr std::array<uint16_t, 15> kLayer1Low = {0,   32,  48,  56,  64,  80,  96, 112,
                                                 128, 144, 160, 176, 192, 224, 256};
constexpr std::array<uint16_t, 15> kLayer23Low = {0,  8,  16, 24,  32,  40,  48, 56,
                                                  64, 80, 96, 112, 128, 144, 160};
constexpr std::array<uint32_t, 3> kRatesHz = {44100, 48000, 32000};

constexpr size_t kHeaderBytes = 4;

std::optional<FrameHeader> ParseHeader(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderBytes) {
    return std::nullopt;
  }
  const uint32_t b1 = std::to_integer<uint32_t>(bytes[1]);
  const uint32_t b2 = std::to_integer<uint32_t>(bytes[2]);
  FrameHeader header;
  header.version = b1 >> 3 & 3;
  header.layer = b1 >> 1 & 3;
  header.rate_index = b2 >> 2 & 3;
  header.is_mono = std::to_integer<uint32_t>(bytes[3]) >> 6 == 3;
  const uint32_t bit_rate_index = b2 >> 4;
  if (bytes[0] != std::byte{0xff} || (b1 & 0xe0) != 0xe0 || header.version == 1 ||
      header.layer == 0 || header.rate_index == 3 || bit_rate_index == 0 || bit_rate_index == 15) {
    return std::nullopt;
  }
  const bool is_mpeg1 = header.version == 3;
  const auto& table = header.layer == 3   ? (is_mpeg1 ? kLayer1 : kLayer1Low)
                      : !is_mpeg1         ? kLayer23Low
                      : header.layer == 2 ? kLayer2
                                          : kLayer3;
  const uint32_t rate_hz = kRatesHz[header.rate_index] >> (is_mpeg1              ? 0
                                                           : header.version == 2 ? 1
                                                                                 : 2);
  const uint32_t bits_per_s = table[bit_rate_index] * 1000u;
  const uint32_t padding = b2 >> 1 & 1;
  if (header.layer == 3) {
    header.bytes = (12 * bits_per_s / rate_hz + padding) * 4;
  } else {
    const uint32_t slots = header.layer == 1 && !is_mpeg1 ? 72 : 144;
    header.bytes = slots * bits_per_s / rate_hz + padding;
  }
  return header.bytes > kHeaderBytes ? std::optional(header) : std::nullopt;
}

// A window over the file that moves forward.
class Scanner {
 public:
  explicit Scanner(ByteSource* source) : source_(source), size_bytes_(source->size_bytes()) {}

  uint64_t size_bytes() const { return size_bytes_; }

  // Up to `count` bytes at `offset`, count <= kWindowBytes.
  std::span<const std::byte> At(uint64_t offset, size_t count) {
    if (offset >= size_bytes_) {
      return {};
    }
    count = static_cast<size_t>(std::min<uint64_t>(count, size_bytes_ - offset));
    if (offset < begin_ || offset + count > begin_ + window_.size()) {
      begin_ = offset;
      window_.resize(static_cast<size_t>(std::min<uint64_t>(kWindowBytes, size_bytes_ - offset)));
      window_.resize(source_->ReadAt(offset, window_));
    }
    const size_t at = static_cast<size_t>(offset - begin_);
    return std::span<const std::byte>(window_).subspan(
        std::min(at, window_.size()),
        std::min(count, window_.size() - std::min(at, window_.size())));
  }
  bool Tag(uint64_t offset, std::string_view tag) {
    const std::span<const std::byte> bytes = At(offset, tag.size());
    return bytes.size() == tag.size() && std::memcmp(bytes.data(), tag.data(), tag.size()) == 0;
  }

 private:
  static constexpr size_t kWindowBytes = 1 << 16;

  ByteSource* source_;
  uint64_t size_bytes_;
  uint64_t begin_ = 0;
  std::vector<std::byte> window_;
};

// Bytes of the tag that begins at `offset`, or 0: ID3v2 and APE before or behind the frames,
// ID3v1 and Lyrics3 behind them, zeros as filling.
uint64_t TagBytes(Scanner& scanner, uint64_t offset) {
  if (scanner.Tag(offset, "ID3")) {
    const std::span<const std::byte> head = scanner.At(offset, 10);
    uint64_t bytes = 0;
    for (size_t k = 6; k < head.size(); ++k) {
      bytes = bytes << 7 | (std::to_integer<uint64_t>(head[k]) & 0x7f);
    }
    return head.size() < 10 ? head.size() : bytes + 10;
  }
  if (scanner.Tag(offset, "TAG") || scanner.Tag(offset, "APETAGEX") ||
      scanner.Tag(offset, "LYRICSBEGIN")) {
    return scanner.size_bytes() - offset;
  }
  uint64_t zeros = 0;
  for (auto bytes = scanner.At(offset, 4096); !bytes.empty();
       bytes = scanner.At(offset + zeros, 4096)) {
    const auto end = std::ranges::find_if(bytes, [](std::byte b) { return b != std::byte{0}; });
    zeros += static_cast<uint64_t>(end - bytes.begin());
    if (end != bytes.end()) {
      break;
    }
  }
  return zeros;
}

class Finder {
 public:
  explicit Finder(Scanner* scanner) : scanner_(*scanner) {}

  void FindAll() {
    uint64_t at = 0;
    while (at < scanner_.size_bytes()) {
      const std::optional<FrameHeader> header = FrameAt(at);
      if (header.has_value()) {
        if (!first_.has_value()) {
          first_ = header;
        }
        if (frames_ == 0) {
          ReadPromises(at, header->bytes);
          first_frame_bytes_ = header->bytes;
        }
        Add(at, header->bytes);
        at += header->bytes;
        continue;
      }
      const uint64_t tag = TagBytes(scanner_, at);
      damaged_ = damaged_ || tag == 0;
      at += std::max<uint64_t>(tag, 1);
    }
  }

  // The decoder takes the length of the stream from an information frame, or guesses it from the
  // first frame's bit rate, which is wrong if the rate varies. An information frame that is
  // missing or wrong is replaced by the one returned; empty if the file's own is right.
  std::string FixInformation() {
    const auto agrees = [](uint64_t promised, uint64_t found, uint64_t tolerance) {
      return promised + tolerance >= found && promised <= found + tolerance;
    };
    const uint64_t chain_bytes = ChainBytes();
    const uint64_t frames = static_cast<uint64_t>(frames_);
    // Some encoders count the information frame itself.
    if (frames_ == 0 || first_->layer != 1 ||
        (agrees(promised_bytes_, chain_bytes, chain_bytes / 200) &&
         agrees(promised_frames_ + 1, frames, 1 + frames / 200))) {
      return "";
    }
    if (promised_bytes_ > 0 && frames_ > 1) {
      DropFirstFrame();
    }
    return InformationFrame(ChainBytes());
  }

  std::vector<ByteRun> TakeRuns() { return std::move(runs_); }
  int64_t frames() const { return frames_; }
  bool damaged() const { return damaged_; }

 private:
  uint64_t ChainBytes() const {
    uint64_t bytes = 0;
    for (const ByteRun& run : runs_) {
      bytes += run.bytes;
    }
    return bytes;
  }

  bool IsSound(const std::optional<FrameHeader>& header) const {
    return header.has_value() && (!first_.has_value() || header->AgreesWith(*first_));
  }

  std::optional<FrameHeader> FrameAt(uint64_t at) {
    std::optional<FrameHeader> header = ParseHeader(scanner_.At(at, kHeaderBytes));
    if (!IsSound(header) || at + header->bytes > scanner_.size_bytes()) {
      return std::nullopt;
    }
    // A frame right behind the last one is believed; one out of the blue needs a second.
    const bool follows = !runs_.empty() && at == runs_.back().offset_bytes + runs_.back().bytes;
    const uint64_t next = at + header->bytes;
    if (!follows && next < scanner_.size_bytes() && TagBytes(scanner_, next) == 0) {
      const std::optional<FrameHeader> second = ParseHeader(scanner_.At(next, kHeaderBytes));
      if (!second.has_value() || !second->AgreesWith(*header)) {
        return std::nullopt;
      }
    }
    return header;
  }

  // Size of the stream by the encoder's information frame; zeros if the frame at `at` is none.
  void ReadPromises(uint64_t at, uint32_t frame_bytes) {
    const std::span<const std::byte> frame = scanner_.At(at, std::min<size_t>(frame_bytes, 128));
    const std::string_view text(reinterpret_cast<const char*>(frame.data()), frame.size());
    size_t tag = text.find("Xing");
    tag = tag == std::string_view::npos ? text.find("Info") : tag;
    if (tag == std::string_view::npos || frame.size() - tag < 16) {
      return;
    }
    const auto number = [&](size_t offset) {
      uint64_t value = 0;
      for (size_t k = 0; k < 4; ++k) {
        value = value << 8 | std::to_integer<uint64_t>(frame[tag + offset + k]);
      }
      return value;
    };
    const uint64_t flags = number(4);
    // Flag 1 is a frame count, 2 a byte count, in this order. Without a count it promises nothing.
    const bool has_counts = (flags & 3) == 3;
    promised_frames_ = has_counts ? number(8) : 0;
    promised_bytes_ = has_counts ? std::max<uint64_t>(number(12), 1) : 1;
  }

  void DropFirstFrame() {
    ByteRun& run = runs_.front();
    run.offset_bytes += first_frame_bytes_;
    run.bytes -= first_frame_bytes_;
    if (run.bytes == 0) {
      runs_.erase(runs_.begin());
    }
    --frames_;
  }

  // A silent frame of layer III without CRC that tells the counts where decoders look for them:
  // behind the side information.
  std::string InformationFrame(uint64_t chain_bytes) const {
    std::string bytes(kHeaderBytes, '\0');
    bytes[0] = static_cast<char>(0xff);
    bytes[1] = static_cast<char>(0xe1 | first_->version << 3 | first_->layer << 1);
    constexpr uint32_t kBitRateIndex = 9;  // leaves room at every rate
    bytes[2] = static_cast<char>(kBitRateIndex << 4 | first_->rate_index << 2);
    bytes[3] = static_cast<char>(first_->is_mono ? 0xc0 : 0);
    const std::optional<FrameHeader> header = ParseHeader(std::as_bytes(std::span(bytes)));
    bytes.resize(header->bytes, '\0');
    const bool is_mpeg1 = first_->version == 3;
    const size_t side_bytes = first_->is_mono ? (is_mpeg1 ? 17 : 9) : (is_mpeg1 ? 32 : 17);
    std::string tag = "Xing";
    const auto append = [&tag](uint64_t value) {
      for (int shift = 24; shift >= 0; shift -= 8) {
        tag.push_back(static_cast<char>(value >> shift & 0xff));
      }
    };
    append(3);
    append(static_cast<uint64_t>(frames_));
    append(chain_bytes + bytes.size());
    bytes.replace(kHeaderBytes + side_bytes, tag.size(), tag);
    return bytes;
  }

  void Add(uint64_t at, uint32_t bytes) {
    ++frames_;
    if (!runs_.empty() && at == runs_.back().offset_bytes + runs_.back().bytes) {
      runs_.back().bytes += bytes;
      return;
    }
    runs_.push_back({at, bytes});
  }

  Scanner& scanner_;
  std::optional<FrameHeader> first_;
  std::vector<ByteRun> runs_;
  uint64_t promised_bytes_ = 0;
  uint64_t promised_frames_ = 0;
  uint32_t first_frame_bytes_ = 0;
  int64_t frames_ = 0;
  bool damaged_ = false;
};

}  // namespace

Result<MpegFrames> FindMpegFrames(std::unique_ptr<ByteSource> source) {
  Scanner scanner(source.get());
  Finder finder(&scanner);
  finder.FindAll();
  if (finder.frames() == 0) {
    return DataLossError("mp3: no frame of MPEG audio");
  }
  MpegFrames frames;
  frames.frames = finder.frames();
  frames.damaged = finder.damaged();
  std::string information = finder.FixInformation();
  frames.source = MakeRunSource(std::move(information), std::move(source), finder.TakeRuns());
  return frames;
}

}  // namespace sotto
