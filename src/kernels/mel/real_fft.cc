#include "kernels/mel/real_fft.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace sotto {
namespace {

constexpr int32_t kLanes = RealFft::kLanes;
constexpr int32_t kMaxSize = 65536;
constexpr int64_t kComplex = 2 * kLanes;  // values in one complex value of every lane

// Factors of the half size, the large ones first. 0 marks a size with a larger prime.
std::vector<int32_t> Factor(int32_t n) {
  std::vector<int32_t> factors;
  for (const int32_t radix : {5, 3, 4, 2}) {
    while (n % radix == 0) {
      factors.push_back(radix);
      n /= radix;
    }
  }
  return n == 1 ? factors : std::vector<int32_t>{0};
}

// A complex value of every lane: real parts, then imaginary parts.
struct Lanes {
  double re[kLanes];
  double im[kLanes];
};

inline void Load(const double* from, Lanes& x) {
  for (int32_t l = 0; l < kLanes; ++l) {
    x.re[l] = from[l];
    x.im[l] = from[kLanes + l];
  }
}

// to = x * (re + i im)
inline void StoreTurned(const Lanes& x, double re, double im, double* to) {
  for (int32_t l = 0; l < kLanes; ++l) {
    to[l] = x.re[l] * re - x.im[l] * im;
    to[kLanes + l] = x.re[l] * im + x.im[l] * re;
  }
}

// b = a0 + sum of ak * exp(-2 pi i j k / radix) for each j, in place.
template <int32_t kRadix>
inline void Butterfly(Lanes* a);

template <>
inline void Butterfly<2>(Lanes* a) {
  for (int32_t l = 0; l < kLanes; ++l) {
    const double re = a[0].re[l] - a[1].re[l];
    const double im = a[0].im[l] - a[1].im[l];
    a[0].re[l] += a[1].re[l];
    a[0].im[l] += a[1].im[l];
    a[1].re[l] = re;
    a[1].im[l] = im;
  }
}

template <>
inline void Butterfly<3>(Lanes* a) {
  constexpr double kSin = 0.86602540378443864676;  // sin(2 pi / 3)
  for (int32_t l = 0; l < kLanes; ++l) {
    const double sum_re = a[1].re[l] + a[2].re[l];
    const double sum_im = a[1].im[l] + a[2].im[l];
    const double mid_re = a[0].re[l] - 0.5 * sum_re;
    const double mid_im = a[0].im[l] - 0.5 * sum_im;
    const double dif_re = kSin * (a[1].im[l] - a[2].im[l]);
    const double dif_im = -kSin * (a[1].re[l] - a[2].re[l]);
    a[0].re[l] += sum_re;
    a[0].im[l] += sum_im;
    a[1].re[l] = mid_re + dif_re;
    a[1].im[l] = mid_im + dif_im;
    a[2].re[l] = mid_re - dif_re;
    a[2].im[l] = mid_im - dif_im;
  }
}

template <>
inline void Butterfly<4>(Lanes* a) {
  for (int32_t l = 0; l < kLanes; ++l) {
    const double s02_re = a[0].re[l] + a[2].re[l];
    const double s02_im = a[0].im[l] + a[2].im[l];
    const double d02_re = a[0].re[l] - a[2].re[l];
    const double d02_im = a[0].im[l] - a[2].im[l];
    const double s13_re = a[1].re[l] + a[3].re[l];
    const double s13_im = a[1].im[l] + a[3].im[l];
    const double d13_re = a[1].im[l] - a[3].im[l];  // times -i
    const double d13_im = a[3].re[l] - a[1].re[l];
    a[0].re[l] = s02_re + s13_re;
    a[0].im[l] = s02_im + s13_im;
    a[1].re[l] = d02_re + d13_re;
    a[1].im[l] = d02_im + d13_im;
    a[2].re[l] = s02_re - s13_re;
    a[2].im[l] = s02_im - s13_im;
    a[3].re[l] = d02_re - d13_re;
    a[3].im[l] = d02_im - d13_im;
  }
}

template <>
inline void Butterfly<5>(Lanes* a) {
  constexpr double kCos1 = 0.30901699437494742410;   // cos(2 pi / 5)
  constexpr double kCos2 = -0.80901699437494742410;  // cos(4 pi / 5)
  constexpr double kSin1 = 0.95105651629515357212;   // sin(2 pi / 5)
  constexpr double kSin2 = 0.58778525229247312917;   // sin(4 pi / 5)
  for (int32_t l = 0; l < kLanes; ++l) {
    const double s1_re = a[1].re[l] + a[4].re[l];
    const double s1_im = a[1].im[l] + a[4].im[l];
    const double d1_re = a[1].re[l] - a[4].re[l];
    const double d1_im = a[1].im[l] - a[4].im[l];
    const double s2_re = a[2].re[l] + a[3].re[l];
    const double s2_im = a[2].im[l] + a[3].im[l];
    const double d2_re = a[2].re[l] - a[3].re[l];
    const double d2_im = a[2].im[l] - a[3].im[l];
    const double c1_re = a[0].re[l] + kCos1 * s1_re + kCos2 * s2_re;
    const double c1_im = a[0].im[l] + kCos1 * s1_im + kCos2 * s2_im;
    const double c2_re = a[0].re[l] + kCos2 * s1_re + kCos1 * s2_re;
    const double c2_im = a[0].im[l] + kCos2 * s1_im + kCos1 * s2_im;
    const double e1_re = kSin1 * d1_im + kSin2 * d2_im;  // times -i
    const double e1_im = -(kSin1 * d1_re + kSin2 * d2_re);
    const double e2_re = kSin2 * d1_im - kSin1 * d2_im;
    const double e2_im = -(kSin2 * d1_re - kSin1 * d2_re);
    a[0].re[l] += s1_re + s2_re;
    a[0].im[l] += s1_im + s2_im;
    a[1].re[l] = c1_re + e1_re;
    a[1].im[l] = c1_im + e1_im;
    a[4].re[l] = c1_re - e1_re;
    a[4].im[l] = c1_im - e1_im;
    a[2].re[l] = c2_re + e2_re;
    a[2].im[l] = c2_im + e2_im;
    a[3].re[l] = c2_re - e2_re;
    a[3].im[l] = c2_im - e2_im;
  }
}

// One step of the self-sorting transform (Stockham): `groups` butterflies over `stride` columns.
template <int32_t kRadix>
void RunStage(const double* from, double* to, int32_t groups, int32_t stride,
              const double* twiddles) {
  for (int64_t p = 0; p < groups; ++p) {
    const double* turn = twiddles + p * (kRadix - 1) * 2;
    for (int64_t q = 0; q < stride; ++q) {
      Lanes a[kRadix];
      for (int64_t k = 0; k < kRadix; ++k) {
        Load(from + (q + stride * (p + groups * k)) * kComplex, a[k]);
      }
      Butterfly<kRadix>(a);
      double* out = to + (q + stride * (kRadix * p)) * kComplex;
      StoreTurned(a[0], 1.0, 0.0, out);
      for (int64_t j = 1; j < kRadix; ++j) {
        StoreTurned(a[j], turn[(j - 1) * 2], turn[(j - 1) * 2 + 1], out + j * stride * kComplex);
      }
    }
  }
}

}  // namespace

bool RealFft::IsSupported(int32_t size) {
  return size >= 4 && size <= kMaxSize && size % 2 == 0 && Factor(size / 2)[0] != 0;
}

RealFft::RealFft(int32_t size) : size_(size) {
  int32_t n = size / 2;
  for (const int32_t radix : Factor(size / 2)) {
    Stage stage{radix, {}};
    const int32_t groups = n / radix;
    for (int32_t p = 0; p < groups; ++p) {
      for (int32_t j = 1; j < radix; ++j) {
        const double angle = -2.0 * std::numbers::pi * p * j / n;
        stage.twiddles.push_back(std::cos(angle));
        stage.twiddles.push_back(std::sin(angle));
      }
    }
    stages_.push_back(std::move(stage));
    n = groups;
  }
  for (int32_t k = 0; k <= size / 2; ++k) {
    const double angle = -2.0 * std::numbers::pi * k / size;
    unpack_.push_back(std::cos(angle));
    unpack_.push_back(std::sin(angle));
  }
}

void RealFft::Power(std::span<const double> frames, std::span<double> power,
                    std::span<double> scratch) const {
  const int32_t half = size_ / 2;
  // Sample pairs are already complex values: even samples real, odd samples imaginary.
  const double* from = frames.data();
  double* to = scratch.data();
  double* other = scratch.data() + static_cast<int64_t>(half) * kComplex;
  int32_t n = half;
  int32_t stride = 1;
  for (const Stage& stage : stages_) {
    const int32_t groups = n / stage.radix;
    switch (stage.radix) {
      case 2:
        RunStage<2>(from, to, groups, stride, stage.twiddles.data());
        break;
      case 3:
        RunStage<3>(from, to, groups, stride, stage.twiddles.data());
        break;
      case 4:
        RunStage<4>(from, to, groups, stride, stage.twiddles.data());
        break;
      default:
        RunStage<5>(from, to, groups, stride, stage.twiddles.data());
        break;
    }
    from = to;
    std::swap(to, other);
    n = groups;
    stride *= stage.radix;
  }
  for (int32_t k = 0; k <= half; ++k) {
    const double* z = from + static_cast<int64_t>(k % half) * kComplex;
    const double* mirror = from + static_cast<int64_t>((half - k) % half) * kComplex;
    const double re = unpack_[static_cast<size_t>(k) * 2];
    const double im = unpack_[static_cast<size_t>(k) * 2 + 1];
    double* out = power.data() + static_cast<int64_t>(k) * kLanes;
    for (int32_t l = 0; l < kLanes; ++l) {
      const double even_re = 0.5 * (z[l] + mirror[l]);
      const double even_im = 0.5 * (z[kLanes + l] - mirror[kLanes + l]);
      const double odd_re = 0.5 * (z[kLanes + l] + mirror[kLanes + l]);
      const double odd_im = 0.5 * (mirror[l] - z[l]);
      const double x_re = even_re + re * odd_re - im * odd_im;
      const double x_im = even_im + re * odd_im + im * odd_re;
      out[l] = x_re * x_re + x_im * x_im;
    }
  }
}

}  // namespace sotto
