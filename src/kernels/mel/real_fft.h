// Power spectra of real frames, several frames at a time.
//
// Frames are interleaved, [sample, kLanes], so that every step of the transform is a loop over
// kLanes neighbours which the compiler turns into vector code on any machine. Double precision: a
// quantised model behind a spectrum can turn the last bit of a float into another answer.
#ifndef SOTTO_KERNELS_MEL_REAL_FFT_H_
#define SOTTO_KERNELS_MEL_REAL_FFT_H_

#include <cstdint>
#include <span>
#include <vector>

namespace sotto {

class RealFft {
 public:
  static constexpr int32_t kLanes = 4;

  // REQUIRES: IsSupported(size).
  explicit RealFft(int32_t size);

  // Even, at least 4, at most 65536, and half of it has no prime factor above 5.
  static bool IsSupported(int32_t size);

  int32_t size() const { return size_; }
  int32_t num_bins() const { return size_ / 2 + 1; }
  // Values that `scratch` must hold.
  size_t scratch_values() const { return static_cast<size_t>(size_) * 2 * kLanes; }

  // |X[k]|^2 of kLanes frames. frames: [size, kLanes]; power: [num_bins, kLanes]; scratch:
  // scratch_values(). The error is under 1e-14 of the frame's energy.
  // Any thread, with its own scratch.
  void Power(std::span<const double> frames, std::span<double> power,
             std::span<double> scratch) const;

 private:
  struct Stage {
    int32_t radix;
    std::vector<double> twiddles;  // [groups, radix - 1, 2]
  };

  int32_t size_;
  std::vector<Stage> stages_;
  std::vector<double> unpack_;  // [size / 2 + 1, 2]: exp(-2 pi i k / size)
};

}  // namespace sotto

#endif  // SOTTO_KERNELS_MEL_REAL_FFT_H_
