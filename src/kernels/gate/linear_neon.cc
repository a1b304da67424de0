// As linear_avx2.cc with 4 lanes; tails run in scalar code.
#include <arm_neon.h>

#include "kernels/gate/linear.h"

// The loops over rows and columns are unrolled, or the sums would live in memory.

namespace sotto {
namespace {

inline void Store(float value, float* y, bool relu) {
  *y = relu ? (value > 0.0f ? value : 0.0f) : value;
}

template <int kRows, int kColumns>
inline void Tile(const float* w, const float* bias, const float* x, float* y,
                 const LinearShape& shape) {
  float32x4_t sums[kRows][kColumns];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      sums[r][c] = vdupq_n_f32(0.0f);
    }
  }
  size_t k = 0;
  for (; k + 4 <= shape.depth; k += 4) {
    float32x4_t input[kColumns];
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      input[c] = vld1q_f32(x + c * shape.x_stride + k);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const float32x4_t weights = vld1q_f32(w + r * shape.w_stride + k);
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c) {
        sums[r][c] = vfmaq_f32(sums[r][c], weights, input[c]);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      float sum = vaddvq_f32(sums[r][c]) + (bias != nullptr ? bias[r] : 0.0f);
      for (size_t tail = k; tail < shape.depth; ++tail) {
        sum += w[r * shape.w_stride + tail] * x[c * shape.x_stride + tail];
      }
      Store(sum, y + c * shape.y_stride + r, shape.relu);
    }
  }
}

template <int kRows, int kColumns>
void Rows(const float* w, const float* bias, const float* x, float* y, const LinearShape& shape) {
  size_t row = 0;
  for (; row + kRows <= shape.rows; row += kRows) {
    Tile<kRows, kColumns>(w + row * shape.w_stride, bias != nullptr ? bias + row : nullptr, x,
                          y + row, shape);
  }
  for (; row < shape.rows; ++row) {
    Tile<1, kColumns>(w + row * shape.w_stride, bias != nullptr ? bias + row : nullptr, x, y + row,
                      shape);
  }
}

}  // namespace

void LinearNeon(const float* w, const float* bias, const float* x, float* y,
                const LinearShape& shape) {
  size_t column = 0;
  for (; column + 4 <= shape.columns; column += 4) {
    Rows<4, 4>(w, bias, x + column * shape.x_stride, y + column * shape.y_stride, shape);
  }
  for (; column + 2 <= shape.columns; column += 2) {
    Rows<4, 2>(w, bias, x + column * shape.x_stride, y + column * shape.y_stride, shape);
  }
  for (; column < shape.columns; ++column) {
    Rows<8, 1>(w, bias, x + column * shape.x_stride, y + column * shape.y_stride, shape);
  }
}

}  // namespace sotto
