// Owners of ONNX Runtime objects.
#ifndef SOTTO_BACKENDS_ONNX_HANDLES_H_
#define SOTTO_BACKENDS_ONNX_HANDLES_H_

#include <onnxruntime_c_api.h>

#include <memory>

namespace sotto {

// The function table of the linked runtime; nullptr if the runtime is older than the headers.
inline const OrtApi* OrtTable() {
  static const OrtApi* const table = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  return table;
}

struct OrtReleaser {
  void operator()(OrtEnv* object) const { OrtTable()->ReleaseEnv(object); }
  void operator()(OrtStatus* object) const { OrtTable()->ReleaseStatus(object); }
  void operator()(OrtSession* object) const { OrtTable()->ReleaseSession(object); }
  void operator()(OrtSessionOptions* object) const { OrtTable()->ReleaseSessionOptions(object); }
  void operator()(OrtRunOptions* object) const { OrtTable()->ReleaseRunOptions(object); }
  void operator()(OrtMemoryInfo* object) const { OrtTable()->ReleaseMemoryInfo(object); }
  void operator()(OrtValue* object) const { OrtTable()->ReleaseValue(object); }
  void operator()(OrtTypeInfo* object) const { OrtTable()->ReleaseTypeInfo(object); }
  void operator()(OrtTensorTypeAndShapeInfo* object) const {
    OrtTable()->ReleaseTensorTypeAndShapeInfo(object);
  }
};

template <typename T>
using OrtOwner = std::unique_ptr<T, OrtReleaser>;

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_HANDLES_H_
