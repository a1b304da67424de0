#include "kernels/dispatch/isa.h"

#include <string>

namespace sotto {

std::string_view IsaName(Isa isa) {
  switch (isa) {
    case Isa::kPlain:
      return "plain";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
    case Isa::kNeon:
      return "neon";
  }
  return "unknown";
}

bool IsaRunsHere(Isa isa) {
  switch (isa) {
    case Isa::kPlain:
      return true;
#if defined(__x86_64__)
    case Isa::kAvx2:
      return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    case Isa::kAvx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
             __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
             IsaRunsHere(Isa::kAvx2);
#elif defined(__aarch64__)
    case Isa::kNeon:
      return true;  // part of the base architecture
#endif
    default:
      return false;
  }
}

std::vector<Isa> IsasHere() {
  std::vector<Isa> isas;
  for (const Isa isa : {Isa::kPlain, Isa::kAvx2, Isa::kAvx512, Isa::kNeon}) {
    if (IsaRunsHere(isa)) {
      isas.push_back(isa);
    }
  }
  return isas;
}

Isa BestIsa() { return IsasHere().back(); }

Result<Isa> ChooseIsa(std::string_view forced) {
  if (forced.empty()) {
    return BestIsa();
  }
  for (const Isa isa : {Isa::kPlain, Isa::kAvx2, Isa::kAvx512, Isa::kNeon}) {
    if (forced != IsaName(isa)) {
      continue;
    }
    if (!IsaRunsHere(isa)) {
      return UnimplementedError("kernels: SOTTO_FORCE_ISA=" + std::string(forced) +
                                ": does not run on this machine; unset it");
    }
    return isa;
  }
  return InvalidArgumentError("kernels: SOTTO_FORCE_ISA=" + std::string(forced.substr(0, 32)) +
                              ": not one of plain, avx2, avx512, neon");
}

}  // namespace sotto
