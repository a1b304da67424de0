#include "base/check.h"

#if !defined(NDEBUG)
#include <cstdio>
#include <cstdlib>

namespace sotto::internal {

void DcheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: SOTTO_DCHECK(%s) does not hold\n", file, line, condition);
  std::abort();
}

}  // namespace sotto::internal
#endif
