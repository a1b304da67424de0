#include "backends/onnx/tts_request.h"

#include <algorithm>
#include <string>

#include "text/utf8.h"

namespace sotto {

Result<size_t> CheckTtsRequest(const TtsRequest& request, const TtsInfo& info) {
  if (!(request.speed >= 0.5f && request.speed <= 2.0f)) {
    return InvalidArgumentError("speed: " + std::to_string(request.speed) +
                                ": must be between 0.5 and 2");
  }
  if (ValidateUtf8(request.text) != kValidUtf8) {
    return InvalidArgumentError("text: not valid UTF-8");
  }
  if (request.voice.empty()) {
    return size_t{0};
  }
  const auto found = std::find(info.voices.begin(), info.voices.end(), request.voice);
  if (found == info.voices.end()) {
    return InvalidArgumentError("voice: " + request.voice.substr(0, 40) + ": not one of the " +
                                std::to_string(info.voices.size()) +
                                " voices of this model, e.g. " + info.voices.front());
  }
  return static_cast<size_t>(found - info.voices.begin());
}

}  // namespace sotto
