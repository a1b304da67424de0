// sotto bench: what this machine does, measured through the C ABI as a host would. Peers are what
// the library itself can be set against; those that need another library's calls are in bench/.
#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"

namespace sotto::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint32_t kRateHz = 16000;

struct BenchSettings {
  std::string what;
  std::string audio;
  uint32_t runs = 5;
  // Told before each run; 0 is the one that warms up.
  std::function<void(uint32_t run)> tell = [](uint32_t) {};
};

struct Row {
  std::string name;
  double value = 0;
  std::string unit;
  std::string peer;
  double peer_value = 0;
  double ratio = 0;  // above 1: better than the peer
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

// Models that stay loaded between the runs; what is measured is their work.
std::vector<Model> Kept(const BenchSettings& settings, Engine& engine) {
  std::vector<Model> kept;
  const bool turn = settings.what == "turn";
  if (settings.what == "vad" || settings.what == "asr" || turn) {
    kept.emplace_back(engine, SOTTO_ROLE_VAD);
  }
  if (settings.what == "asr") {
    kept.emplace_back(engine, SOTTO_ROLE_ASR, SOTTO_PROFILE_FAST);
  }
  if (settings.what == "asr" || turn) {
    kept.emplace_back(engine, SOTTO_ROLE_ASR, SOTTO_PROFILE_BEST);
  }
  if (settings.what == "text" || turn) {
    kept.emplace_back(engine, SOTTO_ROLE_TEXT);
  }
  if (settings.what == "tts" || turn) {
    kept.emplace_back(engine, SOTTO_ROLE_TTS, SOTTO_PROFILE_FAST);
  }
  return kept;
}

// The median of the runs, after one that warms up.
template <typename Measure>
double MedianOf(const BenchSettings& settings, Measure&& measure) {
  std::vector<double> values;
  for (uint32_t i = 0; i <= settings.runs; ++i) {
    settings.tell(i);
    const double value = measure();
    if (i > 0) {
      values.push_back(value);
    }
  }
  return Median(std::move(values));
}

struct SpeechTimes {
  double first_block_ms = 0;
  double total_ms = 0;
  std::vector<float> samples;
};

SpeechTimes Speak(Engine& engine, const std::string& text, int32_t profile, uint32_t rate_hz) {
  sotto_speech_config config = SpeechConfig();
  config.profile = profile;
  config.rate_hz = rate_hz;
  Speech speech(engine, config);
  const InterruptScope scope([&speech] { speech.Cancel(); });
  SpeechTimes times;
  std::vector<float> block(4096);
  const Stopwatch watch;
  speech.PushText(text);
  speech.Finish();
  for (bool is_end = false; !is_end;) {
    const SoundRead read = speech.Read(block.data(), block.size());
    if (read.num_samples > 0 && times.samples.empty()) {
      times.first_block_ms = watch.ElapsedMs();
    }
    times.samples.insert(times.samples.end(), block.begin(),
                         block.begin() + static_cast<std::ptrdiff_t>(read.num_samples));
    is_end = read.is_end;
  }
  times.total_ms = watch.ElapsedMs();
  return times;
}

// The sound to listen to: the user's file, else a sentence spoken by the pack's own voice.
std::vector<float> Sound(const BenchSettings& settings, Engine& engine) {
  if (!settings.audio.empty()) {
    const Clip clip(InputPath(settings.audio), kRateHz);
    return {clip.samples(), clip.samples() + clip.num_samples()};
  }
  return Speak(engine,
               "The quick brown fox jumps over the lazy dog, and the rain keeps falling on the "
               "roofs of the old town.",
               SOTTO_PROFILE_FAST, kRateHz)
      .samples;
}

std::vector<Row> BenchVad(const BenchSettings& settings, Engine& engine) {
  std::vector<float> sound = Sound(settings, engine);
  if (sound.empty()) {
    throw CliError(kBadInput, "bench: sound: empty; give a longer file with --audio");
  }
  const std::vector<float> once = sound;
  while (sound.size() < size_t{kRateHz} * 60) {
    sound.insert(sound.end(), once.begin(), once.end());
  }
  const double ms = MedianOf(settings, [&] {
    Vad vad(engine);
    const Stopwatch watch;
    vad.Feed(sound.data(), sound.size());
    vad.Finish();
    return watch.ElapsedMs();
  });
  constexpr double kWindowSamples = 512;  // 32 ms, one step of the detector
  const double windows = static_cast<double>(sound.size()) / kWindowSamples;
  return {{"vad.window", ms * 1000 / windows, "us", "", 0, 0},
          {"vad.speed", Seconds(sound.size(), kRateHz) * 1000 / ms, "x real time", "", 0, 0}};
}

std::vector<Row> BenchAsr(const BenchSettings& settings, Engine& engine) {
  const std::vector<float> sound = Sound(settings, engine);
  std::vector<Row> rows;
  for (const int32_t profile : {SOTTO_PROFILE_FAST, SOTTO_PROFILE_BEST}) {
    sotto_transcriber_config config = TranscriberConfig();
    config.profile = profile;
    const double ms = MedianOf(settings, [&] {
      Transcriber transcriber(engine, config);
      const InterruptScope scope([&transcriber] { transcriber.Cancel(); });
      const Stopwatch watch;
      std::future<void> feeder = std::async(std::launch::async, [&] {
        transcriber.Feed(sound.data(), sound.size());
        transcriber.Finish();
      });
      for (;;) {
        const TranscriptEvent event = transcriber.Next();
        if (event.type == SOTTO_TRANSCRIPT_DONE) {
          CheckEnd(event.status, event.message);
          return watch.ElapsedMs();
        }
      }
    });
    const std::string name = profile == SOTTO_PROFILE_FAST ? "asr.fast" : "asr.best";
    rows.push_back({name + ".clip", ms, "ms", "", 0, 0});
    rows.push_back(
        {name + ".speed", Seconds(sound.size(), kRateHz) * 1000 / ms, "x real time", "", 0, 0});
  }
  return rows;
}

std::vector<Row> BenchText(const BenchSettings& settings, Engine& engine) {
  std::string prompt;
  for (int i = 0; i < 60; ++i) {
    prompt += "Line " + std::to_string(i) + " of a list that only has to be read. ";
  }
  prompt += "Now count from one to fifty in words.";
  std::vector<double> decode;
  std::vector<double> read;
  std::vector<double> first_ms;
  for (uint32_t i = 0; i <= settings.runs; ++i) {
    settings.tell(i);
    sotto_generation_config config = GenerationConfig();
    config.temperature = 0;
    config.max_tokens = 64;
    Generation generation(engine, config);
    const InterruptScope scope([&generation] { generation.Cancel(); });
    // Another first word each time, so that no prompt is remembered.
    generation.PushMessage(SOTTO_CHAT_USER, std::to_string(i) + " " + prompt);
    generation.Start();
    for (bool done = false; !done;) {
      const GenerationEvent event = generation.Next();
      done = event.type == SOTTO_GENERATION_DONE;
      CheckEnd(event.status, event.message);
    }
    const sotto_generation_stats stats = generation.Stats();
    if (i == 0 || stats.decode_us <= 0 || stats.prompt_us <= 0) {
      continue;  // the run that warms up, or a model that answered nothing
    }
    decode.push_back(stats.completion_tokens * 1e6 / static_cast<double>(stats.decode_us));
    read.push_back((stats.prompt_tokens - stats.reused_tokens) * 1e6 /
                   static_cast<double>(stats.prompt_us));
    first_ms.push_back(static_cast<double>(stats.first_token_us) / 1000);
  }
  return {{"text.decode", Median(decode), "tokens/s", "", 0, 0},
          {"text.prompt", Median(read), "tokens/s", "", 0, 0},
          {"text.first_token", Median(first_ms), "ms", "", 0, 0}};
}

std::vector<Row> BenchTts(const BenchSettings& settings, Engine& engine) {
  static constexpr std::pair<const char*, const char*> kPhrases[] = {
      {"2s", "The meeting has been moved to Friday."},
      {"5s",
       "The quick brown fox jumps over the lazy dog while the band plays on and the rain keeps "
       "falling down."}};
  std::vector<Row> rows;
  for (const auto& [name, text] : kPhrases) {
    std::vector<double> first;
    std::vector<double> whole;
    double seconds = 0;
    for (uint32_t i = 0; i <= settings.runs; ++i) {
      settings.tell(i);
      const SpeechTimes times = Speak(engine, text, SOTTO_PROFILE_FAST, kRateHz);
      if (i == 0) {
        continue;  // the run that warms up
      }
      first.push_back(times.first_block_ms);
      whole.push_back(times.total_ms);
      seconds = Seconds(times.samples.size(), kRateHz);
    }
    const double first_ms = Median(first);
    const double whole_ms = Median(whole);
    const std::string prefix = std::string("tts.") + name;
    rows.push_back({prefix + ".first_block", first_ms, "ms", "last block of the same run", whole_ms,
                    first_ms > 0 ? whole_ms / first_ms : 0});
    rows.push_back({prefix + ".speed", seconds * 1000 / whole_ms, "x real time", "", 0, 0});
  }
  return rows;
}

// The answer's sound is read and dropped.
Json OneTurn(Engine& engine, const std::vector<float>& sound) {
  Turn turn(engine);
  const InterruptScope scope([&turn] { turn.Cancel(); });
  std::future<void> reader = std::async(std::launch::async, [&] {
    std::vector<float> block(4096);
    while (!turn.ReadAudio(block.data(), block.size()).is_end) {
    }
  });
  turn.PushAudio(sound.data(), sound.size());
  turn.Finish();
  for (;;) {
    const TurnEvent event = turn.Next();
    if (event.type == SOTTO_TURN_ENDED) {
      CheckEnd(event.status, event.message);
      reader.get();
      return Json::parse(turn.TraceJson());
    }
  }
}

std::vector<Row> BenchTurn(const BenchSettings& settings, Engine& engine) {
  const std::vector<float> sound = Sound(settings, engine);
  std::vector<std::pair<std::string, std::vector<double>>> figures;
  for (uint32_t i = 0; i <= settings.runs; ++i) {
    settings.tell(i);
    const Json trace = OneTurn(engine, sound);
    if (i == 0) {
      continue;
    }
    const Json derived = trace.value("derived", Json::object());
    for (const auto& [name, value] : derived.items()) {
      if (!value.is_number()) {
        continue;
      }
      auto at = std::find_if(figures.begin(), figures.end(),
                             [key = name](const auto& one) { return one.first == key; });
      if (at == figures.end()) {
        at = figures.insert(figures.end(), {name, {}});
      }
      at->second.push_back(value.get<double>());
    }
  }
  std::vector<Row> rows;
  for (const auto& [name, values] : figures) {
    rows.push_back({"turn." + name, Median(values), "ms", "", 0, 0});
  }
  return rows;
}

std::vector<Row> Measure(const BenchSettings& settings, Engine& engine) {
  if (settings.what == "vad") {
    return BenchVad(settings, engine);
  }
  if (settings.what == "asr") {
    return BenchAsr(settings, engine);
  }
  if (settings.what == "text") {
    return BenchText(settings, engine);
  }
  return settings.what == "tts" ? BenchTts(settings, engine) : BenchTurn(settings, engine);
}

Json RowJson(const Row& row) {
  const bool has_peer = !row.peer.empty();
  return {{"name", row.name},
          {"value", Rounded(row.value)},
          {"unit", row.unit},
          {"peer", has_peer ? Json(row.peer) : Json(nullptr)},
          {"peer_value", has_peer ? Json(Rounded(row.peer_value)) : Json(nullptr)},
          {"ratio", has_peer ? Json(Rounded(row.ratio)) : Json(nullptr)}};
}

ExitCode RunBench(const BenchSettings& settings, Context& context) {
  Engine& engine = context.engine();
  const std::vector<Model> kept_loaded = Kept(settings, engine);
  BenchSettings told = settings;
  told.tell = [&](uint32_t run) {
    context.console.Status(
        "bench " + settings.what + ": " +
        (run == 0 ? "warming up"
                  : "run " + std::to_string(run) + " of " + std::to_string(settings.runs)));
  };
  const std::vector<Row> rows = Measure(told, engine);
  context.console.Status("");
  if (context.globals.json) {
    Json listed = Json::array();
    for (const Row& row : rows) {
      listed.push_back(RowJson(row));
    }
    context.console.Json({{"rows", listed},
                          {"machine", Json::parse(engine.DoctorJson()).value("machine", Json())},
                          {"revision", Json::parse(BuildInfoJson()).value("revision", "")}});
    return kDone;
  }
  for (const Row& row : rows) {
    char line[192];
    std::snprintf(line, sizeof line, "%-32s %12.2f %-12s", row.name.c_str(), row.value,
                  row.unit.c_str());
    std::string text = line;
    if (!row.peer.empty()) {
      std::snprintf(line, sizeof line, "  %s %.2f, %.2fx", row.peer.c_str(), row.peer_value,
                    row.ratio);
      text += line;
    }
    context.console.Result(text + "\n");
  }
  const Json machine = Json::parse(engine.DoctorJson()).value("machine", Json::object());
  context.console.Note(machine.value("processor", "unknown") + ", " +
                       std::to_string(machine.value("cores_usable", 0)) + " cores, revision " +
                       Json::parse(BuildInfoJson()).value("revision", "unknown"));
  return kDone;
}

}  // namespace

Action DeclareBench(CLI::App& app) {
  const auto settings = std::make_shared<BenchSettings>();
  Options options(app, "bench");
  options.Choice("WHAT", settings->what, {"vad", "asr", "text", "tts", "turn"}, "what to measure")
      ->required();
  options.OwnText("--audio", settings->audio, "a sound file to listen to")->type_name("FILE");
  options.Whole("--runs", settings->runs, {1, 1000}, "of which the median counts");
  return [settings](Context& context) { return RunBench(*settings, context); };
}

}  // namespace sotto::cli
