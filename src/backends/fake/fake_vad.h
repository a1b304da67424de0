// A voice detector for tests: scripted probabilities, or the level of the window.
#ifndef SOTTO_BACKENDS_FAKE_FAKE_VAD_H_
#define SOTTO_BACKENDS_FAKE_FAKE_VAD_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/vad.h"

namespace sotto {

struct FakeVadScript {
  int32_t rate_hz = 16000;
  size_t window_samples = 512;
  // Of the windows of each stream, in order; the last again and again. Empty: 1 for a window whose
  // root mean square is over 0.01, else 0.
  std::vector<float> probabilities;
};

std::unique_ptr<Vad> MakeFakeVad(FakeVadScript script = {});

}  // namespace sotto

#endif  // SOTTO_BACKENDS_FAKE_FAKE_VAD_H_
