// ValidateGguf over a header; the harness supplies tensor data, so that the corpus stays small.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "modelfiles/gguf.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kDataBytes = 1u << 18;
  // Not zeroed: nobody reads it.
  const auto file = std::make_unique_for_overwrite<std::byte[]>(size + kDataBytes);
  if (size > 0) {
    std::memcpy(file.get(), data, size);
  }
  const sotto::Result<sotto::GgufSummary> summary =
      sotto::ValidateGguf("fuzz", std::span(file.get(), size + kDataBytes));
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
