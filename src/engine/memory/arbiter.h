// MemoryArbiter: memory is leased before it is taken.
//
//   SOTTO_ASSIGN_OR_RETURN(Lease lease, arbiter.Acquire({.name = "text", .bytes = n}));
//
// The budget is read anew before each grant. A set of leases is granted whole or not at all, so
// two askers cannot block each other half-granted.
#ifndef SOTTO_ENGINE_MEMORY_ARBITER_H_
#define SOTTO_ENGINE_MEMORY_ARBITER_H_

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"

namespace sotto {

struct LeaseRequest {
  std::string name;  // who holds it, in messages and reports
  uint64_t bytes = 0;
  int32_t priority = 0;  // higher is kept longer; values in ARCHITECTURE.md
};

namespace internal {
struct ArbiterState;
}  // namespace internal

// Granted memory. Move-only; the destructor gives it back. May outlive the arbiter.
class Lease {
 public:
  Lease() = default;
  Lease(Lease&&) noexcept = default;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease();

  uint64_t bytes() const { return bytes_; }

 private:
  friend class MemoryArbiter;
  Lease(std::shared_ptr<internal::ArbiterState> state, uint64_t id, uint64_t bytes)
      : state_(std::move(state)), id_(id), bytes_(bytes) {}
  void GiveBack();

  std::shared_ptr<internal::ArbiterState> state_;
  uint64_t id_ = 0;
  uint64_t bytes_ = 0;
};

// Any thread.
class MemoryArbiter {
 public:
  // Bytes that could be taken now by anybody, leased but untouched memory not counted out.
  using Probe = std::function<uint64_t()>;
  // Asked to free about `bytes_wanted`; answers what it freed. Called without the arbiter's lock.
  using Reclaim = std::function<uint64_t(uint64_t bytes_wanted)>;

  // Left to the rest of the machine, at least.
  static constexpr uint64_t kReserveFloorBytes = uint64_t{768} << 20;

  // limit_bytes  The most that may be leased at once; 0: what `probe` says at each grant, less a
  //              reserve of max(768 MB, 8 %) (design of the memory plan).
  MemoryArbiter(uint64_t limit_bytes, Probe probe);

  // All of `requests` or RESOURCE_EXHAUSTED, naming the bytes asked and free and who holds the
  // rest. Reclaimers are asked first.
  Result<std::vector<Lease>> AcquireAll(std::span<const LeaseRequest> requests);
  Result<Lease> Acquire(LeaseRequest request);

  // Registers a holder of memory that can be given up. Returns an id for RemoveReclaimer().
  uint64_t AddReclaimer(Reclaim reclaim);
  void RemoveReclaimer(uint64_t id);

  struct Holder {
    std::string name;
    uint64_t bytes = 0;
    int32_t priority = 0;
  };
  std::vector<Holder> Holders() const;
  uint64_t limit_bytes() const;   // now
  uint64_t leased_bytes() const;  // now
  uint64_t peak_bytes() const;    // the most that ever was leased

 private:
  std::shared_ptr<internal::ArbiterState> state_;
};

}  // namespace sotto

#endif  // SOTTO_ENGINE_MEMORY_ARBITER_H_
