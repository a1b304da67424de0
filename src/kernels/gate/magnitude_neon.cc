#include <arm_neon.h>

#include "kernels/gate/magnitude.h"

namespace sotto {

void MagnitudeNeon(const float* re, const float* im, float* out, size_t n) {
  size_t k = 0;
  for (; k + 4 <= n; k += 4) {
    const float32x4_t a = vld1q_f32(re + k);
    const float32x4_t b = vld1q_f32(im + k);
    vst1q_f32(out + k, vsqrtq_f32(vfmaq_f32(vmulq_f32(b, b), a, a)));
  }
  for (; k < n; ++k) {
    out[k] = __builtin_sqrtf(re[k] * re[k] + im[k] * im[k]);
  }
}

}  // namespace sotto
