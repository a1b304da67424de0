// The store's own look at a file before it becomes a model.
#ifndef SOTTO_STORE_CHECK_FILE_H_
#define SOTTO_STORE_CHECK_FILE_H_

#include "base/status.h"
#include "store/fetch.h"

namespace sotto {

// gguf, ggml and onnx files by modelfiles' validators, json by parsing it, voices by shape and
// finite numbers, text by being there. A sound model that this build cannot run (UNIMPLEMENTED
// there: a projector, a newer architecture) may be kept. DATA_LOSS otherwise.
Status CheckStoreFile(const FileToCheck& file);

}  // namespace sotto

#endif  // SOTTO_STORE_CHECK_FILE_H_
