// One clip recognised: ours, and whisper.cpp as it comes (30 s window, its default settings).
//
//   SOTTO_MODELS_DIR=... asr_bench --benchmark_enable_random_interleaving=true
//       --benchmark_repetitions=9 --benchmark_report_aggregates_only=true
//
// SOTTO_BENCH_ASR names the model file [asr/ggml-base-q8_0.bin], SOTTO_BENCH_CLIPS the folder of
// the recordings [testdata/clips]. Both sides use one thread. The errors of each side are those of
// tests/contract/ggml_model_test.cc, not of this program.
#include <benchmark/benchmark.h>
#include <whisper.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "backends/whisper/whisper_asr.h"

namespace sotto {
namespace {

std::string Setting(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? otherwise : value;
}

std::string ModelFile() {
  return Setting("SOTTO_MODELS_DIR", ".") + "/" +
         Setting("SOTTO_BENCH_ASR", "asr/ggml-base-q8_0.bin");
}

// 16-bit mono WAV at 16 kHz; empty if it is not there.
std::vector<float> Samples(const std::string& clip) {
  std::ifstream file(Setting("SOTTO_BENCH_CLIPS", "testdata/clips") + "/" + clip, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const size_t data = bytes.find("data");
  std::vector<float> samples;
  for (size_t at = data == std::string::npos ? bytes.size() : data + 8; at + 2 <= bytes.size();
       at += 2) {
    int16_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    samples.push_back(static_cast<float>(value) / 32768.0f);
  }
  return samples;
}

void Count(benchmark::State& state, const std::vector<float>& samples) {
  state.counters["audio_s"] = static_cast<double>(samples.size()) / 16000.0;
  state.counters["rtf"] = benchmark::Counter(
      static_cast<double>(samples.size()) / 16000.0,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void Ours(benchmark::State& state, const std::string& clip, AsrProfile profile) {
  static const auto asr = MakeWhisperAsr(ModelFile());
  const std::vector<float> samples = Samples(clip);
  if (!asr.ok() || samples.empty()) {
    state.SkipWithError("no model or no clip");
    return;
  }
  AsrOptions options;
  options.profile = profile;
  for (auto _ : state) {
    auto result = (*asr)->Recognise(samples, options, {});
    benchmark::DoNotOptimize(result);
  }
  Count(state, samples);
}

void WhisperDefaults(benchmark::State& state, const std::string& clip,
                     whisper_sampling_strategy strategy) {
  static whisper_context* const context = [] {
    whisper_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    whisper_context_params params = whisper_context_default_params();
    params.use_gpu = false;
    return whisper_init_from_file_with_params(ModelFile().c_str(), params);
  }();
  const std::vector<float> samples = Samples(clip);
  if (context == nullptr || samples.empty()) {
    state.SkipWithError("no model or no clip");
    return;
  }
  whisper_full_params params = whisper_full_default_params(strategy);
  params.n_threads = 1;
  params.print_progress = false;
  for (auto _ : state) {
    whisper_full(context, params, samples.data(), static_cast<int>(samples.size()));
  }
  Count(state, samples);
}

void Register() {
  for (const std::string clip : {"cards_001.wav", "cards_004.wav", "goforward.wav",
                                 "librivox_0930.wav", "librivox_0870.wav", "jfk.wav"}) {
    const auto add = [&](const std::string& name, auto&&... arguments) {
      benchmark::RegisterBenchmark((name + "/" + clip).c_str(), arguments..., clip)
          ->Unit(benchmark::kMillisecond);
    };
    add("fast/ours",
        [](benchmark::State& s, const std::string& c) { Ours(s, c, AsrProfile::kFast); });
    add("fast/whisper_greedy", [](benchmark::State& s, const std::string& c) {
      WhisperDefaults(s, c, WHISPER_SAMPLING_GREEDY);
    });
    add("accurate/ours",
        [](benchmark::State& s, const std::string& c) { Ours(s, c, AsrProfile::kAccurate); });
    add("accurate/whisper_beam", [](benchmark::State& s, const std::string& c) {
      WhisperDefaults(s, c, WHISPER_SAMPLING_BEAM_SEARCH);
    });
  }
}

const bool registered = (Register(), true);

}  // namespace
}  // namespace sotto
