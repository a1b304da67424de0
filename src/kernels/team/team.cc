#include "kernels/team/team.h"

#include <algorithm>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace sotto {
namespace {

// About 20 us of spinning. Threads of a team that runs undisturbed reach a barrier within that of
// each other; going to sleep and being woken takes longer than that.
constexpr int kSpins = 1000;

void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

// Returns when `value` is not `old`.
void AwaitChange(const std::atomic<uint32_t>& value, uint32_t old) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (value.load(std::memory_order_acquire) != old) {
      return;
    }
    Pause();
  }
  while (value.load(std::memory_order_acquire) == old) {
    value.wait(old, std::memory_order_acquire);
  }
}

// What the threads of one RunTeam() share.
struct Team {
  uint32_t size = 1;
  TeamBarrier barrier;
  std::atomic<uint32_t> singles{0};  // constructs that a thread has taken
  Mutex loop_mutex;
  uint32_t loops SOTTO_GUARDED_BY(loop_mutex) = 0;  // constructs begun
  long next SOTTO_GUARDED_BY(loop_mutex) = 0;
  long end SOTTO_GUARDED_BY(loop_mutex) = 0;
  long step SOTTO_GUARDED_BY(loop_mutex) = 1;
  long chunk SOTTO_GUARDED_BY(loop_mutex) = 1;
};

// A thread's place in its team.
struct Member {
  Team* team = nullptr;
  uint32_t index = 0;
  uint32_t singles = 0;  // constructs passed
  uint32_t loops = 0;
};

thread_local Member self;

// The other threads of a team, kept between teams.
class Crew {
 public:
  // Starts threads up to `count`; how many there are then.
  size_t Grow(size_t count) {
    while (num_workers_ < count) {
      try {
        std::thread([this, index = static_cast<uint32_t>(num_workers_ + 1), seen = epoch_.load()] {
          Work(index, seen);
        }).detach();
      } catch (const std::system_error&) {
        break;
      }
      ++num_workers_;
    }
    return std::min(num_workers_, count);
  }

  void Run(void (*body)(void*), void* argument, Team& team) {
    body_ = body;
    argument_ = argument;
    team_ = &team;
    team.barrier.Reset(team.size);
    // Also those who stay out of this team pass by, so that nobody is late for the next.
    left_.store(static_cast<uint32_t>(num_workers_), std::memory_order_relaxed);
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_all();
    const Member outer = std::exchange(self, Member{&team, 0});
    body(argument);
    self = outer;
    for (uint32_t left = left_.load(std::memory_order_acquire); left != 0;
         left = left_.load(std::memory_order_acquire)) {
      AwaitChange(left_, left);
    }
  }

 private:
  void Work(uint32_t index, uint32_t seen) {
    for (;;) {
      AwaitChange(epoch_, seen);
      ++seen;
      if (index < team_->size) {
        self = Member{team_, index};
        body_(argument_);
        self = Member{};
      }
      left_.fetch_sub(1, std::memory_order_acq_rel);
      left_.notify_one();
    }
  }

  size_t num_workers_ = 0;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  Team* team_ = nullptr;
  std::atomic<uint32_t> epoch_{0};
  std::atomic<uint32_t> left_{0};
};

// Crews that no team uses. Never destroyed: their threads sleep in them until the process ends.
struct Crews {
  Mutex mutex;
  std::vector<Crew*> idle SOTTO_GUARDED_BY(mutex);
};

Crews& AllCrews() {
  static Crews& crews = *new Crews;
  return crews;
}

Crew* TakeCrew() {
  MutexLock lock(AllCrews().mutex);
  std::vector<Crew*>& idle = AllCrews().idle;
  if (idle.empty()) {
    return new Crew;
  }
  Crew* crew = idle.back();
  idle.pop_back();
  return crew;
}

// Of updates that no instruction does at once.
Mutex& AtomicMutex() {
  static Mutex mutex;
  return mutex;
}

void ReturnCrew(Crew* crew) {
  MutexLock lock(AllCrews().mutex);
  AllCrews().idle.push_back(crew);
}

}  // namespace

void TeamBarrier::Wait() {
  const uint32_t round = round_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < num_threads_) {
    AwaitChange(round_, round);
    return;
  }
  arrived_.store(0, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_acq_rel);
  round_.notify_all();
}

void RunTeam(void (*body)(void*), void* argument, uint32_t num_threads) {
  Team team;
  if (num_threads <= 1 || self.team != nullptr) {
    const Member outer = std::exchange(self, Member{&team, 0});
    body(argument);
    self = outer;
    return;
  }
  Crew* crew = TakeCrew();
  team.size = 1 + static_cast<uint32_t>(crew->Grow(num_threads - 1));
  crew->Run(body, argument, team);
  ReturnCrew(crew);
}

uint32_t TeamSize() { return self.team == nullptr ? 1 : self.team->size; }
uint32_t TeamIndex() { return self.index; }

}  // namespace sotto

// The names and meanings that GCC's compiled OpenMP refers to (libgomp.h of GCC, "libgomp ABI").
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

void GOMP_parallel(void (*body)(void*), void* argument, unsigned num_threads, unsigned /*flags*/) {
  sotto::RunTeam(body, argument, num_threads);
}

void GOMP_barrier() {
  if (sotto::self.team != nullptr) {
    sotto::self.team->barrier.Wait();
  }
}

// True for the first thread of the team at a construct.
bool GOMP_single_start() {
  sotto::Member& self = sotto::self;
  if (self.team == nullptr) {
    return true;
  }
  uint32_t passed = self.singles++;
  return self.team->singles.compare_exchange_strong(passed, passed + 1, std::memory_order_acq_rel);
}

bool GOMP_loop_nonmonotonic_dynamic_next(long* begin, long* end) {
  sotto::Team& team = *sotto::self.team;
  sotto::MutexLock lock(team.loop_mutex);
  const bool up = team.step > 0;
  if (up ? team.next >= team.end : team.next <= team.end) {
    return false;
  }
  *begin = team.next;
  const long behind = team.next + team.chunk * team.step;
  team.next = up ? std::min(behind, team.end) : std::max(behind, team.end);
  *end = team.next;
  return true;
}

bool GOMP_loop_nonmonotonic_dynamic_start(long first, long last, long step, long chunk, long* begin,
                                          long* end) {
  sotto::Team& team = *sotto::self.team;
  {
    sotto::MutexLock lock(team.loop_mutex);
    if (team.loops == sotto::self.loops) {
      ++team.loops;
      team.next = first;
      team.end = last;
      team.step = step;
      team.chunk = std::max(1L, chunk);
    }
    ++sotto::self.loops;
  }
  return GOMP_loop_nonmonotonic_dynamic_next(begin, end);
}

void GOMP_loop_end() { GOMP_barrier(); }

void GOMP_atomic_start() SOTTO_ACQUIRE(sotto::AtomicMutex()) { sotto::AtomicMutex().Lock(); }
void GOMP_atomic_end() SOTTO_RELEASE(sotto::AtomicMutex()) { sotto::AtomicMutex().Unlock(); }

int omp_get_num_threads() { return static_cast<int>(sotto::TeamSize()); }
int omp_get_thread_num() { return static_cast<int>(sotto::TeamIndex()); }

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
