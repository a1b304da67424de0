// SOTTO_DCHECK: states what the code below it relies on.
//
// Debug builds stop the program at a broken statement; release builds compile it away, so a
// statement never replaces the handling of bad input.
#ifndef SOTTO_BASE_CHECK_H_
#define SOTTO_BASE_CHECK_H_

#if defined(NDEBUG)
#define SOTTO_DCHECK(condition) static_cast<void>(sizeof(condition))
#else
namespace sotto::internal {
[[noreturn]] void DcheckFailed(const char* condition, const char* file, int line);
}  // namespace sotto::internal
#define SOTTO_DCHECK(condition)       \
  ((condition) ? static_cast<void>(0) \
               : ::sotto::internal::DcheckFailed(#condition, __FILE__, __LINE__))
#endif

#endif  // SOTTO_BASE_CHECK_H_
