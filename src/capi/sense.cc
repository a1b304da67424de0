#include "sotto/sense.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capi/guard.h"
#include "capi/handles.h"
#include "engine/jobs/sense.h"
#include "models/vad_segmenter.h"

using sotto::LoadedModel;
using sotto::ModelProfile;
using sotto::ModelRole;
using sotto::Result;
using sotto::Status;
using sotto::capi::CheckRange;
using sotto::capi::Guard;
using sotto::capi::OrEmpty;

struct sotto_vad {
  std::shared_ptr<sotto::capi::Runtime> runtime;
  std::shared_ptr<LoadedModel> model;
  size_t channels;
  int32_t rate_hz;
  int32_t model_rate_hz;
  sotto::VadSegmenterOptions options;
  std::unique_ptr<sotto::Resampler> resampler;  // NULL when the rates are equal
  std::unique_ptr<sotto::Vad> stream;
  std::unique_ptr<sotto::VadSegmenter> segmenter;
  std::deque<sotto::SpeechSpan> spans;
  std::vector<float> mono;
};

namespace sotto::capi {
namespace {

Status Take(sotto_vad* vad, const std::vector<VadEvent>& events) {
  for (const VadEvent& event : events) {
    if (event.kind == VadEvent::Kind::kEnded) {
      vad->spans.push_back(event.span);
    }
  }
  return OkStatus();
}

Status FeedMono(sotto_vad* vad, std::span<const float> samples) {
  std::vector<VadEvent> events;
  SOTTO_RETURN_IF_ERROR(vad->segmenter->Feed(samples, &events));
  return Take(vad, events);
}

Result<std::shared_ptr<LoadedModel>> LoadModel(sotto_engine* engine, ModelRole role,
                                               const char* id) {
  return engine->runtime->models().Load(
      {.role = role, .profile = ModelProfile::kDefault, .id = OrEmpty(id)});
}

// Gives `vector` to the caller.
Status CopyVector(const std::vector<float>& vector, float* out, size_t capacity,
                  size_t* out_dimensions) {
  *out_dimensions = vector.size();
  if (capacity < vector.size()) {
    return ResourceExhaustedError("embed: capacity " + std::to_string(capacity) + ": " +
                                  std::to_string(vector.size()) + " numbers; give more room");
  }
  std::ranges::copy(vector, out);
  return OkStatus();
}

}  // namespace
}  // namespace sotto::capi

extern "C" {

void sotto_vad_config_init(sotto_vad_config* config) {
  if (config == nullptr) {
    return;
  }
  *config = {};
  config->struct_size = sizeof *config;
  config->rate_hz = 16000;
  config->channels = 1;
  config->threshold = 0.5f;
  config->min_silence_ms = 300;
  config->pre_roll_ms = 200;
}

sotto_status sotto_vad_create(sotto_engine* engine, const sotto_vad_config* config,
                              sotto_vad** out_vad) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_vad_create", out_vad);
    *out_vad = nullptr;
    SOTTO_REQUIRE_ARGUMENT("sotto_vad_create", engine);
    SOTTO_REQUIRE_ARGUMENT("sotto_vad_create", config);
    sotto_vad_config own;
    sotto_vad_config_init(&own);
    SOTTO_RETURN_IF_ERROR(sotto::capi::ReadConfig(config, &own));
    SOTTO_RETURN_IF_ERROR(CheckRange("rate_hz", own.rate_hz, 4000u, 384'000u));
    SOTTO_RETURN_IF_ERROR(CheckRange("channels", own.channels, 1u, 64u));
    SOTTO_RETURN_IF_ERROR(CheckRange("threshold", own.threshold, 0.05f, 0.95f));
    SOTTO_RETURN_IF_ERROR(CheckRange("min_silence_ms", own.min_silence_ms, 30u, 5000u));
    SOTTO_RETURN_IF_ERROR(CheckRange("pre_roll_ms", own.pre_roll_ms, 0u, 2000u));
    auto vad = std::make_unique<sotto_vad>();
    vad->runtime = engine->runtime;
    vad->channels = own.channels;
    vad->rate_hz = static_cast<int32_t>(own.rate_hz);
    SOTTO_ASSIGN_OR_RETURN(vad->model, sotto::capi::LoadModel(engine, ModelRole::kVad, own.model));
    vad->model_rate_hz = vad->model->vad->rate_hz();
    vad->options.onset_threshold = own.threshold;
    vad->options.offset_threshold = std::max(own.threshold - 0.15f, 0.01f);
    vad->options.hangover_ms = static_cast<int32_t>(own.min_silence_ms);
    vad->options.pre_pad_ms = static_cast<int32_t>(own.pre_roll_ms);
    if (vad->rate_hz != vad->model_rate_hz) {
      SOTTO_ASSIGN_OR_RETURN(vad->resampler, engine->runtime->context().MakeResampler(
                                                 vad->rate_hz, vad->model_rate_hz));
    }
    vad->stream = vad->model->vad->NewStream();
    vad->segmenter = std::make_unique<sotto::VadSegmenter>(vad->stream.get(), vad->options);
    *out_vad = vad.release();
    return sotto::OkStatus();
  });
}

sotto_status sotto_vad_feed(sotto_vad* vad, const float* samples, size_t num_frames) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_vad_feed", vad);
    if (num_frames == 0) {
      return sotto::OkStatus();
    }
    SOTTO_REQUIRE_ARGUMENT("sotto_vad_feed", samples);
    SOTTO_RETURN_IF_ERROR(sotto::capi::CheckFrames(num_frames, vad->channels));
    sotto::MixToMono({samples, num_frames * vad->channels}, vad->channels, &vad->mono);
    if (vad->resampler == nullptr) {
      return sotto::capi::FeedMono(vad, vad->mono);
    }
    std::vector<float> resampled;
    SOTTO_RETURN_IF_ERROR(AppendResampled(*vad->resampler, vad->mono, &resampled));
    return sotto::capi::FeedMono(vad, resampled);
  });
}

sotto_status sotto_vad_finish(sotto_vad* vad) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_vad_finish", vad);
    if (vad->resampler != nullptr) {
      std::vector<float> rest;
      SOTTO_RETURN_IF_ERROR(AppendFlushed(*vad->resampler, &rest));
      SOTTO_RETURN_IF_ERROR(sotto::capi::FeedMono(vad, rest));
      vad->resampler->Reset();
    }
    std::vector<sotto::VadEvent> events;
    SOTTO_RETURN_IF_ERROR(vad->segmenter->Finish(&events));
    SOTTO_RETURN_IF_ERROR(sotto::capi::Take(vad, events));
    vad->segmenter->Reset();
    return sotto::OkStatus();
  });
}

sotto_status sotto_vad_next(sotto_vad* vad, int64_t* out_start_ms, int64_t* out_end_ms,
                            int32_t* out_found) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_vad_next", vad);
    SOTTO_REQUIRE_ARGUMENT("sotto_vad_next", out_start_ms);
    SOTTO_REQUIRE_ARGUMENT("sotto_vad_next", out_end_ms);
    SOTTO_REQUIRE_ARGUMENT("sotto_vad_next", out_found);
    *out_found = vad->spans.empty() ? 0 : 1;
    if (!vad->spans.empty()) {
      *out_start_ms = vad->spans.front().start_sample * 1000 / vad->model_rate_hz;
      *out_end_ms = vad->spans.front().end_sample * 1000 / vad->model_rate_hz;
      vad->spans.pop_front();
    }
    return sotto::OkStatus();
  });
}

void sotto_vad_release(sotto_vad* vad) { delete vad; }

sotto_status sotto_turn_score(sotto_engine* engine, const float* samples, size_t num_frames,
                              uint32_t rate_hz, float* out_probability) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_score", engine);
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_score", samples);
    SOTTO_REQUIRE_ARGUMENT("sotto_turn_score", out_probability);
    SOTTO_RETURN_IF_ERROR(sotto::capi::CheckFrames(num_frames, 1));
    SOTTO_RETURN_IF_ERROR(CheckRange("rate_hz", rate_hz, 4000u, 384'000u));
    SOTTO_ASSIGN_OR_RETURN(const std::shared_ptr<LoadedModel> model,
                           sotto::capi::LoadModel(engine, ModelRole::kTurn, nullptr));
    SOTTO_ASSIGN_OR_RETURN(*out_probability, sotto::ScoreTurn(engine->runtime->context(), *model,
                                                              {samples, num_frames},
                                                              static_cast<int32_t>(rate_hz), {}));
    return sotto::OkStatus();
  });
}

sotto_status sotto_embed_text(sotto_engine* engine, const char* model, const char* text,
                              size_t text_bytes, float* out_vector, size_t capacity,
                              size_t* out_dimensions) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_embed_text", engine);
    SOTTO_REQUIRE_ARGUMENT("sotto_embed_text", text);
    SOTTO_REQUIRE_ARGUMENT("sotto_embed_text", out_dimensions);
    const bool asks_dimensions = capacity == 0 && out_vector == nullptr;
    if (!asks_dimensions) {
      SOTTO_REQUIRE_ARGUMENT("sotto_embed_text", out_vector);
    }
    SOTTO_ASSIGN_OR_RETURN(const std::shared_ptr<LoadedModel> loaded,
                           sotto::capi::LoadModel(engine, ModelRole::kEmbedding, model));
    if (asks_dimensions) {
      *out_dimensions = static_cast<size_t>(loaded->embedder->dimensions());
      return sotto::OkStatus();
    }
    SOTTO_ASSIGN_OR_RETURN(
        const std::vector<float> vector,
        sotto::EmbedText(engine->runtime->context(), *loaded, {text, text_bytes}, {}));
    return sotto::capi::CopyVector(vector, out_vector, capacity, out_dimensions);
  });
}

sotto_status sotto_embed_speaker(sotto_engine* engine, const char* model, const float* samples,
                                 size_t num_frames, uint32_t rate_hz, float* out_vector,
                                 size_t capacity, size_t* out_dimensions) {
  return Guard([&]() -> Status {
    SOTTO_REQUIRE_ARGUMENT("sotto_embed_speaker", engine);
    SOTTO_REQUIRE_ARGUMENT("sotto_embed_speaker", out_dimensions);
    const bool asks_dimensions = capacity == 0 && out_vector == nullptr;
    if (!asks_dimensions) {
      SOTTO_REQUIRE_ARGUMENT("sotto_embed_speaker", out_vector);
      SOTTO_REQUIRE_ARGUMENT("sotto_embed_speaker", samples);
      SOTTO_RETURN_IF_ERROR(sotto::capi::CheckFrames(num_frames, 1));
    }
    SOTTO_RETURN_IF_ERROR(CheckRange("rate_hz", rate_hz, 4000u, 384'000u));
    SOTTO_ASSIGN_OR_RETURN(const std::shared_ptr<LoadedModel> loaded,
                           sotto::capi::LoadModel(engine, ModelRole::kSpeaker, model));
    if (asks_dimensions) {
      *out_dimensions = static_cast<size_t>(loaded->speaker->dimensions());
      return sotto::OkStatus();
    }
    SOTTO_ASSIGN_OR_RETURN(
        const std::vector<float> vector,
        sotto::EmbedSpeaker(engine->runtime->context(), *loaded, {samples, num_frames},
                            static_cast<int32_t>(rate_hz), {}));
    return sotto::capi::CopyVector(vector, out_vector, capacity, out_dimensions);
  });
}

}  // extern "C"
