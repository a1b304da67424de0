// Port: is the user done talking?
#ifndef SOTTO_MODELS_END_OF_TURN_H_
#define SOTTO_MODELS_END_OF_TURN_H_

#include <cstdint>
#include <span>

#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

// Used from one thread at a time.
class EndOfTurn {
 public:
  virtual ~EndOfTurn() = default;

  virtual int32_t rate_hz() const = 0;
  // Samples looked at; only the last so many of what is given count.
  virtual int64_t window_samples() const = 0;

  // Probability that the turn ends with `samples`, 0..1: the audio of the turn so far, ending
  // now (about 200 ms of silence at its end included). Asked once per pause, only after speech:
  // pure silence scores high. INVALID_ARGUMENT if it is empty.
  virtual Result<float> Score(std::span<const float> samples, const CancelToken& cancel) = 0;
};

}  // namespace sotto

#endif  // SOTTO_MODELS_END_OF_TURN_H_
