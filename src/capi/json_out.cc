#include "capi/json_out.h"

#include <nlohmann/json.hpp>

namespace sotto::capi {
namespace {

using Json = nlohmann::ordered_json;

Json Number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json Waterfall(const WaterfallView& turn) {
  Json checkpoints = Json::array();
  for (size_t i = 0; i < kNumCheckpoints; ++i) {
    const std::optional<int64_t>& mark = turn.marks_us[i];
    checkpoints.push_back(
        {{"name", std::string(CheckpointName(static_cast<Checkpoint>(i)))},
         {"t_ms", mark ? Json(static_cast<double>(*mark) / 1000.0) : Json(nullptr)}});
  }
  Json derived = Json::object();
  for (const DerivedFigure& figure : turn.derived) {
    derived[std::string(figure.name)] = Number(figure.value_ms);
  }
  return {{"turn_id", turn.turn_id},
          {"checkpoints", std::move(checkpoints)},
          {"derived", std::move(derived)},
          {"anomalies", turn.anomalies}};
}

}  // namespace

std::string WaterfallJson(const WaterfallView& turn) { return Waterfall(turn).dump(); }

std::string TraceRingJson(const TraceRing& ring) {
  Json turns = Json::array();
  for (const WaterfallView& turn : ring.Turns()) {
    turns.push_back(Waterfall(turn));
  }
  Json summary = Json::object();
  for (const FigureSummary& figure : ring.Summary()) {
    summary[std::string(figure.name)] = {{"count", figure.count},
                                         {"p50", Number(figure.p50_ms)},
                                         {"p90", Number(figure.p90_ms)},
                                         {"p99", Number(figure.p99_ms)}};
  }
  return Json{{"turns", std::move(turns)}, {"summary", std::move(summary)}}.dump();
}

std::string ModelJson(const LoadedModel& model) {
  Json json = {{"id", model.id},
               {"role", std::string(ModelRoleName(model.role))},
               {"bytes", model.file_bytes},
               {"licence", model.licence}};
  if (model.llm != nullptr) {
    const LlmInfo& info = model.llm->info();
    json["architecture"] = info.architecture;
    json["parameters"] = info.num_parameters;
    json["context_tokens"] = info.train_context_tokens;
    json["vocab_tokens"] = info.vocab_tokens;
    json["sliding_window_tokens"] = info.sliding_window_tokens;
    json["chat_template"] = info.has_chat_template;
  } else if (model.asr != nullptr) {
    json["architecture"] = model.asr->info().architecture;
    json["languages"] = model.asr->info().languages;
    json["rate_hz"] = model.asr->info().rate_hz;
  } else if (model.tts != nullptr) {
    const TtsInfo& info = model.tts->info();
    json["architecture"] = info.architecture;
    json["language"] = info.language;
    json["rate_hz"] = info.rate_hz;
    json["voices"] = info.voices;
    json["streams_within_phrase"] = info.streams_within_phrase;
  } else if (model.vad != nullptr) {
    json["rate_hz"] = model.vad->rate_hz();
    json["window_samples"] = model.vad->window_samples();
  } else if (model.end_of_turn != nullptr) {
    json["rate_hz"] = model.end_of_turn->rate_hz();
    json["window_samples"] = model.end_of_turn->window_samples();
  } else if (model.embedder != nullptr) {
    json["dimensions"] = model.embedder->dimensions();
    json["max_tokens"] = model.embedder->max_tokens();
  } else if (model.speaker != nullptr) {
    json["rate_hz"] = model.speaker->rate_hz();
    json["dimensions"] = model.speaker->dimensions();
  }
  return json.dump();
}

}  // namespace sotto::capi
