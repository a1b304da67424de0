// sotto/owner.hpp - errors and lifetimes for sotto/sotto.hpp, which includes it.
#ifndef SOTTO_OWNER_HPP_
#define SOTTO_OWNER_HPP_

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "sotto/sotto.h"

namespace sotto {

// A failed call: its status and, as what(), the library's message.
class Error : public std::runtime_error {
 public:
  Error(sotto_status status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  sotto_status status() const { return status_; }

 private:
  sotto_status status_;
};

// Throws the calling thread's last error unless `status` is SOTTO_OK.
inline void Check(sotto_status status) {
  if (status != SOTTO_OK) {
    throw Error(status, sotto_last_error_message());
  }
}

namespace internal {

template <typename T, void (*kRelease)(T*)>
struct Deleter {
  void operator()(T* handle) const { kRelease(handle); }
};

// One handle; the base of every class below.
template <typename T, void (*kRelease)(T*)>
class Owner {
 public:
  T* get() const { return handle_.get(); }

 protected:
  explicit Owner(T* handle) : handle_(handle) {}

 private:
  std::unique_ptr<T, Deleter<T, kRelease>> handle_;
};

// Calls `make(&handle)`, a creating function of the C ABI.
template <typename T, typename Make>
T* Create(Make&& make) {
  T* handle = nullptr;
  Check(make(&handle));
  return handle;
}

// Calls `make(&text)`, a function with a `char**` output.
template <typename Make>
std::string Text(Make&& make) {
  char* text = nullptr;
  Check(make(&text));
  const std::unique_ptr<char, Deleter<char, sotto_string_free>> owner(text);
  return text;
}

template <typename Config, void (*kInit)(Config*)>
Config Defaults() {
  Config config;
  kInit(&config);
  return config;
}

template <typename Struct>
Struct Sized() {
  Struct out = {};
  out.struct_size = sizeof out;
  return out;
}

// The message of an event's error; "" for SOTTO_OK.
inline std::string MessageOf(sotto_status status) {
  return status == SOTTO_OK ? std::string() : std::string(sotto_last_error_message());
}

}  // namespace internal

}  // namespace sotto

#endif  // SOTTO_OWNER_HPP_
