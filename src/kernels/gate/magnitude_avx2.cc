#include <immintrin.h>

#include "kernels/gate/magnitude.h"

namespace sotto {
namespace {

inline __m256 Magnitude(__m256 re, __m256 im) {
  return _mm256_sqrt_ps(_mm256_fmadd_ps(re, re, _mm256_mul_ps(im, im)));
}

}  // namespace

void MagnitudeAvx2(const float* re, const float* im, float* out, size_t n) {
  size_t k = 0;
  for (; k + 8 <= n; k += 8) {
    _mm256_storeu_ps(out + k, Magnitude(_mm256_loadu_ps(re + k), _mm256_loadu_ps(im + k)));
  }
  if (k < n) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n - k)), lane);
    _mm256_maskstore_ps(
        out + k, mask,
        Magnitude(_mm256_maskload_ps(re + k, mask), _mm256_maskload_ps(im + k, mask)));
  }
}

}  // namespace sotto
