// Tails are computed by the plain twins, which give the same bits.
#include <immintrin.h>

#include "kernels/pcm/pcm.h"

namespace sotto {
namespace {

inline __m256 Abs(__m256 v) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v); }

inline __m256i ToInt16Range(__m256 v) {
  v = _mm256_mul_ps(v, _mm256_set1_ps(32768.0f));
  v = _mm256_and_ps(v, _mm256_cmp_ps(v, v, _CMP_ORD_Q));  // NaN becomes 0
  v = _mm256_max_ps(v, _mm256_set1_ps(-32768.0f));
  v = _mm256_min_ps(v, _mm256_set1_ps(32767.0f));
  return _mm256_cvtps_epi32(v);
}

inline double Sum(__m256d v) {
  const __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
  return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

}  // namespace

void Int16ToFloatAvx2(const int16_t* in, float* out, size_t n) {
  const __m256 scale = _mm256_set1_ps(1.0f / 32768.0f);
  size_t k = 0;
  for (; k + 8 <= n; k += 8) {
    const __m128i raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + k));
    _mm256_storeu_ps(out + k, _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(raw)), scale));
  }
  Int16ToFloatPlain(in + k, out + k, n - k);
}

void FloatToInt16Avx2(const float* in, int16_t* out, size_t n) {
  size_t k = 0;
  for (; k + 16 <= n; k += 16) {
    const __m256i low = ToInt16Range(_mm256_loadu_ps(in + k));
    const __m256i high = ToInt16Range(_mm256_loadu_ps(in + k + 8));
    // packs works within 128-bit halves: 0 2 1 3 puts the quarters back in order.
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xD8);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + k), packed);
  }
  FloatToInt16Plain(in + k, out + k, n - k);
}

void ScaleAvx2(float* samples, size_t n, float gain) {
  const __m256 factor = _mm256_set1_ps(gain);
  size_t k = 0;
  for (; k + 8 <= n; k += 8) {
    _mm256_storeu_ps(samples + k, _mm256_mul_ps(_mm256_loadu_ps(samples + k), factor));
  }
  ScalePlain(samples + k, n - k, gain);
}

Level MeasureLevelAvx2(const float* samples, size_t n) {
  __m256 peak = _mm256_setzero_ps();
  __m256d squares = _mm256_setzero_pd();
  __m256d sums = _mm256_setzero_pd();
  size_t k = 0;
  for (; k + 8 <= n; k += 8) {
    const __m256 v = _mm256_loadu_ps(samples + k);
    peak = _mm256_max_ps(peak, Abs(v));
    const __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(v));
    const __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1));
    squares = _mm256_fmadd_pd(low, low, _mm256_fmadd_pd(high, high, squares));
    sums = _mm256_add_pd(sums, _mm256_add_pd(low, high));
  }
  Level level = MeasureLevelPlain(samples + k, n - k);
  float peaks[8];
  _mm256_storeu_ps(peaks, peak);
  for (const float lane : peaks) {
    level.peak = lane > level.peak ? lane : level.peak;
  }
  level.sum_of_squares += Sum(squares);
  level.sum += Sum(sums);
  return level;
}

size_t ReplaceNonFiniteAvx2(float* samples, size_t n, float limit) {
  const __m256 infinity = _mm256_set1_ps(__builtin_inff());
  const __m256 high = _mm256_set1_ps(limit);
  const __m256 low = _mm256_set1_ps(-limit);
  size_t replaced = 0;
  size_t k = 0;
  for (; k + 8 <= n; k += 8) {
    __m256 v = _mm256_loadu_ps(samples + k);
    const __m256 finite = _mm256_cmp_ps(Abs(v), infinity, _CMP_LT_OQ);
    const unsigned finite_bits = static_cast<unsigned>(_mm256_movemask_ps(finite));
    replaced += 8u - static_cast<unsigned>(__builtin_popcount(finite_bits));
    v = _mm256_and_ps(v, finite);
    _mm256_storeu_ps(samples + k, _mm256_max_ps(_mm256_min_ps(v, high), low));
  }
  return replaced + ReplaceNonFinitePlain(samples + k, n - k, limit);
}

}  // namespace sotto
