// The detector on our own kernels, with each instruction set that runs here.
#include <string>
#include <vector>

#include "backends/gates/silero_vad.h"
#include "kernels/dispatch/isa.h"
#include "models_dir.h"
#include "vad_contract.h"

namespace sotto {
namespace {

std::vector<VadContractCase> Cases() {
  std::vector<VadContractCase> cases;
  for (const Isa isa : IsasHere()) {
    cases.push_back({std::string(IsaName(isa)), [isa] {
                       return LoadSileroVad(ModelPath("vad/silero_vad_v6.onnx"), KernelsFor(isa));
                     }});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Silero, VadContract, testing::ValuesIn(Cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace sotto
