// Sounds for the tests of the gate models: recorded clips, noises, and a mix of them that is the
// same on every machine.
#ifndef SOTTO_BACKENDS_GATES_TEST_SIGNALS_H_
#define SOTTO_BACKENDS_GATES_TEST_SIGNALS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace sotto::testing_support {

inline constexpr int32_t kRate = 16000;

// $SOTTO_MODELS_DIR/<name>; fails the running test and returns "" if the variable or file is
// missing.
std::string ModelFile(const std::string& name);

struct Clip {
  std::string name;
  std::vector<int16_t> samples;
};

// Every 16 kHz mono clip of $SOTTO_MODELS_DIR/clips, by name. Fails the test if there is none.
std::vector<Clip> Clips();

std::vector<float> ToFloat(const std::vector<int16_t>& samples);

// `seconds` of clips at many levels, clean and noisy, clipped, silence, tones and noise, made with
// integers from a fixed seed: the input of testdata/silero_golden.f32.
std::vector<int16_t> MixedAudio(const std::vector<Clip>& clips, int64_t seconds);

struct Sound {
  std::string name;
  std::vector<float> samples;
};

// `seconds` each of sounds in which nobody speaks, at that level (RMS, clipped at full scale).
std::vector<Sound> SpeechlessSounds(uint32_t seed, float level_dbfs, int seconds);

}  // namespace sotto::testing_support

#endif  // SOTTO_BACKENDS_GATES_TEST_SIGNALS_H_
