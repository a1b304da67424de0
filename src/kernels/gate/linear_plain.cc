#include "kernels/gate/linear.h"

namespace sotto {

void LinearPlain(const float* w, const float* bias, const float* x, float* y,
                 const LinearShape& shape) {
  for (size_t column = 0; column < shape.columns; ++column) {
    const float* input = x + column * shape.x_stride;
    for (size_t row = 0; row < shape.rows; ++row) {
      const float* weights = w + row * shape.w_stride;
      // In double precision: the reference is more exact than what is compared with it.
      double exact = bias != nullptr ? static_cast<double>(bias[row]) : 0.0;
      for (size_t k = 0; k < shape.depth; ++k) {
        exact += static_cast<double>(weights[k]) * static_cast<double>(input[k]);
      }
      const float sum = static_cast<float>(exact);
      y[column * shape.y_stride + row] = shape.relu ? (sum > 0.0f ? sum : 0.0f) : sum;
    }
  }
}

}  // namespace sotto
