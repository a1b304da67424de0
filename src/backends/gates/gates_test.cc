#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <random>

#include "backends/gates/onnx_tensors.h"
#include "backends/gates/silero_vad.h"
#include "backends/gates/synthetic_model.h"

// GCC tells of a sanitizer by a macro, clang by a feature.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SOTTO_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SOTTO_TEST_SANITIZED 1
#endif
#endif

// Counts what the test program allocates. The sanitizers bring their own.
#if !defined(SOTTO_TEST_SANITIZED)
namespace {

std::atomic<int64_t> allocations{0};

}  // namespace

void* operator new(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size); memory != nullptr) {
    return memory;
  }
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void* operator new(size_t size, std::align_val_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const size_t unit = static_cast<size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit); memory != nullptr) {
    return memory;
  }
  std::abort();
}
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
#endif

namespace sotto {
namespace {

using testing_support::BlockField;
using testing_support::SileroModel;
using testing_support::TensorBytes;
using testing_support::VarintField;

std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::unique_ptr<Vad> Make(Isa isa = BestIsa(), bool nested = false, uint32_t seed = 1) {
  Result<std::unique_ptr<Vad>> vad =
      MakeSileroVad(Bytes(SileroModel(seed, nested)), KernelsFor(isa));
  EXPECT_TRUE(vad.ok()) << vad.status().ToString();
  return std::move(*vad);
}

std::vector<float> Window(uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> gauss(0.0f, 0.2f);
  std::vector<float> window(512);
  std::ranges::generate(window, [&] { return gauss(random); });
  return window;
}

std::vector<float> Probabilities(Vad& vad, int windows, uint32_t seed = 100) {
  std::vector<float> out;
  for (int k = 0; k < windows; ++k) {
    const Result<float> p = vad.Process(Window(seed + static_cast<uint32_t>(k)));
    EXPECT_TRUE(p.ok());
    EXPECT_TRUE(*p >= 0.0f && *p <= 1.0f);
    out.push_back(*p);
  }
  return out;
}

TEST(SileroVad, EveryVariantAndBothLayoutsAgree) {
  const std::vector<float> plain = Probabilities(*Make(Isa::kPlain), 50);
  EXPECT_GT(*std::ranges::max_element(plain) - *std::ranges::min_element(plain), 1e-3f);
  for (const Isa isa : IsasHere()) {
    for (const bool nested : {false, true}) {
      const std::vector<float> got = Probabilities(*Make(isa, nested), 50);
      for (size_t k = 0; k < got.size(); ++k) {
        ASSERT_NEAR(got[k], plain[k], 1e-5f) << IsaName(isa) << " window " << k;
      }
    }
  }
}

TEST(SileroVad, ResetGivesANewStreamAndNewStreamsAreApart) {
  const auto vad = Make();
  const std::vector<float> first = Probabilities(*vad, 20);
  EXPECT_NE(Probabilities(*vad, 20), first) << "no state is carried";
  vad->Reset();
  EXPECT_EQ(Probabilities(*vad, 20), first);
  const auto other = vad->NewStream();
  std::vector<float> interleaved;
  vad->Reset();
  for (uint32_t k = 0; k < 20; ++k) {
    interleaved.push_back(*vad->Process(Window(100 + k)));
    EXPECT_TRUE(other->Process(Window(500 + k)).ok());
  }
  EXPECT_EQ(interleaved, first);
}

TEST(SileroVad, AStreamOutlivesTheOneItCameFrom) {
  auto vad = Make();
  const auto other = vad->NewStream();
  const std::vector<float> first = Probabilities(*vad, 5);
  vad.reset();
  EXPECT_EQ(Probabilities(*other, 5), first);
}

TEST(SileroVad, OtherLengthsAreRefusedAndChangeNothing) {
  const auto vad = Make();
  EXPECT_EQ(vad->window_samples(), 512u);
  EXPECT_EQ(vad->rate_hz(), 16000);
  const std::vector<float> first = Probabilities(*vad, 5);
  vad->Reset();
  for (const size_t length : {size_t{0}, size_t{1}, size_t{511}, size_t{513}, size_t{1024}}) {
    EXPECT_EQ(vad->Process(std::vector<float>(length)).status().code(), Code::kInvalidArgument);
  }
  EXPECT_EQ(Probabilities(*vad, 5), first);
}

TEST(SileroVad, SamplesThatAreNotFiniteCountAsZero) {
  for (const Isa isa : IsasHere()) {
    const auto vad = Make(isa);
    std::vector<float> zeroed = Window(7);
    std::vector<float> poisoned = zeroed;
    const float bad[] = {std::numeric_limits<float>::quiet_NaN(),
                         std::numeric_limits<float>::infinity(),
                         -std::numeric_limits<float>::infinity()};
    for (size_t k = 0; k < 512; k += 37) {
      zeroed[k] = 0.0f;
      poisoned[k] = bad[k % 3];
    }
    const float expected = *vad->Process(zeroed);
    const std::vector<float> after = Probabilities(*vad, 5);
    vad->Reset();
    EXPECT_EQ(*vad->Process(poisoned), expected);
    EXPECT_EQ(Probabilities(*vad, 5), after);
  }
}

TEST(SileroVad, ExtremeSamplesLeaveNoTraceOfNan) {
  for (const Isa isa : IsasHere()) {
    const auto vad = Make(isa);
    for (const float extreme : {3e38f, -3e38f, 1e20f, 1e-40f, -1e-45f}) {
      const Result<float> p = vad->Process(std::vector<float>(512, extreme));
      EXPECT_TRUE(*p >= 0.0f && *p <= 1.0f) << extreme;
    }
    Probabilities(*vad, 20);
  }
}

#if !defined(SOTTO_TEST_SANITIZED)
TEST(SileroVad, ProcessAndResetAllocateNothing) {
  for (const Isa isa : IsasHere()) {
    const auto vad = Make(isa);
    const std::vector<float> window = Window(3);
    const int64_t before = allocations.load();
    float sum = 0.0f;
    for (int k = 0; k < 100; ++k) {
      sum += *vad->Process(window);
    }
    vad->Reset();
    EXPECT_EQ(allocations.load(), before) << IsaName(isa) << sum;
  }
}
#endif

TEST(SileroVad, AMissingTensorIsNamed) {
  for (const char* name : {"encoder.2.reparam_conv.bias", "decoder.rnn.weight_hh",
                           "decoder.decoder.2.weight", "stft"}) {
    const auto vad = MakeSileroVad(Bytes(SileroModel(1, true, name)), KernelTable());
    EXPECT_EQ(vad.status().code(), Code::kDataLoss) << name;
    const bool is_named =
        vad.status().message().find(name) != std::string::npos || std::string(name) == "stft";
    EXPECT_TRUE(is_named) << vad.status().ToString();
  }
}

TEST(SileroVad, EveryCutAndManyFlipsAreRefusedOrHarmless) {
  const std::string model = SileroModel(1, true);
  for (size_t keep = 0; keep < model.size(); keep += 1 + keep / 20) {
    EXPECT_FALSE(MakeSileroVad(Bytes(model.substr(0, keep)), KernelTable()).ok()) << keep;
  }
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    std::string flipped = model;
    for (int k = 0; k < 4; ++k) {
      flipped[random() % flipped.size()] ^= static_cast<char>(1 << random() % 8);
    }
    auto vad = MakeSileroVad(Bytes(flipped), KernelTable());
    if (vad.ok()) {
      EXPECT_TRUE((*vad)->Process(Window(1)).ok());
    }
  }
}

TEST(SileroVad, WeightsThatAreNotFiniteAreRefused) {
  std::string model = SileroModel(1, false);
  // The last four bytes of the file are the output's bias.
  model.replace(model.size() - 4, 4, std::string("\0\0\xc0\x7f", 4));
  EXPECT_EQ(MakeSileroVad(Bytes(model), KernelTable()).status().code(), Code::kDataLoss);
}

TEST(OnnxTensors, ReadsInitializersConstantsAndNestedGraphs) {
  const std::string tensor = TensorBytes("a", {2, 1}, {1.0f, 2.0f});
  const std::string inner = BlockField(5, TensorBytes("b", {}, {3.0f}));
  const std::string node = BlockField(1, BlockField(5, BlockField(5, TensorBytes("c", {0}, {}))) +
                                             BlockField(5, BlockField(11, inner)));
  const std::string model = BlockField(7, BlockField(5, tensor) + node) + VarintField(1, 8);
  const auto graphs = ReadOnnxTensors(Bytes(model));
  ASSERT_TRUE(graphs.ok()) << graphs.status().ToString();
  ASSERT_EQ(graphs->size(), 2u);
  ASSERT_EQ((*graphs)[0].size(), 2u);
  EXPECT_EQ((*graphs)[0][0].name, "a");
  EXPECT_EQ((*graphs)[0][0].dims, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ((*graphs)[0][0].data.size(), 8u);
  EXPECT_EQ((*graphs)[0][1].name, "c");
  EXPECT_EQ((*graphs)[1][0].name, "b");
}

TEST(OnnxTensors, LiesAreRefused) {
  const auto model = [](const std::string& tensor) { return BlockField(7, BlockField(5, tensor)); };
  std::string nested = BlockField(5, TensorBytes("x", {1}, {1.0f}));
  for (int depth = 0; depth < 40; ++depth) {
    nested = BlockField(1, BlockField(5, BlockField(6, nested)));
  }
  std::string many;
  for (int k = 0; k < 5000; ++k) {
    many += BlockField(5, TensorBytes("x", {1}, {1.0f}));
  }
  const std::string lies[] = {
      "",
      "\x08",
      std::string(20, '\xff'),
      std::string("\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11),  // a block of 2^64 - 1
      model(TensorBytes("x", {2}, {1.0f})),                             // too little data
      model(TensorBytes("x", {1}, {1.0f, 2.0f})),                       // too much
      model(TensorBytes("x", {-1}, {1.0f})),                            // negative
      model(TensorBytes("x", {1LL << 40, 1LL << 40}, {1.0f})),          // overflows
      model(TensorBytes("x", {1, 1, 1, 1, 1, 1, 1, 1, 1}, {1.0f})),     // nine dimensions
      BlockField(7, nested),                                            // too deep
      BlockField(7, many),                                              // too many
      BlockField(7, "\x0b"),                                            // a group, unknown
  };
  for (const std::string& lie : lies) {
    EXPECT_EQ(ReadOnnxTensors(Bytes(lie)).status().code(), Code::kDataLoss);
  }
}

}  // namespace
}  // namespace sotto
