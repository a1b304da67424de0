#include "backends/onnx/model_file.h"

#include <utility>

namespace sotto {
namespace {

constexpr uint64_t kMaxModelBytes = uint64_t{2} << 30;

Status CheckTensors(std::string_view kind, const std::vector<OnnxValueInfo>& found,
                    const std::vector<ExpectedTensor>& expected) {
  if (found.size() < expected.size()) {
    return DataLossError("onnx: " + std::to_string(found.size()) + " " + std::string(kind) +
                         ": expected " + std::to_string(expected.size()));
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    const ExpectedTensor& want = expected[i];
    const OnnxValueInfo& have = found[i];
    bool fits = (want.name.empty() || want.name == have.name) && want.type == have.type &&
                want.dims.size() == have.dims.size();
    for (size_t d = 0; fits && d < want.dims.size(); ++d) {
      fits = want.dims[d] < 0 || have.dims[d] < 0 || want.dims[d] == have.dims[d];
    }
    if (!fits) {
      return DataLossError("onnx: " + std::string(kind) + " " +
                           std::string(have.name.substr(0, 40)) +
                           ": not what this kind of model has");
    }
  }
  return OkStatus();
}

}  // namespace

Result<ModelFile> ModelFile::Open(const std::string& path) {
  ModelFile model;
  SOTTO_ASSIGN_OR_RETURN(model.file_, MappedFile::Open(path));
  if (model.file_.bytes().size() > kMaxModelBytes) {
    return ResourceExhaustedError(path + ": " + std::to_string(model.file_.bytes().size()) +
                                  " bytes: an ONNX model has at most 2 GiB");
  }
  return model;
}

Status CheckSignature(const OnnxGraph& graph, const std::vector<ExpectedTensor>& inputs,
                      const std::vector<ExpectedTensor>& outputs) {
  SOTTO_RETURN_IF_ERROR(CheckTensors("inputs", graph.inputs(), inputs));
  if (graph.inputs().size() != inputs.size()) {
    return DataLossError("onnx: " + std::to_string(graph.inputs().size()) + " inputs: expected " +
                         std::to_string(inputs.size()));
  }
  return CheckTensors("outputs", graph.outputs(), outputs);
}

Result<std::unique_ptr<Session>> LoadModelFile(const std::string& path,
                                               const std::vector<ExpectedTensor>& inputs,
                                               const std::vector<ExpectedTensor>& outputs,
                                               const OnnxOptions& options) {
  SOTTO_ASSIGN_OR_RETURN(const ModelFile file, ModelFile::Open(path));
  const Result<OnnxGraph> graph = OnnxGraph::Parse(file.bytes());
  if (!graph.ok()) {
    return graph.status().WithContext(path);
  }
  if (const Status status = CheckSignature(*graph, inputs, outputs); !status.ok()) {
    return status.WithContext(path);
  }
  Result<std::unique_ptr<Session>> session = Session::Load(
      file.bytes(), "model", {.num_threads = options.num_threads, .log = options.log});
  return session.ok() ? std::move(session) : session.status().WithContext(path);
}

}  // namespace sotto
