// How far along the time axis (the last one) an output of a graph looks into its input.
#ifndef SOTTO_BACKENDS_ONNX_REACH_H_
#define SOTTO_BACKENDS_ONNX_REACH_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "backends/onnx/graph.h"
#include "base/status.h"

namespace sotto {

// Output sample t depends on the input samples u with t - left <= u * rate <= t + right, and the
// output is exactly `rate` times as long as the input.
struct Reach {
  int64_t rate = 1;
  int64_t left = 0;   // in output samples
  int64_t right = 0;  // in output samples

  bool operator==(const Reach&) const = default;
};

// The reach of `second` after `first`.
Reach Chain(const Reach& first, const Reach& second);

// Nodes on any way from `from` to `to`, in graph order.
std::vector<int32_t> NodesBetween(const OnnxGraph& graph, std::string_view from,
                                  std::string_view to);

// The reach of `to` over `from`. UNIMPLEMENTED, naming the operator, if a node between them mixes
// the time axis in a way that is not known to be local (attention, recurrence, resizing).
Result<Reach> ComputeReach(const OnnxGraph& graph, std::string_view from, std::string_view to);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_REACH_H_
