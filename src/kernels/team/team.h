// Teams of threads that share one computation, and the OpenMP entry points that ggml calls.
//
// ggml meets at a barrier several hundred times a token. The compiler's own OpenMP library spins
// there for milliseconds, as ggml's threads do for ever: with another program on the machine a
// team then waits for the scheduler at every barrier, and two cores decode a hundred times slower
// than one. These barriers spin for as long as a team that runs undisturbed needs, and then sleep.
//
// team.cc defines GOMP_parallel() and what else compiled OpenMP code refers to, hidden in the
// library, so the library needs no libgomp and settings of a host's own OpenMP do not reach it.
#ifndef SOTTO_KERNELS_TEAM_TEAM_H_
#define SOTTO_KERNELS_TEAM_TEAM_H_

#include <atomic>
#include <cstdint>

namespace sotto {

// Where a fixed number of threads meet, again and again.
class TeamBarrier {
 public:
  // REQUIRES: num_threads > 0; nobody waits.
  void Reset(uint32_t num_threads) { num_threads_ = num_threads; }
  // Returns when num_threads threads are in it.
  void Wait();

 private:
  uint32_t num_threads_ = 1;
  std::atomic<uint32_t> arrived_{0};
  std::atomic<uint32_t> round_{0};
};

// Runs body(argument) on the calling thread and num_threads - 1 others at once, and returns when
// all are done; inside it TeamSize() and TeamIndex() tell a thread its place. Fewer threads run if
// the system gives no more, one if the caller is in a team itself. Threads are kept for later
// teams, asleep. Any thread; `body` may not throw.
void RunTeam(void (*body)(void*), void* argument, uint32_t num_threads);

// 1 and 0 outside a team.
uint32_t TeamSize();
uint32_t TeamIndex();

}  // namespace sotto

#endif  // SOTTO_KERNELS_TEAM_TEAM_H_
