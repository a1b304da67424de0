// One ONNX Runtime session over a model held in memory, with errors as values.
//
// No type of the runtime appears here, so that the models built on it read as plain C++.
#ifndef SOTTO_BACKENDS_ONNX_SESSION_H_
#define SOTTO_BACKENDS_ONNX_SESSION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/onnx/graph.h"
#include "base/log.h"
#include "base/status.h"

namespace sotto {

// An input of a run: a view of the caller's values.
struct TensorView {
  TensorView(std::span<const float> values, std::vector<int64_t> tensor_dims)
      : type(OnnxType::kFloat),
        data(values.data()),
        count(values.size()),
        dims(std::move(tensor_dims)) {}
  TensorView(std::span<const int64_t> values, std::vector<int64_t> tensor_dims)
      : type(OnnxType::kInt64),
        data(values.data()),
        count(values.size()),
        dims(std::move(tensor_dims)) {}

  OnnxType type;
  const void* data;
  size_t count;
  std::vector<int64_t> dims;
};

// A float output, held by the runtime.
class Tensor {
 public:
  struct Holder;
  // One that holds `values` itself, for stand-ins of a session.
  static Tensor FromValues(std::vector<float> values, std::vector<int64_t> dims);
  explicit Tensor(std::unique_ptr<Holder> holder);
  Tensor(Tensor&&) noexcept;
  Tensor& operator=(Tensor&&) noexcept;
  ~Tensor();

  std::span<const float> values() const;
  const std::vector<int64_t>& dims() const;

 private:
  std::unique_ptr<Holder> holder_;
};

// Stops a run from another thread.
class RunSwitch {
 public:
  static Result<std::unique_ptr<RunSwitch>> Create();
  ~RunSwitch();
  RunSwitch(const RunSwitch&) = delete;
  RunSwitch& operator=(const RunSwitch&) = delete;

  // Any thread. A run with this switch fails at its next operator, until Reset().
  void Terminate();
  void Reset();

 private:
  friend class Session;
  struct State;
  explicit RunSwitch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct SessionOptions {
  int32_t num_threads = 1;
  LogSink log;
};

class Session {
 public:
  // `model` is read during the call only. `what` names the model in messages. DATA_LOSS if the
  // runtime cannot make sense of the model; INVALID_ARGUMENT for num_threads out of 1..64.
  static Result<std::unique_ptr<Session>> Load(std::string_view model, std::string_view what,
                                               const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::vector<OnnxValueInfo>& inputs() const;
  const std::vector<OnnxValueInfo>& outputs() const;

  // All outputs, for all inputs in the order of inputs(). Any thread, several at once.
  // INVALID_ARGUMENT when a count, type or shape does not fit; CANCELLED when `stop` was thrown.
  Result<std::vector<Tensor>> Run(std::span<const TensorView> inputs,
                                  RunSwitch* stop = nullptr) const;

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_SESSION_H_
