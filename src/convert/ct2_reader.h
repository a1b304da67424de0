// CTranslate2 model.bin: named variables behind a list of sizes.
#ifndef SOTTO_CONVERT_CT2_READER_H_
#define SOTTO_CONVERT_CT2_READER_H_

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "convert/elements.h"

namespace sotto {

struct Ct2Model {
  std::string spec;  // "WhisperSpec"
  // By name, aliases resolved. Only weights: variables of rank 1 and up and of a known
  // element type; int8 ones carry their scales. Views into the bytes given to ReadCt2Model.
  std::map<std::string, WeightView, std::less<>> variables;
};

// Binary versions 4 to 6, by whose layout every variable tells its type and its size in bytes.
// DATA_LOSS names `file` and the field.
Result<Ct2Model> ReadCt2Model(const std::string& file, std::span<const std::byte> bytes);

}  // namespace sotto

#endif  // SOTTO_CONVERT_CT2_READER_H_
