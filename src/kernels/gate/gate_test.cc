// Every variant that runs here against double precision, for every length around the register
// width, every misalignment, and values that vector code gets wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/dispatch/table.h"

namespace sotto {
namespace {

constexpr size_t kWidth = 16;  // floats in the widest register
constexpr size_t kLengths = 3 * kWidth + 7;
constexpr float kCanary = 12345.0f;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// n floats at `misalignment` floats past a 64-byte boundary, with canaries behind them.
class Buffer {
 public:
  Buffer(size_t n, size_t misalignment) : n_(n), storage_(n + 64, kCanary) {
    const auto address = reinterpret_cast<uintptr_t>(storage_.data());
    begin_ = (64 - address % 64) % 64 / sizeof(float) + misalignment;
  }
  float* data() { return storage_.data() + begin_; }
  float& operator[](size_t k) { return data()[k]; }
  bool CanariesLive() {
    return std::all_of(data() + n_, storage_.data() + storage_.size(),
                       [](float v) { return v == kCanary; }) &&
           std::all_of(storage_.data(), data(), [](float v) { return v == kCanary; });
  }

 private:
  size_t n_;
  std::vector<float> storage_;
  size_t begin_;
};

enum class Fill { kRandom, kZeros, kDenormals, kLarge, kSmall };

void FillBuffer(Buffer* buffer, size_t n, Fill fill, std::mt19937* random) {
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  for (size_t k = 0; k < n; ++k) {
    const float value = uniform(*random);
    (*buffer)[k] = fill == Fill::kRandom      ? value
                   : fill == Fill::kZeros     ? (k % 2 == 0 ? 0.0f : -0.0f)
                   : fill == Fill::kDenormals ? value * 1e-40f
                   : fill == Fill::kLarge     ? value * 1e17f
                                              : value * 1e-17f;
  }
}

class GateKernels : public testing::TestWithParam<Isa> {
 protected:
  KernelTable kernels_ = KernelsFor(GetParam());
};

void CheckLinear(const KernelTable& kernels, const LinearShape& shape, size_t misalignment,
                 Fill fill, std::mt19937* random) {
  const size_t w_size = shape.rows * shape.w_stride;
  const size_t x_size = shape.columns * shape.x_stride + shape.depth;
  const size_t y_size = shape.columns * shape.y_stride;
  Buffer w(w_size, misalignment);
  Buffer x(x_size, (misalignment + 3) % kWidth);
  Buffer bias(shape.rows, misalignment);
  Buffer y(y_size, (misalignment + 1) % kWidth);
  FillBuffer(&w, w_size, Fill::kRandom, random);
  FillBuffer(&x, x_size, fill, random);
  FillBuffer(&bias, shape.rows, fill, random);
  kernels.linear(w.data(), bias.data(), x.data(), y.data(), shape);
  ASSERT_TRUE(y.CanariesLive());
  for (size_t column = 0; column < shape.columns; ++column) {
    for (size_t row = 0; row < shape.y_stride; ++row) {
      const float got = y[column * shape.y_stride + row];
      if (row >= shape.rows) {
        ASSERT_EQ(got, kCanary) << "wrote between columns";
        continue;
      }
      double sum = bias[row];
      double scale = std::abs(bias[row]);
      for (size_t k = 0; k < shape.depth; ++k) {
        const double product = static_cast<double>(w[row * shape.w_stride + k]) *
                               static_cast<double>(x[column * shape.x_stride + k]);
        sum += product;
        scale += std::abs(product);
      }
      sum = shape.relu ? std::max(sum, 0.0) : sum;
      // Absolute floor: products of denormals round at the smallest denormal.
      ASSERT_NEAR(got, sum, 4e-7 * scale + 1.5e-45 * static_cast<double>(shape.depth + 1))
          << "depth " << shape.depth << " rows " << shape.rows << " columns " << shape.columns;
    }
  }
}

TEST_P(GateKernels, LinearIsExactWithinItsBoundForEveryDepth) {
  std::mt19937 random(1);
  for (const Fill fill :
       {Fill::kRandom, Fill::kZeros, Fill::kDenormals, Fill::kLarge, Fill::kSmall}) {
    for (size_t depth = 0; depth <= kLengths; ++depth) {
      for (size_t columns : {1, 2, 3, 4, 5, 7}) {
        CheckLinear(kernels_,
                    {.rows = 5,
                     .depth = depth,
                     .columns = columns,
                     .w_stride = depth + 1,
                     .x_stride = depth + 2,
                     .y_stride = 6,
                     .relu = depth % 2 == 1},
                    depth % kWidth, fill, &random);
      }
    }
  }
}

TEST_P(GateKernels, LinearTakesEveryRowCountAndMisalignment) {
  std::mt19937 random(2);
  for (size_t rows = 0; rows <= 19; ++rows) {
    for (size_t misalignment = 0; misalignment < kWidth; ++misalignment) {
      for (size_t columns : {0, 1, 2, 4, 6}) {
        CheckLinear(kernels_,
                    {.rows = rows,
                     .depth = 37,
                     .columns = columns,
                     .w_stride = 37,
                     .x_stride = 37,
                     .y_stride = rows + misalignment % 2},
                    misalignment, Fill::kRandom, &random);
      }
    }
  }
}

TEST_P(GateKernels, LinearColumnsMayOverlap) {
  std::mt19937 random(3);
  CheckLinear(kernels_,
              {.rows = 9, .depth = 40, .columns = 4, .w_stride = 40, .x_stride = 13, .y_stride = 9},
              0, Fill::kRandom, &random);
}

TEST_P(GateKernels, LinearNanSpreadsAndReluOfNanIsZero) {
  for (size_t depth = 1; depth <= kLengths; ++depth) {
    for (const bool relu : {false, true}) {
      std::vector<float> w(depth, 1.0f);
      std::vector<float> x(depth, 0.5f);
      x[depth - 1] = kNan;
      float y = 7.0f;
      kernels_.linear(w.data(), nullptr, x.data(), &y,
                      {.rows = 1, .depth = depth, .w_stride = depth, .relu = relu});
      EXPECT_TRUE(relu ? y == 0.0f : std::isnan(y)) << depth;
      x[depth - 1] = kInfinity;
      kernels_.linear(w.data(), nullptr, x.data(), &y,
                      {.rows = 1, .depth = depth, .w_stride = depth, .relu = relu});
      EXPECT_EQ(y, kInfinity) << depth;
    }
  }
}

double Sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

TEST_P(GateKernels, LstmCellIsExactWithinItsBoundForEveryLength) {
  std::mt19937 random(4);
  for (size_t n = 0; n <= kLengths; ++n) {
    for (size_t misalignment = 0; misalignment < kWidth; misalignment += 1 + n % 3) {
      for (const float range : {1.0f, 8.0f, 120.0f, 1e-41f, 3e38f}) {
        Buffer gates(4 * n, misalignment);
        Buffer c(n, (misalignment + 5) % kWidth);
        Buffer h(n, (misalignment + 2) % kWidth);
        std::uniform_real_distribution<float> uniform(-range, range);
        std::vector<double> cells(n);
        for (size_t k = 0; k < 4 * n; ++k) {
          gates[k] = uniform(random);
        }
        for (size_t k = 0; k < n; ++k) {
          c[k] = std::clamp(uniform(random), -1e3f, 1e3f);
          cells[k] = c[k];
        }
        kernels_.lstm_cell(gates.data(), c.data(), h.data(), n);
        ASSERT_TRUE(c.CanariesLive() && h.CanariesLive());
        for (size_t k = 0; k < n; ++k) {
          const double cell = Sigmoid(gates[n + k]) * cells[k] +
                              Sigmoid(gates[k]) * std::tanh(static_cast<double>(gates[2 * n + k]));
          const double bound = 5e-7 * std::max(1.0, std::abs(cells[k]));
          ASSERT_NEAR(c[k], cell, bound) << "n " << n << " range " << range;
          ASSERT_NEAR(h[k], Sigmoid(gates[3 * n + k]) * std::tanh(cell), bound);
        }
      }
    }
  }
}

TEST_P(GateKernels, LstmCellSaturatesAndKeepsNanToItsCell) {
  constexpr size_t kCells = 11;
  std::vector<float> gates(4 * kCells, 0.0f);
  std::vector<float> c(kCells, 0.25f);
  std::vector<float> h(kCells, 0.0f);
  gates[0] = kInfinity;           // input open
  gates[kCells] = -kInfinity;     // forget all
  gates[2 * kCells] = kInfinity;  // candidate 1
  gates[3 * kCells] = kInfinity;  // output open
  gates[3] = kNan;
  c[9] = kNan;
  kernels_.lstm_cell(gates.data(), c.data(), h.data(), kCells);
  EXPECT_NEAR(c[0], 1.0f, 1e-6f);
  EXPECT_NEAR(h[0], std::tanh(1.0f), 1e-6f);
  for (size_t k = 1; k < kCells; ++k) {
    EXPECT_EQ(std::isnan(c[k]), k == 3 || k == 9) << k;
    EXPECT_EQ(std::isnan(h[k]), k == 3 || k == 9) << k;
  }
}

TEST_P(GateKernels, MagnitudeIsExactWithinItsBoundForEveryLength) {
  std::mt19937 random(5);
  for (size_t n = 0; n <= kLengths; ++n) {
    for (size_t misalignment = 0; misalignment < kWidth; ++misalignment) {
      for (const Fill fill : {Fill::kRandom, Fill::kZeros, Fill::kLarge, Fill::kSmall}) {
        Buffer re(n, misalignment);
        Buffer im(n, (misalignment + 7) % kWidth);
        Buffer out(n, (misalignment + 4) % kWidth);
        FillBuffer(&re, n, fill, &random);
        FillBuffer(&im, n, fill, &random);
        kernels_.magnitude(re.data(), im.data(), out.data(), n);
        ASSERT_TRUE(out.CanariesLive());
        for (size_t k = 0; k < n; ++k) {
          const double exact = std::hypot(static_cast<double>(re[k]), static_cast<double>(im[k]));
          ASSERT_NEAR(out[k], exact, 2e-7 * exact) << n;
        }
      }
    }
  }
}

TEST_P(GateKernels, MagnitudeInPlaceAndOfNan) {
  std::vector<float> re(19, 3.0f);
  std::vector<float> im(19, 4.0f);
  re[17] = kNan;
  im[2] = kNan;
  kernels_.magnitude(re.data(), im.data(), re.data(), re.size());
  for (size_t k = 0; k < re.size(); ++k) {
    if (k == 17 || k == 2) {
      EXPECT_TRUE(std::isnan(re[k]));
    } else {
      EXPECT_EQ(re[k], 5.0f) << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, GateKernels, testing::ValuesIn(IsasHere()),
                         [](const auto& isa) { return std::string(IsaName(isa.param)); });

}  // namespace
}  // namespace sotto
