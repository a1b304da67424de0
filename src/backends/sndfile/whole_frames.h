// What AudioReader::Read() asks of its caller.
#ifndef SOTTO_BACKENDS_SNDFILE_WHOLE_FRAMES_H_
#define SOTTO_BACKENDS_SNDFILE_WHOLE_FRAMES_H_

#include <cstddef>
#include <string>

#include "base/status.h"

namespace sotto {

// INVALID_ARGUMENT if `num_samples` is not a multiple of `channels`, which is at least 1.
inline Status CheckWholeFrames(const std::string& name, size_t num_samples, size_t channels) {
  return num_samples % channels == 0
             ? OkStatus()
             : InvalidArgumentError("read: " + name + ": " + std::to_string(num_samples) +
                                    " samples: not a multiple of " + std::to_string(channels) +
                                    " channels");
}

}  // namespace sotto

#endif  // SOTTO_BACKENDS_SNDFILE_WHOLE_FRAMES_H_
