#include "backends/gates/silero_weights.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "backends/gates/onnx_tensors.h"

namespace sotto {
namespace {

using S = SileroShape;

static_assert(std::endian::native == std::endian::little, "tensors are copied as they lie");

constexpr std::string_view kBasisName = "stft.forward_basis_buffer";
constexpr int64_t kBasisShape[] = {2 * S::kBins, 1, S::kFft};

// Names end in the module path; exports put different things before it.
const OnnxTensor* Find(const OnnxGraph& graph, std::string_view suffix) {
  for (const OnnxTensor& tensor : graph) {
    if (tensor.name.ends_with(suffix)) {
      return &tensor;
    }
  }
  return nullptr;
}

// The transform's size tells the 16 kHz graph from the 8 kHz one.
const OnnxGraph* FindGraph(const std::vector<OnnxGraph>& graphs) {
  for (const OnnxGraph& graph : graphs) {
    const OnnxTensor* basis = Find(graph, kBasisName);
    if (basis != nullptr && basis->HasShape(kBasisShape)) {
      return &graph;
    }
  }
  return nullptr;
}

class Taker {
 public:
  explicit Taker(const OnnxGraph& graph) : graph_(graph) {}

  Result<std::vector<float>> Take(std::string_view suffix, std::vector<int64_t> shape) const {
    const OnnxTensor* tensor = Find(graph_, suffix);
    if (tensor == nullptr || !tensor->HasShape(shape)) {
      return DataLossError("silero vad: tensor " + std::string(suffix) +
                           ": missing or of another shape; want Silero VAD v5 or v6");
    }
    std::vector<float> values(tensor->data.size() / sizeof(float));
    std::memcpy(values.data(), tensor->data.data(), tensor->data.size());
    for (const float value : values) {
      if (!std::isfinite(value)) {
        return DataLossError("silero vad: tensor " + std::string(suffix) + ": not finite");
      }
    }
    return values;
  }

  // A convolution [out, in, 3] as rows [out][tap][in], taps from `first_tap` on, `taps` of them.
  Result<std::vector<float>> TakeConv(std::string_view suffix, size_t out, size_t in,
                                      size_t first_tap, size_t taps) const {
    SOTTO_ASSIGN_OR_RETURN(const std::vector<float> values,
                           Take(suffix, {static_cast<int64_t>(out), static_cast<int64_t>(in),
                                         static_cast<int64_t>(S::kTaps)}));
    std::vector<float> rows(out * taps * in);
    for (size_t o = 0; o < out; ++o) {
      for (size_t tap = 0; tap < taps; ++tap) {
        for (size_t i = 0; i < in; ++i) {
          rows[(o * taps + tap) * in + i] = values[(o * in + i) * S::kTaps + first_tap + tap];
        }
      }
    }
    return rows;
  }

 private:
  const OnnxGraph& graph_;
};

// The window is symmetric about sample 128 and 0 at sample 0, so cosines see only
// x[n] + x[256 - n] and sines only x[n] - x[256 - n]: half the products.
Status FoldBasis(const std::vector<float>& basis, SileroWeights* weights) {
  constexpr float kTolerance = 1e-6f;
  weights->stft_re.assign(S::kBins * S::kHalf, 0.0f);
  weights->stft_im.assign(S::kBins * S::kHalf, 0.0f);
  for (size_t bin = 0; bin < S::kBins; ++bin) {
    const float* re = &basis[bin * S::kFft];
    const float* im = &basis[(S::kBins + bin) * S::kFft];
    bool folds = std::abs(re[0]) <= kTolerance && std::abs(im[0]) <= kTolerance &&
                 std::abs(im[S::kHalf]) <= kTolerance;
    for (size_t n = 1; n < S::kHalf; ++n) {
      folds = folds && std::abs(re[n] - re[S::kFft - n]) <= kTolerance &&
              std::abs(im[n] + im[S::kFft - n]) <= kTolerance;
    }
    if (!folds) {
      return DataLossError("silero vad: transform: not a windowed DFT");
    }
    std::memcpy(&weights->stft_re[bin * S::kHalf], re + 1, S::kHalf * sizeof(float));
    std::memcpy(&weights->stft_im[bin * S::kHalf], im + 1, S::kHalf * sizeof(float));
    weights->stft_im[bin * S::kHalf + S::kHalf - 1] = 0.0f;
  }
  return OkStatus();
}

Status TakeLstm(const Taker& taker, SileroWeights* weights) {
  constexpr int64_t kGates = 4 * S::kHidden;
  SOTTO_ASSIGN_OR_RETURN(const std::vector<float> input,
                         taker.Take("decoder.rnn.weight_ih", {kGates, S::kWide}));
  SOTTO_ASSIGN_OR_RETURN(const std::vector<float> hidden,
                         taker.Take("decoder.rnn.weight_hh", {kGates, S::kHidden}));
  SOTTO_ASSIGN_OR_RETURN(weights->lstm_bias, taker.Take("decoder.rnn.bias_ih", {kGates}));
  SOTTO_ASSIGN_OR_RETURN(const std::vector<float> bias,
                         taker.Take("decoder.rnn.bias_hh", {kGates}));
  weights->lstm.clear();
  for (size_t row = 0; row < kGates; ++row) {
    const auto i = input.begin() + static_cast<ptrdiff_t>(row * S::kWide);
    const auto h = hidden.begin() + static_cast<ptrdiff_t>(row * S::kHidden);
    weights->lstm.insert(weights->lstm.end(), i, i + S::kWide);
    weights->lstm.insert(weights->lstm.end(), h, h + S::kHidden);
    weights->lstm_bias[row] += bias[row];
  }
  return OkStatus();
}

}  // namespace

Result<SileroWeights> ReadSileroWeights(std::span<const std::byte> onnx) {
  SOTTO_ASSIGN_OR_RETURN(const std::vector<OnnxGraph> graphs, ReadOnnxTensors(onnx));
  const OnnxGraph* graph = FindGraph(graphs);
  if (graph == nullptr) {
    return DataLossError("silero vad: no 16 kHz transform; want Silero VAD v5 or v6");
  }
  const Taker taker(*graph);
  SileroWeights weights;
  SOTTO_ASSIGN_OR_RETURN(const std::vector<float> basis,
                         taker.Take(kBasisName, {kBasisShape[0], kBasisShape[1], kBasisShape[2]}));
  SOTTO_RETURN_IF_ERROR(FoldBasis(basis, &weights));
  SOTTO_ASSIGN_OR_RETURN(weights.conv0,
                         taker.TakeConv("encoder.0.reparam_conv.weight", S::kWide, S::kBins, 0, 3));
  SOTTO_ASSIGN_OR_RETURN(
      weights.conv1, taker.TakeConv("encoder.1.reparam_conv.weight", S::kNarrow, S::kWide, 0, 3));
  SOTTO_ASSIGN_OR_RETURN(
      weights.conv2, taker.TakeConv("encoder.2.reparam_conv.weight", S::kNarrow, S::kNarrow, 1, 2));
  SOTTO_ASSIGN_OR_RETURN(
      weights.conv3, taker.TakeConv("encoder.3.reparam_conv.weight", S::kWide, S::kNarrow, 1, 1));
  SOTTO_ASSIGN_OR_RETURN(weights.conv0_bias, taker.Take("encoder.0.reparam_conv.bias", {S::kWide}));
  SOTTO_ASSIGN_OR_RETURN(weights.conv1_bias,
                         taker.Take("encoder.1.reparam_conv.bias", {S::kNarrow}));
  SOTTO_ASSIGN_OR_RETURN(weights.conv2_bias,
                         taker.Take("encoder.2.reparam_conv.bias", {S::kNarrow}));
  SOTTO_ASSIGN_OR_RETURN(weights.conv3_bias, taker.Take("encoder.3.reparam_conv.bias", {S::kWide}));
  SOTTO_RETURN_IF_ERROR(TakeLstm(taker, &weights));
  SOTTO_ASSIGN_OR_RETURN(weights.out, taker.Take("decoder.decoder.2.weight", {1, S::kHidden, 1}));
  SOTTO_ASSIGN_OR_RETURN(const std::vector<float> out_bias,
                         taker.Take("decoder.decoder.2.bias", {1}));
  weights.out_bias = out_bias[0];
  return weights;
}

}  // namespace sotto
