// As linear_avx2.cc with 16 lanes, masked tails, and registers for four columns.
#include <immintrin.h>

#include "kernels/gate/linear.h"

// The loops over rows and columns are unrolled, or the sums would live in memory.

namespace sotto {
namespace {

// The masked forms, because the others start from an undefined register, which GCC 12 reports.
inline __m256 Half(__m512 v) {
  return _mm256_add_ps(_mm512_maskz_extractf32x8_ps(0xff, v, 0),
                       _mm512_maskz_extractf32x8_ps(0xff, v, 1));
}

// The four sums over the lanes of a, b, c and d.
inline __m128 Sums(__m512 a, __m512 b, __m512 c, __m512 d) {
  const __m256 quads =
      _mm256_hadd_ps(_mm256_hadd_ps(Half(a), Half(b)), _mm256_hadd_ps(Half(c), Half(d)));
  return _mm_add_ps(_mm256_castps256_ps128(quads), _mm256_extractf128_ps(quads, 1));
}

inline __mmask16 TailMask(size_t n) { return static_cast<__mmask16>((1u << n) - 1u); }

template <int kQuads, int kColumns>
inline void Tile(const float* w, const float* bias, const float* x, float* y,
                 const LinearShape& shape) {
  __m512 sums[4 * kQuads][kColumns];
#pragma GCC unroll 8
  for (int r = 0; r < 4 * kQuads; ++r) {
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      sums[r][c] = _mm512_setzero_ps();
    }
  }
  size_t k = 0;
  for (; k + 16 <= shape.depth; k += 16) {
    __m512 input[kColumns];
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      input[c] = _mm512_loadu_ps(x + c * shape.x_stride + k);
    }
#pragma GCC unroll 8
    for (int r = 0; r < 4 * kQuads; ++r) {
      const __m512 weights = _mm512_loadu_ps(w + r * shape.w_stride + k);
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c) {
        sums[r][c] = _mm512_fmadd_ps(weights, input[c], sums[r][c]);
      }
    }
  }
  if (k < shape.depth) {
    const __mmask16 mask = TailMask(shape.depth - k);
#pragma GCC unroll 8
    for (int r = 0; r < 4 * kQuads; ++r) {
      const __m512 weights = _mm512_maskz_loadu_ps(mask, w + r * shape.w_stride + k);
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c) {
        const __m512 input = _mm512_maskz_loadu_ps(mask, x + c * shape.x_stride + k);
        sums[r][c] = _mm512_fmadd_ps(weights, input, sums[r][c]);
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
  __m512 sums = _mm512_setzero_ps();
  size_t k = 0;
  for (; k + 16 <= shape.depth; k += 16) {
    sums = _mm512_fmadd_ps(_mm512_loadu_ps(w + k), _mm512_loadu_ps(x + k), sums);
  }
  if (k < shape.depth) {
    const __mmask16 mask = TailMask(shape.depth - k);
    sums = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, w + k), _mm512_maskz_loadu_ps(mask, x + k),
                           sums);
  }
  const __m512 zero = _mm512_setzero_ps();
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

void LinearAvx512(const float* w, const float* bias, const float* x, float* y,
                  const LinearShape& shape) {
  if (shape.columns == 1) {
    Rows<2, 1>(w, bias, x, y, shape);
  } else if (shape.columns == 2) {
    Rows<1, 2>(w, bias, x, y, shape);
  } else {
    Rows<1, 4>(w, bias, x, y, shape);
  }
}

}  // namespace sotto
