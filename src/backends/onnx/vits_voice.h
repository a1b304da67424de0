// A loaded VITS voice: phoneme ids in, audio out in windows.
#ifndef SOTTO_BACKENDS_ONNX_VITS_VOICE_H_
#define SOTTO_BACKENDS_ONNX_VITS_VOICE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/onnx/noise.h"
#include "backends/onnx/session.h"
#include "backends/onnx/stage_chain.h"
#include "backends/onnx/vits_plan.h"
#include "base/cancel.h"
#include "base/status.h"

namespace sotto {

struct VitsRequest {
  std::vector<int64_t> ids;  // phoneme ids with their padding
  float noise_scale = 0.667f;
  float length_scale = 1.0f;
  float noise_w = 0.8f;
  int64_t speaker = 0;  // read only by a voice with has_speaker()
  uint32_t seed = 0;
};

// One phrase being spoken. Used from one thread at a time; keeps the voice alive.
class VitsUtterance {
 public:
  virtual ~VitsUtterance() = default;

  // The next samples, about `frames` frames of them. CANCELLED within one stage of a window.
  virtual Result<std::vector<float>> Next(int64_t frames, const CancelToken& cancel) = 0;
  virtual bool done() const = 0;

  // Samples that each phoneme id lasts; known after the first Next() of a streaming voice, else
  // empty.
  virtual std::span<const int64_t> id_samples() const = 0;
};

// Immutable once loaded: any thread, several utterances at once.
class VitsVoice : public std::enable_shared_from_this<VitsVoice> {
 public:
  // `model` is read during the call only. DATA_LOSS if it is not a voice with the inputs `input`,
  // `input_lengths`, `scales` and perhaps `sid`.
  static Result<std::shared_ptr<const VitsVoice>> Load(std::string_view model,
                                                       const SessionOptions& options);

  // False for a graph unlike VITS: Next() then gives the whole phrase, without random variation.
  bool streams() const { return !stages_.empty(); }
  bool has_speaker() const { return has_speaker_; }

  // REQUIRES: request.ids is not empty.
  std::unique_ptr<VitsUtterance> Start(VitsRequest request) const;

 private:
  class Streamed;
  class Whole;

  VitsVoice() = default;
  Status LoadParts(const OnnxGraph& graph, const VitsPlan& plan, const SessionOptions& options);
  std::vector<TensorView> EncoderInputs(const VitsRequest& request, std::span<const int64_t> length,
                                        std::span<const float> scales) const;

  struct Stage {
    VitsStage cut;
    std::unique_ptr<Session> session;
  };

  bool has_speaker_ = false;
  bool has_duration_noise_ = false;
  std::unique_ptr<Session> encoder_;
  std::vector<Stage> stages_;
  std::unique_ptr<Session> whole_;  // only for a graph that does not stream
};

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_VITS_VOICE_H_
