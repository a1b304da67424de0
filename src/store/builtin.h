// The catalogue and the packs that are compiled in (files of catalogue/, see
// cmake/SottoEmbed.cmake).
#ifndef SOTTO_STORE_BUILTIN_H_
#define SOTTO_STORE_BUILTIN_H_

#include <span>
#include <string_view>

namespace sotto {

struct BuiltinFile {
  std::string_view name;  // path below catalogue/
  std::string_view text;
};

std::span<const BuiltinFile> BuiltinFiles();

}  // namespace sotto

#endif  // SOTTO_STORE_BUILTIN_H_
