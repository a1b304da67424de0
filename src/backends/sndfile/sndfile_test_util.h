// What the tests of the readers share: a folder, files that libsndfile encodes, reading to the end.
#ifndef SOTTO_BACKENDS_SNDFILE_SNDFILE_TEST_UTIL_H_
#define SOTTO_BACKENDS_SNDFILE_SNDFILE_TEST_UTIL_H_

#include <gtest/gtest.h>
#include <sndfile.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "backends/sndfile/sndfile_reader.h"

namespace sotto {

inline std::vector<float> Tone(size_t frames, int channels) {
  std::vector<float> samples;
  for (size_t k = 0; k < frames; ++k) {
    for (int c = 0; c < channels; ++c) {
      samples.push_back(0.5f * std::sin(0.05f * static_cast<float>(k) + static_cast<float>(c)));
    }
  }
  return samples;
}

class SndfileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/sndfile_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
    return folder_ + "/" + name;
  }

  // What an encoder of libsndfile makes of the samples.
  std::string Encode(const std::string& name, int format, const std::vector<float>& samples,
                     int rate_hz, int channels) const {
    const std::string path = folder_ + "/" + name;
    SF_INFO info = {};
    info.samplerate = rate_hz;
    info.channels = channels;
    info.format = format;
    SNDFILE* file = sf_open(path.c_str(), SFM_WRITE, &info);
    EXPECT_NE(file, nullptr) << name << ": " << sf_strerror(nullptr);
    if (file == nullptr) {
      return "";
    }
    sf_writef_float(file, samples.data(), static_cast<sf_count_t>(samples.size()) / channels);
    sf_close(file);
    return path;
  }

  Result<std::unique_ptr<AudioReader>> Open(const std::string& path) const {
    return opener_->Open(path, CancelToken());
  }

  std::string folder_;
  std::unique_ptr<AudioFileOpener> opener_ = MakeSndfileOpener();
};

struct Everything {
  Status status;
  std::vector<float> samples;
  bool truncated = false;
};

inline Everything ReadAll(AudioReader& reader, size_t frames_at_once) {
  Everything all;
  std::vector<float> piece(frames_at_once * static_cast<size_t>(reader.info().channels));
  for (;;) {
    const Result<size_t> frames = reader.Read(piece);
    all.status = frames.status();
    if (!frames.ok() || *frames == 0) {
      break;
    }
    all.samples.insert(all.samples.end(), piece.begin(),
                       piece.begin() + static_cast<ptrdiff_t>(
                                           *frames * static_cast<size_t>(reader.info().channels)));
  }
  all.truncated = reader.truncated();
  return all;
}

}  // namespace sotto

#endif  // SOTTO_BACKENDS_SNDFILE_SNDFILE_TEST_UTIL_H_
