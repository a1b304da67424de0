// Proves the promise of ValidateWhisper against whisper.cpp itself, like llama_truth_test.cc.
#include <gtest/gtest.h>
#include <whisper.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "modelfiles/tiny_models.h"
#include "modelfiles/truth_child.h"
#include "modelfiles/whisper_file.h"

namespace sotto {
namespace {

void Silent(ggml_log_level, const char*, void*) {}

// Recognises a second of a tone.
bool LoadAndRecognise(const std::string& path) {
  whisper_log_set(Silent, nullptr);
  whisper_context_params context_params = whisper_context_default_params();
  context_params.use_gpu = false;
  whisper_context* context = whisper_init_from_file_with_params(path.c_str(), context_params);
  if (context == nullptr) {
    return false;
  }
  whisper_full_params params = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
  params.n_threads = 1;
  params.print_progress = false;
  params.print_realtime = false;
  params.temperature_inc = 0.0f;
  params.max_tokens = 4;
  params.audio_ctx = 64;
  std::vector<float> samples(16000);
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i] = i % 32 < 16 ? 0.1f : -0.1f;
  }
  const bool done =
      whisper_full(context, params, samples.data(), static_cast<int>(samples.size())) == 0;
  whisper_free(context);
  return done;
}

// Offsets of sizes, of the filters' and the vocabulary's head, of some tokens and of every tensor
// record, whose data are zeros.
std::vector<size_t> FindSites(const std::string& file) {
  std::vector<size_t> sites;
  for (size_t at = 0; at < 56; at += 4) {
    sites.push_back(at);
  }
  const size_t vocabulary = 56 + 80 * 201 * 4;
  for (size_t token = 0; token < 40; ++token) {
    sites.push_back(vocabulary + token * 5);
  }
  for (const char* side : {"encoder.", "decoder."}) {
    for (size_t at = file.find(side); at != std::string::npos; at = file.find(side, at + 1)) {
      for (size_t back = 4; back <= 24; back += 4) {
        sites.push_back(at - back);
      }
      sites.push_back(at + 8);
    }
  }
  return sites;
}

TEST(WhisperTruth, NothingAcceptedEndsTheProcess) {
  const std::string path = ::testing::TempDir() + "/truth-" + std::to_string(::getpid()) + ".bin";
  const std::string sound = MakeTinyWhisper();
  WriteBytes(path, sound);
  ASSERT_TRUE(RunInChild([&] { return LoadAndRecognise(path); }).succeeded) << "as it is";
  const std::vector<size_t> sites = FindSites(sound);
  ASSERT_GT(sites.size(), 200u);
  constexpr std::array<uint32_t, 14> kTelling{
      0, 1, 2, 3, 4, 7, 8, 64, 255, 2000, 51865, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  const int mutants = EnvironmentNumber("SOTTO_TRUTH_MUTANTS", 300);
  std::mt19937 random(static_cast<uint32_t>(EnvironmentNumber("SOTTO_TRUTH_SEED", 1)));
  int accepted = 0;
  for (int i = 0; i < mutants; ++i) {
    std::string mutant = sound;
    for (uint64_t changes = 1 + random() % 2; changes > 0; --changes) {
      const size_t site = sites[random() % sites.size()];
      if (random() % 2 == 0) {
        std::memcpy(mutant.data() + site, &kTelling[random() % kTelling.size()], 4);
      } else {
        mutant[site + random() % 4] ^= static_cast<char>(1u << (random() % 8));
      }
    }
    // Weights that are no numbers, and no end.
    if (random() % 4 == 0) {
      const float bad = random() % 2 == 0 ? 1e30f : -1.0f;
      std::memcpy(mutant.data() + mutant.size() - 4 * (1 + random() % 1000), &bad, 4);
    }
    if (!ValidateWhisper("mutant", AsBytes(mutant)).ok()) {
      continue;
    }
    ++accepted;
    WriteBytes(path, mutant);
    const ChildResult result = RunInChild([&] { return LoadAndRecognise(path); });
    if (result.signal != 0) {
      KeepBytes("whisper-" + std::to_string(i) + ".bin", mutant);
    }
    EXPECT_EQ(result.signal, 0) << "mutant " << i;
  }
  ::unlink(path.c_str());
  std::printf("%d mutants, %d accepted\n", mutants, accepted);
}

}  // namespace
}  // namespace sotto
