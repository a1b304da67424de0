#include "engine/jobs/sense.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sotto {

Result<std::vector<float>> EmbedText(EngineContext& context, LoadedModel& model,
                                     std::string_view text, const CancelToken& cancel) {
  SOTTO_ASSIGN_OR_RETURN(const ComputeGate::Pass pass,
                         context.gate().Enter(ComputePriority::kBackground, cancel));
  return model.embedder->Embed(text, cancel);
}

Result<std::vector<float>> EmbedSpeaker(EngineContext& context, LoadedModel& model,
                                        std::span<const float> samples, int32_t rate_hz,
                                        const CancelToken& cancel) {
  SOTTO_ASSIGN_OR_RETURN(const std::vector<float> resampled,
                         Resampled(context, samples, rate_hz, model.speaker->rate_hz()));
  SOTTO_ASSIGN_OR_RETURN(const ComputeGate::Pass pass,
                         context.gate().Enter(ComputePriority::kBackground, cancel));
  return model.speaker->Encode(resampled, cancel);
}

Result<float> ScoreTurn(EngineContext& context, LoadedModel& model, std::span<const float> samples,
                        int32_t rate_hz, const CancelToken& cancel) {
  // Only the last window counts; so much of the past as the resampler's filter may reach is kept.
  const auto window = static_cast<size_t>(
      (model.end_of_turn->window_samples() / model.end_of_turn->rate_hz() + 1) * rate_hz);
  samples = samples.last(std::min(samples.size(), window));
  SOTTO_ASSIGN_OR_RETURN(const std::vector<float> resampled,
                         Resampled(context, samples, rate_hz, model.end_of_turn->rate_hz()));
  SOTTO_ASSIGN_OR_RETURN(const ComputeGate::Pass pass,
                         context.gate().Enter(ComputePriority::kEars, cancel));
  return model.end_of_turn->Score(resampled, cancel);
}

void MixToMono(std::span<const float> interleaved, size_t channels, std::vector<float>* mono) {
  mono->resize(interleaved.size() / channels);
  for (size_t frame = 0; frame < mono->size(); ++frame) {
    float sum = 0.0f;
    for (size_t channel = 0; channel < channels; ++channel) {
      const float sample = interleaved[frame * channels + channel];
      sum += std::isfinite(sample) ? sample : 0.0f;
    }
    (*mono)[frame] = sum / static_cast<float>(channels);
  }
}

Result<std::vector<float>> Resampled(EngineContext& context, std::span<const float> samples,
                                     int32_t from_hz, int32_t to_hz) {
  std::vector<float> clean(samples.begin(), samples.end());
  for (float& sample : clean) {
    sample = std::isfinite(sample) ? sample : 0.0f;
  }
  if (from_hz == to_hz) {
    return clean;
  }
  SOTTO_ASSIGN_OR_RETURN(const std::unique_ptr<Resampler> resampler,
                         context.MakeResampler(from_hz, to_hz));
  std::vector<float> out;
  SOTTO_RETURN_IF_ERROR(AppendResampled(*resampler, clean, &out));
  SOTTO_RETURN_IF_ERROR(AppendFlushed(*resampler, &out));
  return out;
}

}  // namespace sotto
