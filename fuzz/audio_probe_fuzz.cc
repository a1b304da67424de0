// Any bytes as an audio file: the probe, the WAV header, and the reader over libsndfile. Whatever
// is read is a whole number of frames, the same in small pieces as in large ones.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "audio/probe.h"
#include "backends/sndfile/sndfile_reader.h"

// libsndfile 1.2.0 loses libvorbis' state when the headers of an Ogg stream are malformed.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:vorbis_info_init\n";
}

namespace {

constexpr size_t kMaxSamples = 1 << 18;

struct Read {
  bool ok = false;
  std::vector<float> samples;
};

Read ReadAll(sotto::AudioReader& reader, size_t frames_at_once) {
  Read read;
  const size_t channels = static_cast<size_t>(reader.info().channels);
  std::vector<float> piece(frames_at_once * channels);
  while (read.samples.size() < kMaxSamples) {
    const sotto::Result<size_t> frames = reader.Read(piece);
    read.ok = frames.ok();
    if (!frames.ok() || *frames == 0) {
      break;
    }
    if (*frames > frames_at_once) {
      std::abort();
    }
    read.samples.insert(read.samples.end(), piece.begin(),
                        piece.begin() + static_cast<ptrdiff_t>(*frames * channels));
  }
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  sotto::DescribeUnknown(bytes);
  const sotto::Result<sotto::WavHeader> header = sotto::ParseWavHeader(bytes);
  if (header.ok() &&
      (header->channels < 1 || header->rate_hz < 1 || header->data_offset_bytes > size)) {
    std::abort();
  }
  const auto opener = sotto::MakeSndfileOpener();
  const std::string copy(reinterpret_cast<const char*>(data), size);
  auto large = opener->OpenMemory("fuzz", copy);
  auto small = opener->OpenMemory("fuzz", copy);
  if (large.ok() != small.ok()) {
    std::abort();
  }
  if (!large.ok()) {
    if (large.status().message().find('\n') != std::string::npos) {
      std::abort();
    }
    return 0;
  }
  const Read a = ReadAll(**large, 4096);
  const Read b = ReadAll(**small, 61);
  // Cut at the limit, the two may differ in length.
  if (a.samples.size() < kMaxSamples && b.samples.size() < kMaxSamples &&
      (a.ok != b.ok || a.samples.size() != b.samples.size())) {
    std::abort();
  }
  return 0;
}
