// The table of kernel variants: chosen once, above the loops, and passed to whoever computes.
//
//   Result<KernelTable> kernels = MakeKernels();   // honours SOTTO_FORCE_ISA
//   kernels->linear(w, bias, x, y, shape);
#ifndef SOTTO_KERNELS_DISPATCH_TABLE_H_
#define SOTTO_KERNELS_DISPATCH_TABLE_H_

#include "base/status.h"
#include "kernels/dispatch/isa.h"
#include "kernels/gate/linear.h"
#include "kernels/gate/lstm.h"
#include "kernels/gate/magnitude.h"
#include "kernels/pcm/pcm.h"

namespace sotto {

// Plain data; copying it is cheap. Every pointer is set.
struct KernelTable {
  Isa isa = Isa::kPlain;

  decltype(&LinearPlain) linear = &LinearPlain;
  decltype(&LstmCellPlain) lstm_cell = &LstmCellPlain;
  decltype(&MagnitudePlain) magnitude = &MagnitudePlain;

  decltype(&Int16ToFloatPlain) int16_to_float = &Int16ToFloatPlain;
  decltype(&FloatToInt16Plain) float_to_int16 = &FloatToInt16Plain;
  decltype(&ScalePlain) scale = &ScalePlain;
  decltype(&MeasureLevelPlain) measure_level = &MeasureLevelPlain;
  decltype(&ReplaceNonFinitePlain) replace_non_finite = &ReplaceNonFinitePlain;
};

// The table for one variant. REQUIRES: IsaRunsHere(isa); another value gives the plain table.
KernelTable KernelsFor(Isa isa);

// The best table for this machine, or the one that the environment variable SOTTO_FORCE_ISA
// names. Errors as ChooseIsa().
Result<KernelTable> MakeKernels();

}  // namespace sotto

#endif  // SOTTO_KERNELS_DISPATCH_TABLE_H_
