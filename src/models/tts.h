// Port: speech synthesis, one phrase at a time, in blocks.
#ifndef SOTTO_MODELS_TTS_H_
#define SOTTO_MODELS_TTS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

struct TtsInfo {
  std::string architecture;         // "vits", "kokoro"
  int32_t rate_hz = 0;              // of every block
  std::vector<std::string> voices;  // the first is the default
  std::string language;             // ISO 639-1
  bool streams_within_phrase = false;
};

struct TtsRequest {
  std::string text;    // one phrase in spoken form (text/normalizer.h), UTF-8
  std::string voice;   // empty: the default
  float speed = 1.0f;  // 0.5..2, 2 is twice as fast
  uint32_t seed = 0;   // same request, same samples
};

struct TtsBlock {
  std::vector<float> samples;  // mono at info().rate_hz, within [-1, 1]; may be empty
  bool is_last = false;        // no block follows
};

// From this sample of the phrase on, the text from this byte on is spoken.
struct TtsMark {
  int64_t start_sample = 0;
  int64_t text_offset_bytes = 0;
};

// The blocks of one phrase. Used from one thread at a time; may outlive the Tts that made it.
class TtsStream {
 public:
  virtual ~TtsStream() = default;

  // The next block. FAILED_PRECONDITION after the last. CANCELLED within one block of the
  // request's token.
  virtual Result<TtsBlock> Next() = 0;

  // Where the words of the request's text begin, in order; may run ahead of the blocks that were
  // given. Empty for a voice that cannot tell, and before the first block.
  virtual std::span<const TtsMark> marks() const { return {}; }
};

// Loaded weights. Used from one thread at a time.
class Tts {
 public:
  virtual ~Tts() = default;

  virtual const TtsInfo& info() const = 0;

  // Begins a phrase. Text without a speakable letter yields one empty last block.
  // INVALID_ARGUMENT for a voice that is not in info().voices, a speed out of range, or text
  // that the voice's language cannot read.
  virtual Result<std::unique_ptr<TtsStream>> Speak(const TtsRequest& request,
                                                   const CancelToken& cancel) = 0;
};

}  // namespace sotto

#endif  // SOTTO_MODELS_TTS_H_
