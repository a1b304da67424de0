// sotto/sotto.hpp - the C ABI with C++17 lifetimes and errors, and nothing else.
//
//   sotto::Engine engine;
//   sotto::Clip clip("question.wav", 16000);
//
//   sotto::Transcriber transcriber(engine);
//   transcriber.Feed(clip.samples(), clip.num_samples());
//   transcriber.Finish();
//   for (auto event = transcriber.Next(); event.type != SOTTO_TRANSCRIPT_DONE;
//        event = transcriber.Next()) { ... }
//
// Each class owns one handle of the C header that it is named after; that header says what a call
// does, costs and expects, and from which threads. Handles move and do not copy, and may be
// destroyed in any order. What can fail throws sotto::Error. A program that wants no exceptions
// calls the C functions with get(); both ways mix.
#ifndef SOTTO_SOTTO_HPP_
#define SOTTO_SOTTO_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/owner.hpp"
#include "sotto/sotto.h"

namespace sotto {

// Configs with their defaults, to be changed and passed on.
inline sotto_engine_config EngineConfig() {
  return internal::Defaults<sotto_engine_config, sotto_engine_config_init>();
}
inline sotto_transcriber_config TranscriberConfig() {
  return internal::Defaults<sotto_transcriber_config, sotto_transcriber_config_init>();
}
inline sotto_speech_config SpeechConfig() {
  return internal::Defaults<sotto_speech_config, sotto_speech_config_init>();
}
inline sotto_generation_config GenerationConfig() {
  return internal::Defaults<sotto_generation_config, sotto_generation_config_init>();
}
inline sotto_turn_config TurnConfig() {
  return internal::Defaults<sotto_turn_config, sotto_turn_config_init>();
}
inline sotto_vad_config VadConfig() {
  return internal::Defaults<sotto_vad_config, sotto_vad_config_init>();
}

inline std::string BuildInfoJson() {
  return internal::Text([](char** out) { return sotto_build_info_json(out); });
}

// --- engine.h, model.h, store.h -----------------------------------------------------------------

class Engine : public internal::Owner<sotto_engine, sotto_engine_release> {
 public:
  explicit Engine(const sotto_engine_config& config = EngineConfig())
      : Owner(internal::Create<sotto_engine>(
            [&](sotto_engine** out) { return sotto_engine_create(&config, out); })) {}

  sotto_engine_memory Memory() const {
    auto memory = internal::Sized<sotto_engine_memory>();
    Check(sotto_engine_memory_get(get(), &memory));
    return memory;
  }
  std::string DoctorJson() const {
    return internal::Text([&](char** out) { return sotto_engine_doctor_json(get(), out); });
  }
  std::string TraceJson() const {
    return internal::Text([&](char** out) { return sotto_engine_trace_json(get(), out); });
  }
  std::string StoreListJson() const {
    return internal::Text([&](char** out) { return sotto_store_list_json(get(), out); });
  }
  std::string StoreShowJson(const std::string& id) const {
    return internal::Text(
        [&](char** out) { return sotto_store_show_json(get(), id.c_str(), out); });
  }
  std::string StoreRemoveJson(const std::string& id, bool force = false) {
    return internal::Text(
        [&](char** out) { return sotto_store_remove_json(get(), id.c_str(), force ? 1 : 0, out); });
  }
};

class Model : public internal::Owner<sotto_model, sotto_model_release> {
 public:
  // `id` may be NULL: the pack decides.
  Model(const Engine& engine, int32_t role, int32_t profile = SOTTO_PROFILE_DEFAULT,
        const char* id = nullptr)
      : Owner(internal::Create<sotto_model>([&](sotto_model** out) {
          return sotto_model_load(engine.get(), role, profile, id, out);
        })) {}

  std::string DescribeJson() const {
    return internal::Text([&](char** out) { return sotto_model_describe_json(get(), out); });
  }
  uint64_t capabilities() const { return sotto_model_capabilities(get()); }
};

struct PullEvent {
  int32_t type = SOTTO_PULL_NONE;
  sotto_status status = SOTTO_OK;
  uint64_t done_bytes = 0;
  uint64_t total_bytes = 0;
  uint64_t rate_bytes_per_s = 0;
  uint64_t all_done_bytes = 0;
  uint64_t all_total_bytes = 0;
  std::string item;
  std::string file;
  std::string phase;
  std::string text;
};

class Pull : public internal::Owner<sotto_pull, sotto_pull_release> {
 public:
  Pull(const Engine& engine, const std::vector<std::string>& ids)
      : Owner(internal::Create<sotto_pull>([&](sotto_pull** out) {
          std::vector<const char*> raw;
          for (const std::string& id : ids) {
            raw.push_back(id.c_str());
          }
          return sotto_pull_create(engine.get(), raw.data(), raw.size(), out);
        })) {}

  PullEvent Next(int64_t timeout_ms = -1) {
    auto event = internal::Sized<sotto_pull_event>();
    Check(sotto_pull_next(get(), &event, timeout_ms));
    const auto text = [](const char* from) { return std::string(from == nullptr ? "" : from); };
    return {event.type,
            event.status,
            event.done_bytes,
            event.total_bytes,
            event.rate_bytes_per_s,
            event.all_done_bytes,
            event.all_total_bytes,
            text(event.item),
            text(event.file),
            text(event.phase),
            text(event.text)};
  }
  void Cancel() const { Check(sotto_pull_cancel(get())); }
};

// --- audio.h ------------------------------------------------------------------------------------

class Clip : public internal::Owner<sotto_audio_clip, sotto_audio_clip_release> {
 public:
  Clip(const std::string& path, uint32_t rate_hz)
      : Owner(internal::Create<sotto_audio_clip>([&](sotto_audio_clip** out) {
          return sotto_audio_clip_load(path.c_str(), rate_hz, out);
        })),
        info_(internal::Sized<sotto_audio_clip_info>()) {
    Check(sotto_audio_clip_get(get(), &info_));
  }

  const sotto_audio_clip_info& info() const { return info_; }
  const float* samples() const { return info_.samples; }
  size_t num_samples() const { return static_cast<size_t>(info_.num_samples); }
  double seconds() const {
    return static_cast<double>(info_.num_samples) / static_cast<double>(info_.rate_hz);
  }

 private:
  sotto_audio_clip_info info_;
};

class AudioWriter : public internal::Owner<sotto_audio_writer, sotto_audio_writer_release> {
 public:
  AudioWriter(const std::string& path, uint32_t rate_hz, uint32_t channels = 1)
      : Owner(internal::Create<sotto_audio_writer>([&](sotto_audio_writer** out) {
          return sotto_audio_writer_create(path.c_str(), rate_hz, channels, out);
        })) {}

  void Write(const float* samples, size_t num_frames) {
    Check(sotto_audio_writer_write(get(), samples, num_frames));
  }
  // The file is under its name from here on; without it nothing is.
  void Commit() { Check(sotto_audio_writer_commit(get())); }
};

// What a read of sound gave.
struct SoundRead {
  size_t num_samples = 0;
  bool is_end = false;
};

// --- transcribe.h -------------------------------------------------------------------------------

struct TranscriptEvent {
  int32_t type = SOTTO_TRANSCRIPT_NONE;
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  sotto_status status = SOTTO_OK;
  std::string text;
  std::string message;  // Of `status`.
};

class Transcriber : public internal::Owner<sotto_transcriber, sotto_transcriber_release> {
 public:
  explicit Transcriber(const Engine& engine,
                       const sotto_transcriber_config& config = TranscriberConfig())
      : Owner(internal::Create<sotto_transcriber>([&](sotto_transcriber** out) {
          return sotto_transcriber_create(engine.get(), &config, out);
        })) {}

  void Feed(const float* samples, size_t num_frames) {
    Check(sotto_transcriber_feed(get(), samples, num_frames));
  }
  void Finish() { Check(sotto_transcriber_finish(get())); }
  TranscriptEvent Next(int64_t timeout_ms = -1) {
    auto event = internal::Sized<sotto_transcript_event>();
    Check(sotto_transcriber_next(get(), &event, timeout_ms));
    return {event.type,
            event.start_ms,
            event.end_ms,
            event.status,
            std::string(event.text, event.text_bytes),
            internal::MessageOf(event.status)};
  }
  void Cancel() const { Check(sotto_transcriber_cancel(get())); }
};

// --- speak.h ------------------------------------------------------------------------------------

class Speech : public internal::Owner<sotto_speech, sotto_speech_release> {
 public:
  explicit Speech(const Engine& engine, const sotto_speech_config& config = SpeechConfig())
      : Owner(internal::Create<sotto_speech>(
            [&](sotto_speech** out) { return sotto_speech_create(engine.get(), &config, out); })) {}

  uint32_t rate_hz() const { return sotto_speech_rate_hz(get()); }
  void PushText(std::string_view text) {
    Check(sotto_speech_push_text(get(), text.data(), text.size()));
  }
  void Finish() { Check(sotto_speech_finish(get())); }
  SoundRead Read(float* out_samples, size_t max_samples, int64_t timeout_ms = -1) {
    SoundRead read;
    int32_t is_end = 0;
    Check(
        sotto_speech_read(get(), out_samples, max_samples, &read.num_samples, &is_end, timeout_ms));
    read.is_end = is_end != 0;
    return read;
  }
  uint64_t SpokenBytes(uint64_t num_samples) const {
    uint64_t text_bytes = 0;
    Check(sotto_speech_spoken(get(), num_samples, &text_bytes));
    return text_bytes;
  }
  void Cancel() const { Check(sotto_speech_cancel(get())); }
};

// --- generate.h ---------------------------------------------------------------------------------

struct GenerationEvent {
  int32_t type = SOTTO_GENERATION_NONE;
  sotto_status status = SOTTO_OK;
  int32_t finish = SOTTO_FINISH_NONE;
  std::string text;
  std::string message;  // Of `status`.
};

class Generation : public internal::Owner<sotto_generation, sotto_generation_release> {
 public:
  explicit Generation(const Engine& engine,
                      const sotto_generation_config& config = GenerationConfig())
      : Owner(internal::Create<sotto_generation>([&](sotto_generation** out) {
          return sotto_generation_create(engine.get(), &config, out);
        })) {}

  void PushMessage(int32_t role, std::string_view text) {
    Check(sotto_generation_push_message(get(), role, text.data(), text.size()));
  }
  void Start() { Check(sotto_generation_start(get())); }
  GenerationEvent Next(int64_t timeout_ms = -1) {
    auto event = internal::Sized<sotto_generation_event>();
    Check(sotto_generation_next(get(), &event, timeout_ms));
    return {event.type, event.status, event.finish, std::string(event.text, event.text_bytes),
            internal::MessageOf(event.status)};
  }
  sotto_generation_stats Stats() const {
    auto stats = internal::Sized<sotto_generation_stats>();
    Check(sotto_generation_stats_get(get(), &stats));
    return stats;
  }
  void Cancel() const { Check(sotto_generation_cancel(get())); }
};

// --- turn.h -------------------------------------------------------------------------------------

struct TurnEvent {
  int32_t type = SOTTO_TURN_NONE;
  int64_t time_us = 0;
  sotto_status status = SOTTO_OK;
  std::string text;
  std::string message;  // Of `status`.
};

class Turn : public internal::Owner<sotto_turn, sotto_turn_release> {
 public:
  explicit Turn(const Engine& engine, const sotto_turn_config& config = TurnConfig())
      : Owner(internal::Create<sotto_turn>(
            [&](sotto_turn** out) { return sotto_turn_create(engine.get(), &config, out); })) {}

  void PushAudio(const float* samples, size_t num_frames) {
    Check(sotto_turn_push_audio(get(), samples, num_frames));
  }
  void PushText(std::string_view text) {
    Check(sotto_turn_push_text(get(), text.data(), text.size()));
  }
  void Finish() { Check(sotto_turn_finish(get())); }
  TurnEvent Next(int64_t timeout_ms = -1) {
    auto event = internal::Sized<sotto_turn_event>();
    Check(sotto_turn_next(get(), &event, timeout_ms));
    return {event.type, event.time_us, event.status, std::string(event.text, event.text_bytes),
            internal::MessageOf(event.status)};
  }
  uint32_t reply_rate_hz() const { return sotto_turn_reply_rate_hz(get()); }
  SoundRead ReadAudio(float* out_samples, size_t max_samples, int64_t timeout_ms = -1) {
    SoundRead read;
    int32_t is_end = 0;
    Check(sotto_turn_read_audio(get(), out_samples, max_samples, &read.num_samples, &is_end,
                                timeout_ms));
    read.is_end = is_end != 0;
    return read;
  }
  void MarkPlayed() const { Check(sotto_turn_mark_played(get())); }
  std::string TraceJson() const {
    return internal::Text([&](char** out) { return sotto_turn_trace_json(get(), out); });
  }
  void Cancel() const { Check(sotto_turn_cancel(get())); }
};

// --- sense.h ------------------------------------------------------------------------------------

struct SpeechSpan {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
};

class Vad : public internal::Owner<sotto_vad, sotto_vad_release> {
 public:
  explicit Vad(const Engine& engine, const sotto_vad_config& config = VadConfig())
      : Owner(internal::Create<sotto_vad>(
            [&](sotto_vad** out) { return sotto_vad_create(engine.get(), &config, out); })) {}

  void Feed(const float* samples, size_t num_frames) {
    Check(sotto_vad_feed(get(), samples, num_frames));
  }
  void Finish() { Check(sotto_vad_finish(get())); }
  // False when no span is finished; `*out` is unchanged then.
  bool Next(SpeechSpan* out) {
    int32_t found = 0;
    SpeechSpan span;
    Check(sotto_vad_next(get(), &span.start_ms, &span.end_ms, &found));
    if (found != 0) {
      *out = span;
    }
    return found != 0;
  }
};

inline float TurnScore(const Engine& engine, const float* samples, size_t num_frames,
                       uint32_t rate_hz) {
  float probability = 0;
  Check(sotto_turn_score(engine.get(), samples, num_frames, rate_hz, &probability));
  return probability;
}

// `model` may be NULL: the pack's.
inline std::vector<float> EmbedText(const Engine& engine, std::string_view text,
                                    const char* model = nullptr) {
  size_t dimensions = 0;
  Check(sotto_embed_text(engine.get(), model, text.data(), text.size(), nullptr, 0, &dimensions));
  std::vector<float> vector(dimensions);
  Check(sotto_embed_text(engine.get(), model, text.data(), text.size(), vector.data(),
                         vector.size(), &dimensions));
  return vector;
}

inline std::vector<float> EmbedSpeaker(const Engine& engine, const Clip& clip,
                                       const char* model = nullptr) {
  const uint32_t rate_hz = clip.info().rate_hz;
  size_t dimensions = 0;
  Check(sotto_embed_speaker(engine.get(), model, clip.samples(), clip.num_samples(), rate_hz,
                            nullptr, 0, &dimensions));
  std::vector<float> vector(dimensions);
  Check(sotto_embed_speaker(engine.get(), model, clip.samples(), clip.num_samples(), rate_hz,
                            vector.data(), vector.size(), &dimensions));
  return vector;
}

}  // namespace sotto

#endif  // SOTTO_SOTTO_HPP_
