#include "backends/fake/fake_embedder.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "text/utf8.h"

namespace sotto {
namespace {

// FNV-1a.
uint64_t Hash(std::string_view word) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : word) {
    hash = (hash ^ static_cast<unsigned char>(AsciiLower(c))) * 1099511628211u;
  }
  return hash;
}

class FakeEmbedder final : public Embedder {
 public:
  explicit FakeEmbedder(FakeEmbedderScript script) : script_(std::move(script)) {}

  int32_t dimensions() const override { return script_.dimensions; }
  int32_t max_tokens() const override { return script_.max_tokens; }

  Result<std::vector<float>> Embed(std::string_view text, const CancelToken& cancel) override {
    if (text.empty() || ValidateUtf8(text) != kValidUtf8) {
      return InvalidArgumentError("fake embedder: text: empty or not UTF-8");
    }
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    if (script_.during_call) {
      SOTTO_RETURN_IF_ERROR(script_.during_call());
    }
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    // A small constant part keeps a text without words from having no direction.
    std::vector<float> out(static_cast<size_t>(script_.dimensions), 0.01f);
    size_t at = 0;
    for (int32_t words = 0; words < script_.max_tokens && at < text.size();) {
      const size_t end = std::min(text.find(' ', at), text.size());
      if (end > at) {
        out[Hash(text.substr(at, end - at)) % out.size()] += 1.0f;
        ++words;
      }
      at = end + 1;
    }
    double sum = 0.0;
    for (const float v : out) {
      sum += double{v} * double{v};
    }
    for (float& v : out) {
      v = static_cast<float>(v / std::sqrt(sum));
    }
    return out;
  }

 private:
  const FakeEmbedderScript script_;
};

}  // namespace

std::unique_ptr<Embedder> MakeFakeEmbedder(FakeEmbedderScript script) {
  return std::make_unique<FakeEmbedder>(std::move(script));
}

}  // namespace sotto
