// Dot products along the depth: four rows (or eight) by one or two columns of sums stay in
// registers. The sums of four rows are reduced together and stored as one vector. A block of rows
// meets all columns while its weights are in the first-level cache. The headers below declare no
// inline library code.
#include <immintrin.h>

#include "kernels/gate/linear.h"

// The loops over rows and columns are unrolled, or the sums would live in memory.

namespace sotto {
namespace {

// Lanes [0, n) set, n in 0..8.
inline __m256i TailMask(size_t n) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lane);
}

// The four sums over the lanes of a, b, c and d.
inline __m128 Sums(__m256 a, __m256 b, __m256 c, __m256 d) {
  const __m256 quads = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
  return _mm_add_ps(_mm256_castps256_ps128(quads), _mm256_extractf128_ps(quads, 1));
}

template <int kQuads, int kColumns>
inline void Tile(const float* w, const float* bias, const float* x, float* y,
                 const LinearShape& shape) {
  __m256 sums[4 * kQuads][kColumns];
#pragma GCC unroll 8
  for (int r = 0; r < 4 * kQuads; ++r) {
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      sums[r][c] = _mm256_setzero_ps();
    }
  }
  size_t k = 0;
  for (; k + 8 <= shape.depth; k += 8) {
    __m256 input[kColumns];
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      input[c] = _mm256_loadu_ps(x + c * shape.x_stride + k);
    }
#pragma GCC unroll 8
    for (int r = 0; r < 4 * kQuads; ++r) {
      const __m256 weights = _mm256_loadu_ps(w + r * shape.w_stride + k);
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c) {
        sums[r][c] = _mm256_fmadd_ps(weights, input[c], sums[r][c]);
      }
    }
  }
  if (k < shape.depth) {
    const __m256i mask = TailMask(shape.depth - k);
#pragma GCC unroll 8
    for (int r = 0; r < 4 * kQuads; ++r) {
      const __m256 weights = _mm256_maskload_ps(w + r * shape.w_stride + k, mask);
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c) {
        const __m256 input = _mm256_maskload_ps(x + c * shape.x_stride + k, mask);
        sums[r][c] = _mm256_fmadd_ps(weights, input, sums[r][c]);
      }
    }
  }
  const __m128 zero = _mm_setzero_ps();
#pragma GCC unroll 8
  for (int q = 0; q < kQuads; ++q) {
    const __m128 offset = bias != nullptr ? _mm_loadu_ps(bias + 4 * q) : zero;
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      const __m128 sum = _mm_add_ps(
          Sums(sums[4 * q][c], sums[4 * q + 1][c], sums[4 * q + 2][c], sums[4 * q + 3][c]), offset);
      // max returns its second operand for NaN.
      _mm_storeu_ps(y + c * shape.y_stride + 4 * q, shape.relu ? _mm_max_ps(sum, zero) : sum);
    }
  }
}

inline void OneRow(const float* w, float bias, const float* x, float* y, const LinearShape& shape) {
  __m256 sums = _mm256_setzero_ps();
  size_t k = 0;
  for (; k + 8 <= shape.depth; k += 8) {
    sums = _mm256_fmadd_ps(_mm256_loadu_ps(w + k), _mm256_loadu_ps(x + k), sums);
  }
  if (k < shape.depth) {
    const __m256i mask = TailMask(shape.depth - k);
    sums = _mm256_fmadd_ps(_mm256_maskload_ps(w + k, mask), _mm256_maskload_ps(x + k, mask), sums);
  }
  const __m256 zero = _mm256_setzero_ps();
  const float sum = _mm_cvtss_f32(Sums(sums, zero, zero, zero)) + bias;
  *y = shape.relu ? (sum > 0.0f ? sum : 0.0f) : sum;
}

// All columns of kQuads * 4 rows.
template <int kQuads, int kColumns>
inline void Block(const float* w, const float* bias, const float* x, float* y,
                  const LinearShape& shape) {
  size_t column = 0;
  for (; column + kColumns <= shape.columns; column += kColumns) {
    Tile<kQuads, kColumns>(w, bias, x + column * shape.x_stride, y + column * shape.y_stride,
                           shape);
  }
  for (; column < shape.columns; ++column) {
    Tile<kQuads, 1>(w, bias, x + column * shape.x_stride, y + column * shape.y_stride, shape);
  }
}

template <int kQuads, int kColumns>
void Rows(const float* w, const float* bias, const float* x, float* y, const LinearShape& shape) {
  size_t row = 0;
  for (; row + 4 * kQuads <= shape.rows; row += 4 * kQuads) {
    Block<kQuads, kColumns>(w + row * shape.w_stride, bias != nullptr ? bias + row : nullptr, x,
                            y + row, shape);
  }
  for (; row < shape.rows; ++row) {
    for (size_t column = 0; column < shape.columns; ++column) {
      OneRow(w + row * shape.w_stride, bias != nullptr ? bias[row] : 0.0f,
             x + column * shape.x_stride, y + column * shape.y_stride + row, shape);
    }
  }
}

}  // namespace

void LinearAvx2(const float* w, const float* bias, const float* x, float* y,
                const LinearShape& shape) {
  if (shape.columns == 1) {
    Rows<2, 1>(w, bias, x, y, shape);
  } else {
    Rows<1, 2>(w, bias, x, y, shape);
  }
}

}  // namespace sotto
