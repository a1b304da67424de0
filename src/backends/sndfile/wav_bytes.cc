#include "backends/sndfile/wav_bytes.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sotto::testing_support {
namespace {

int BytesOf(Encoding encoding) {
  switch (encoding) {
    case Encoding::kPcm8:
    case Encoding::kUlaw:
      return 1;
    case Encoding::kPcm16:
      return 2;
    case Encoding::kPcm24:
      return 3;
    default:
      return 4;
  }
}

// G.711: sign, exponent and mantissa of the biased magnitude, inverted.
uint32_t Ulaw(float value) {
  const int sample = static_cast<int>(std::lround(std::clamp(value, -1.0f, 1.0f) * 32635.0f));
  const uint32_t sign = sample < 0 ? 0x80 : 0;
  const uint32_t biased = static_cast<uint32_t>(std::abs(sample)) + 132;
  const uint32_t exponent = static_cast<uint32_t>(std::bit_width(biased)) - 8;
  return ~(sign | exponent << 4 | (biased >> (exponent + 3) & 0xf)) & 0xff;
}

}  // namespace

std::string Le(uint64_t value, int count) {
  std::string out;
  for (int k = 0; k < count; ++k) {
    out.push_back(static_cast<char>(value >> (8 * k) & 0xff));
  }
  return out;
}

std::string EncodeSample(float value, Encoding encoding) {
  if (encoding == Encoding::kFloat32) {
    return Le(std::bit_cast<uint32_t>(value), 4);
  }
  if (encoding == Encoding::kUlaw) {
    return Le(Ulaw(value), 1);
  }
  const int bytes = BytesOf(encoding);
  const double scale = std::ldexp(1.0, 8 * bytes - 1);
  const auto integer = static_cast<int64_t>(
      std::clamp(std::nearbyint(static_cast<double>(value) * scale), -scale, scale - 1.0));
  // 8-bit samples are unsigned around 128.
  return Le(static_cast<uint64_t>(encoding == Encoding::kPcm8 ? integer + 128 : integer), bytes);
}

std::string WavBytes(std::span<const float> interleaved, int32_t rate_hz, int32_t channels,
                     Encoding encoding, int64_t data_bytes_claim) {
  const auto frame_bytes = static_cast<uint64_t>(BytesOf(encoding) * channels);
  std::string data;
  for (const float sample : interleaved) {
    data += EncodeSample(sample, encoding);
  }
  const uint64_t tag = encoding == Encoding::kFloat32 ? 3 : encoding == Encoding::kUlaw ? 7 : 1;
  const uint64_t claim =
      data_bytes_claim >= 0 ? static_cast<uint64_t>(data_bytes_claim) : data.size();
  const std::string format =
      "fmt " + Le(16, 4) + Le(tag, 2) + Le(static_cast<uint64_t>(channels), 2) +
      Le(static_cast<uint64_t>(rate_hz), 4) + Le(static_cast<uint64_t>(rate_hz) * frame_bytes, 4) +
      Le(frame_bytes, 2) + Le(static_cast<uint64_t>(8 * BytesOf(encoding)), 2);
  return "RIFF" + Le(36 + claim, 4) + "WAVE" + format + "data" + Le(claim, 4) + data;
}

}  // namespace sotto::testing_support
