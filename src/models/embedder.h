// Port: text embeddings.
#ifndef SOTTO_MODELS_EMBEDDER_H_
#define SOTTO_MODELS_EMBEDDER_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

// Used from one thread at a time.
class Embedder {
 public:
  virtual ~Embedder() = default;

  virtual int32_t dimensions() const = 0;
  virtual int32_t max_tokens() const = 0;

  // [dimensions()] of Euclidean length 1. INVALID_ARGUMENT if `text` is empty or not UTF-8. Text
  // beyond max_tokens() is cut.
  virtual Result<std::vector<float>> Embed(std::string_view text, const CancelToken& cancel) = 0;
};

}  // namespace sotto

#endif  // SOTTO_MODELS_EMBEDDER_H_
