#include "engine/memory/arbiter.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sotto {
namespace internal {

struct ArbiterState {
  ArbiterState(uint64_t limit, MemoryArbiter::Probe probe_in)
      : fixed_limit_bytes(limit), probe(std::move(probe_in)) {}

  // What may be leased in all. Leases already granted are memory the probe no longer sees as free
  // once it is touched; counting them as taken in full errs on the safe side.
  uint64_t LimitLocked() const SOTTO_REQUIRES(mutex) {
    if (fixed_limit_bytes > 0) {
      return fixed_limit_bytes;
    }
    const uint64_t available = probe ? probe() : 0;
    const uint64_t reserve = std::max(MemoryArbiter::kReserveFloorBytes, available / 100 * 8);
    return leased_bytes + (available > reserve ? available - reserve : 0);
  }

  const uint64_t fixed_limit_bytes;
  const MemoryArbiter::Probe probe;
  mutable Mutex mutex;
  uint64_t next_id SOTTO_GUARDED_BY(mutex) = 1;
  uint64_t leased_bytes SOTTO_GUARDED_BY(mutex) = 0;
  uint64_t peak_bytes SOTTO_GUARDED_BY(mutex) = 0;
  std::map<uint64_t, MemoryArbiter::Holder> holders SOTTO_GUARDED_BY(mutex);
  std::map<uint64_t, MemoryArbiter::Reclaim> reclaimers SOTTO_GUARDED_BY(mutex);
};

}  // namespace internal

namespace {

std::string Megabytes(uint64_t bytes) { return std::to_string((bytes + 999999) / 1000000) + " MB"; }

}  // namespace

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    GiveBack();
    state_ = std::move(other.state_);
    id_ = other.id_;
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

Lease::~Lease() { GiveBack(); }

void Lease::GiveBack() {
  if (state_ == nullptr) {
    return;
  }
  MutexLock lock(state_->mutex);
  state_->leased_bytes -= bytes_;
  state_->holders.erase(id_);
}

MemoryArbiter::MemoryArbiter(uint64_t limit_bytes, Probe probe)
    : state_(std::make_shared<internal::ArbiterState>(limit_bytes, std::move(probe))) {}

Result<std::vector<Lease>> MemoryArbiter::AcquireAll(std::span<const LeaseRequest> requests) {
  uint64_t wanted = 0;
  for (const LeaseRequest& request : requests) {
    if (__builtin_add_overflow(wanted, request.bytes, &wanted)) {
      return ResourceExhaustedError("memory: " + request.name + ": more than 2^64 bytes");
    }
  }
  for (int attempt = 0;; ++attempt) {
    std::vector<Reclaim> reclaimers;
    uint64_t missing = 0;
    {
      MutexLock lock(state_->mutex);
      const uint64_t limit = state_->LimitLocked();
      const uint64_t free = limit - std::min(limit, state_->leased_bytes);
      if (wanted <= free) {
        std::vector<Lease> leases;
        for (const LeaseRequest& request : requests) {
          const uint64_t id = state_->next_id++;
          state_->holders[id] = {request.name, request.bytes, request.priority};
          leases.push_back(Lease(state_, id, request.bytes));
        }
        state_->leased_bytes += wanted;
        state_->peak_bytes = std::max(state_->peak_bytes, state_->leased_bytes);
        return leases;
      }
      missing = wanted - free;
      if (attempt > 0 || state_->reclaimers.empty()) {
        std::string message = "memory: ";
        for (size_t i = 0; i < requests.size(); ++i) {
          message += (i > 0 ? " + " : "") + requests[i].name;
        }
        message += ": " + Megabytes(wanted) + " asked, " + Megabytes(free) + " of " +
                   Megabytes(limit) + " free";
        for (const auto& [id, holder] : state_->holders) {
          message += ", " + holder.name + " holds " + Megabytes(holder.bytes);
        }
        message += "; choose a smaller model, pack or context";
        return ResourceExhaustedError(std::move(message));
      }
      for (const auto& [id, reclaim] : state_->reclaimers) {
        reclaimers.push_back(reclaim);
      }
    }
    for (const Reclaim& reclaim : reclaimers) {
      const uint64_t freed = reclaim(missing);
      missing -= std::min(missing, freed);
      if (missing == 0) {
        break;
      }
    }
  }
}

Result<Lease> MemoryArbiter::Acquire(LeaseRequest request) {
  SOTTO_ASSIGN_OR_RETURN(std::vector<Lease> leases, AcquireAll(std::span(&request, 1)));
  return std::move(leases.front());
}

uint64_t MemoryArbiter::AddReclaimer(Reclaim reclaim) {
  MutexLock lock(state_->mutex);
  const uint64_t id = state_->next_id++;
  state_->reclaimers[id] = std::move(reclaim);
  return id;
}

void MemoryArbiter::RemoveReclaimer(uint64_t id) {
  MutexLock lock(state_->mutex);
  state_->reclaimers.erase(id);
}

std::vector<MemoryArbiter::Holder> MemoryArbiter::Holders() const {
  MutexLock lock(state_->mutex);
  std::vector<Holder> holders;
  for (const auto& [id, holder] : state_->holders) {
    holders.push_back(holder);
  }
  return holders;
}

uint64_t MemoryArbiter::limit_bytes() const {
  MutexLock lock(state_->mutex);
  return state_->LimitLocked();
}

uint64_t MemoryArbiter::leased_bytes() const {
  MutexLock lock(state_->mutex);
  return state_->leased_bytes;
}

uint64_t MemoryArbiter::peak_bytes() const {
  MutexLock lock(state_->mutex);
  return state_->peak_bytes;
}

}  // namespace sotto
