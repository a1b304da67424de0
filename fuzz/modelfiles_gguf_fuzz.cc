// ValidateGguf over a header; the harness supplies tensor data, so that the corpus stays small.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "modelfiles/gguf.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kDataBytes = 1u << 18;
  std::vector<std::byte> file(size + kDataBytes);
  if (size > 0) {
    std::memcpy(file.data(), data, size);
  }
  const sotto::Result<sotto::GgufSummary> summary = sotto::ValidateGguf("fuzz", file);
  if (summary.ok()) {
    if (summary->layers.empty() || summary->vocab_size == 0 || summary->weights_bytes == 0) {
      std::abort();
    }
    summary->KvBytes(1000, 2.0, 100);
  } else if (summary.status().code() != sotto::Code::kDataLoss) {
    std::abort();
  }
  return 0;
}
