#include "audio/resampler.h"

#include <array>
#include <string>

#include "base/check.h"

namespace sotto {

int64_t ResampledCount(int64_t in_samples, int32_t in_rate_hz, int32_t out_rate_hz) {
  SOTTO_DCHECK(in_rate_hz > 0 && out_rate_hz > 0 && in_samples >= 0);
  // Whole seconds first: the product of the rest stays far from overflow.
  const int64_t seconds = in_samples / in_rate_hz;
  const int64_t rest = in_samples % in_rate_hz;
  return seconds * out_rate_hz + (rest * out_rate_hz + in_rate_hz - 1) / in_rate_hz;
}

Status CheckRate(int32_t rate_hz) {
  if (rate_hz < kMinRateHz || rate_hz > kMaxRateHz) {
    return InvalidArgumentError("rate: " + std::to_string(rate_hz) + " Hz: limit " +
                                std::to_string(kMinRateHz) + " to " + std::to_string(kMaxRateHz));
  }
  return OkStatus();
}

Status AppendResampled(Resampler& resampler, std::span<const float> in, std::vector<float>* out) {
  std::array<float, 4096> piece;
  while (!in.empty()) {
    SOTTO_ASSIGN_OR_RETURN(const Resampler::Progress progress, resampler.Process(in, piece));
    out->insert(out->end(), piece.begin(), piece.begin() + static_cast<ptrdiff_t>(progress.made));
    in = in.subspan(progress.used);
    if (progress.used == 0 && progress.made == 0) {
      return InternalError("resample: no progress");
    }
  }
  return OkStatus();
}

Status AppendFlushed(Resampler& resampler, std::vector<float>* out) {
  std::array<float, 4096> piece;
  for (;;) {
    SOTTO_ASSIGN_OR_RETURN(const size_t made, resampler.Flush(piece));
    if (made == 0) {
      return OkStatus();
    }
    out->insert(out->end(), piece.begin(), piece.begin() + static_cast<ptrdiff_t>(made));
  }
}

}  // namespace sotto
