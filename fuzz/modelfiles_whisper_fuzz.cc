// ValidateWhisper over a sound small model with the changes that the input lists: each seven bytes
// are an offset (four), a length of zero to four (one) and what to write (the next two, repeated).
// The first byte chooses the validator, the next three cut the file.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "modelfiles/tiny_models.h"
#include "modelfiles/whisper_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string sound = sotto::MakeTinyWhisper();
  static std::string file = sound;
  if (size < 4) {
    return 0;
  }
  if (data[0] % 4 == 0) {
    const std::string raw(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (sotto::ValidateSileroGgml("fuzz", sotto::AsBytes(raw)).ok()) {
      std::abort();  // the detector's weights are larger than an input
    }
    return 0;
  }
  const size_t cut = (data[1] | (data[2] << 8) | (data[3] << 16)) % sound.size();
  size_t low = sound.size();
  size_t high = 0;
  for (size_t at = 4; at + 7 <= size; at += 7) {
    uint32_t offset = 0;
    std::memcpy(&offset, data + at, 4);
    const size_t start = offset % (sound.size() - 4);
    for (size_t i = 0; i < data[at + 4] % 5u; ++i) {
      file[start + i] = static_cast<char>(data[at + 5 + i % 2]);
    }
    low = std::min(low, start);
    high = std::max(high, start + 4);
  }
  const size_t length = data[0] % 4 == 1 ? cut : sound.size();
  const sotto::Result<sotto::WhisperSummary> summary =
      sotto::ValidateWhisper("fuzz", sotto::AsBytes(file).first(length));
  if (low < high) {
    std::memcpy(file.data() + low, sound.data() + low, high - low);
  }
  if (summary.ok() ? length != sound.size() : summary.status().code() != sotto::Code::kDataLoss) {
    std::abort();
  }
  return 0;
}
