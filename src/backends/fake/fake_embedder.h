// An embedder for tests: texts that share words are near.
#ifndef SOTTO_BACKENDS_FAKE_FAKE_EMBEDDER_H_
#define SOTTO_BACKENDS_FAKE_FAKE_EMBEDDER_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "base/status.h"
#include "models/embedder.h"

namespace sotto {

struct FakeEmbedderScript {
  int32_t dimensions = 64;
  int32_t max_tokens = 128;  // words
  // Runs within each call; an error becomes the call's. Null: nothing.
  std::function<Status()> during_call;
};

std::unique_ptr<Embedder> MakeFakeEmbedder(FakeEmbedderScript script = {});

}  // namespace sotto

#endif  // SOTTO_BACKENDS_FAKE_FAKE_EMBEDDER_H_
