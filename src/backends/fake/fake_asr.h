// A recogniser for tests: scripted transcripts, checked arguments.
#ifndef SOTTO_BACKENDS_FAKE_FAKE_ASR_H_
#define SOTTO_BACKENDS_FAKE_FAKE_ASR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "models/asr.h"

namespace sotto {

struct FakeAsrScript {
  std::vector<std::string> languages{"en"};
  // What calls hear, in order; the last again and again. Empty text: nothing was said. Clips
  // without a sample louder than 0.001 are never heard.
  std::vector<std::string> transcripts{"hello"};
  // When set, replaces `transcripts`.
  std::function<std::string(std::span<const float> samples)> hear;
  // Runs within each call, after the arguments were checked; an error becomes the call's. May
  // block, or cancel the call's token, to hold a test at a known point. Null: nothing.
  std::function<Status(int64_t call)> during_call;
};

std::unique_ptr<Asr> MakeFakeAsr(FakeAsrScript script = {});

}  // namespace sotto

#endif  // SOTTO_BACKENDS_FAKE_FAKE_ASR_H_
