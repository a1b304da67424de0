// Port: speech recognition of a stretch of speech.
#ifndef SOTTO_MODELS_ASR_H_
#define SOTTO_MODELS_ASR_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

enum class AsrProfile : int32_t {
  kFast = 0,      // live use: greedy, encoder sized to the clip
  kAccurate = 1,  // more room, beam search where greedy decoding is unsure
};

// Longest AsrOptions::prompt. A recogniser conditions on a few hundred tokens at most, and
// whisper.cpp cuts words out of it with std::regex, whose stack grows with the text.
inline constexpr size_t kMaxAsrPromptBytes = 1024;

struct AsrInfo {
  std::string architecture;            // "whisper"
  std::vector<std::string> languages;  // ISO 639-1; the first is the default
  int32_t rate_hz = 16000;
};

struct AsrOptions {
  AsrProfile profile = AsrProfile::kAccurate;
  std::string language;  // ISO 639-1; empty: the model's default ("en" where it has it)
  std::string prompt;    // the user's own vocabulary; never earlier output
  // Gives up at the first decode that runs in a loop or writes far too little, with
  // AsrResult::retried set, instead of trying again: for a caller that then cuts the clip in two.
  bool stop_at_loop = false;
  int32_t num_threads = 1;
};

// Times count from the first sample given to Recognise().
struct AsrSegment {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  std::string text;  // valid UTF-8, no leading or trailing space, no markers
  float avg_logprob = 0.0f;
  float no_speech_prob = 0.0f;
};

struct AsrResult {
  std::vector<AsrSegment> segments;  // in order, not overlapping, none past the last sample
  bool retried = false;              // the repetition guard fired
};

// Weights plus one scratch state. Used from one thread at a time.
class Asr {
 public:
  virtual ~Asr() = default;

  virtual const AsrInfo& info() const = 0;

  // Recognises `samples`: [num_samples] mono at info().rate_hz, any length up to 30 s (longer
  // input is for the caller to cut at pauses; INVALID_ARGUMENT beyond). Calls are independent of
  // each other. CANCELLED within one graph step of `cancel`; the object stays usable.
  // INVALID_ARGUMENT also for an unknown language.
  virtual Result<AsrResult> Recognise(std::span<const float> samples, const AsrOptions& options,
                                      const CancelToken& cancel) = 0;
};

}  // namespace sotto

#endif  // SOTTO_MODELS_ASR_H_
