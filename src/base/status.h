// Status and Result<T>: errors as values.
//
//   Result<Wav> wav = ReadWav(path);
//   if (!wav.ok()) return wav.status();
//   Use(*wav);
//
//   SOTTO_ASSIGN_OR_RETURN(Wav wav, ReadWav(path));
//   SOTTO_RETURN_IF_ERROR(Check(wav));
//
// A message says what, with which value, against which limit, and what to try, in the shape
// "WHAT: VALUE: LIMIT OR REASON; TRY". It never carries a transcript, a prompt or file contents.
#ifndef SOTTO_BASE_STATUS_H_
#define SOTTO_BASE_STATUS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace sotto {

// Numerically equal to SOTTO_* of include/sotto/status.h (checked in capi).
enum class Code : int32_t {
  kOk = 0,
  kCancelled = 1,
  kInvalidArgument = 3,  // the caller's argument is wrong, whatever the state
  kDeadlineExceeded = 4,
  kNotFound = 5,  // a file, model id or voice that does not exist
  kAlreadyExists = 6,
  kPermissionDenied = 7,    // the OS or a server refused access
  kResourceExhausted = 8,   // memory, disk, context or queue is full
  kFailedPrecondition = 9,  // right call, wrong state
  kUnimplemented = 12,      // this build or model has no such feature
  kInternal = 13,           // our fault
  kUnavailable = 14,        // not here now; the message says how to get it
  kDataLoss = 15,           // a file or stream is malformed, truncated or fails its hash
};

// The enumerator's name in lower snake case, e.g. "invalid_argument".
std::string_view CodeName(Code code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == Code::kOk; }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }

  // The same code with `context` and ": " before the message. OK stays OK.
  Status WithContext(std::string_view context) const;

  // "invalid_argument: message", for logs and test failures.
  std::string ToString() const;

  bool operator==(const Status& other) const = default;

 private:
  Code code_ = Code::kOk;
  std::string message_;
};

inline Status OkStatus() { return {}; }
inline Status CancelledError(std::string m) { return {Code::kCancelled, std::move(m)}; }
inline Status InvalidArgumentError(std::string m) { return {Code::kInvalidArgument, std::move(m)}; }
inline Status DeadlineExceededError(std::string m) {
  return {Code::kDeadlineExceeded, std::move(m)};
}
inline Status NotFoundError(std::string m) { return {Code::kNotFound, std::move(m)}; }
inline Status AlreadyExistsError(std::string m) { return {Code::kAlreadyExists, std::move(m)}; }
inline Status PermissionDeniedError(std::string m) {
  return {Code::kPermissionDenied, std::move(m)};
}
inline Status ResourceExhaustedError(std::string m) {
  return {Code::kResourceExhausted, std::move(m)};
}
inline Status FailedPreconditionError(std::string m) {
  return {Code::kFailedPrecondition, std::move(m)};
}
inline Status UnimplementedError(std::string m) { return {Code::kUnimplemented, std::move(m)}; }
inline Status InternalError(std::string m) { return {Code::kInternal, std::move(m)}; }
inline Status UnavailableError(std::string m) { return {Code::kUnavailable, std::move(m)}; }
inline Status DataLossError(std::string m) { return {Code::kDataLoss, std::move(m)}; }

// A T, or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: `return value;` and `return SomeError(...);` both read well.
  Result(T value) : value_(std::move(value)) {}         // NOLINT
  Result(Status status) : status_(std::move(status)) {  // NOLINT
    SOTTO_DCHECK(!status_.ok());
  }

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }

  // REQUIRES: ok().
  T& operator*() & { return Get(); }
  const T& operator*() const& { return const_cast<Result*>(this)->Get(); }
  T&& operator*() && { return std::move(Get()); }
  T* operator->() { return &Get(); }
  const T* operator->() const { return &const_cast<Result*>(this)->Get(); }

 private:
  T& Get() {
    SOTTO_DCHECK(value_.has_value());
    return *value_;
  }

  Status status_;
  std::optional<T> value_;
};

}  // namespace sotto

#define SOTTO_STATUS_CONCAT_INNER(a, b) a##b
#define SOTTO_STATUS_CONCAT(a, b) SOTTO_STATUS_CONCAT_INNER(a, b)

#define SOTTO_RETURN_IF_ERROR(expression)                                    \
  do {                                                                       \
    if (::sotto::Status sotto_status_ = (expression); !sotto_status_.ok()) { \
      return sotto_status_;                                                  \
    }                                                                        \
  } while (false)

#define SOTTO_ASSIGN_OR_RETURN(declaration, expression)                                   \
  SOTTO_ASSIGN_OR_RETURN_INNER(SOTTO_STATUS_CONCAT(sotto_result_, __LINE__), declaration, \
                               expression)
#define SOTTO_ASSIGN_OR_RETURN_INNER(result, declaration, expression) \
  auto result = (expression);                                         \
  if (!result.ok()) {                                                 \
    return result.status();                                           \
  }                                                                   \
  declaration = *std::move(result)

#endif  // SOTTO_BASE_STATUS_H_
