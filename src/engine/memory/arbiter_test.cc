#include "engine/memory/arbiter.h"

#include <gtest/gtest.h>

#include <memory>

namespace sotto {
namespace {

TEST(ArbiterTest, LeasesCountUntilTheyAreGivenBack) {
  MemoryArbiter arbiter(100, nullptr);
  {
    Result<Lease> a = arbiter.Acquire({.name = "a", .bytes = 60});
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(arbiter.leased_bytes(), 60u);
    Lease moved = *std::move(a);
    EXPECT_EQ(arbiter.leased_bytes(), 60u);
    EXPECT_EQ(arbiter.Acquire({.name = "b", .bytes = 41}).status().code(),
              Code::kResourceExhausted);
    EXPECT_TRUE(arbiter.Acquire({.name = "b", .bytes = 40}).ok());
  }
  EXPECT_EQ(arbiter.leased_bytes(), 0u);
  EXPECT_EQ(arbiter.peak_bytes(), 100u);
  EXPECT_TRUE(arbiter.Holders().empty());
}

TEST(ArbiterTest, ARefusalNamesWhoHoldsTheRest) {
  MemoryArbiter arbiter(10'000'000, nullptr);
  const Result<Lease> text = arbiter.Acquire({.name = "text model", .bytes = 8'000'000});
  const Status refused = arbiter.Acquire({.name = "voice", .bytes = 5'000'000}).status();
  EXPECT_EQ(refused.message(),
            "memory: voice: 5 MB asked, 2 MB of 10 MB free, text model holds 8 MB; choose a "
            "smaller model, pack or context");
}

TEST(ArbiterTest, ASetIsGrantedWholeOrNotAtAll) {
  MemoryArbiter arbiter(100, nullptr);
  const LeaseRequest set[] = {{.name = "a", .bytes = 70}, {.name = "b", .bytes = 70}};
  EXPECT_FALSE(arbiter.AcquireAll(set).ok());
  EXPECT_EQ(arbiter.leased_bytes(), 0u);
  const LeaseRequest huge[] = {{.name = "a", .bytes = UINT64_MAX}, {.name = "b", .bytes = 2}};
  EXPECT_EQ(arbiter.AcquireAll(huge).status().code(), Code::kResourceExhausted);
}

TEST(ArbiterTest, ReclaimersAreAskedBeforeARefusal) {
  MemoryArbiter arbiter(100, nullptr);
  auto cache = std::make_unique<Lease>(*arbiter.Acquire({.name = "cache", .bytes = 50}));
  uint64_t asked = 0;
  const uint64_t id = arbiter.AddReclaimer([&](uint64_t bytes_wanted) -> uint64_t {
    asked = bytes_wanted;
    cache.reset();
    return 50;
  });
  EXPECT_TRUE(arbiter.Acquire({.name = "text", .bytes = 80}).ok());
  EXPECT_EQ(asked, 30u);
  arbiter.RemoveReclaimer(id);
}

TEST(ArbiterTest, WithoutAFixedLimitTheProbeIsReadAtEachGrantAndAReserveIsKept) {
  uint64_t available = 2000ull << 20;
  MemoryArbiter arbiter(0, [&] { return available; });
  EXPECT_EQ(arbiter.limit_bytes(), (2000ull - 768) << 20);
  EXPECT_FALSE(arbiter.Acquire({.name = "a", .bytes = 1300ull << 20}).ok());
  available = 20000ull << 20;
  EXPECT_TRUE(arbiter.Acquire({.name = "a", .bytes = 1300ull << 20}).ok());
}

TEST(ArbiterTest, ALeaseMayOutliveItsArbiter) {
  Lease lease;
  {
    MemoryArbiter arbiter(100, nullptr);
    lease = *arbiter.Acquire({.name = "a", .bytes = 1});
  }
  EXPECT_EQ(lease.bytes(), 1u);
}

}  // namespace
}  // namespace sotto
