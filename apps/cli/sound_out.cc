#include "cli/sound_out.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/sotto.hpp"

#include "cli/console.h"
#include "cli/device.h"
#include "cli/exit_code.h"

namespace sotto::cli {
namespace {

class FileOut final : public SoundOut {
 public:
  FileOut(const std::string& path, uint32_t rate_hz) : writer_(path, rate_hz) {}
  void Write(const float* samples, size_t num_samples) override {
    writer_.Write(samples, num_samples);
  }
  void Finish() override { writer_.Commit(); }

 private:
  AudioWriter writer_;
};

// A WAV stream: nobody knows its length when the header is written, so the header says the most
// there can be, as sox and ffmpeg do.
class StdoutWav final : public SoundOut {
 public:
  explicit StdoutWav(uint32_t rate_hz) {
    std::string header = "RIFF";
    AppendLe(&header, 0xffffffffu, 4);
    header += "WAVEfmt ";
    AppendLe(&header, 16, 4);
    AppendLe(&header, 1, 2);  // PCM
    AppendLe(&header, 1, 2);  // channels
    AppendLe(&header, rate_hz, 4);
    AppendLe(&header, rate_hz * 2, 4);
    AppendLe(&header, 2, 2);
    AppendLe(&header, 16, 2);
    header += "data";
    AppendLe(&header, 0xffffffffu, 4);
    // Writes to a file opened for appending go to its end, whatever place is asked for.
    const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
    const bool can_patch = flags >= 0 && (flags & O_APPEND) == 0;
    start_ = can_patch ? ::lseek(STDOUT_FILENO, 0, SEEK_CUR) : -1;
    WriteAll(STDOUT_FILENO, header);
  }

  void Write(const float* samples, size_t num_samples) override {
    std::string bytes;
    bytes.reserve(num_samples * 2);
    for (size_t i = 0; i < num_samples; ++i) {
      const float held = std::isfinite(samples[i]) ? std::clamp(samples[i], -1.0f, 1.0f) : 0.0f;
      AppendLe(&bytes, static_cast<uint32_t>(std::lround(held * 32767.0f)), 2);
    }
    WriteAll(STDOUT_FILENO, bytes);
    data_bytes_ += bytes.size();
  }

  // A file behind stdout can be given its true lengths; a pipe keeps the header it got.
  void Finish() override {
    if (start_ < 0 || data_bytes_ > 0xffffff00u) {
      return;
    }
    std::string riff;
    std::string data;
    AppendLe(&riff, static_cast<uint32_t>(data_bytes_ + 36), 4);
    AppendLe(&data, static_cast<uint32_t>(data_bytes_), 4);
    if (::pwrite(STDOUT_FILENO, riff.data(), 4, start_ + 4) == 4) {
      [[maybe_unused]] const ssize_t n = ::pwrite(STDOUT_FILENO, data.data(), 4, start_ + 40);
    }
  }

 private:
  static void AppendLe(std::string* out, uint32_t value, int bytes) {
    for (int k = 0; k < bytes; ++k) {
      out->push_back(static_cast<char>(value >> (8 * k) & 0xff));
    }
  }

  off_t start_ = -1;
  uint64_t data_bytes_ = 0;
};

class SpeakerOut final : public SoundOut {
 public:
  SpeakerOut(uint32_t rate_hz, std::function<void()> on_played)
      : speaker_(OpenSpeaker(rate_hz)), on_played_(std::move(on_played)) {}
  void Write(const float* samples, size_t num_samples) override {
    speaker_->Write(samples, num_samples);
    if (on_played_ && num_samples > 0) {
      std::exchange(on_played_, nullptr)();
    }
  }
  void Finish() override { speaker_->Drain(); }

 private:
  std::unique_ptr<Speaker> speaker_;
  std::function<void()> on_played_;
};

class SeveralOut final : public SoundOut {
 public:
  explicit SeveralOut(std::vector<std::unique_ptr<SoundOut>> parts) : parts_(std::move(parts)) {}
  void Write(const float* samples, size_t num_samples) override {
    for (const auto& part : parts_) {
      part->Write(samples, num_samples);
    }
  }
  void Finish() override {
    for (const auto& part : parts_) {
      part->Finish();
    }
  }

 private:
  std::vector<std::unique_ptr<SoundOut>> parts_;
};

}  // namespace

// The names of stdout too: a file behind them is written in place, not replaced.
bool SoundTarget::to_stdout() const {
  static constexpr std::array<std::string_view, 4> kNames = {"-", "/dev/stdout", "/dev/fd/1",
                                                             "/proc/self/fd/1"};
  return std::find(kNames.begin(), kNames.end(), path) != kNames.end();
}

void CheckTarget(const SoundTarget& target) {
  if (target.to_stdout()) {
    if (::isatty(STDOUT_FILENO) == 1) {
      throw CliError(kUsage, "output: -: stdout is a terminal; pipe it on or give a file with -o");
    }
  } else if (!target.path.empty()) {
    AudioWriter(target.path, 16000);
  }
  if (target.play) {
    CheckSpeaker();
  }
}

uint32_t TargetRateHz(const SoundTarget& target, uint32_t wanted_hz) {
  return wanted_hz == 0 && target.play ? SpeakerRateHz() : wanted_hz;
}

std::unique_ptr<SoundOut> OpenTarget(const SoundTarget& target, uint32_t rate_hz,
                                     std::function<void()> on_played) {
  std::vector<std::unique_ptr<SoundOut>> parts;
  if (target.to_stdout()) {
    parts.push_back(std::make_unique<StdoutWav>(rate_hz));
  } else if (!target.path.empty()) {
    parts.push_back(std::make_unique<FileOut>(target.path, rate_hz));
  }
  if (target.play) {
    parts.push_back(std::make_unique<SpeakerOut>(rate_hz, std::move(on_played)));
  }
  return std::make_unique<SeveralOut>(std::move(parts));
}

}  // namespace sotto::cli
