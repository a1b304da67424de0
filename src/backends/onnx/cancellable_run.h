// A run that ends early when its token is cancelled, for models whose one call is long.
#ifndef SOTTO_BACKENDS_ONNX_CANCELLABLE_RUN_H_
#define SOTTO_BACKENDS_ONNX_CANCELLABLE_RUN_H_

#include <span>
#include <vector>

#include "backends/onnx/session.h"
#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

// Session::Run(), stopped at the model's next operator within about 5 ms of a cancellation.
// CANCELLED then, with the token's reason. Costs one short-lived thread.
Result<std::vector<Tensor>> RunCancellable(const Session& session,
                                           std::span<const TensorView> inputs,
                                           const CancelToken& cancel);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_CANCELLABLE_RUN_H_
