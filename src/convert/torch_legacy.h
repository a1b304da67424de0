// Weights of a legacy (before 1.6) torch file: five pickles, then the storages.
//
// The pickles are read by a small machine of our own that knows the instructions of plain data
// and the three constructors of a state dict; nothing is ever looked up or run.
#ifndef SOTTO_CONVERT_TORCH_LEGACY_H_
#define SOTTO_CONVERT_TORCH_LEGACY_H_

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "convert/elements.h"

namespace sotto {

using StateDict = std::map<std::string, WeightView, std::less<>>;

// The tensors of the dict under `key` of the top dict ("model_state"), contiguous float32 and
// int64 ones; views into `bytes`. DATA_LOSS names `file` and what is wrong with it.
Result<StateDict> ReadTorchLegacy(const std::string& file, std::span<const std::byte> bytes,
                                  std::string_view key);

}  // namespace sotto

#endif  // SOTTO_CONVERT_TORCH_LEGACY_H_
