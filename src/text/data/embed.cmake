# Writes OUTPUT, a C++ source that defines the bytes of INPUT as kEnglishLtsModel.
# Run as: cmake -DINPUT=... -DOUTPUT=... -P embed.cmake
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE ${OUTPUT} "#include <cstddef>

namespace sotto::text_data {

extern const unsigned char kEnglishLtsModel[];
extern const size_t kEnglishLtsModelBytes;
const unsigned char kEnglishLtsModel[] = {
${hex}};
const size_t kEnglishLtsModelBytes = sizeof(kEnglishLtsModel);

}  // namespace sotto::text_data
")
