#include "backends/gates/test_signals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>

#include "audio/probe.h"
#include "base/file.h"

namespace sotto::testing_support {
namespace {

using Wave = std::vector<double>;

class Lcg {
 public:
  explicit Lcg(uint64_t seed) : state_(seed) {}
  // Uniform in [-limit, limit].
  int32_t Next(int32_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int32_t>((state_ >> 33) % static_cast<uint64_t>(2 * limit + 1)) - limit;
  }

 private:
  uint64_t state_;
};

int16_t Clamp16(int64_t value) {
  return static_cast<int16_t>(std::clamp<int64_t>(value, -32768, 32767));
}

class Maker {
 public:
  Maker(uint32_t seed, int seconds) : random_(seed), n_(static_cast<size_t>(seconds) * kRate) {}

  Wave Each(const std::function<double(double)>& at_second) const {
    Wave wave(n_);
    for (size_t k = 0; k < n_; ++k) {
      wave[k] = at_second(static_cast<double>(k) / kRate);
    }
    return wave;
  }
  double Gauss() { return gauss_(random_); }
  double Uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  Wave White() {
    Wave wave(n_);
    std::ranges::generate(wave, [this] { return Gauss(); });
    return wave;
  }
  Wave Brown() {
    Wave wave = White();
    for (size_t k = 1; k < n_; ++k) {
      wave[k] += 0.98 * wave[k - 1];
    }
    return wave;
  }
  // White noise through three leaky sums an octave or two apart falls by 3 dB an octave.
  Wave Pink() {
    Wave wave = White();
    double a = 0.0;
    double b = 0.0;
    double c = 0.0;
    for (double& sample : wave) {
      a = 0.997 * a + 0.03 * sample;
      b = 0.963 * b + 0.1 * sample;
      c = 0.57 * c + 0.3 * sample;
      sample = a + b + c + 0.18 * sample;
    }
    return wave;
  }
  static double Harmonics(double hz, int count, double fall, double t) {
    double sum = 0.0;
    for (int h = 1; h <= count; ++h) {
      sum += std::sin(2.0 * M_PI * hz * h * t + h * h) / std::pow(h, fall);
    }
    return sum;
  }
  // `event` played at random or regular moments.
  Wave Events(double min_gap_s, double max_gap_s, double length_s,
              const std::function<double(double)>& event) {
    Wave wave(n_, 0.0);
    double at_s = 0.1;
    while (at_s < static_cast<double>(n_) / kRate) {
      const double gain = Uniform(0.5, 1.0);
      const auto begin = static_cast<size_t>(at_s * kRate);
      const auto length = static_cast<size_t>(length_s * kRate);
      for (size_t k = 0; k < length && begin + k < n_; ++k) {
        wave[begin + k] += gain * event(static_cast<double>(k) / kRate);
      }
      at_s += Uniform(min_gap_s, max_gap_s);
    }
    return wave;
  }
  static Wave Times(Wave wave, const Wave& other) {
    for (size_t k = 0; k < wave.size(); ++k) {
      wave[k] *= other[k];
    }
    return wave;
  }
  static Wave Plus(Wave wave, const Wave& other, double gain) {
    for (size_t k = 0; k < wave.size(); ++k) {
      wave[k] += gain * other[k];
    }
    return wave;
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> gauss_{0.0, 1.0};
  size_t n_;
};

std::vector<std::pair<std::string, Wave>> Waves(Maker& m) {
  const double pi2 = 2.0 * M_PI;
  const auto sine = [pi2](double hz) { return [=](double t) { return std::sin(pi2 * hz * t); }; };
  std::vector<std::pair<std::string, Wave>> waves = {
      {"white noise", m.White()},
      {"pink noise", m.Pink()},
      {"brown noise", m.Brown()},
      {"hum 50 Hz", m.Each(sine(50))},
      {"hum 60 Hz", m.Each(sine(60))},
      {"hum with harmonics", m.Each([](double t) { return Maker::Harmonics(50.0, 20, 1.0, t); })},
      {"mains buzz", m.Each([](double t) { return Maker::Harmonics(120.0, 25, 1.0, t); })},
      {"fan", Maker::Plus(m.Pink(), m.Each([f = m.Uniform(90, 180)](double t) {
         return Maker::Harmonics(f, 12, 1.2, t);
       }),
                          0.3)},
      {"engine", Maker::Plus(m.Brown(), m.Each([f = m.Uniform(25, 40)](double t) {
         return Maker::Harmonics(f, 60, 0.7, t);
       }),
                             1.0)},
      {"sweep", m.Each([=](double t) { return std::sin(pi2 * (50.0 * t + 250.0 * t * t)); })},
      {"siren", m.Each([=](double t) {
         return std::sin(pi2 * 900.0 * t - 95.0 * std::cos(pi2 * 0.5 * t));
       })},
      {"square 150 Hz",
       m.Each([=](double t) { return std::sin(pi2 * 150.0 * t) > 0 ? 1.0 : -1.0; })},
      {"ring tone", m.Each([=](double t) {
         return std::fmod(t, 3.0) < 2.0 ? std::sin(pi2 * 440 * t) + std::sin(pi2 * 480 * t) : 0.0;
       })},
      {"AM white noise", Maker::Times(m.White(), m.Each([=](double t) {
         return 0.5 + 0.5 * std::sin(pi2 * 4.0 * t);
       }))},
      {"AM pink noise", Maker::Times(m.Pink(), m.Each([=](double t) {
         return 0.5 + 0.5 * std::sin(pi2 * 3.0 * t);
       }))},
      {"wind", Maker::Times(m.Brown(),
                            m.Each([=](double t) { return 1.0 + 0.9 * std::sin(pi2 * 0.3 * t); }))},
      {"clicks", m.Each([](double t) { return std::fmod(t, 1.0 / 3.0) < 0.0002 ? 1.0 : 0.0; })},
      {"keyboard",
       m.Events(0.07, 0.3, 0.05, [&m](double t) { return m.Gauss() * std::exp(-t * 150); })},
      {"bursts",
       m.Events(0.4, 0.6, 0.12, [&m](double t) { return m.Gauss() * std::sin(M_PI * t / 0.12); })},
      {"knocks", m.Events(0.3, 0.8, 0.2,
                          [=](double t) { return std::sin(pi2 * 180 * t) * std::exp(-t * 60); })},
      {"rain",
       m.Events(0.0005, 0.003, 0.003, [&m](double t) { return m.Gauss() * std::exp(-t * 2000); })},
      {"beeps", m.Events(1.0, 1.0, 0.18, sine(2000))},
      {"dtmf", m.Events(0.2, 0.2, 0.12,
                        [=, k = 0](double t) mutable {
                          constexpr double kLow[] = {697, 770, 852, 941};
                          constexpr double kHigh[] = {1209, 1336, 1477};
                          k += t == 0.0 ? 1 : 0;
                          return std::sin(pi2 * kLow[k % 4] * t) + std::sin(pi2 * kHigh[k % 3] * t);
                        })},
      {"birds", m.Events(0.3, 0.6, 0.15,
                         [=](double t) {
                           return std::sin(pi2 * (3000 * t + 400 * std::sin(60 * t) * t)) *
                                  std::sin(M_PI * t / 0.15);
                         })},
  };
  for (const double hz : {100.0, 200.0, 300.0, 440.0, 1000.0, 3000.0}) {
    waves.emplace_back("tone " + std::to_string(static_cast<int>(hz)), m.Each(sine(hz)));
  }
  return waves;
}

}  // namespace

std::string ModelFile(const std::string& name) {
  const char* folder = std::getenv("SOTTO_MODELS_DIR");
  if (folder == nullptr || *folder == '\0') {
    ADD_FAILURE() << "SOTTO_MODELS_DIR is not set: this test needs " << name;
    return "";
  }
  const std::string path = std::string(folder) + "/" + name;
  EXPECT_TRUE(std::filesystem::exists(path)) << path << " is missing";
  return std::filesystem::exists(path) ? path : "";
}

std::vector<Clip> Clips() {
  std::vector<Clip> clips;
  const std::string folder = ModelFile("clips");
  if (folder.empty()) {
    return clips;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const Result<std::string> bytes = ReadFile(entry.path().string(), 1 << 26);
    if (!bytes.ok()) {
      continue;
    }
    const Result<WavHeader> header =
        ParseWavHeader(std::as_bytes(std::span(bytes->data(), bytes->size())));
    if (!header.ok() || header->rate_hz != kRate || header->channels != 1 ||
        header->bits_per_sample != 16) {
      continue;
    }
    const size_t offset = static_cast<size_t>(header->data_offset_bytes);
    const size_t count = std::min<size_t>(header->data_bytes, bytes->size() - offset) / 2;
    Clip clip = {entry.path().stem().string(), std::vector<int16_t>(count)};
    std::memcpy(clip.samples.data(), bytes->data() + offset, count * 2);
    clips.push_back(std::move(clip));
  }
  std::ranges::sort(clips, {}, &Clip::name);
  EXPECT_FALSE(clips.empty()) << "no 16 kHz mono WAV in " << folder;
  return clips;
}

std::vector<float> ToFloat(const std::vector<int16_t>& samples) {
  std::vector<float> out(samples.size());
  std::ranges::transform(samples, out.begin(),
                         [](int16_t s) { return static_cast<float>(s) / 32768.0f; });
  return out;
}

std::vector<int16_t> MixedAudio(const std::vector<Clip>& clips, int64_t seconds) {
  const auto total = static_cast<size_t>(seconds * kRate);
  std::vector<int16_t> mix;
  Lcg random(20260101);
  for (size_t segment = 0; mix.size() < total && !clips.empty(); ++segment) {
    const std::vector<int16_t>& clip = clips[(segment / 2) % clips.size()].samples;
    const int32_t noise = 1 << (4 + (random.Next(5) + 5));      // 16 .. 16384
    const int32_t gain = 64 + (random.Next(96) + 96) * 4;       // of 256: 0.25 .. 3.25
    const double hz = 100.0 + 10.0 * (random.Next(150) + 150);  // 100 .. 3100
    const size_t kind = segment % 6;
    const size_t length = kind == 1 ? kRate / 2 : kind == 3 || kind == 5 ? kRate : clip.size();
    for (size_t k = 0; k < length; ++k) {
      const int64_t voice = k < clip.size() ? clip[k] : 0;
      const double tone = std::sin(2.0 * M_PI * hz * static_cast<double>(k) / kRate);
      int64_t value = 0;
      switch (kind) {
        case 0:
          value = voice;
          break;
        case 2:
          value = voice * gain / 256 + random.Next(noise);
          break;
        case 3:
          value = random.Next(2 * noise - 1);
          break;
        case 4:
          value = voice * 6;  // clips
          break;
        case 5:
          value = std::llround(9000.0 * tone);
          break;
        default:
          break;
      }
      mix.push_back(Clamp16(value));
    }
  }
  mix.resize(total);
  return mix;
}

std::vector<Sound> SpeechlessSounds(uint32_t seed, float level_dbfs, int seconds) {
  Maker maker(seed, seconds);
  std::vector<Sound> sounds;
  for (auto& [name, wave] : Waves(maker)) {
    double power = 0.0;
    for (const double sample : wave) {
      power += sample * sample;
    }
    const double rms = std::sqrt(power / static_cast<double>(wave.size()));
    const double gain = std::pow(10.0, level_dbfs / 20.0) / std::max(rms, 1e-12);
    Sound sound = {name, std::vector<float>(wave.size())};
    std::ranges::transform(wave, sound.samples.begin(), [gain](double sample) {
      return static_cast<float>(std::clamp(gain * sample, -1.0, 1.0));
    });
    sounds.push_back(std::move(sound));
  }
  return sounds;
}

}  // namespace sotto::testing_support
