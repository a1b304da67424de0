#include <math.h>

#include "kernels/pcm/pcm.h"

namespace sotto {

void Int16ToFloatPlain(const int16_t* in, float* out, size_t n) {
  for (size_t k = 0; k < n; ++k) {
    out[k] = static_cast<float>(in[k]) * (1.0f / 32768.0f);
  }
}

void FloatToInt16Plain(const float* in, int16_t* out, size_t n) {
  for (size_t k = 0; k < n; ++k) {
    float value = in[k] * 32768.0f;
    value = value == value ? value : 0.0f;  // NaN is unlike itself
    value = value > -32768.0f ? value : -32768.0f;
    value = value < 32767.0f ? value : 32767.0f;
    out[k] = static_cast<int16_t>(nearbyintf(value));
  }
}

void ScalePlain(float* samples, size_t n, float gain) {
  for (size_t k = 0; k < n; ++k) {
    samples[k] *= gain;
  }
}

Level MeasureLevelPlain(const float* samples, size_t n) {
  Level level;
  for (size_t k = 0; k < n; ++k) {
    const float magnitude = fabsf(samples[k]);
    level.peak = magnitude > level.peak ? magnitude : level.peak;
    level.sum_of_squares += static_cast<double>(samples[k]) * static_cast<double>(samples[k]);
    level.sum += static_cast<double>(samples[k]);
  }
  return level;
}

size_t ReplaceNonFinitePlain(float* samples, size_t n, float limit) {
  size_t replaced = 0;
  for (size_t k = 0; k < n; ++k) {
    if (!isfinite(samples[k])) {
      samples[k] = 0.0f;
      ++replaced;
    }
    samples[k] = samples[k] < limit ? samples[k] : limit;
    samples[k] = samples[k] > -limit ? samples[k] : -limit;
  }
  return replaced;
}

void MixDown(const float* in, size_t frames, size_t channels, float gain, float* out) {
  for (size_t frame = 0; frame < frames; ++frame) {
    float sum = 0.0f;
    for (size_t channel = 0; channel < channels; ++channel) {
      sum += in[frame * channels + channel];
    }
    out[frame] = gain * sum;
  }
}

void PickChannel(const float* in, size_t frames, size_t channels, size_t channel, float* out) {
  for (size_t frame = 0; frame < frames; ++frame) {
    out[frame] = in[frame * channels + channel];
  }
}

void RemoveOffset(float* samples, size_t n, float follow, float* offset) {
  float running = *offset;
  for (size_t k = 0; k < n; ++k) {
    running += follow * (samples[k] - running);
    samples[k] -= running;
  }
  *offset = running;
}

void FadeIn(float* samples, size_t n) {
  for (size_t k = 0; k < n; ++k) {
    const double phase = M_PI * (static_cast<double>(k) + 0.5) / static_cast<double>(n);
    samples[k] *= static_cast<float>(0.5 - 0.5 * cos(phase));
  }
}

void FadeOut(float* samples, size_t n) {
  for (size_t k = 0; k < n; ++k) {
    const double phase = M_PI * (static_cast<double>(k) + 0.5) / static_cast<double>(n);
    samples[k] *= static_cast<float>(0.5 + 0.5 * cos(phase));
  }
}

float LevelDbfs(double sum_of_squares, size_t n) {
  if (n == 0 || !(sum_of_squares > 0.0)) {
    return -120.0f;
  }
  const double dbfs = 10.0 * log10(sum_of_squares / static_cast<double>(n));
  return static_cast<float>(dbfs > -120.0 ? dbfs : -120.0);
}

}  // namespace sotto
