// Any cutting of a stream, into any room, gives the samples of the whole: the first bytes choose
// the rates, the rest the lengths of pieces.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "backends/samplerate/samplerate_resampler.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4) {
    return 0;
  }
  const auto rate = [](uint8_t high, uint8_t low) { return 4000 + (high << 8 | low) * 3; };
  const int32_t in_rate_hz = rate(data[0], data[1]);
  const int32_t out_rate_hz = rate(data[2], data[3]);
  size = std::min<size_t>(size, 64);
  size_t total = 0;
  for (size_t k = 4; k < size; ++k) {
    total += data[k];
  }
  std::vector<float> input(total);
  for (size_t k = 0; k < total; ++k) {
    input[k] = 0.5f * std::sin(0.2f * static_cast<float>(k) + static_cast<float>(k % 7));
  }
  auto whole_resampler = sotto::MakeSamplerateResampler(in_rate_hz, out_rate_hz);
  auto resampler = sotto::MakeSamplerateResampler(in_rate_hz, out_rate_hz);
  if (!whole_resampler.ok() || !resampler.ok()) {
    std::abort();
  }
  std::vector<float> whole;
  std::vector<float> pieces;
  if (!AppendResampled(**whole_resampler, input, &whole).ok() ||
      !AppendFlushed(**whole_resampler, &whole).ok()) {
    std::abort();
  }
  size_t at = 0;
  for (size_t k = 4; k < size; ++k) {
    std::vector<float> room(1 + data[k] % 97);
    for (size_t left = data[k]; left > 0;) {
      const auto progress = (*resampler)->Process(std::span(input).subspan(at, left), room);
      if (!progress.ok() || progress->used > left || progress->made > room.size() ||
          (progress->used == 0 && progress->made == 0)) {
        std::abort();
      }
      pieces.insert(pieces.end(), room.begin(),
                    room.begin() + static_cast<ptrdiff_t>(progress->made));
      at += progress->used;
      left -= progress->used;
    }
  }
  if (!AppendFlushed(**resampler, &pieces).ok()) {
    std::abort();
  }
  const int64_t due = sotto::ResampledCount(static_cast<int64_t>(total), in_rate_hz, out_rate_hz);
  if (static_cast<int64_t>(whole.size()) != due || whole.size() != pieces.size()) {
    std::abort();
  }
  for (size_t k = 0; k < whole.size(); ++k) {
    if (!(std::abs(whole[k] - pieces[k]) <= 1e-6f)) {
      std::abort();
    }
  }
  return 0;
}
