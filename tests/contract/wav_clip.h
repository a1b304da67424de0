// Samples of a recording in testdata/: 16-bit mono WAV at 16 kHz and nothing else.
#ifndef SOTTO_TESTS_CONTRACT_WAV_CLIP_H_
#define SOTTO_TESTS_CONTRACT_WAV_CLIP_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace sotto {

// A failure of the test and no samples if the file is missing.
inline std::vector<float> ReadWavClip(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const size_t data = bytes.find("data");
  if (data == std::string::npos) {
    ADD_FAILURE() << path << ": no recording there";
    return {};
  }
  std::vector<float> samples((bytes.size() - data - 8) / sizeof(int16_t));
  for (size_t i = 0; i < samples.size(); ++i) {
    int16_t value = 0;
    std::memcpy(&value, bytes.data() + data + 8 + i * sizeof(value), sizeof(value));
    samples[i] = static_cast<float>(value) / 32768.0f;
  }
  return samples;
}

}  // namespace sotto

#endif  // SOTTO_TESTS_CONTRACT_WAV_CLIP_H_
