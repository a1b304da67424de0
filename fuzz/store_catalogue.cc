// Catalogue JSON: an error or a catalogue whose names are safe to build paths and commands from.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "store/catalogue.h"

namespace {

void Require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void CheckSource(const sotto::Source& source) {
  Require(source.name.find("..") != 0 && !source.name.starts_with('-'));
  Require(!source.version.starts_with('-'));
  if (source.is_package()) {
    Require(!source.name.empty() && !source.version.empty() &&
            sotto::ParseSource(source.text).ok());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(sotto::ParseSource(text));
  const sotto::Result<sotto::Catalogue> catalogue = sotto::Catalogue::Parse(text, "fuzz");
  if (!catalogue.ok()) {
    Require(!catalogue.status().message().empty());
    return 0;
  }
  for (const sotto::CatalogueModel& model : catalogue->models()) {
    Require(sotto::IsModelId(model.id) && !model.files.empty());
    Require(catalogue->Find(model.id) == &model);
    for (const sotto::CatalogueFile& file : model.files) {
      Require(sotto::IsPlainPath(file.name) && !file.recipes.empty());
      for (const sotto::Recipe& recipe : file.recipes) {
        for (const sotto::Source& source : recipe.parts) {
          CheckSource(source);
        }
        for (const sotto::Ingredient& input : recipe.inputs) {
          Require(sotto::IsPlainPath(input.name) && !input.parts.empty());
        }
      }
    }
  }
  return 0;
}
