#include "kernels/team/team.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

extern "C" {
void GOMP_parallel(void (*body)(void*), void* argument, unsigned num_threads, unsigned flags);
void GOMP_barrier();
bool GOMP_single_start();
bool GOMP_loop_nonmonotonic_dynamic_start(long first, long last, long step, long chunk, long* begin,
                                          long* end);
bool GOMP_loop_nonmonotonic_dynamic_next(long* begin, long* end);
void GOMP_loop_end();
int omp_get_num_threads();
int omp_get_thread_num();
}

namespace sotto {
namespace {

template <typename Body>
void Parallel(uint32_t num_threads, Body body) {
  RunTeam([](void* argument) { (*static_cast<Body*>(argument))(); }, &body, num_threads);
}

TEST(Team, EveryThreadHasAPlaceOfItsOwn) {
  for (const uint32_t size : {1u, 2u, 3u, 8u, 2u, 1u}) {
    std::vector<std::atomic<int>> seen(size);
    Parallel(size, [&] {
      EXPECT_EQ(TeamSize(), size);
      EXPECT_EQ(omp_get_num_threads(), static_cast<int>(size));
      ++seen[TeamIndex()];
      EXPECT_EQ(omp_get_thread_num(), static_cast<int>(TeamIndex()));
    });
    for (const std::atomic<int>& count : seen) {
      EXPECT_EQ(count, 1);
    }
    EXPECT_EQ(TeamSize(), 1u);
    EXPECT_EQ(TeamIndex(), 0u);
  }
}

TEST(Team, NobodyPassesABarrierAlone) {
  constexpr uint32_t kThreads = 4;
  constexpr int kRounds = 2000;
  std::array<std::atomic<int>, kThreads> at{};
  std::atomic<int> wrong{0};
  Parallel(kThreads, [&] {
    for (int round = 1; round <= kRounds; ++round) {
      at[TeamIndex()] = round;
      GOMP_barrier();
      for (const std::atomic<int>& other : at) {
        wrong += other < round ? 1 : 0;
      }
      GOMP_barrier();
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Team, OneThreadTakesEachSingle) {
  std::array<std::atomic<int>, 500> taken{};
  Parallel(3, [&] {
    for (std::atomic<int>& each : taken) {
      each += GOMP_single_start() ? 1 : 0;
    }
  });
  for (const std::atomic<int>& count : taken) {
    EXPECT_EQ(count, 1);
  }
  EXPECT_TRUE(GOMP_single_start());
}

TEST(Team, LoopsGiveEveryTurnOnce) {
  struct Loop {
    long first, last, step, chunk;
  };
  for (const Loop& loop : {Loop{0, 100, 1, 7}, Loop{5, 6, 1, 1}, Loop{0, 0, 1, 1},
                           Loop{0, 10, 3, 2}, Loop{10, 0, -3, 1}}) {
    std::array<std::atomic<int>, 128> done{};
    Parallel(3, [&] {
      long begin = 0;
      long end = 0;
      bool more = GOMP_loop_nonmonotonic_dynamic_start(loop.first, loop.last, loop.step, loop.chunk,
                                                       &begin, &end);
      for (; more; more = GOMP_loop_nonmonotonic_dynamic_next(&begin, &end)) {
        for (long i = begin; loop.step > 0 ? i < end : i > end; i += loop.step) {
          ++done[static_cast<size_t>(i)];
        }
      }
      GOMP_loop_end();
    });
    std::array<int, 128> expected{};
    for (long i = loop.first; loop.step > 0 ? i < loop.last : i > loop.last; i += loop.step) {
      ++expected[static_cast<size_t>(i)];
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(done[i], expected[i]) << loop.first << ".." << loop.last << " at " << i;
    }
  }
}

TEST(Team, TeamsOfSeveralCallersDoNotMeet) {
  std::atomic<int> total{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&total] {
      for (int round = 0; round < 200; ++round) {
        Parallel(3, [&] {
          GOMP_barrier();
          ++total;
        });
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(total, 4 * 200 * 3);
}

TEST(Team, ATeamInsideATeamHasOneThread) {
  std::atomic<int> inner{0};
  Parallel(2, [&] {
    const uint32_t index = TeamIndex();
    Parallel(4, [&] {
      EXPECT_EQ(TeamSize(), 1u);
      GOMP_barrier();
      ++inner;
    });
    EXPECT_EQ(TeamSize(), 2u);
    EXPECT_EQ(TeamIndex(), index);
  });
  EXPECT_EQ(inner, 2);
}

}  // namespace
}  // namespace sotto
