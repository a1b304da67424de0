#include <immintrin.h>

#include "kernels/gate/lstm.h"

namespace sotto {
namespace {

// e^x by 2^n * e^r with |r| <= ln(2)/2 and a degree 6 Taylor polynomial with adjusted ends
// (relative error below 2e-7). x is clamped to where e^x is a normal float; NaN stays NaN, because
// min and max return their second operand for NaN.
inline __m256 Exp(__m256 x) {
  x = _mm256_min_ps(_mm256_set1_ps(88.0f), x);
  x = _mm256_max_ps(_mm256_set1_ps(-87.0f), x);
  const __m256 n = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504f)),
                                   _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  // ln(2) in two parts: n times the first is exact.
  __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375f), x);
  r = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4f), r);
  __m256 p = _mm256_set1_ps(1.0f / 720.0f);
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f / 120.0f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f / 24.0f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f / 6.0f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0.5f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f));
  const __m256i exponent =
      _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
  return _mm256_mul_ps(p, _mm256_castsi256_ps(exponent));
}

inline __m256 Sigmoid(__m256 x) {
  const __m256 one = _mm256_set1_ps(1.0f);
  const __m256 negated = _mm256_xor_ps(x, _mm256_set1_ps(-0.0f));
  return _mm256_div_ps(one, _mm256_add_ps(one, Exp(negated)));
}

// 1 - 2 / (e^2x + 1): the absolute error stays near one unit of 1.0, which is what the bound asks.
inline __m256 Tanh(__m256 x) {
  const __m256 one = _mm256_set1_ps(1.0f);
  const __m256 e = Exp(_mm256_add_ps(x, x));
  return _mm256_sub_ps(one, _mm256_div_ps(_mm256_set1_ps(2.0f), _mm256_add_ps(e, one)));
}

struct Lanes {
  __m256 c, h;
};

inline Lanes Step(__m256 i, __m256 f, __m256 g, __m256 o, __m256 c) {
  Lanes out;
  out.c = _mm256_fmadd_ps(Sigmoid(f), c, _mm256_mul_ps(Sigmoid(i), Tanh(g)));
  out.h = _mm256_mul_ps(Sigmoid(o), Tanh(out.c));
  return out;
}

}  // namespace

void LstmCellAvx2(const float* gates, float* c, float* h, size_t n) {
  size_t k = 0;
  for (; k + 8 <= n; k += 8) {
    const Lanes out = Step(_mm256_loadu_ps(gates + k), _mm256_loadu_ps(gates + n + k),
                           _mm256_loadu_ps(gates + 2 * n + k), _mm256_loadu_ps(gates + 3 * n + k),
                           _mm256_loadu_ps(c + k));
    _mm256_storeu_ps(c + k, out.c);
    _mm256_storeu_ps(h + k, out.h);
  }
  if (k < n) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n - k)), lane);
    const Lanes out =
        Step(_mm256_maskload_ps(gates + k, mask), _mm256_maskload_ps(gates + n + k, mask),
             _mm256_maskload_ps(gates + 2 * n + k, mask),
             _mm256_maskload_ps(gates + 3 * n + k, mask), _mm256_maskload_ps(c + k, mask));
    _mm256_maskstore_ps(c + k, mask, out.c);
    _mm256_maskstore_ps(h + k, mask, out.h);
  }
}

}  // namespace sotto
