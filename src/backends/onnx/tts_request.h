// What every voice asks of a request.
#ifndef SOTTO_BACKENDS_ONNX_TTS_REQUEST_H_
#define SOTTO_BACKENDS_ONNX_TTS_REQUEST_H_

#include <cstddef>

#include "base/status.h"
#include "models/tts.h"

namespace sotto {

// Index of the requested voice in info.voices. INVALID_ARGUMENT for a voice that is not there, a
// speed out of 0.5..2, or text that is not UTF-8.
Result<size_t> CheckTtsRequest(const TtsRequest& request, const TtsInfo& info);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_TTS_REQUEST_H_
