#include "backends/whisper/whisper_asr.h"

namespace sotto {

Result<std::unique_ptr<Asr>> MakeWhisperAsr(const std::string&, const WhisperOptions&) {
  return UnimplementedError("recognition: not in this build; build with -DSOTTO_WITH_WHISPER=ON");
}

void SetWhisperLog(LogSink) {}

}  // namespace sotto
