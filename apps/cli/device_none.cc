#include "cli/device.h"
#include "cli/exit_code.h"

namespace sotto::cli {
namespace {

[[noreturn]] void Refuse() {
  throw CliError(kNotAvailable,
                 "audio device: this build has none; install portaudio19-dev and build again, or "
                 "use files (-o FILE)");
}

}  // namespace

void CheckSpeaker() { Refuse(); }
uint32_t SpeakerRateHz() { Refuse(); }
std::unique_ptr<Speaker> OpenSpeaker(uint32_t) { Refuse(); }
std::unique_ptr<Microphone> OpenMicrophone(const std::string&) { Refuse(); }

}  // namespace sotto::cli
