#include <math.h>

#include "kernels/gate/lstm.h"

namespace sotto {
namespace {

float Sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

}  // namespace

void LstmCellPlain(const float* gates, float* c, float* h, size_t n) {
  for (size_t k = 0; k < n; ++k) {
    const float input = Sigmoid(gates[k]);
    const float forget = Sigmoid(gates[n + k]);
    const float candidate = tanhf(gates[2 * n + k]);
    const float output = Sigmoid(gates[3 * n + k]);
    c[k] = forget * c[k] + input * candidate;
    h[k] = output * tanhf(c[k]);
  }
}

}  // namespace sotto
