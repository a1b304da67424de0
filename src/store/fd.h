// A file descriptor with an owner.
#ifndef SOTTO_STORE_FD_H_
#define SOTTO_STORE_FD_H_

#include <unistd.h>

#include <utility>

namespace sotto {

// Closes the descriptor it holds. Move-only.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { Reset(); }

  bool valid() const { return fd_ >= 0; }
  int get() const { return fd_; }
  void Reset() {
    if (fd_ >= 0) {
      ::close(std::exchange(fd_, -1));
    }
  }

 private:
  int fd_ = -1;
};

}  // namespace sotto

#endif  // SOTTO_STORE_FD_H_
