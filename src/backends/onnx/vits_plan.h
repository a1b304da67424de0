// Where to cut a VITS voice so that speech can be made in windows.
//
// A VITS graph has an encoder over phonemes (text encoder and duration predictor), then a part
// over frames: the normalising flow and the vocoder, both made of convolutions with a finite
// reach. The plan names the tensors between the two and a chain of frame stages, found by the
// graph's structure and not by its names.
#ifndef SOTTO_BACKENDS_ONNX_VITS_PLAN_H_
#define SOTTO_BACKENDS_ONNX_VITS_PLAN_H_

#include <string>
#include <vector>

#include "backends/onnx/graph.h"
#include "backends/onnx/reach.h"
#include "base/status.h"

namespace sotto {

struct VitsStage {
  std::string input;   // [1, channels, time]
  std::string output;  // the next stage's input; the last one's is the audio
  Reach reach;
  bool needs_mask = false;
  bool needs_speaker = false;
};

struct VitsPlan {
  // Outputs of the random nodes, which the parts take as inputs instead: standard normal.
  std::string duration_noise;  // [1, 2, phonemes]; empty if there is none
  std::string frame_noise;     // [1, channels, frames]
  // Encoder outputs, one column per phoneme. Frame t of phoneme p is
  // mean[p] + noise * noise_scale * exp(log_scale[p]); phoneme p lasts durations[p] frames.
  std::string mean;       // [1, channels, phonemes]
  std::string log_scale;  // [1, channels, phonemes]
  std::string durations;  // [1, 1, phonemes], whole numbers as floats
  std::string mask;       // [1, 1, frames] of ones; empty if no stage reads it
  std::vector<VitsStage> stages;
};

// `speaker_input` is the voice's speaker input, empty if it has none. UNIMPLEMENTED, saying what
// is unlike VITS, for a graph that cannot be streamed this way.
Result<VitsPlan> PlanVits(const OnnxGraph& graph, const std::string& speaker_input);

}  // namespace sotto

#endif  // SOTTO_BACKENDS_ONNX_VITS_PLAN_H_
