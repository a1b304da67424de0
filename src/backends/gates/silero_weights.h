// The weights of Silero VAD (v5 and v6, 16 kHz), laid out for the kernels.
#ifndef SOTTO_BACKENDS_GATES_SILERO_WEIGHTS_H_
#define SOTTO_BACKENDS_GATES_SILERO_WEIGHTS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "base/status.h"

namespace sotto {

// Sizes of the network.
struct SileroShape {
  static constexpr size_t kWindow = 512;  // new samples of one step: 32 ms
  static constexpr size_t kContext = 64;  // samples of the step before
  static constexpr size_t kReflect = 64;  // mirrored samples behind the window
  static constexpr size_t kFft = 256;     // samples of one frame of the transform
  static constexpr size_t kHop = 128;
  static constexpr size_t kFrames = 4;
  static constexpr size_t kBins = 129;
  static constexpr size_t kHalf = kFft / 2;  // samples left after folding a frame
  static constexpr size_t kTaps = 3;
  static constexpr size_t kWide = 128;    // channels of the first and last convolution
  static constexpr size_t kNarrow = 64;   // channels of the middle ones
  static constexpr size_t kHidden = 128;  // cells of the LSTM
};

// Row-major matrices of linear layers, [rows, inputs]. Convolutions are stored [out][tap][in], so
// that a row lies over consecutive frames.
struct SileroWeights {
  std::vector<float> stft_re;            // [129, 128], over x[n] + x[256 - n], n = 1..128
  std::vector<float> stft_im;            // [129, 128], over x[n] - x[256 - n]
  std::vector<float> conv0, conv0_bias;  // [128, 3 * 129], [128]
  std::vector<float> conv1, conv1_bias;  // [64, 3 * 128], [64]
  std::vector<float> conv2, conv2_bias;  // [64, 2 * 64], [64]: its first tap meets padding only
  std::vector<float> conv3, conv3_bias;  // [128, 64], [128]: its outer taps meet padding only
  std::vector<float> lstm, lstm_bias;    // [512, 256] over input and hidden state, [512]
  std::vector<float> out;                // [128]
  float out_bias = 0.0f;
};

// Takes the weights out of the bytes of silero_vad.onnx (the 16 kHz branch) or
// silero_vad_16k_op15.onnx. DATA_LOSS if the file is not one of these: tensors missing or of
// another shape, values not finite, a transform that is not the windowed DFT.
Result<SileroWeights> ReadSileroWeights(std::span<const std::byte> onnx);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_GATES_SILERO_WEIGHTS_H_
