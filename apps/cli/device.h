// Loudspeaker and microphone. Without PortAudio in the build, and without a device in the machine,
// every function throws CliError(kNotAvailable).
#ifndef SOTTO_APPS_CLI_DEVICE_H_
#define SOTTO_APPS_CLI_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace sotto::cli {

// The default output, mono. One thread at a time.
class Speaker {
 public:
  virtual ~Speaker() = default;
  // Waits while the device's buffer is full.
  virtual void Write(const float* samples, size_t num_samples) = 0;
  // Waits until all has been played.
  virtual void Drain() = 0;
};

// An input, mono. One thread at a time.
class Microphone {
 public:
  virtual ~Microphone() = default;
  virtual uint32_t rate_hz() const = 0;
  // Waits for `num_samples`.
  virtual void Read(float* samples, size_t num_samples) = 0;
};

// Returns if there is an output.
void CheckSpeaker();
// The rate that the default output runs at by itself.
uint32_t SpeakerRateHz();
std::unique_ptr<Speaker> OpenSpeaker(uint32_t rate_hz);
// The first input whose name contains `name`, "" or "default" for the default one, at the device's
// own rate: many refuse any other.
std::unique_ptr<Microphone> OpenMicrophone(const std::string& name);

}  // namespace sotto::cli

#endif  // SOTTO_APPS_CLI_DEVICE_H_
