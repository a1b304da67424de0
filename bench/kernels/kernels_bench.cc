// Kernels, every variant that runs here, in the shapes of the gate models; memcpy beside them as
// the limit of the machine.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

#include "kernels/dispatch/table.h"

namespace sotto {
namespace {

// rows, depth, columns: folded STFT, first convolution, second convolution, LSTM.
constexpr int64_t kShapes[][3] = {{129, 128, 4}, {128, 387, 4}, {64, 384, 2}, {512, 256, 1}};

void Linear(benchmark::State& state, KernelTable kernels) {
  const LinearShape shape = {.rows = static_cast<size_t>(state.range(0)),
                             .depth = static_cast<size_t>(state.range(1)),
                             .columns = static_cast<size_t>(state.range(2)),
                             .w_stride = static_cast<size_t>(state.range(1)),
                             .x_stride = static_cast<size_t>(state.range(1)),
                             .y_stride = static_cast<size_t>(state.range(0))};
  const std::vector<float> w(shape.rows * shape.depth, 0.5f);
  const std::vector<float> bias(shape.rows, 0.1f);
  std::vector<float> x(shape.columns * shape.depth, 0.25f);
  std::vector<float> y(shape.columns * shape.rows);
  for (auto _ : state) {
    x[0] += 1e-6f;
    kernels.linear(w.data(), bias.data(), x.data(), y.data(), shape);
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  const auto weights = static_cast<int64_t>(w.size());
  state.SetBytesProcessed(state.iterations() * weights * 4);
  state.counters["MAC/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * weights * state.range(2)),
                         benchmark::Counter::kIsRate);
}

void LstmCell(benchmark::State& state, KernelTable kernels) {
  std::vector<float> gates(512, 0.3f);
  std::vector<float> c(128, 0.1f);
  std::vector<float> h(128);
  for (auto _ : state) {
    kernels.lstm_cell(gates.data(), c.data(), h.data(), 128);
    benchmark::DoNotOptimize(h.data());
    benchmark::ClobberMemory();
  }
}

void ToInt16(benchmark::State& state, KernelTable kernels) {
  const std::vector<float> in(1 << 14, 0.3f);
  std::vector<int16_t> out(in.size());
  for (auto _ : state) {
    kernels.float_to_int16(in.data(), out.data(), in.size());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(in.size() * 4));
}

void MeasureLevel(benchmark::State& state, KernelTable kernels) {
  const std::vector<float> in(1 << 14, 0.3f);
  for (auto _ : state) {
    benchmark::DoNotOptimize(kernels.measure_level(in.data(), in.size()));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(in.size() * 4));
}

void Memcpy(benchmark::State& state) {
  const std::vector<float> in(static_cast<size_t>(state.range(0)), 0.3f);
  std::vector<float> out(in.size());
  for (auto _ : state) {
    std::memcpy(out.data(), in.data(), in.size() * 4);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(in.size() * 4));
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const Isa isa : IsasHere()) {
    const KernelTable kernels = KernelsFor(isa);
    const std::string suffix = "/" + std::string(IsaName(isa));
    auto* linear = benchmark::RegisterBenchmark(("linear" + suffix).c_str(), Linear, kernels);
    for (const auto& shape : kShapes) {
      linear->Args({shape[0], shape[1], shape[2]});
    }
    benchmark::RegisterBenchmark(("lstm_cell" + suffix).c_str(), LstmCell, kernels);
    benchmark::RegisterBenchmark(("float_to_int16" + suffix).c_str(), ToInt16, kernels);
    benchmark::RegisterBenchmark(("measure_level" + suffix).c_str(), MeasureLevel, kernels);
  }
  benchmark::RegisterBenchmark("memcpy", Memcpy)->Arg(1 << 14)->Arg(1 << 18);
  return true;
}();

}  // namespace
}  // namespace sotto
