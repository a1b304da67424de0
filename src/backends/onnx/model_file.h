// Model files: mapped, measured, and loaded as a session whose inputs and outputs are as expected.
#ifndef SOTTO_BACKENDS_ONNX_MODEL_FILE_H_
#define SOTTO_BACKENDS_ONNX_MODEL_FILE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/onnx/graph.h"
#include "backends/onnx/onnx_backend.h"
#include "backends/onnx/session.h"
#include "base/file.h"
#include "base/status.h"

namespace sotto {

// A mapped file of at most 2 GiB, the limit of a protobuf message.
class ModelFile {
 public:
  static Result<ModelFile> Open(const std::string& path);

  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(file_.bytes().data()), file_.bytes().size()};
  }

 private:
  MappedFile file_;
};

struct ExpectedTensor {
  std::string_view name;
  OnnxType type = OnnxType::kFloat;
  std::vector<int64_t> dims;  // -1: any size
};

// DATA_LOSS, naming the tensor, unless `graph` has exactly these inputs and begins with these
// outputs; an expectation without a name fits any name.
Status CheckSignature(const OnnxGraph& graph, const std::vector<ExpectedTensor>& inputs,
                      const std::vector<ExpectedTensor>& outputs);

// Opens, checks and loads; the file's name is in every message.
Result<std::unique_ptr<Session>> LoadModelFile(const std::string& path,
                                               const std::vector<ExpectedTensor>& inputs,
                                               const std::vector<ExpectedTensor>& outputs,
                                               const OnnxOptions& options);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_MODEL_FILE_H_
