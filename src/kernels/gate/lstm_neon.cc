#include <arm_neon.h>

#include "kernels/gate/lstm.h"

namespace sotto {
namespace {

// See lstm_avx2.cc. FMIN and FMAX return NaN for NaN.
inline float32x4_t Exp(float32x4_t x) {
  x = vminq_f32(x, vdupq_n_f32(88.0f));
  x = vmaxq_f32(x, vdupq_n_f32(-87.0f));
  const float32x4_t n = vrndnq_f32(vmulq_n_f32(x, 1.44269504f));
  float32x4_t r = vfmsq_n_f32(x, n, 0.693359375f);
  r = vfmsq_n_f32(r, n, -2.12194440e-4f);
  float32x4_t p = vdupq_n_f32(1.0f / 720.0f);
  p = vfmaq_f32(vdupq_n_f32(1.0f / 120.0f), p, r);
  p = vfmaq_f32(vdupq_n_f32(1.0f / 24.0f), p, r);
  p = vfmaq_f32(vdupq_n_f32(1.0f / 6.0f), p, r);
  p = vfmaq_f32(vdupq_n_f32(0.5f), p, r);
  p = vfmaq_f32(vdupq_n_f32(1.0f), p, r);
  p = vfmaq_f32(vdupq_n_f32(1.0f), p, r);
  const int32x4_t exponent = vshlq_n_s32(vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127)), 23);
  return vmulq_f32(p, vreinterpretq_f32_s32(exponent));
}

inline float32x4_t Sigmoid(float32x4_t x) {
  const float32x4_t one = vdupq_n_f32(1.0f);
  return vdivq_f32(one, vaddq_f32(one, Exp(vnegq_f32(x))));
}

inline float32x4_t Tanh(float32x4_t x) {
  const float32x4_t one = vdupq_n_f32(1.0f);
  return vsubq_f32(one, vdivq_f32(vdupq_n_f32(2.0f), vaddq_f32(Exp(vaddq_f32(x, x)), one)));
}

inline void Step(const float* i, const float* f, const float* g, const float* o, float* c,
                 float* h) {
  const float32x4_t cell = vfmaq_f32(vmulq_f32(Sigmoid(vld1q_f32(i)), Tanh(vld1q_f32(g))),
                                     Sigmoid(vld1q_f32(f)), vld1q_f32(c));
  vst1q_f32(c, cell);
  vst1q_f32(h, vmulq_f32(Sigmoid(vld1q_f32(o)), Tanh(cell)));
}

}  // namespace

void LstmCellNeon(const float* gates, float* c, float* h, size_t n) {
  size_t k = 0;
  for (; k + 4 <= n; k += 4) {
    Step(gates + k, gates + n + k, gates + 2 * n + k, gates + 3 * n + k, c + k, h + k);
  }
  if (k < n) {
    float in[4][4] = {};
    float cell[4] = {};
    float hidden[4] = {};
    for (size_t tail = 0; tail < n - k; ++tail) {
      for (size_t gate = 0; gate < 4; ++gate) {
        in[gate][tail] = gates[gate * n + k + tail];
      }
      cell[tail] = c[k + tail];
    }
    Step(in[0], in[1], in[2], in[3], cell, hidden);
    for (size_t tail = 0; tail < n - k; ++tail) {
      c[k + tail] = cell[tail];
      h[k + tail] = hidden[tail];
    }
  }
}

}  // namespace sotto
