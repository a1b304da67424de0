#include "kernels/dispatch/table.h"

#include <cstdlib>

namespace sotto {

KernelTable KernelsFor(Isa isa) {
  KernelTable table;
  if (!IsaRunsHere(isa)) {
    return table;
  }
  table.isa = isa;
#if defined(__x86_64__)
  if (isa == Isa::kAvx2 || isa == Isa::kAvx512) {
    table.linear = &LinearAvx2;
    table.lstm_cell = &LstmCellAvx2;
    table.magnitude = &MagnitudeAvx2;
    table.int16_to_float = &Int16ToFloatAvx2;
    table.float_to_int16 = &FloatToInt16Avx2;
    table.scale = &ScaleAvx2;
    table.measure_level = &MeasureLevelAvx2;
    table.replace_non_finite = &ReplaceNonFiniteAvx2;
  }
  if (isa == Isa::kAvx512) {
    // The others gain nothing from wider registers: they wait for memory.
    table.linear = &LinearAvx512;
  }
#elif defined(__aarch64__)
  if (isa == Isa::kNeon) {
    table.linear = &LinearNeon;
    table.lstm_cell = &LstmCellNeon;
    table.magnitude = &MagnitudeNeon;
    table.int16_to_float = &Int16ToFloatNeon;
    table.float_to_int16 = &FloatToInt16Neon;
    table.scale = &ScaleNeon;
    table.measure_level = &MeasureLevelNeon;
    table.replace_non_finite = &ReplaceNonFiniteNeon;
  }
#endif
  return table;
}

Result<KernelTable> MakeKernels() {
  const char* forced = std::getenv("SOTTO_FORCE_ISA");  // NOLINT(concurrency-mt-unsafe)
  SOTTO_ASSIGN_OR_RETURN(const Isa isa, ChooseIsa(forced == nullptr ? "" : forced));
  return KernelsFor(isa);
}

}  // namespace sotto
