#include <fcntl.h>
#include <portaudio.h>
#include <unistd.h>

#include <cmath>
#include <optional>
#include <utility>

#include "cli/device.h"
#include "cli/exit_code.h"

namespace sotto::cli {
namespace {

// ALSA and JACK write to stderr while they look for devices; nobody can act on what they say.
class StderrSilenced {
 public:
  StderrSilenced() : kept_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)) {
    const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) {
      ::dup2(null, STDERR_FILENO);
      ::close(null);
    }
  }
  StderrSilenced(const StderrSilenced&) = delete;
  StderrSilenced& operator=(const StderrSilenced&) = delete;
  ~StderrSilenced() {
    if (kept_ >= 0) {
      ::dup2(kept_, STDERR_FILENO);
      ::close(kept_);
    }
  }

 private:
  const int kept_;
};

void CheckPa(PaError error, const char* operation) {
  if (error != paNoError && error != paOutputUnderflowed && error != paInputOverflowed) {
    throw CliError(kNotAvailable, std::string("audio device: ") + operation + ": " +
                                      Pa_GetErrorText(error) + "; see the system's sound settings");
  }
}

// PortAudio, for as long as one lives.
class Library {
 public:
  Library() {
    const StderrSilenced silenced;
    CheckPa(Pa_Initialize(), "start");
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    const StderrSilenced silenced;
    Pa_Terminate();
  }
};

PaDeviceIndex DefaultOutput() {
  const PaDeviceIndex device = Pa_GetDefaultOutputDevice();
  if (device == paNoDevice) {
    throw CliError(kNotAvailable,
                   "audio device: no loudspeaker on this machine; write a file with -o FILE");
  }
  return device;
}

PaDeviceIndex FindInput(const std::string& name) {
  const PaDeviceIndex standard = Pa_GetDefaultInputDevice();
  if ((name.empty() || name == "default") && standard != paNoDevice) {
    return standard;
  }
  std::string known;
  for (PaDeviceIndex i = 0; i < Pa_GetDeviceCount(); ++i) {
    const PaDeviceInfo* info = Pa_GetDeviceInfo(i);
    if (info == nullptr || info->maxInputChannels < 1) {
      continue;
    }
    const std::string own = info->name == nullptr ? "" : info->name;
    if (!name.empty() && own.find(name) != std::string::npos) {
      return i;
    }
    known += (known.empty() ? "" : ", ") + own;
  }
  if (known.empty()) {
    throw CliError(kNotAvailable, "audio device: no microphone on this machine; give a file");
  }
  throw CliError(kNotAvailable,
                 "audio device: " + name + ": no such microphone; there are " + known);
}

// A blocking stream of one channel.
class Stream {
 public:
  Stream(PaDeviceIndex device, bool is_input, double rate_hz) {
    const StderrSilenced silenced;
    const PaDeviceInfo* info = Pa_GetDeviceInfo(device);
    PaStreamParameters parameters = {};
    parameters.device = device;
    parameters.channelCount = 1;
    parameters.sampleFormat = paFloat32;
    parameters.suggestedLatency =
        is_input ? info->defaultLowInputLatency : info->defaultLowOutputLatency;
    CheckPa(
        Pa_OpenStream(&stream_, is_input ? &parameters : nullptr, is_input ? nullptr : &parameters,
                      rate_hz, paFramesPerBufferUnspecified, paNoFlag, nullptr, nullptr),
        "open");
    CheckPa(Pa_StartStream(stream_), "start");
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { Pa_CloseStream(stream_); }
  PaStream* get() const { return stream_; }

 private:
  PaStream* stream_ = nullptr;
};

class PortAudioSpeaker final : public Speaker {
 public:
  explicit PortAudioSpeaker(uint32_t rate_hz) : stream_(DefaultOutput(), false, rate_hz) {}
  void Write(const float* samples, size_t num_samples) override {
    CheckPa(Pa_WriteStream(stream_.get(), samples, num_samples), "play");
  }
  void Drain() override { CheckPa(Pa_StopStream(stream_.get()), "drain"); }

 private:
  Library library_;
  Stream stream_;
};

class PortAudioMicrophone final : public Microphone {
 public:
  explicit PortAudioMicrophone(const std::string& name)
      : device_(FindInput(name)),
        rate_hz_(static_cast<uint32_t>(std::lround(Pa_GetDeviceInfo(device_)->defaultSampleRate))),
        stream_(device_, true, rate_hz_) {}
  uint32_t rate_hz() const override { return rate_hz_; }
  void Read(float* samples, size_t num_samples) override {
    CheckPa(Pa_ReadStream(stream_.get(), samples, num_samples), "record");
  }

 private:
  Library library_;
  const PaDeviceIndex device_;
  const uint32_t rate_hz_;
  Stream stream_;
};

}  // namespace

void CheckSpeaker() {
  const Library library;
  DefaultOutput();
}

uint32_t SpeakerRateHz() {
  const Library library;
  return static_cast<uint32_t>(std::lround(Pa_GetDeviceInfo(DefaultOutput())->defaultSampleRate));
}

std::unique_ptr<Speaker> OpenSpeaker(uint32_t rate_hz) {
  return std::make_unique<PortAudioSpeaker>(rate_hz);
}

std::unique_ptr<Microphone> OpenMicrophone(const std::string& name) {
  return std::make_unique<PortAudioMicrophone>(name);
}

}  // namespace sotto::cli
