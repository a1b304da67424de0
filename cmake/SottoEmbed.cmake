# Writes OUTPUT, a C++ source that defines sotto::BuiltinFiles() over FILES (paths below ROOT).
# Run as: cmake -DOUTPUT=... -DROOT=... -DFILES=a;b -P SottoEmbed.cmake
set(arrays "")
set(rows "")
set(index 0)
foreach(name IN LISTS FILES)
  file(READ ${ROOT}/${name} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND arrays "constexpr unsigned char kFile${index}[] = {\n${hex}0};\n")
  string(APPEND rows "    {\"${name}\", Text(kFile${index}, sizeof(kFile${index}) - 1)},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Generated from catalogue/ by cmake/SottoEmbed.cmake.
#include \"store/builtin.h\"

#include <cstddef>

namespace sotto {
namespace {

${arrays}
std::string_view Text(const unsigned char* data, size_t size_bytes) {
  return {reinterpret_cast<const char*>(data), size_bytes};
}

}  // namespace

std::span<const BuiltinFile> BuiltinFiles() {
  static const BuiltinFile kFiles[] = {
${rows}  };
  return kFiles;
}

}  // namespace sotto
")
