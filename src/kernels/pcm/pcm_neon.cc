// Tails are computed by the plain twins, which give the same bits.
#include <arm_neon.h>

#include "kernels/pcm/pcm.h"

namespace sotto {

void Int16ToFloatNeon(const int16_t* in, float* out, size_t n) {
  size_t k = 0;
  for (; k + 8 <= n; k += 8) {
    const int16x8_t raw = vld1q_s16(in + k);
    const float32x4_t low = vcvtq_f32_s32(vmovl_s16(vget_low_s16(raw)));
    const float32x4_t high = vcvtq_f32_s32(vmovl_high_s16(raw));
    vst1q_f32(out + k, vmulq_n_f32(low, 1.0f / 32768.0f));
    vst1q_f32(out + k + 4, vmulq_n_f32(high, 1.0f / 32768.0f));
  }
  Int16ToFloatPlain(in + k, out + k, n - k);
}

void FloatToInt16Neon(const float* in, int16_t* out, size_t n) {
  size_t k = 0;
  for (; k + 8 <= n; k += 8) {
    // The conversion rounds ties to even, saturates, and turns NaN into 0.
    const int32x4_t low = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(in + k), 32768.0f));
    const int32x4_t high = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(in + k + 4), 32768.0f));
    vst1q_s16(out + k, vqmovn_high_s32(vqmovn_s32(low), high));
  }
  FloatToInt16Plain(in + k, out + k, n - k);
}

void ScaleNeon(float* samples, size_t n, float gain) {
  size_t k = 0;
  for (; k + 4 <= n; k += 4) {
    vst1q_f32(samples + k, vmulq_n_f32(vld1q_f32(samples + k), gain));
  }
  ScalePlain(samples + k, n - k, gain);
}

Level MeasureLevelNeon(const float* samples, size_t n) {
  float32x4_t peak = vdupq_n_f32(0.0f);
  float64x2_t squares = vdupq_n_f64(0.0);
  float64x2_t sums = vdupq_n_f64(0.0);
  size_t k = 0;
  for (; k + 4 <= n; k += 4) {
    const float32x4_t v = vld1q_f32(samples + k);
    peak = vmaxq_f32(peak, vabsq_f32(v));
    const float64x2_t low = vcvt_f64_f32(vget_low_f32(v));
    const float64x2_t high = vcvt_high_f64_f32(v);
    squares = vfmaq_f64(vfmaq_f64(squares, high, high), low, low);
    sums = vaddq_f64(sums, vaddq_f64(low, high));
  }
  Level level = MeasureLevelPlain(samples + k, n - k);
  const float lane_peak = vmaxvq_f32(peak);
  level.peak = lane_peak > level.peak ? lane_peak : level.peak;
  level.sum_of_squares += vaddvq_f64(squares);
  level.sum += vaddvq_f64(sums);
  return level;
}

size_t ReplaceNonFiniteNeon(float* samples, size_t n, float limit) {
  const float32x4_t infinity = vdupq_n_f32(__builtin_inff());
  size_t replaced = 0;
  size_t k = 0;
  for (; k + 4 <= n; k += 4) {
    const float32x4_t v = vld1q_f32(samples + k);
    const uint32x4_t finite = vcltq_f32(vabsq_f32(v), infinity);
    replaced += 4u - vaddvq_u32(vshrq_n_u32(finite, 31));
    const float32x4_t kept = vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(v), finite));
    vst1q_f32(samples + k, vmaxq_f32(vminq_f32(kept, vdupq_n_f32(limit)), vdupq_n_f32(-limit)));
  }
  return replaced + ReplaceNonFinitePlain(samples + k, n - k, limit);
}

}  // namespace sotto
