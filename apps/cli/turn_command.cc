// sotto turn: a question in, an answer out, and where every millisecond went.
#include <future>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/sound_out.h"
#include "cli/waterfall_text.h"

namespace sotto::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint32_t kQuestionRateHz = 16000;
constexpr size_t kPushSamples = kQuestionRateHz / 10;
constexpr size_t kReadSamples = 4096;

struct TurnSettings {
  std::string input;
  std::string text;
  SoundTarget target;
  bool no_audio = false;
  bool fast = false;
  bool best = false;
  std::string system;
  std::string model;
  std::string asr;
  std::string tts;
  std::string voice;
  std::string language;
  uint32_t max_tokens = 160;
  float temperature = 0;
  uint32_t seed = 0;
  CLI::Option* text_option = nullptr;
  CLI::Option* system_option = nullptr;

  bool has_text() const { return text_option->count() > 0; }
  bool speaks() const { return !no_audio && target.any(); }
};

struct TurnResult {
  std::string transcript;
  std::string reply;
  uint64_t reply_samples = 0;
  uint32_t reply_rate_hz = 0;
};

void CheckSettings(const TurnSettings& settings) {
  if (settings.input.empty() && !settings.has_text()) {
    throw CliError(kUsage,
                   "turn: IN: missing; give a sound file, - or --text; see `sotto turn --help`");
  }
  if (!settings.input.empty() && settings.has_text()) {
    throw CliError(kUsage, "turn: IN and --text: one question at a time; leave one out");
  }
  if (settings.has_text() && settings.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw CliError(kUsage, "turn: --text: empty; give a question");
  }
  RequireUtf8("turn: --text", settings.text);
  RequireUtf8("turn: --system", settings.system);
  if (settings.speaks()) {
    CheckTarget(settings.target);
  }
}

sotto_turn_config Config(const TurnSettings& settings) {
  sotto_turn_config config = TurnConfig();
  config.rate_hz = kQuestionRateHz;
  config.speak = settings.speaks() ? 1 : 0;
  config.reply_rate_hz = settings.speaks() ? TargetRateHz(settings.target, 0) : 0;
  if (settings.fast || settings.best) {
    config.asr_profile = settings.best ? SOTTO_PROFILE_BEST : SOTTO_PROFILE_FAST;
    config.tts_profile = config.asr_profile;
  }
  config.max_tokens = settings.max_tokens;
  config.temperature = settings.temperature;
  config.seed = settings.seed;
  config.system = settings.system_option->count() > 0 ? settings.system.c_str() : nullptr;
  config.text_model = OrNull(settings.model);
  config.asr_model = OrNull(settings.asr);
  config.tts_model = OrNull(settings.tts);
  config.voice = OrNull(settings.voice);
  config.language = OrNull(settings.language);
  return config;
}

void PushQuestion(Turn& turn, const Clip& question) {
  for (size_t at = 0; at < question.num_samples(); at += kPushSamples) {
    turn.PushAudio(question.samples() + at, std::min(kPushSamples, question.num_samples() - at));
  }
  turn.Finish();
}

// Moves the answer's sound to the target; stops the turn when that fails.
uint64_t MoveSound(Turn& turn, const SoundTarget& target) {
  try {
    const std::unique_ptr<SoundOut> out =
        OpenTarget(target, turn.reply_rate_hz(), [&turn] { turn.MarkPlayed(); });
    std::vector<float> block(kReadSamples);
    uint64_t num_samples = 0;
    for (bool is_end = false; !is_end;) {
      const SoundRead read = turn.ReadAudio(block.data(), block.size());
      out->Write(block.data(), read.num_samples);
      num_samples += read.num_samples;
      is_end = read.is_end;
    }
    out->Finish();
    return num_samples;
  } catch (...) {
    turn.Cancel();
    throw;
  }
}

// Shows the reply as it comes, unless as JSON.
void FollowEvents(Turn& turn, Context& context, TurnResult* result) {
  const bool shown = !context.globals.json;
  Console& console = context.console;
  for (;;) {
    const TurnEvent event = turn.Next();
    if (event.type == SOTTO_TURN_TRANSCRIPT) {
      result->transcript = event.text;
      if (shown && !event.text.empty()) {
        console.Markup(console.Paint(Style::kBold, "heard  "));
        console.Result(event.text + "\n");
      }
    } else if (event.type == SOTTO_TURN_REPLY_TEXT) {
      if (shown && result->reply.empty()) {
        console.Markup(console.Paint(Style::kBold, "reply  "));
      }
      result->reply += event.text;
      if (shown) {
        console.Result(event.text);
      }
    } else if (event.type == SOTTO_TURN_ENDED) {
      if (shown && !result->reply.empty()) {
        console.Result("\n");
      }
      CheckEnd(event.status, event.message);
      return;
    }
  }
}

// Cancels a turn whose threads must not be waited for as long as it would run.
class CancelOnExit {
 public:
  explicit CancelOnExit(const Turn& turn) : turn_(turn) {}
  CancelOnExit(const CancelOnExit&) = delete;
  CancelOnExit& operator=(const CancelOnExit&) = delete;
  ~CancelOnExit() { sotto_turn_cancel(turn_.get()); }

 private:
  const Turn& turn_;
};

TurnResult Ask(Turn& turn, const TurnSettings& settings, const Clip* question, Context& context) {
  TurnResult result;
  const InterruptScope scope([&turn] { turn.Cancel(); });
  std::future<uint64_t> sound;
  std::future<void> feeder;
  const CancelOnExit guard(turn);
  if (settings.speaks()) {
    sound = std::async(std::launch::async, MoveSound, std::ref(turn), settings.target);
  }
  if (question != nullptr) {
    feeder = std::async(std::launch::async, PushQuestion, std::ref(turn), std::cref(*question));
  } else {
    turn.PushText(settings.text);
  }
  std::exception_ptr failure;
  try {
    FollowEvents(turn, context, &result);
  } catch (...) {
    failure = std::current_exception();
    turn.Cancel();
  }
  // The cause of a turn that was stopped from here is in the future.
  if (sound.valid()) {
    try {
      result.reply_samples = sound.get();
    } catch (const Error&) {
      failure = failure ? failure : std::current_exception();
    }
    result.reply_rate_hz = turn.reply_rate_hz();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
  if (feeder.valid()) {
    feeder.get();
  }
  return result;
}

void ShowTurn(Context& context, const TurnSettings& settings, const TurnResult& result,
              const Json& waterfall) {
  Console& console = context.console;
  if (result.transcript.empty() && !settings.has_text()) {
    console.Note("sotto: turn: nobody speaks in " + settings.input);
  }
  if (settings.speaks()) {
    char line[64];
    std::snprintf(line, sizeof line, "%.2f s at %u Hz",
                  Seconds(result.reply_samples, result.reply_rate_hz), result.reply_rate_hz);
    console.Markup(console.Paint(Style::kBold, "sound  "));
    console.Result(std::string(line) +
                   (settings.target.path.empty() ? "" : " in " + settings.target.path) + "\n");
  }
  const std::string marks = WaterfallText(waterfall);
  console.Result(marks.empty() ? "" : "\n" + marks);
}

ExitCode RunTurn(const TurnSettings& settings, Context& context) {
  CheckSettings(settings);
  RequireOtherFile(settings.input, settings.target.path);
  if (settings.speaks() && settings.target.to_stdout()) {
    context.console.MoveResultsToStderr();
  }
  std::optional<Clip> question;
  if (!settings.input.empty()) {
    question.emplace(InputPath(settings.input), kQuestionRateHz);
  }
  const Stopwatch loading;
  Turn turn(context.engine(), Config(settings));
  const double load_ms = loading.ElapsedMs();
  const Stopwatch answering;
  const TurnResult result = Ask(turn, settings, question ? &*question : nullptr, context);
  const double total_ms = answering.ElapsedMs();
  const Json waterfall = Json::parse(turn.TraceJson());
  if (!context.globals.json) {
    ShowTurn(context, settings, result, waterfall);
    return kDone;
  }
  context.console.Json({{"transcript", result.transcript},
                        {"reply", result.reply},
                        {"audio_seconds", Seconds(result.reply_samples, result.reply_rate_hz)},
                        {"waterfall", waterfall},
                        {"timings",
                         {{"load_ms", Rounded(load_ms)},
                          {"total_ms", Rounded(total_ms)},
                          {"question_seconds", question ? question->seconds() : 0.0}}}});
  return kDone;
}

}  // namespace

Action DeclareTurn(CLI::App& app) {
  const auto settings = std::make_shared<TurnSettings>();
  app.footer(
      "The table ends with the marks of the turn, in milliseconds from its first sample or, of\n"
      "--text, from the question. `commit`: the question is over and goes to the language model,\n"
      "of --text once the primer has been computed; it is missing when nobody spoke.\n");
  Options options(app, "turn");
  app.add_option("IN", settings->input, "the spoken question: a sound file, or - for stdin");
  settings->text_option = options.OwnText("--text", settings->text, "a written question instead");
  options
      .OwnText("-o,--output", settings->target.path,
               "the spoken answer: a WAV file, or - for stdout")
      ->type_name("OUT.wav");
  options.Flag("--play", settings->target.play, "play the answer");
  options.Flag("--no-audio", settings->no_audio, "answer in writing alone");
  settings->system_option =
      options.OwnText("--system", settings->system, "system text in place of the pack's primer");
  options.OwnText("--model", settings->model, "language model")->type_name("ID|FILE");
  options.Text("--asr", settings->asr, "recogniser")->type_name("ID|FILE");
  options.Text("--tts", settings->tts, "speech model")->type_name("ID|FILE");
  options.Text("--voice", settings->voice, "voice of the speech model");
  options.Text("--language", settings->language, "spoken language, as en");
  options.Flag("--fast", settings->fast, "the quick recogniser and voice")
      ->excludes(options.Flag("--best", settings->best,
                              "the good recogniser and voice; neither: the good recogniser and "
                              "the quick voice"));
  options.Whole("--max-tokens", settings->max_tokens, {1, 100000}, "longest answer");
  options.Decimal("--temperature", settings->temperature, {0, 2}, "0: the likeliest answer");
  options.Whole("--seed", settings->seed, {0, UINT32_MAX}, "of the sampling");
  return [settings](Context& context) { return RunTurn(*settings, context); };
}

}  // namespace sotto::cli
