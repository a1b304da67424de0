#include <gtest/gtest.h>

#include <cstdlib>

#include "kernels/dispatch/isa.h"
#include "kernels/dispatch/table.h"

namespace sotto {
namespace {

class ScopedForce {
 public:
  explicit ScopedForce(const char* value) { ::setenv("SOTTO_FORCE_ISA", value, 1); }
  ~ScopedForce() { ::unsetenv("SOTTO_FORCE_ISA"); }
};

TEST(Isa, PlainAlwaysRunsAndComesFirst) {
  ASSERT_FALSE(IsasHere().empty());
  EXPECT_EQ(IsasHere().front(), Isa::kPlain);
  EXPECT_EQ(BestIsa(), IsasHere().back());
}

TEST(Isa, EveryVariantHereCanBeForcedAndTheForceTakes) {
  for (const Isa isa : IsasHere()) {
    const ScopedForce force(IsaName(isa).data());
    const Result<KernelTable> kernels = MakeKernels();
    ASSERT_TRUE(kernels.ok()) << kernels.status().ToString();
    EXPECT_EQ(kernels->isa, isa);
    // The name alone would not prove that other code runs.
    EXPECT_EQ(kernels->linear == &LinearPlain, isa == Isa::kPlain);
    EXPECT_EQ(kernels->float_to_int16 == &FloatToInt16Plain, isa == Isa::kPlain);
  }
}

TEST(Isa, ForcingWhatDoesNotRunHereIsRefused) {
  for (const Isa isa : {Isa::kAvx2, Isa::kAvx512, Isa::kNeon}) {
    if (!IsaRunsHere(isa)) {
      EXPECT_EQ(ChooseIsa(IsaName(isa)).status().code(), Code::kUnimplemented);
      EXPECT_EQ(KernelsFor(isa).isa, Isa::kPlain);
    }
  }
}

TEST(Isa, UnknownNamesAreRefusedAndEmptyMeansTheBest) {
  for (const char* name : {"AVX2", "sse", "avx2 ", "none", "0"}) {
    EXPECT_EQ(ChooseIsa(name).status().code(), Code::kInvalidArgument) << name;
  }
  const ScopedForce force("");
  const Result<KernelTable> kernels = MakeKernels();
  ASSERT_TRUE(kernels.ok());
  EXPECT_EQ(kernels->isa, BestIsa());
}

}  // namespace
}  // namespace sotto
