#include "base/clock.h"

#include <chrono>

namespace sotto {
namespace {

class SteadyClock final : public Clock {
 public:
  int64_t NowUs() const override {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace

const Clock& SystemClock() {
  static const SteadyClock* clock = new SteadyClock;  // never destroyed: used at exit too
  return *clock;
}

}  // namespace sotto
