// Which instruction set the kernels of this process use.
#ifndef SOTTO_KERNELS_DISPATCH_ISA_H_
#define SOTTO_KERNELS_DISPATCH_ISA_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace sotto {

enum class Isa : int32_t { kPlain = 0, kAvx2 = 1, kAvx512 = 2, kNeon = 3 };

// "plain", "avx2", "avx512" or "neon": also the values of SOTTO_FORCE_ISA.
std::string_view IsaName(Isa isa);

// True if this build has the variant and this machine runs it. kAvx2 means AVX2 and FMA; kAvx512
// means F, BW, DQ and VL as well.
bool IsaRunsHere(Isa isa);

// Every variant that runs here, kPlain first.
std::vector<Isa> IsasHere();

// The best variant that runs here.
Isa BestIsa();

// `forced` is the value of SOTTO_FORCE_ISA: empty means BestIsa(). INVALID_ARGUMENT for a name
// that is not an ISA, UNIMPLEMENTED for one that does not run here.
Result<Isa> ChooseIsa(std::string_view forced);

}  // namespace sotto

#endif  // SOTTO_KERNELS_DISPATCH_ISA_H_
