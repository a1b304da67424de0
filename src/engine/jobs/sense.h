// One-call uses of the small models: embeddings, speakers, end of turn. Each waits for the compute
// gate, works, and returns.
#ifndef SOTTO_ENGINE_JOBS_SENSE_H_
#define SOTTO_ENGINE_JOBS_SENSE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/jobs/context.h"

namespace sotto {

// REQUIRES: the model has the port. Errors of the port; of the resampler for the rate. Any thread.
Result<std::vector<float>> EmbedText(EngineContext& context, LoadedModel& model,
                                     std::string_view text, const CancelToken& cancel);
Result<std::vector<float>> EmbedSpeaker(EngineContext& context, LoadedModel& model,
                                        std::span<const float> samples, int32_t rate_hz,
                                        const CancelToken& cancel);
Result<float> ScoreTurn(EngineContext& context, LoadedModel& model, std::span<const float> samples,
                        int32_t rate_hz, const CancelToken& cancel);

// Writes the mean of the channels of `interleaved` [frames x channels] to `mono` [frames]; what is
// not finite counts as 0. REQUIRES: channels > 0.
void MixToMono(std::span<const float> interleaved, size_t channels, std::vector<float>* mono);

// `samples` [n] mono at `from_hz` as they are at `to_hz`; what is not finite becomes 0.
Result<std::vector<float>> Resampled(EngineContext& context, std::span<const float> samples,
                                     int32_t from_hz, int32_t to_hz);

}  // namespace sotto

#endif  // SOTTO_ENGINE_JOBS_SENSE_H_
