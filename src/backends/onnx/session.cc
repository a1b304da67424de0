#include "backends/onnx/session.h"

#include <algorithm>
#include <mutex>

#include "backends/onnx/handles.h"

namespace sotto {
namespace {

constexpr int32_t kMaxThreads = 64;
constexpr size_t kMaxMessageBytes = 300;

Code CodeOf(OrtErrorCode code) {
  switch (code) {
    case ORT_INVALID_PROTOBUF:
    case ORT_INVALID_GRAPH:
    case ORT_NO_MODEL:
      return Code::kDataLoss;
    case ORT_INVALID_ARGUMENT:
      return Code::kInvalidArgument;
    case ORT_NO_SUCHFILE:
    case ORT_NOT_FOUND:
      return Code::kNotFound;
    case ORT_NOT_IMPLEMENTED:
      return Code::kUnimplemented;
    default:
      return Code::kInternal;
  }
}

// Takes over `raw` and translates it.
Status Translate(OrtStatus* raw, std::string_view operation) {
  if (raw == nullptr) {
    return OkStatus();
  }
  const OrtOwner<OrtStatus> status(raw);
  std::string text = OrtTable()->GetErrorMessage(raw);
  std::replace(text.begin(), text.end(), '\n', ' ');
  const bool no_memory = text.find("bad allocation") != std::string::npos ||
                         text.find("std::bad_alloc") != std::string::npos ||
                         text.find("Failed to allocate memory") != std::string::npos;
  text.resize(std::min(text.size(), kMaxMessageBytes));
  const Code code = no_memory ? Code::kResourceExhausted : CodeOf(OrtTable()->GetErrorCode(raw));
  return {code, "onnx: " + std::string(operation) + ": " + text};
}

#define SOTTO_ORT(call, operation) SOTTO_RETURN_IF_ERROR(Translate(OrtTable()->call, operation))

void ORT_API_CALL DropLine(void*, OrtLoggingLevel, const char*, const char*, const char*,
                           const char*) {}

void ORT_API_CALL ForwardLine(void* sink, OrtLoggingLevel severity, const char*, const char*,
                              const char*, const char* message) {
  LogLevel level = LogLevel::kError;
  switch (severity) {
    case ORT_LOGGING_LEVEL_VERBOSE:
      level = LogLevel::kDebug;
      break;
    case ORT_LOGGING_LEVEL_INFO:
      level = LogLevel::kInfo;
      break;
    case ORT_LOGGING_LEVEL_WARNING:
      level = LogLevel::kWarning;
      break;
    default:
      break;
  }
  static_cast<const LogSink*>(sink)->Write(level, std::string("onnx: ") + message);
}

// The runtime wants one environment per process. It lives while any session does; a process that
// exits with sessions alive never destroys it, so static destructors find nothing to trip over.
Result<std::shared_ptr<OrtEnv>> AcquireEnv() {
  struct Slot {
    std::mutex mutex;
    std::weak_ptr<OrtEnv> env;
  };
  static Slot* const slot = new Slot;
  if (OrtTable() == nullptr) {
    return UnavailableError(std::string("onnx: runtime ") + OrtGetApiBase()->GetVersionString() +
                            ": older than this build needs; install the runtime it came with");
  }
  const std::lock_guard<std::mutex> lock(slot->mutex);
  if (std::shared_ptr<OrtEnv> env = slot->env.lock()) {
    return env;
  }
  OrtEnv* raw = nullptr;
  SOTTO_ORT(CreateEnvWithCustomLogger(&DropLine, nullptr, ORT_LOGGING_LEVEL_WARNING, "sotto", &raw),
            "environment");
  std::shared_ptr<OrtEnv> env(raw, OrtReleaser());
  SOTTO_ORT(DisableTelemetryEvents(raw), "environment");
  slot->env = env;
  return env;
}

Result<OrtOwner<OrtSessionOptions>> MakeOptions(int32_t num_threads, const LogSink* log) {
  OrtSessionOptions* raw = nullptr;
  SOTTO_ORT(CreateSessionOptions(&raw), "options");
  OrtOwner<OrtSessionOptions> options(raw);
  SOTTO_ORT(SetIntraOpNumThreads(raw, num_threads), "options");
  SOTTO_ORT(SetInterOpNumThreads(raw, 1), "options");
  SOTTO_ORT(SetSessionExecutionMode(raw, ORT_SEQUENTIAL), "options");
  SOTTO_ORT(SetSessionGraphOptimizationLevel(raw, ORT_ENABLE_ALL), "options");
  // Patterns are kept per input shape for ever, and every phrase has its own shape.
  SOTTO_ORT(DisableMemPattern(raw), "options");
  // The arena keeps the largest phrase's memory; without it no slowdown was measured.
  SOTTO_ORT(DisableCpuMemArena(raw), "options");
  SOTTO_ORT(AddSessionConfigEntry(raw, "session.intra_op.allow_spinning", "0"), "options");
  SOTTO_ORT(AddSessionConfigEntry(raw, "session.inter_op.allow_spinning", "0"), "options");
  SOTTO_ORT(SetUserLoggingFunction(raw, &ForwardLine, const_cast<LogSink*>(log)), "options");
  SOTTO_ORT(SetSessionLogSeverityLevel(raw, ORT_LOGGING_LEVEL_WARNING), "options");
  return options;
}

struct Described {
  std::string name;
  OnnxType type = OnnxType::kUndefined;
  std::vector<int64_t> dims;
};

Result<std::vector<int64_t>> DimsOf(const OrtTensorTypeAndShapeInfo* info) {
  size_t rank = 0;
  SOTTO_ORT(GetDimensionsCount(info, &rank), "shape");
  std::vector<int64_t> dims(rank);
  SOTTO_ORT(GetDimensions(info, dims.data(), rank), "shape");
  return dims;
}

Result<Described> Describe(const OrtSession* session, size_t index, bool is_input) {
  Described described;
  OrtAllocator* allocator = nullptr;
  SOTTO_ORT(GetAllocatorWithDefaultOptions(&allocator), "allocator");
  char* name = nullptr;
  if (is_input) {
    SOTTO_ORT(SessionGetInputName(session, index, allocator, &name), "input name");
  } else {
    SOTTO_ORT(SessionGetOutputName(session, index, allocator, &name), "output name");
  }
  described.name = name;
  SOTTO_ORT(AllocatorFree(allocator, name), "allocator");
  OrtTypeInfo* raw_type = nullptr;
  if (is_input) {
    SOTTO_ORT(SessionGetInputTypeInfo(session, index, &raw_type), "input type");
  } else {
    SOTTO_ORT(SessionGetOutputTypeInfo(session, index, &raw_type), "output type");
  }
  const OrtOwner<OrtTypeInfo> type(raw_type);
  const OrtTensorTypeAndShapeInfo* info = nullptr;  // owned by `type`
  SOTTO_ORT(CastTypeInfoToTensorInfo(type.get(), &info), "type");
  if (info == nullptr) {
    return DataLossError("onnx: " + described.name + ": not a tensor");
  }
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  SOTTO_ORT(GetTensorElementType(info, &element), "type");
  described.type = static_cast<OnnxType>(static_cast<int32_t>(element));
  SOTTO_ASSIGN_OR_RETURN(described.dims, DimsOf(info));
  return described;
}

}  // namespace

struct Tensor::Holder {
  OrtOwner<OrtValue> value;
  std::vector<float> own_values;
  std::span<const float> values;
  std::vector<int64_t> dims;
};

Tensor Tensor::FromValues(std::vector<float> values, std::vector<int64_t> dims) {
  auto holder = std::make_unique<Holder>();
  holder->own_values = std::move(values);
  holder->values = holder->own_values;
  holder->dims = std::move(dims);
  return Tensor(std::move(holder));
}

Tensor::Tensor(std::unique_ptr<Holder> holder) : holder_(std::move(holder)) {}
Tensor::Tensor(Tensor&&) noexcept = default;
Tensor& Tensor::operator=(Tensor&&) noexcept = default;
Tensor::~Tensor() = default;
std::span<const float> Tensor::values() const { return holder_->values; }
const std::vector<int64_t>& Tensor::dims() const { return holder_->dims; }

struct RunSwitch::State {
  OrtOwner<OrtRunOptions> options;
};

RunSwitch::RunSwitch(std::unique_ptr<State> state) : state_(std::move(state)) {}
RunSwitch::~RunSwitch() = default;

Result<std::unique_ptr<RunSwitch>> RunSwitch::Create() {
  SOTTO_ASSIGN_OR_RETURN([[maybe_unused]] const std::shared_ptr<OrtEnv> env, AcquireEnv());
  OrtRunOptions* raw = nullptr;
  SOTTO_ORT(CreateRunOptions(&raw), "run options");
  auto state = std::make_unique<State>();
  state->options.reset(raw);
  return std::unique_ptr<RunSwitch>(new RunSwitch(std::move(state)));
}

void RunSwitch::Terminate() {
  // Both only store a flag; a status would mean no memory for the status itself.
  const OrtOwner<OrtStatus> ignored(OrtTable()->RunOptionsSetTerminate(state_->options.get()));
}

void RunSwitch::Reset() {
  const OrtOwner<OrtStatus> ignored(OrtTable()->RunOptionsUnsetTerminate(state_->options.get()));
}

struct Session::State {
  std::shared_ptr<OrtEnv> env;
  LogSink log;  // the session's logger points here
  std::string what;
  OrtOwner<OrtMemoryInfo> cpu;
  std::vector<Described> described_inputs;
  std::vector<Described> described_outputs;
  std::vector<OnnxValueInfo> inputs;
  std::vector<OnnxValueInfo> outputs;
  std::vector<const char*> input_names;
  std::vector<const char*> output_names;
  OrtOwner<OrtSession> session;  // last: gone before what it points to

  Status DescribeAll();
  Result<std::vector<OrtOwner<OrtValue>>> Wrap(std::span<const TensorView> views) const;
};

Status Session::State::DescribeAll() {
  size_t num_inputs = 0;
  size_t num_outputs = 0;
  SOTTO_ORT(SessionGetInputCount(session.get(), &num_inputs), "inputs");
  SOTTO_ORT(SessionGetOutputCount(session.get(), &num_outputs), "outputs");
  for (size_t i = 0; i < num_inputs; ++i) {
    SOTTO_ASSIGN_OR_RETURN(Described described, Describe(session.get(), i, true));
    described_inputs.push_back(std::move(described));
  }
  for (size_t i = 0; i < num_outputs; ++i) {
    SOTTO_ASSIGN_OR_RETURN(Described described, Describe(session.get(), i, false));
    described_outputs.push_back(std::move(described));
  }
  for (const Described& each : described_inputs) {
    inputs.push_back({each.name, each.type, each.dims});
    input_names.push_back(each.name.c_str());
  }
  for (const Described& each : described_outputs) {
    outputs.push_back({each.name, each.type, each.dims});
    output_names.push_back(each.name.c_str());
  }
  return OkStatus();
}

Result<std::vector<OrtOwner<OrtValue>>> Session::State::Wrap(
    std::span<const TensorView> views) const {
  if (views.size() != inputs.size()) {
    return InvalidArgumentError("onnx: " + what + ": " + std::to_string(views.size()) +
                                " inputs: the model takes " + std::to_string(inputs.size()));
  }
  std::vector<OrtOwner<OrtValue>> values;
  for (size_t i = 0; i < views.size(); ++i) {
    const TensorView& view = views[i];
    uint64_t count = 1;
    for (const int64_t size : view.dims) {
      if (size < 0 || (size > 0 && count > (uint64_t{1} << 40) / static_cast<uint64_t>(size))) {
        return InvalidArgumentError("onnx: " + what + ": shape of " + described_inputs[i].name);
      }
      count *= static_cast<uint64_t>(size);
    }
    if (count != view.count || view.type != inputs[i].type) {
      return InvalidArgumentError("onnx: " + what + ": input " + described_inputs[i].name +
                                  ": its type or number of values does not fit");
    }
    const size_t element_bytes = view.type == OnnxType::kInt64 ? sizeof(int64_t) : sizeof(float);
    OrtValue* raw = nullptr;
    // The runtime does not write to inputs.
    SOTTO_ORT(CreateTensorWithDataAsOrtValue(
                  cpu.get(), const_cast<void*>(view.data), view.count * element_bytes,
                  view.dims.data(), view.dims.size(),
                  static_cast<ONNXTensorElementDataType>(static_cast<int32_t>(view.type)), &raw),
              "input");
    values.emplace_back(raw);
  }
  return values;
}

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;
const std::vector<OnnxValueInfo>& Session::inputs() const { return state_->inputs; }
const std::vector<OnnxValueInfo>& Session::outputs() const { return state_->outputs; }

Result<std::unique_ptr<Session>> Session::Load(std::string_view model, std::string_view what,
                                               const SessionOptions& options) {
  if (options.num_threads < 1 || options.num_threads > kMaxThreads) {
    return InvalidArgumentError("threads: " + std::to_string(options.num_threads) +
                                ": must be 1..64");
  }
  auto state = std::make_unique<State>();
  SOTTO_ASSIGN_OR_RETURN(state->env, AcquireEnv());
  state->log = options.log;
  state->what = what;
  SOTTO_ASSIGN_OR_RETURN(const OrtOwner<OrtSessionOptions> session_options,
                         MakeOptions(options.num_threads, &state->log));
  OrtMemoryInfo* cpu = nullptr;
  SOTTO_ORT(CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &cpu), "memory");
  state->cpu.reset(cpu);
  OrtSession* session = nullptr;
  SOTTO_ORT(CreateSessionFromArray(state->env.get(), model.data(), model.size(),
                                   session_options.get(), &session),
            "load " + state->what);
  state->session.reset(session);
  SOTTO_RETURN_IF_ERROR(state->DescribeAll());
  return std::unique_ptr<Session>(new Session(std::move(state)));
}

Result<std::vector<Tensor>> Session::Run(std::span<const TensorView> inputs,
                                         RunSwitch* stop) const {
  SOTTO_ASSIGN_OR_RETURN(const std::vector<OrtOwner<OrtValue>> values, state_->Wrap(inputs));
  std::vector<const OrtValue*> raw_inputs;
  for (const OrtOwner<OrtValue>& value : values) {
    raw_inputs.push_back(value.get());
  }
  std::vector<OrtValue*> raw_outputs(state_->output_names.size(), nullptr);
  const Status status = Translate(
      OrtTable()->Run(state_->session.get(), stop ? stop->state_->options.get() : nullptr,
                      state_->input_names.data(), raw_inputs.data(), raw_inputs.size(),
                      state_->output_names.data(), raw_outputs.size(), raw_outputs.data()),
      "run " + state_->what);
  std::vector<OrtOwner<OrtValue>> owned;
  for (OrtValue* raw : raw_outputs) {
    owned.emplace_back(raw);
  }
  if (!status.ok()) {
    const bool terminated = status.message().find("terminate flag") != std::string::npos;
    return terminated ? CancelledError("onnx: run " + state_->what + ": stopped") : status;
  }
  std::vector<Tensor> tensors;
  for (OrtOwner<OrtValue>& value : owned) {
    auto holder = std::make_unique<Tensor::Holder>();
    OrtTensorTypeAndShapeInfo* raw_info = nullptr;
    SOTTO_ORT(GetTensorTypeAndShape(value.get(), &raw_info), "output");
    const OrtOwner<OrtTensorTypeAndShapeInfo> info(raw_info);
    ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    SOTTO_ORT(GetTensorElementType(info.get(), &element), "output");
    if (element != ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) {
      return DataLossError("onnx: " + state_->what + ": an output is not float");
    }
    SOTTO_ASSIGN_OR_RETURN(holder->dims, DimsOf(info.get()));
    size_t count = 0;
    SOTTO_ORT(GetTensorShapeElementCount(info.get(), &count), "output");
    void* data = nullptr;
    SOTTO_ORT(GetTensorMutableData(value.get(), &data), "output");
    holder->values = {static_cast<const float*>(data), count};
    holder->value = std::move(value);
    tensors.emplace_back(std::move(holder));
  }
  return tensors;
}

}  // namespace sotto
