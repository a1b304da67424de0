// How long a phrase takes until its first block, against the whole phrase in one run.
//
// Both are made in turn within each iteration, so that a busy machine slows them alike; the
// counters are medians over the iterations. Reads the joe voice from $SOTTO_MODELS_DIR and phrases
// from $SOTTO_TESTDATA/espeak_phrases.json.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "backends/onnx/piper_config.h"
#include "backends/onnx/vits_voice.h"
#include "base/file.h"

namespace sotto {
namespace {

using SteadyClock = std::chrono::steady_clock;

double MsSince(SteadyClock::time_point start) {
  return std::chrono::duration<double, std::milli>(SteadyClock::now() - start).count();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0.0 : values[values.size() / 2];
}

std::string Folder(const char* variable) {
  const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "." : value;
}

struct Joe {
  std::shared_ptr<const VitsVoice> voice;
  std::vector<std::vector<int64_t>> phrases;  // ids
};

Result<Joe> LoadJoe(int32_t num_threads) {
  const std::string path = Folder("SOTTO_MODELS_DIR") + "/tts/en_US-joe-medium.onnx";
  SOTTO_ASSIGN_OR_RETURN(const std::string model, ReadFile(path, uint64_t{1} << 30));
  SOTTO_ASSIGN_OR_RETURN(const std::string json, ReadFile(path + ".json", 1 << 20));
  SOTTO_ASSIGN_OR_RETURN(const PiperConfig config, ParsePiperConfig(json));
  SOTTO_ASSIGN_OR_RETURN(const std::string phrases,
                         ReadFile(Folder("SOTTO_TESTDATA") + "/espeak_phrases.json", 1 << 20));
  Joe joe;
  SOTTO_ASSIGN_OR_RETURN(joe.voice,
                         VitsVoice::Load(model, {.num_threads = num_threads, .log = {}}));
  const auto rows = nlohmann::json::parse(phrases, nullptr, false);
  for (const auto& row : rows) {
    std::vector<int64_t> ids{1, 0};
    for (const int64_t id : config.symbols.Encode(row["phonemes"].get<std::string>()).ids) {
      ids.push_back(id);
      ids.push_back(0);
    }
    ids.push_back(2);
    joe.phrases.push_back(std::move(ids));
  }
  return joe;
}

// Milliseconds to the first block and to the end.
std::pair<double, double> Time(const Joe& joe, const std::vector<int64_t>& ids, int64_t first,
                               int64_t most, int64_t* num_samples) {
  const auto start = SteadyClock::now();
  const auto utterance = joe.voice->Start({.ids = ids, .seed = 1});
  double first_ms = 0.0;
  *num_samples = 0;
  while (!utterance->done()) {
    const auto block = utterance->Next(first, {});
    if (!block.ok()) {
      break;
    }
    *num_samples += std::ssize(*block);
    first_ms = first_ms > 0.0 ? first_ms : MsSince(start);
    first = std::min(first * 2, most);
  }
  return {first_ms, MsSince(start)};
}

void BM_JoeFirstBlock(benchmark::State& state) {
  const Result<Joe> joe = LoadJoe(static_cast<int32_t>(state.range(1)));
  if (!joe.ok() || static_cast<size_t>(state.range(0)) >= joe->phrases.size()) {
    state.SkipWithError(joe.ok() ? "no such phrase" : joe.status().message().c_str());
    return;
  }
  const std::vector<int64_t>& ids = joe->phrases[static_cast<size_t>(state.range(0))];
  std::vector<double> first_ms;
  std::vector<double> streamed_ms;
  std::vector<double> whole_ms;
  int64_t num_samples = 0;
  for (auto _ : state) {
    whole_ms.push_back(Time(*joe, ids, int64_t{1} << 20, int64_t{1} << 20, &num_samples).second);
    const auto [first, total] = Time(*joe, ids, 10, 96, &num_samples);
    first_ms.push_back(first);
    streamed_ms.push_back(total);
  }
  state.counters["audio_s"] = static_cast<double>(num_samples) / 22050.0;
  state.counters["first_ms"] = Median(first_ms);
  state.counters["streamed_ms"] = Median(streamed_ms);
  state.counters["whole_ms"] = Median(whole_ms);
  state.counters["first_of_whole"] = Median(first_ms) / Median(whole_ms);
  state.counters["first_of_streamed"] = Median(first_ms) / Median(streamed_ms);
}

// Phrases of about 0.4, 2 and 5 s, on one and two threads.
BENCHMARK(BM_JoeFirstBlock)
    ->ArgsProduct({{0, 3, 5}, {1, 2}})
    ->ArgNames({"phrase", "threads"})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(25);

}  // namespace
}  // namespace sotto
