// Sample arithmetic: conversion, gain, level, mix-down, offset removal, fades.
//
// Samples are floats with full scale 1.0. Any alignment, any count including 0; nothing is read
// or written past the count; no allocation.
#ifndef SOTTO_KERNELS_PCM_PCM_H_
#define SOTTO_KERNELS_PCM_PCM_H_

#include <stddef.h>
#include <stdint.h>

namespace sotto {

// out[k] = in[k] / 32768: exact, -1.0 .. 0.99997.
void Int16ToFloatPlain(const int16_t* in, float* out, size_t n);
void Int16ToFloatAvx2(const int16_t* in, float* out, size_t n);
void Int16ToFloatNeon(const int16_t* in, float* out, size_t n);

// out[k] = in[k] * 32768, rounded to nearest (ties to even) and held to -32768 .. 32767; NaN
// gives 0. Undoes Int16ToFloat exactly. Every variant gives the same bits.
void FloatToInt16Plain(const float* in, int16_t* out, size_t n);
void FloatToInt16Avx2(const float* in, int16_t* out, size_t n);
void FloatToInt16Neon(const float* in, int16_t* out, size_t n);

// samples[k] *= gain. Every variant gives the same bits.
void ScalePlain(float* samples, size_t n, float gain);
void ScaleAvx2(float* samples, size_t n, float gain);
void ScaleNeon(float* samples, size_t n, float gain);

struct Level {
  float peak = 0.0f;            // largest |sample|
  double sum_of_squares = 0.0;  // over n it is the mean power
  double sum = 0.0;             // over n it is the offset
};

// REQUIRES: every sample is finite (ReplaceNonFinite). Sums within 1e-6 relative of the exact
// ones, `sum` relative to the sum of |sample|; the peak is exact.
Level MeasureLevelPlain(const float* samples, size_t n);
Level MeasureLevelAvx2(const float* samples, size_t n);
Level MeasureLevelNeon(const float* samples, size_t n);

// Writes 0 over NaN and infinities, holds the rest to -limit .. limit, and returns how many were
// not finite. REQUIRES: limit > 0. Every variant gives the same bits.
size_t ReplaceNonFinitePlain(float* samples, size_t n, float limit);
size_t ReplaceNonFiniteAvx2(float* samples, size_t n, float limit);
size_t ReplaceNonFiniteNeon(float* samples, size_t n, float limit);

// out[frame] = gain * sum over channels of in[frame][channel]. in [frames, channels].
void MixDown(const float* in, size_t frames, size_t channels, float gain, float* out);

// out[frame] = in[frame][channel]. REQUIRES: channel < channels.
void PickChannel(const float* in, size_t frames, size_t channels, size_t channel, float* out);

// One-pole high-pass in place: subtracts a running offset that follows the samples with a time
// constant of 1 / follow samples. `offset` is the state, carried from call to call.
void RemoveOffset(float* samples, size_t n, float follow, float* offset);

// Multiplies by a raised-cosine ramp from 0 to 1 over all n samples: rises without a click.
void FadeIn(float* samples, size_t n);
// The same from 1 to 0.
void FadeOut(float* samples, size_t n);

// 10 * log10(sum_of_squares / n) in dBFS (a full-scale square wave is 0), -120 at least.
float LevelDbfs(double sum_of_squares, size_t n);

}  // namespace sotto

#endif  // SOTTO_KERNELS_PCM_PCM_H_
