// Dense layer over a few columns: the one kernel behind gemv, convolutions (rows of gathered
// taps) and the STFT by matrix of the gate models.
#ifndef SOTTO_KERNELS_GATE_LINEAR_H_
#define SOTTO_KERNELS_GATE_LINEAR_H_

#include <stddef.h>

namespace sotto {

struct LinearShape {
  size_t rows = 0;      // outputs
  size_t depth = 0;     // inputs of one output
  size_t columns = 1;   // input vectors (frames) that share the weights
  size_t w_stride = 0;  // floats from one row of w to the next, >= depth
  size_t x_stride = 0;  // floats from one column of x to the next; columns may overlap
  size_t y_stride = 0;  // floats from one column of y to the next, >= rows
  bool relu = false;    // negative results become 0
};

// y[column][row] = act(bias[row] + sum over k < depth of w[row][k] * x[column][k]).
//
// w     [rows, w_stride]; bias [rows] or null for zeros; x [columns, x_stride];
// y     [columns, y_stride], rows written per column, the rest untouched; no overlap with inputs.
// Any alignment of float, any sizes including 0: the tail of a row is computed like its middle,
// and nothing is read past depth. Within 4e-7 * (|bias| + sum of |w * x|) of the exact result: the
// plain twin adds in double precision, the others in single, each in an order of its own. NaN and
// infinity follow IEEE, except that ReLU of NaN is 0 in every variant.
void LinearPlain(const float* w, const float* bias, const float* x, float* y,
                 const LinearShape& shape);
void LinearAvx2(const float* w, const float* bias, const float* x, float* y,
                const LinearShape& shape);
void LinearAvx512(const float* w, const float* bias, const float* x, float* y,
                  const LinearShape& shape);
void LinearNeon(const float* w, const float* bias, const float* x, float* y,
                const LinearShape& shape);

}  // namespace sotto

#endif  // SOTTO_KERNELS_GATE_LINEAR_H_
