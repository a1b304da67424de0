// sotto say: text into speech.
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/sound_out.h"

namespace sotto::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kReadSamples = 4096;

struct SaySettings {
  std::vector<std::string> words;
  SoundTarget target;
  std::string voice;
  std::string model;
  float speed = 1;
  uint32_t rate_hz = 0;
  uint32_t seed = 0;
  bool fast = false;
  bool best = false;
  bool list_voices = false;
};

struct Spoken {
  uint64_t num_samples = 0;
  double first_block_ms = 0;
  double total_ms = 0;
};

int32_t Profile(const SaySettings& settings) {
  return settings.best ? SOTTO_PROFILE_BEST : SOTTO_PROFILE_FAST;
}

sotto_speech_config Config(const SaySettings& settings) {
  sotto_speech_config config = SpeechConfig();
  config.rate_hz = TargetRateHz(settings.target, settings.rate_hz);
  config.profile = Profile(settings);
  config.speed = settings.speed;
  config.seed = settings.seed;
  config.model = OrNull(settings.model);
  config.voice = OrNull(settings.voice);
  return config;
}

// From the call that pushes the text on: the model has been loaded.
Spoken Speak(Speech& speech, const std::string& text, SoundOut& out) {
  const InterruptScope scope([&speech] { speech.Cancel(); });
  Spoken spoken;
  std::vector<float> block(kReadSamples);
  const Stopwatch watch;
  speech.PushText(text);
  speech.Finish();
  for (bool is_end = false; !is_end;) {
    const SoundRead read = speech.Read(block.data(), block.size());
    if (read.num_samples > 0 && spoken.num_samples == 0) {
      spoken.first_block_ms = watch.ElapsedMs();
    }
    spoken.num_samples += read.num_samples;
    out.Write(block.data(), read.num_samples);
    is_end = read.is_end;
  }
  spoken.total_ms = watch.ElapsedMs();
  return spoken;
}

ExitCode ListVoices(const SaySettings& settings, Context& context) {
  const Model model(context.engine(), SOTTO_ROLE_TTS, Profile(settings), OrNull(settings.model));
  const Json description = Json::parse(model.DescribeJson());
  const Json voices = description.value("voices", Json::array());
  if (context.globals.json) {
    context.console.Json({{"model", description.value("id", "")}, {"voices", voices}});
    return kDone;
  }
  for (const auto& voice : voices) {
    context.console.Result((voice.is_string() ? voice.get<std::string>() : voice.dump()) + "\n");
  }
  return kDone;
}

std::string Text(const SaySettings& settings) {
  const bool piped = settings.words.size() == 1 && settings.words.front() == "-";
  const std::string text = piped ? ReadStandardInput("say: TEXT") : Join(settings.words);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw CliError(kUsage, "say: TEXT: empty; give some text or - for stdin");
  }
  RequireUtf8("say: TEXT", text);
  return text;
}

ExitCode RunSay(SaySettings settings, Context& context) {
  if (settings.rate_hz != 0 && settings.rate_hz < 8000) {
    throw CliError(kUsage, "say: --rate: " + std::to_string(settings.rate_hz) +
                               ": out of range; give 8000 to 192000, or 0 for the voice's own");
  }
  if (settings.list_voices) {
    return ListVoices(settings, context);
  }
  const std::string text = Text(settings);
  settings.target.play = settings.target.play || settings.target.path.empty();
  CheckTarget(settings.target);
  if (settings.target.to_stdout()) {
    context.console.MoveResultsToStderr();
  }
  const Stopwatch loading;
  Speech speech(context.engine(), Config(settings));
  const double load_ms = loading.ElapsedMs();
  const uint32_t rate_hz = speech.rate_hz();
  const std::unique_ptr<SoundOut> out = OpenTarget(settings.target, rate_hz);
  const Spoken spoken = Speak(speech, text, *out);
  out->Finish();

  const double seconds = Seconds(spoken.num_samples, rate_hz);
  if (context.globals.json) {
    context.console.Json({{"audio_seconds", seconds},
                          {"first_block_ms", Rounded(spoken.first_block_ms)},
                          {"total_ms", Rounded(spoken.total_ms)},
                          {"load_ms", Rounded(load_ms)},
                          {"rate_hz", rate_hz}});
  } else {
    char line[128];
    std::snprintf(line, sizeof line,
                  "sotto: said %.2f s at %u Hz; first sound after %.0f ms, all after %.0f ms",
                  seconds, rate_hz, spoken.first_block_ms, spoken.total_ms);
    context.console.Note(line);
  }
  return kDone;
}

}  // namespace

Action DeclareSay(CLI::App& app) {
  const auto settings = std::make_shared<SaySettings>();
  Options options(app, "say");
  options.Words("TEXT", settings->words, "what to say, or - for stdin");
  options.OwnText("-o,--output", settings->target.path, "WAV file, or - for stdout")
      ->type_name("OUT.wav");
  options.Flag("--play", settings->target.play, "play it; the default without -o");
  options.Text("--voice", settings->voice, "voice; see --list-voices");
  options.OwnText("--model", settings->model, "speech model")->type_name("ID|FILE");
  options.Decimal("--speed", settings->speed, {0.5f, 2}, "2 is twice as fast");
  options.Whole("--rate", settings->rate_hz, {0, 192000}, "in Hz; 0: the voice's own");
  options.Whole("--seed", settings->seed, {0, UINT32_MAX}, "of the voice's variation");
  options.Flag("--fast", settings->fast, "the quick voice, the default")
      ->excludes(options.Flag("--best", settings->best, "the good voice"));
  options.Flag("--list-voices", settings->list_voices, "list the voices of the model");
  return [settings](Context& context) { return RunSay(*settings, context); };
}

}  // namespace sotto::cli
