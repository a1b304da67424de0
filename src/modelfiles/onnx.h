// Whether an ONNX file is whole and self-contained, and what goes in and out.
#ifndef SOTTO_MODELFILES_ONNX_H_
#define SOTTO_MODELFILES_ONNX_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace sotto {

// Element types, numbered as in onnx.proto.
inline constexpr int32_t kOnnxFloat = 1;
inline constexpr int32_t kOnnxInt32 = 6;
inline constexpr int32_t kOnnxInt64 = 7;

inline constexpr int64_t kOnnxAnyDim = -1;

struct OnnxValue {
  std::string name;
  int32_t element_type = 0;   // 0: not a tensor
  bool has_shape = false;     // false: of any rank
  std::vector<int64_t> dims;  // kOnnxAnyDim where the model leaves it open
};

struct OnnxSummary {
  int64_t ir_version = 0;
  std::string producer;
  std::map<std::string, int64_t, std::less<>> opsets;  // by domain; "" is ONNX itself
  std::vector<OnnxValue> inputs;                       // less those that are only initializers
  std::vector<OnnxValue> outputs;
  uint64_t node_count = 0;
  uint64_t initializer_count = 0;
  uint64_t weights_bytes = 0;
};

// DATA_LOSS "model: FILE: onnx field FIELD: REASON": wire format broken or cut short, nested
// deeper than 32 graphs or messages, versions that ONNX Runtime 1.31 does not take, weights in
// other files, operators of unknown domains, or tensors whose data is not the size of their
// shape. Linear in the file without touching the weights.
Result<OnnxSummary> ValidateOnnx(const std::string& file, std::span<const std::byte> bytes);

// Checks that a model is the one a backend is written for: every value of `inputs` and `outputs`
// is there with its element type, its rank and its fixed dims, and no other input has to be fed.
// DATA_LOSS names the value.
Status CheckOnnxIo(const std::string& file, const OnnxSummary& summary,
                   std::span<const OnnxValue> inputs, std::span<const OnnxValue> outputs);

}  // namespace sotto

#endif  // SOTTO_MODELFILES_ONNX_H_
