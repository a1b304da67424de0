#include <math.h>

#include "kernels/gate/magnitude.h"

namespace sotto {

void MagnitudePlain(const float* re, const float* im, float* out, size_t n) {
  for (size_t k = 0; k < n; ++k) {
    out[k] = sqrtf(re[k] * re[k] + im[k] * im[k]);
  }
}

}  // namespace sotto
