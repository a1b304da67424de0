// The element-wise half of an LSTM step.
#ifndef SOTTO_KERNELS_GATE_LSTM_H_
#define SOTTO_KERNELS_GATE_LSTM_H_

#include <stddef.h>

namespace sotto {

// c = sigmoid(f) * c + sigmoid(i) * tanh(g); h = sigmoid(o) * tanh(c), for n cells.
//
// gates  [4, n]: sums before activation, in the order i, f, g, o
// c, h   [n], updated in place; no overlap with gates
// Any alignment, any n. Within 5e-7 of the exact result relative to max(1, |c|). Infinite sums
// saturate; a NaN in the gates or in c gives a NaN in c and h of that cell only.
void LstmCellPlain(const float* gates, float* c, float* h, size_t n);
void LstmCellAvx2(const float* gates, float* c, float* h, size_t n);
void LstmCellNeon(const float* gates, float* c, float* h, size_t n);

}  // namespace sotto

#endif  // SOTTO_KERNELS_GATE_LSTM_H_
