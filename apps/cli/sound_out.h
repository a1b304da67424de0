// Where a command's sound goes: a WAV file, the standard output, a loudspeaker, or several.
#ifndef SOTTO_APPS_CLI_SOUND_OUT_H_
#define SOTTO_APPS_CLI_SOUND_OUT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace sotto::cli {

struct SoundTarget {
  std::string path;  // "": no file; "-": WAV on the standard output.
  bool play = false;

  bool any() const { return play || !path.empty(); }
  bool to_stdout() const;
};

// Throws what opening would throw, before any work is done; leaves nothing behind. CliError(kUsage)
// when sound would go to a terminal.
void CheckTarget(const SoundTarget& target);

// The rate to ask the library for: `wanted_hz`, else the loudspeaker's own when it plays, else 0.
uint32_t TargetRateHz(const SoundTarget& target, uint32_t wanted_hz);

// One thread at a time.
class SoundOut {
 public:
  virtual ~SoundOut() = default;
  virtual void Write(const float* samples, size_t num_samples) = 0;
  // All is written: a file appears under its name, a loudspeaker plays to its end.
  virtual void Finish() = 0;
};

// Opens every part of `target` for mono sound. `on_played` is called once, when a loudspeaker has
// taken the first samples; it may be empty.
std::unique_ptr<SoundOut> OpenTarget(const SoundTarget& target, uint32_t rate_hz,
                                     std::function<void()> on_played = {});

}  // namespace sotto::cli

#endif  // SOTTO_APPS_CLI_SOUND_OUT_H_
