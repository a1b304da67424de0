// Seconds of audio resampled per second.
#include <benchmark/benchmark.h>

#include <vector>

#include "backends/samplerate/samplerate_resampler.h"

namespace sotto {
namespace {

void Resample(benchmark::State& state) {
  const auto in_rate_hz = static_cast<int32_t>(state.range(0));
  const auto out_rate_hz = static_cast<int32_t>(state.range(1));
  auto resampler = MakeSamplerateResampler(in_rate_hz, out_rate_hz);
  if (!resampler.ok()) {
    state.SkipWithError(resampler.status().ToString().c_str());
    return;
  }
  const std::vector<float> in(static_cast<size_t>(in_rate_hz) / 10, 0.1f);
  std::vector<float> out;
  for (auto _ : state) {
    out.clear();
    if (!AppendResampled(**resampler, in, &out).ok()) {
      state.SkipWithError("resample");
    }
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["audio_s/s"] = benchmark::Counter(0.1 * static_cast<double>(state.iterations()),
                                                   benchmark::Counter::kIsRate);
}
BENCHMARK(Resample)
    ->Args({8000, 16000})
    ->Args({44100, 16000})
    ->Args({48000, 16000})
    ->Args({22050, 48000})
    ->Args({192000, 16000});

}  // namespace
}  // namespace sotto
