#include "backends/onnx/vits_plan.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace sotto {
namespace {

// A stage ends at the first possible cut after it has come to reach this many frames. Every cut
// lets the stages after it recompute less at the edges of a window, and costs one more session;
// the coupling layers of the flow (16) and the first vocoder stage (13) are worth it, the later
// vocoder stages (under 2) are not.
constexpr int64_t kStageReachFrames = 4;

Status Unlike(std::string what) {
  return UnimplementedError("voice graph: " + std::move(what) +
                            ": unlike VITS; it is spoken phrase by phrase");
}

class Planner {
 public:
  Planner(const OnnxGraph& graph, const std::string& speaker_input)
      : graph_(graph), speaker_input_(speaker_input) {}

  Result<VitsPlan> Plan();

 private:
  const OnnxNode* Producer(std::string_view tensor) const {
    const int32_t index = graph_.ProducerOf(tensor);
    return index < 0 ? nullptr : &graph_.nodes()[static_cast<size_t>(index)];
  }
  const OnnxNode* OnlyConsumer(std::string_view tensor) const {
    const std::vector<int32_t>& readers = graph_.ConsumersOf(tensor);
    return readers.size() == 1 ? &graph_.nodes()[static_cast<size_t>(readers[0])] : nullptr;
  }

  Status FindDurations();
  Status FindNoise();
  Status FindRegulation();
  Result<std::string> BeforeRegulation(std::string_view frames) const;
  Status FindMask();
  Status FindStages();
  std::vector<std::string_view> FindCuts() const;
  Result<VitsStage> MakeStage(std::string_view input, std::string_view output) const;

  const OnnxGraph& graph_;
  const std::string& speaker_input_;
  VitsPlan plan_;
  std::string_view frame_noise_;
  std::string_view latent_;  // what the flow starts from
  std::string_view audio_;
  std::vector<int32_t> way_;  // nodes from latent_ to audio_
};

// The durations are rounded up, and nothing else in a VITS graph is.
Status Planner::FindDurations() {
  for (const OnnxNode& node : graph_.nodes()) {
    if (node.op_type != "Ceil" || node.outputs.empty()) {
      continue;
    }
    if (!plan_.durations.empty()) {
      return Unlike("more than one Ceil");
    }
    plan_.durations = node.outputs[0];
  }
  return plan_.durations.empty() ? Unlike("no Ceil over durations") : OkStatus();
}

Status Planner::FindNoise() {
  std::string_view duration_noise;
  for (const OnnxNode& node : graph_.nodes()) {
    if (node.op_type.starts_with("Random") || node.op_type == "Multinomial" ||
        node.op_type == "Bernoulli" || node.op_type == "Dropout") {
      if (node.op_type != "RandomNormalLike" || node.outputs.empty()) {
        return Unlike("random node " + std::string(node.op_type));
      }
      std::string_view& slot = NodesBetween(graph_, node.outputs[0], plan_.durations).empty()
                                   ? frame_noise_
                                   : duration_noise;
      if (!slot.empty()) {
        return Unlike("more than two random nodes");
      }
      slot = node.outputs[0];
    }
  }
  plan_.duration_noise = duration_noise;
  plan_.frame_noise = frame_noise_;
  return frame_noise_.empty() ? Unlike("no noise over frames") : OkStatus();
}

// frames = Transpose(MatMul(alignment, Transpose(phonemes))): the tensor named `phonemes`.
Result<std::string> Planner::BeforeRegulation(std::string_view frames) const {
  const std::vector<int64_t> kSwap{0, 2, 1};
  const OnnxNode* outer = Producer(frames);
  if (outer == nullptr || outer->op_type != "Transpose" || outer->IntsAttribute("perm") != kSwap) {
    return Unlike("frames that are not transposed");
  }
  const OnnxNode* product = Producer(outer->inputs[0]);
  if (product == nullptr || product->op_type != "MatMul" || product->inputs.size() != 2) {
    return Unlike("frames without an alignment product");
  }
  const OnnxNode* inner = Producer(product->inputs[1]);
  if (inner == nullptr || inner->op_type != "Transpose" || inner->IntsAttribute("perm") != kSwap ||
      NodesBetween(graph_, plan_.durations, product->inputs[0]).empty()) {
    return Unlike("an alignment without durations");
  }
  return std::string(inner->inputs[0]);
}

// latent = Add(mean, Mul(Mul(noise, Exp(log_scale)), scale)), the products in either order.
Status Planner::FindRegulation() {
  std::string_view tensor = frame_noise_;
  std::string_view log_scale_frames;
  const OnnxNode* node = OnlyConsumer(tensor);
  while (node != nullptr && node->op_type == "Mul" && node->inputs.size() == 2) {
    const std::string_view other = node->inputs[node->inputs[0] == tensor ? 1 : 0];
    const OnnxNode* factor = Producer(other);
    if (factor != nullptr && factor->op_type == "Exp") {
      log_scale_frames = factor->inputs[0];
    }
    tensor = node->outputs[0];
    node = OnlyConsumer(tensor);
  }
  if (node == nullptr || node->op_type != "Add" || node->inputs.size() != 2 ||
      log_scale_frames.empty()) {
    return Unlike("noise that is not scaled and added to a mean");
  }
  latent_ = node->outputs[0];
  SOTTO_ASSIGN_OR_RETURN(plan_.mean,
                         BeforeRegulation(node->inputs[node->inputs[0] == tensor ? 1 : 0]));
  SOTTO_ASSIGN_OR_RETURN(plan_.log_scale, BeforeRegulation(log_scale_frames));
  return OkStatus();
}

// Whatever the stages read that depends on the durations, other than the latent, is the mask.
Status Planner::FindMask() {
  std::unordered_set<std::string_view> on_way{latent_};
  for (const int32_t index : way_) {
    const OnnxNode& node = graph_.nodes()[static_cast<size_t>(index)];
    on_way.insert(node.outputs.begin(), node.outputs.end());
  }
  for (const int32_t index : way_) {
    for (const std::string_view input : graph_.nodes()[static_cast<size_t>(index)].inputs) {
      if (input.empty() || on_way.contains(input) || input == plan_.mask ||
          (input != plan_.durations && NodesBetween(graph_, plan_.durations, input).empty())) {
        continue;
      }
      const OnnxNode* producer = Producer(input);
      if (!plan_.mask.empty() || producer == nullptr || producer->op_type != "Cast") {
        return Unlike("frames that depend on durations by more than a mask");
      }
      plan_.mask = input;
    }
  }
  return OkStatus();
}

// Tensors that everything on the way goes through, from the latent to the audio.
std::vector<std::string_view> Planner::FindCuts() const {
  std::unordered_map<std::string_view, size_t> last_use;
  for (size_t i = 0; i < way_.size(); ++i) {
    for (const std::string_view input : graph_.nodes()[static_cast<size_t>(way_[i])].inputs) {
      last_use[input] = i;
    }
  }
  std::vector<std::string_view> cuts{latent_};
  std::vector<std::string_view> live{latent_};
  for (size_t i = 0; i < way_.size(); ++i) {
    for (const std::string_view output : graph_.nodes()[static_cast<size_t>(way_[i])].outputs) {
      if (last_use.contains(output) || output == audio_) {
        live.push_back(output);
      }
    }
    std::erase_if(live, [&](std::string_view tensor) {
      return tensor != audio_ && last_use.at(tensor) <= i;
    });
    if (live.size() == 1 && live[0] != cuts.back()) {
      cuts.push_back(live[0]);
    }
  }
  return cuts;
}

Result<VitsStage> Planner::MakeStage(std::string_view input, std::string_view output) const {
  VitsStage stage{std::string(input), std::string(output), {}, false, false};
  SOTTO_ASSIGN_OR_RETURN(stage.reach, ComputeReach(graph_, input, output));
  std::unordered_set<std::string_view> seen{input};
  std::vector<std::string_view> open{output};
  while (!open.empty()) {
    const std::string_view tensor = open.back();
    open.pop_back();
    if (tensor.empty() || !seen.insert(tensor).second) {
      continue;
    }
    if (tensor == plan_.mask) {
      stage.needs_mask = true;
    } else if (graph_.IsInput(tensor)) {
      if (tensor != speaker_input_) {
        return Unlike("frames that read the input " + std::string(tensor));
      }
      stage.needs_speaker = true;
    } else if (const OnnxNode* node = Producer(tensor); node != nullptr) {
      open.insert(open.end(), node->inputs.begin(), node->inputs.end());
    }
  }
  return stage;
}

Status Planner::FindStages() {
  const std::vector<std::string_view> cuts = FindCuts();
  if (cuts.size() < 2 || cuts.back() != audio_) {
    return Unlike("no way from noise to audio");
  }
  std::string_view start = latent_;
  int64_t samples_per_frame = 1;  // at `start`
  for (size_t i = 1; i < cuts.size(); ++i) {
    SOTTO_ASSIGN_OR_RETURN(const Reach reach, ComputeReach(graph_, start, cuts[i]));
    const int64_t output_samples_per_frame = samples_per_frame * reach.rate;
    const bool wide = reach.left + reach.right >= kStageReachFrames * output_samples_per_frame;
    if (wide || i + 1 == cuts.size()) {
      SOTTO_ASSIGN_OR_RETURN(VitsStage stage, MakeStage(start, cuts[i]));
      plan_.stages.push_back(std::move(stage));
      start = cuts[i];
      samples_per_frame = output_samples_per_frame;
    }
  }
  return OkStatus();
}

Result<VitsPlan> Planner::Plan() {
  if (graph_.outputs().empty()) {
    return Unlike("no output");
  }
  audio_ = graph_.outputs()[0].name;
  SOTTO_RETURN_IF_ERROR(FindDurations());
  SOTTO_RETURN_IF_ERROR(FindNoise());
  SOTTO_RETURN_IF_ERROR(FindRegulation());
  way_ = NodesBetween(graph_, latent_, audio_);
  SOTTO_RETURN_IF_ERROR(FindMask());
  SOTTO_RETURN_IF_ERROR(FindStages());
  return std::move(plan_);
}

}  // namespace

Result<VitsPlan> PlanVits(const OnnxGraph& graph, const std::string& speaker_input) {
  return Planner(graph, speaker_input).Plan();
}

}  // namespace sotto
