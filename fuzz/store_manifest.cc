// Pack manifests: an error or a pack that keeps its own rules.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "store/catalogue.h"
#include "store/pack.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const sotto::Result<sotto::PackManifest> pack = sotto::PackManifest::Parse(text, "fuzz");
  if (!pack.ok()) {
    return 0;
  }
  bool good = sotto::IsModelId(pack->id) && !pack->files.empty() &&
              pack->ram_min_mb <= pack->ram_recommended_mb && pack->Models().size() > 0;
  for (const sotto::PackFile& file : pack->files) {
    good = good && sotto::IsPlainPath(file.path) && !pack->ModelFor(file.role, "").empty();
  }
  static_cast<void>(pack->CheckAgainst(sotto::Catalogue()));
  if (!good) {
    std::abort();
  }
  return 0;
}
