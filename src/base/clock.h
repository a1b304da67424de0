// The engine clock: monotonic microseconds, injected wherever time is read.
#ifndef SOTTO_BASE_CLOCK_H_
#define SOTTO_BASE_CLOCK_H_

#include <atomic>
#include <cstdint>

namespace sotto {

class Clock {
 public:
  virtual ~Clock() = default;

  // Microseconds since an arbitrary origin; never decreases. Any thread.
  virtual int64_t NowUs() const = 0;
};

// The machine's steady clock. Lives for ever.
const Clock& SystemClock();

// A clock that moves when told to. Any thread.
class ManualClock final : public Clock {
 public:
  int64_t NowUs() const override { return now_us_.load(std::memory_order_acquire); }
  void AdvanceUs(int64_t by_us) { now_us_.fetch_add(by_us, std::memory_order_acq_rel); }

 private:
  std::atomic<int64_t> now_us_{0};
};

}  // namespace sotto

#endif  // SOTTO_BASE_CLOCK_H_
