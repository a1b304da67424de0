#include "backends/onnx/vits_voice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "backends/onnx/surgery.h"

namespace sotto {
namespace {

constexpr const char* kTokens = "input";
constexpr const char* kLengths = "input_lengths";
constexpr const char* kScales = "scales";
constexpr const char* kSpeaker = "sid";
constexpr const char* kScale = "sotto_scale";  // our name for exp(log_scale)

// Channels of the stochastic duration predictor's noise (VITS, section 2.2.2).
constexpr int64_t kDurationNoiseChannels = 2;

// ONNX Runtime's convolution splits its sums by another rule for 64 columns and fewer. The flow
// amplifies such a difference to 3e-5 in the audio; with more columns windows equal the whole to
// 5e-6. The vocoder's stages do not amplify.
constexpr int64_t kMinFlowFrames = 65;

// Beyond this a phrase is a mistake of the duration predictor: ten minutes at 86 frames/s.
constexpr int64_t kMaxFrames = 52000;

Status NotAVoice(std::string what) {
  return DataLossError("voice: " + std::move(what) + ": not a Piper voice");
}

Status CheckInputs(const OnnxGraph& graph, bool& has_speaker) {
  bool has_tokens = false;
  bool has_lengths = false;
  bool has_scales = false;
  for (const OnnxValueInfo& input : graph.inputs()) {
    if (input.name == kTokens && input.type == OnnxType::kInt64) {
      has_tokens = true;
    } else if (input.name == kLengths && input.type == OnnxType::kInt64) {
      has_lengths = true;
    } else if (input.name == kScales && input.type == OnnxType::kFloat) {
      has_scales = true;
    } else if (input.name == kSpeaker && input.type == OnnxType::kInt64) {
      has_speaker = true;
    } else {
      return NotAVoice("input " + std::string(input.name.substr(0, 40)));
    }
  }
  if (!has_tokens || !has_lengths || !has_scales || graph.outputs().size() != 1) {
    return NotAVoice("its inputs and outputs");
  }
  return OkStatus();
}

SubmodelSpec EncoderSpec(const VitsPlan& plan, bool has_speaker) {
  SubmodelSpec spec;
  spec.inputs = {{kTokens, OnnxType::kInt64, {1, -1}},
                 {kLengths, OnnxType::kInt64, {1}},
                 {kScales, OnnxType::kFloat, {3}}};
  if (has_speaker) {
    spec.inputs.push_back({kSpeaker, OnnxType::kInt64, {1}});
  }
  if (!plan.duration_noise.empty()) {
    spec.inputs.push_back({plan.duration_noise, OnnxType::kFloat, {1, kDurationNoiseChannels, -1}});
  }
  spec.outputs = {{plan.mean, OnnxType::kFloat, {}},
                  {kScale, OnnxType::kFloat, {}},
                  {plan.durations, OnnxType::kFloat, {}}};
  // By the runtime's own Exp, which differs from the C library's in the last bit.
  spec.added = {{"Exp", plan.log_scale, kScale}};
  return spec;
}

SubmodelSpec StageSpec(const VitsPlan& plan, const VitsStage& stage) {
  SubmodelSpec spec;
  spec.inputs = {{stage.input, OnnxType::kFloat, {1, -1, -1}}};
  if (stage.needs_mask) {
    spec.inputs.push_back({plan.mask, OnnxType::kFloat, {1, 1, -1}});
  }
  if (stage.needs_speaker) {
    spec.inputs.push_back({kSpeaker, OnnxType::kInt64, {1}});
  }
  spec.outputs = {{stage.output, OnnxType::kFloat, {}}};
  return spec;
}

// What the encoder says about a phrase.
struct Encoded {
  int64_t channels = 0;
  int64_t num_ids = 0;
  std::vector<float> mean;   // [channels, num_ids]
  std::vector<float> scale;  // [channels, num_ids]: exp(log_scale)
  std::vector<int64_t> id_of_frame;
};

Result<std::vector<int64_t>> FramesOfIds(std::span<const float> durations, int64_t num_ids) {
  if (std::ssize(durations) != num_ids) {
    return DataLossError("voice: " + std::to_string(durations.size()) + " durations for " +
                         std::to_string(num_ids) + " phonemes: the model does not fit");
  }
  std::vector<int64_t> frames;
  int64_t total = 0;
  for (const float duration : durations) {
    if (!(duration >= 0.0f && duration <= static_cast<float>(kMaxFrames))) {
      return InternalError("voice: a phoneme of " + std::to_string(duration) + " frames");
    }
    frames.push_back(static_cast<int64_t>(duration));
    total += frames.back();
    if (total > kMaxFrames) {
      return ResourceExhaustedError("voice: phrase over " + std::to_string(kMaxFrames) +
                                    " frames: speak it in shorter phrases");
    }
  }
  return frames;
}

}  // namespace

std::vector<TensorView> VitsVoice::EncoderInputs(const VitsRequest& request,
                                                 std::span<const int64_t> length,
                                                 std::span<const float> scales) const {
  std::vector<TensorView> inputs;
  inputs.emplace_back(std::span<const int64_t>(request.ids),
                      std::vector<int64_t>{1, std::ssize(request.ids)});
  inputs.emplace_back(length, std::vector<int64_t>{1});
  inputs.emplace_back(scales, std::vector<int64_t>{3});
  if (has_speaker_) {
    inputs.emplace_back(std::span<const int64_t>(&request.speaker, 1), std::vector<int64_t>{1});
  }
  return inputs;
}

class VitsVoice::Streamed final : public VitsUtterance {
 public:
  Streamed(std::shared_ptr<const VitsVoice> voice, VitsRequest request)
      : voice_(std::move(voice)), request_(std::move(request)), frame_noise_(request_.seed, 1) {}

  Result<std::vector<float>> Next(int64_t frames, const CancelToken& cancel) override {
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    if (!chain_) {
      SOTTO_RETURN_IF_ERROR(Encode());
    }
    return chain_->Next(frames, cancel);
  }

  bool done() const override { return chain_ && chain_->done(); }
  std::span<const int64_t> id_samples() const override { return id_samples_; }

 private:
  Status Encode();
  Status Regulate(std::span<const float> mean, std::span<const float> scale,
                  std::span<const float> durations);
  void FillLatent(int64_t begin, int64_t end, std::span<float> out);
  Result<Tensor> RunStage(const Stage& stage, std::span<const float> input, int64_t length);

  std::shared_ptr<const VitsVoice> voice_;
  VitsRequest request_;
  NormalNoise frame_noise_;
  Encoded encoded_;
  std::vector<int64_t> id_samples_;
  std::vector<float> ones_;  // the mask
  std::unique_ptr<StageChain> chain_;
};

Status VitsVoice::Streamed::Encode() {
  const int64_t num_ids = std::ssize(request_.ids);
  const std::array<float, 3> scales{request_.noise_scale, request_.length_scale, request_.noise_w};
  std::vector<TensorView> inputs =
      voice_->EncoderInputs(request_, std::span<const int64_t>(&num_ids, 1), scales);
  std::vector<float> noise;
  if (voice_->has_duration_noise_) {
    NormalNoise source(request_.seed, 0);
    noise.resize(static_cast<size_t>(kDurationNoiseChannels * num_ids));
    std::generate(noise.begin(), noise.end(), [&] { return source.Next(); });
    inputs.emplace_back(std::span<const float>(noise),
                        std::vector<int64_t>{1, kDurationNoiseChannels, num_ids});
  }
  SOTTO_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs, voice_->encoder_->Run(inputs));
  return Regulate(outputs[0].values(), outputs[1].values(), outputs[2].values());
}

Status VitsVoice::Streamed::Regulate(std::span<const float> mean, std::span<const float> scale,
                                     std::span<const float> durations) {
  const int64_t num_ids = std::ssize(request_.ids);
  SOTTO_ASSIGN_OR_RETURN(const std::vector<int64_t> frames, FramesOfIds(durations, num_ids));
  if (mean.empty() || std::ssize(mean) % num_ids != 0 || mean.size() != scale.size()) {
    return DataLossError("voice: encoder outputs of " + std::to_string(mean.size()) + " and " +
                         std::to_string(scale.size()) + " values: the model does not fit");
  }
  encoded_.channels = std::ssize(mean) / num_ids;
  encoded_.num_ids = num_ids;
  encoded_.mean.assign(mean.begin(), mean.end());
  encoded_.scale.assign(scale.begin(), scale.end());
  for (int64_t id = 0; id < num_ids; ++id) {
    encoded_.id_of_frame.insert(encoded_.id_of_frame.end(),
                                static_cast<size_t>(frames[static_cast<size_t>(id)]), id);
  }
  if (encoded_.id_of_frame.empty()) {
    encoded_.id_of_frame.push_back(0);
  }
  std::vector<ChainStage> stages;
  int64_t samples_per_frame = 1;
  for (const Stage& stage : voice_->stages_) {
    samples_per_frame *= stage.cut.reach.rate;
    stages.push_back({stage.cut.reach, stage.cut.reach.rate == 1 ? kMinFlowFrames : 1,
                      [this, &stage](std::span<const float> input, int64_t length) {
                        return RunStage(stage, input, length);
                      }});
  }
  for (const int64_t count : frames) {
    id_samples_.push_back(count * samples_per_frame);
  }
  chain_ = std::make_unique<StageChain>(
      std::move(stages), std::ssize(encoded_.id_of_frame), encoded_.channels,
      [this](int64_t begin, int64_t end, std::span<float> out) { FillLatent(begin, end, out); });
  return OkStatus();
}

// The noise is drawn frame by frame, so it does not depend on the windows.
void VitsVoice::Streamed::FillLatent(int64_t begin, int64_t end, std::span<float> out) {
  const int64_t width = end - begin;
  for (int64_t t = begin; t < end; ++t) {
    const int64_t id = encoded_.id_of_frame[static_cast<size_t>(t)];
    for (int64_t c = 0; c < encoded_.channels; ++c) {
      const auto at = static_cast<size_t>(c * encoded_.num_ids + id);
      out[static_cast<size_t>(c * width + t - begin)] =
          encoded_.mean[at] + frame_noise_.Next() * encoded_.scale[at] * request_.noise_scale;
    }
  }
}

Result<Tensor> VitsVoice::Streamed::RunStage(const Stage& stage, std::span<const float> input,
                                             int64_t length) {
  std::vector<TensorView> inputs;
  inputs.emplace_back(input, std::vector<int64_t>{1, std::ssize(input) / length, length});
  if (stage.cut.needs_mask) {
    if (std::ssize(ones_) < length) {
      ones_.assign(static_cast<size_t>(length), 1.0f);
    }
    inputs.emplace_back(std::span<const float>(ones_).first(static_cast<size_t>(length)),
                        std::vector<int64_t>{1, 1, length});
  }
  if (stage.cut.needs_speaker) {
    inputs.emplace_back(std::span<const int64_t>(&request_.speaker, 1), std::vector<int64_t>{1});
  }
  SOTTO_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, stage.session->Run(inputs));
  return std::move(outputs[0]);
}

class VitsVoice::Whole final : public VitsUtterance {
 public:
  Whole(std::shared_ptr<const VitsVoice> voice, VitsRequest request)
      : voice_(std::move(voice)), request_(std::move(request)) {}

  Result<std::vector<float>> Next(int64_t, const CancelToken& cancel) override {
    SOTTO_RETURN_IF_ERROR(cancel.Check());
    const int64_t num_ids = std::ssize(request_.ids);
    // No noise: the runtime's own generator cannot be seeded per phrase.
    const std::array<float, 3> scales{0.0f, request_.length_scale, 0.0f};
    const std::vector<TensorView> inputs =
        voice_->EncoderInputs(request_, std::span<const int64_t>(&num_ids, 1), scales);
    SOTTO_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs, voice_->whole_->Run(inputs));
    done_ = true;
    return std::vector<float>(outputs[0].values().begin(), outputs[0].values().end());
  }

  bool done() const override { return done_; }
  std::span<const int64_t> id_samples() const override { return {}; }

 private:
  std::shared_ptr<const VitsVoice> voice_;
  VitsRequest request_;
  bool done_ = false;
};

Status VitsVoice::LoadParts(const OnnxGraph& graph, const VitsPlan& plan,
                            const SessionOptions& options) {
  {
    SOTTO_ASSIGN_OR_RETURN(const std::string part,
                           ExtractSubmodel(graph, EncoderSpec(plan, has_speaker_)));
    SOTTO_ASSIGN_OR_RETURN(encoder_, Session::Load(part, "voice encoder", options));
  }
  for (const VitsStage& cut : plan.stages) {
    SOTTO_ASSIGN_OR_RETURN(const std::string part, ExtractSubmodel(graph, StageSpec(plan, cut)));
    SOTTO_ASSIGN_OR_RETURN(
        std::unique_ptr<Session> session,
        Session::Load(part, "voice stage " + std::to_string(stages_.size()), options));
    stages_.push_back({cut, std::move(session)});
  }
  has_duration_noise_ = !plan.duration_noise.empty();
  return OkStatus();
}

Result<std::shared_ptr<const VitsVoice>> VitsVoice::Load(std::string_view model,
                                                         const SessionOptions& options) {
  SOTTO_ASSIGN_OR_RETURN(const OnnxGraph graph, OnnxGraph::Parse(model));
  std::shared_ptr<VitsVoice> voice(new VitsVoice);
  SOTTO_RETURN_IF_ERROR(CheckInputs(graph, voice->has_speaker_));
  const Result<VitsPlan> plan = PlanVits(graph, voice->has_speaker_ ? kSpeaker : "");
  if (plan.ok()) {
    SOTTO_RETURN_IF_ERROR(voice->LoadParts(graph, *plan, options));
  } else if (plan.status().code() == Code::kUnimplemented) {
    options.log.Write(LogLevel::kInfo, plan.status().message());
    // The graph's own order of inputs may differ from EncoderInputs().
    SubmodelSpec spec = EncoderSpec(VitsPlan(), voice->has_speaker_);
    spec.added.clear();
    spec.outputs = {{std::string(graph.outputs()[0].name), OnnxType::kFloat, {}}};
    SOTTO_ASSIGN_OR_RETURN(const std::string part, ExtractSubmodel(graph, spec));
    SOTTO_ASSIGN_OR_RETURN(voice->whole_, Session::Load(part, "voice", options));
  } else {
    return plan.status();
  }
  return std::shared_ptr<const VitsVoice>(std::move(voice));
}

std::unique_ptr<VitsUtterance> VitsVoice::Start(VitsRequest request) const {
  if (streams()) {
    return std::make_unique<Streamed>(shared_from_this(), std::move(request));
  }
  return std::make_unique<Whole>(shared_from_this(), std::move(request));
}

}  // namespace sotto
