// The safetensors container: a JSON header, then the tensors.
#ifndef SOTTO_CONVERT_SAFETENSORS_H_
#define SOTTO_CONVERT_SAFETENSORS_H_

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "convert/elements.h"

namespace sotto {

// Names and views in the order in which the tensors lie in the file, without overlap. DATA_LOSS
// names `file` and the field; a type other than F32, F16, BF16, I64 is DATA_LOSS as well.
Result<std::vector<std::pair<std::string, WeightView>>> ReadSafetensors(
    const std::string& file, std::span<const std::byte> bytes);

}  // namespace sotto

#endif  // SOTTO_CONVERT_SAFETENSORS_H_
