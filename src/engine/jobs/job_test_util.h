// An engine of fakes for the tests of jobs.
#ifndef SOTTO_ENGINE_JOBS_JOB_TEST_UTIL_H_
#define SOTTO_ENGINE_JOBS_JOB_TEST_UTIL_H_

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "backends/fake/fake_asr.h"
#include "backends/fake/fake_llm.h"
#include "backends/fake/fake_tts.h"
#include "backends/fake/fake_vad.h"
#include "backends/samplerate/samplerate_resampler.h"
#include "engine/jobs/context.h"

namespace sotto {

inline EngineOptions FakeEngineOptions(uint64_t memory_limit_bytes = 1 << 30) {
  EngineOptions options;
  options.memory_limit_bytes = memory_limit_bytes;
  options.make_resampler = &MakeSamplerateResampler;
  return options;
}

inline std::shared_ptr<LoadedModel> FakeAsrModel(FakeAsrScript script = {}) {
  auto model = std::make_shared<LoadedModel>();
  model->id = "fake-asr";
  model->role = ModelRole::kAsr;
  model->asr = MakeFakeAsr(std::move(script));
  return model;
}

inline std::shared_ptr<LoadedModel> FakeVadModel() {
  auto model = std::make_shared<LoadedModel>();
  model->id = "fake-vad";
  model->role = ModelRole::kVad;
  model->vad = MakeFakeVad();
  return model;
}

inline std::shared_ptr<LoadedModel> FakeTextModel(FakeLlmScript script = {}) {
  auto model = std::make_shared<LoadedModel>();
  model->id = "fake-text";
  model->role = ModelRole::kText;
  model->llm = MakeFakeLlm(std::move(script));
  return model;
}

inline std::shared_ptr<LoadedModel> FakeTtsModel(FakeTtsScript script = {}) {
  auto model = std::make_shared<LoadedModel>();
  model->id = "fake-voice";
  model->role = ModelRole::kTts;
  model->tts = MakeFakeTts(std::move(script));
  return model;
}

// A loud tone, which the fake detector takes for speech; silence is std::vector<float>(n).
inline std::vector<float> Tone(double seconds, int rate_hz = 16000, float level = 0.5f) {
  std::vector<float> samples(static_cast<size_t>(seconds * rate_hz));
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i] = level * static_cast<float>(std::sin(1600.0 * static_cast<double>(i) / rate_hz));
  }
  return samples;
}

}  // namespace sotto

#endif  // SOTTO_ENGINE_JOBS_JOB_TEST_UTIL_H_
