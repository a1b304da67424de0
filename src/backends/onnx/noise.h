// Normal noise from a seed, the same on every machine with the same maths library.
#ifndef SOTTO_BACKENDS_ONNX_NOISE_H_
#define SOTTO_BACKENDS_ONNX_NOISE_H_

#include <cmath>
#include <cstdint>
#include <numbers>

namespace sotto {

// A stream of independent standard normal values: SplitMix64 (Steele et al., 2014) through the
// Box-Muller transform. Streams with different `stream` numbers are independent.
class NormalNoise {
 public:
  NormalNoise(uint32_t seed, uint32_t stream)
      : state_((static_cast<uint64_t>(stream) << 32) ^ seed ^ 0x5851f42d4c957f2dull) {}

  float Next() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const float radius = std::sqrt(-2.0f * std::log(Uniform()));
    const float angle = 2.0f * std::numbers::pi_v<float> * Uniform();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

 private:
  // In (0, 1].
  float Uniform() {
    state_ += 0x9e3779b97f4a7c15ull;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z ^= z >> 31;
    return (static_cast<float>(z >> 40) + 1.0f) * 0x1p-24f;
  }

  uint64_t state_;
  float spare_ = 0.0f;
  bool has_spare_ = false;
};

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_NOISE_H_
