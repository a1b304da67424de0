// A voice for tests: a tone per letter, so that what was said can be told from the samples, and
// scripted failures.
#ifndef SOTTO_BACKENDS_FAKE_FAKE_TTS_H_
#define SOTTO_BACKENDS_FAKE_FAKE_TTS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "models/tts.h"

namespace sotto {

struct FakeTtsScript {
  int32_t rate_hz = 24000;
  std::vector<std::string> voices{"fake"};
  int32_t letter_ms = 20;  // of speech per byte of the text, at speed 1
  int32_t letters_per_block = 8;
  // Runs before each block is made, with its index in the phrase; an error becomes Next()'s. May
  // block, to hold a test at a known point. Null: nothing.
  std::function<Status(const TtsRequest& request, int64_t block)> before_block;
  // Speak() fails with it. OK: it does not.
  Status speak_status;
};

// What a FakeTts was asked, shared with the test. Any thread.
class FakeTtsLog {
 public:
  void Add(const TtsRequest& request);
  std::vector<TtsRequest> requests() const;

 private:
  mutable Mutex mutex_;
  std::vector<TtsRequest> requests_ SOTTO_GUARDED_BY(mutex_);
};

// `log` may be null.
std::unique_ptr<Tts> MakeFakeTts(FakeTtsScript script = {},
                                 std::shared_ptr<FakeTtsLog> log = nullptr);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_FAKE_FAKE_TTS_H_
