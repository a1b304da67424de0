// Magnitude of complex values held as two arrays.
#ifndef SOTTO_KERNELS_GATE_MAGNITUDE_H_
#define SOTTO_KERNELS_GATE_MAGNITUDE_H_

#include <stddef.h>

namespace sotto {

// out[k] = sqrt(re[k]^2 + im[k]^2) for k < n.
//
// Any alignment, any n; out may be re or im. Within 2e-7 relative to the exact result where the
// squares are normal floats: magnitudes above 1e19 become infinity and those below 1e-19 lose
// precision or become 0. NaN gives NaN.
void MagnitudePlain(const float* re, const float* im, float* out, size_t n);
void MagnitudeAvx2(const float* re, const float* im, float* out, size_t n);
void MagnitudeNeon(const float* re, const float* im, float* out, size_t n);

}  // namespace sotto

#endif  // SOTTO_KERNELS_GATE_MAGNITUDE_H_
