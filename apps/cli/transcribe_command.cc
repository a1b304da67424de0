// sotto transcribe: what sound files say, as text, subtitles or JSON.
#include <filesystem>
#include <future>
#include <map>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/text_out.h"
#include "cli/transcript.h"

namespace sotto::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint32_t kRateHz = 16000;
constexpr size_t kFeedSamples = kRateHz;
// A shorter file is done before a bar is worth looking at.
constexpr double kProgressFromSeconds = 20;

struct TranscribeSettings {
  std::vector<std::string> files;
  std::string format = "txt";
  std::string output;
  bool fast = false;
  bool best = false;
  std::string language;
  std::string prompt;
  std::string model;
};

struct Transcript {
  std::vector<Segment> segments;
  double audio_seconds = 0;
  double load_ms = 0;
  double total_ms = 0;
};

sotto_transcriber_config Config(const TranscribeSettings& settings) {
  sotto_transcriber_config config = TranscriberConfig();
  config.rate_hz = kRateHz;
  config.profile = settings.fast ? SOTTO_PROFILE_FAST : SOTTO_PROFILE_BEST;
  config.model = OrNull(settings.model);
  config.language = OrNull(settings.language);
  config.prompt = OrNull(settings.prompt);
  return config;
}

void Feed(Transcriber& transcriber, const Clip& clip) {
  for (size_t at = 0; at < clip.num_samples(); at += kFeedSamples) {
    transcriber.Feed(clip.samples() + at, std::min(kFeedSamples, clip.num_samples() - at));
  }
  transcriber.Finish();
}

class CancelOnExit {
 public:
  explicit CancelOnExit(const Transcriber& transcriber) : transcriber_(transcriber) {}
  CancelOnExit(const CancelOnExit&) = delete;
  CancelOnExit& operator=(const CancelOnExit&) = delete;
  ~CancelOnExit() { sotto_transcriber_cancel(transcriber_.get()); }

 private:
  const Transcriber& transcriber_;
};

void ShowProgress(Context& context, const std::string& file, int64_t done_ms,
                  const Transcript& transcript, const Stopwatch& watch) {
  if (transcript.audio_seconds < kProgressFromSeconds) {
    return;
  }
  const double fraction = static_cast<double>(done_ms) / 1000.0 / transcript.audio_seconds;
  const double spent_s = watch.ElapsedMs() / 1000.0;
  const double left_s = fraction > 0 ? spent_s / fraction - spent_s : 0;
  context.console.Status(FormatBar(fraction) + "  " + FormatDuration(transcript.audio_seconds) +
                         " of sound, " + FormatDuration(left_s) + " left  " + file);
}

Transcript TranscribeFile(const TranscribeSettings& settings, const std::string& file,
                          Context& context) {
  const Clip clip(InputPath(file), kRateHz);
  Transcript transcript;
  transcript.audio_seconds = clip.seconds();
  if (clip.info().truncated != 0) {
    context.console.Note("sotto: " + file + ": shorter than its header says; going on with " +
                         FormatDuration(clip.seconds()));
  }
  const Stopwatch loading;
  Transcriber transcriber(context.engine(), Config(settings));
  transcript.load_ms = loading.ElapsedMs();
  const Stopwatch working;
  const InterruptScope scope([&transcriber] { transcriber.Cancel(); });
  std::future<void> feeder =
      std::async(std::launch::async, Feed, std::ref(transcriber), std::cref(clip));
  const CancelOnExit guard(transcriber);
  for (;;) {
    TranscriptEvent event = transcriber.Next();
    if (event.type == SOTTO_TRANSCRIPT_SEGMENT) {
      ShowProgress(context, file, event.end_ms, transcript, working);
      transcript.segments.push_back({event.start_ms, event.end_ms, std::move(event.text)});
    } else if (event.type == SOTTO_TRANSCRIPT_DONE) {
      context.console.Status("");
      CheckEnd(event.status, event.message);
      break;
    }
  }
  feeder.get();
  transcript.total_ms = working.ElapsedMs();
  return transcript;
}

Json ResultJson(const Transcript& transcript) {
  Json json = ToJson(transcript.segments);
  json["audio_seconds"] = Rounded(transcript.audio_seconds);
  json["timings"] = {{"load_ms", Rounded(transcript.load_ms)},
                     {"total_ms", Rounded(transcript.total_ms)}};
  return json;
}

std::string Written(const TranscribeSettings& settings, const Transcript& transcript) {
  if (settings.format == "srt") {
    return ToSrt(transcript.segments);
  }
  if (settings.format == "vtt") {
    return ToVtt(transcript.segments);
  }
  if (settings.format == "json") {
    return ResultJson(transcript).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  const std::string text = TextOf(transcript.segments);
  return text.empty() ? "" : text + "\n";
}

void NoteSilence(const TranscribeSettings& settings, const std::string& file,
                 const Transcript& transcript, Context& context) {
  if (TextOf(transcript.segments).empty() && !context.globals.json && settings.format != "json") {
    context.console.Note("sotto: transcribe: " + file + ": no speech heard");
  }
}

// DIR/NAME.srt for the sound folder/NAME.wav.
std::string PathInFolder(const TranscribeSettings& settings, const std::string& file) {
  const std::string stem = file == "-" ? "stdin" : std::filesystem::path(file).stem().string();
  return (std::filesystem::path(settings.output) / (stem + "." + settings.format)).string();
}

// What several sounds are written to is settled before the first is heard.
void CheckOutputs(const TranscribeSettings& settings, const Context& context) {
  const bool subtitles = settings.format == "srt" || settings.format == "vtt";
  if (settings.output.empty()) {
    if (subtitles && !context.globals.json) {
      throw CliError(kUsage, "transcribe: -f " + settings.format +
                                 ": several files do not fit one stream of subtitles; give a "
                                 "folder with -o DIR, which gets a file for each");
    }
    return;
  }
  std::error_code error;
  if (!std::filesystem::is_directory(settings.output, error)) {
    throw CliError(kUsage, "transcribe: -o: " + settings.output +
                               ": no folder; for several files give one that exists, which gets a "
                               "file for each");
  }
  std::map<std::string, std::string> taken;
  for (const std::string& file : settings.files) {
    const std::string path = PathInFolder(settings, file);
    RequireOtherFile(file, path);
    const auto [it, is_new] = taken.emplace(path, file);
    if (!is_new) {
      throw CliError(kUsage, "transcribe: -o: " + path + ": would hold both " + it->second +
                                 " and " + file + "; give them one at a time");
    }
  }
}

ExitCode TranscribeOne(const TranscribeSettings& settings, Context& context) {
  std::optional<TextOut> out;
  if (!settings.output.empty() && settings.output != "-") {
    RequireOtherFile(settings.files.front(), settings.output);
    out.emplace(settings.output);
  }
  const Transcript transcript = TranscribeFile(settings, settings.files.front(), context);
  if (out) {
    out->Write(Written(settings, transcript));
    out->Finish();
  }
  if (context.globals.json) {
    context.console.Json(ResultJson(transcript));
  } else if (!out) {
    context.console.Result(Written(settings, transcript));
  }
  NoteSilence(settings, settings.files.front(), transcript, context);
  return kDone;
}

// Writes one of several: into its file, or to stdout.
void ShowOne(const TranscribeSettings& settings, const std::string& file,
             const Transcript& transcript, Context& context) {
  const std::string text = Written(settings, transcript);
  if (!settings.output.empty()) {
    TextOut out(PathInFolder(settings, file));
    out.Write(text);
    out.Finish();
  } else if (!context.globals.json && !text.empty()) {
    context.console.Result((settings.format == "txt" ? file + ": " : "") + text);
  }
  NoteSilence(settings, file, transcript, context);
}

// Goes on after a bad file; the exit code is that of the first.
ExitCode TranscribeSeveral(const TranscribeSettings& settings, Context& context) {
  const Model recogniser(context.engine(), SOTTO_ROLE_ASR,
                         settings.fast ? SOTTO_PROFILE_FAST : SOTTO_PROFILE_BEST,
                         OrNull(settings.model));
  const Model detector(context.engine(), SOTTO_ROLE_VAD);
  ExitCode code = kDone;
  Json results = Json::array();
  const auto failed = [&](const std::string& file, ExitCode file_code, const std::string& message) {
    code = code == kDone ? file_code : code;
    WriteAll(2, "sotto: " + message + "\n");
    results.push_back({{"file", file}, {"error", message}});
  };
  for (const std::string& file : settings.files) {
    try {
      const Transcript transcript = TranscribeFile(settings, file, context);
      ShowOne(settings, file, transcript, context);
      Json json = {{"file", file}};
      json.update(ResultJson(transcript));
      results.push_back(std::move(json));
    } catch (const CliError& e) {
      if (e.code() != kBadInput) {
        throw;
      }
      failed(file, e.code(), e.what());
    } catch (const Error& e) {
      if (ExitCodeOf(e.status()) != kBadInput) {
        throw;
      }
      failed(file, kBadInput, e.what());
    }
  }
  if (context.globals.json) {
    context.console.Json({{"results", results}});
  }
  return code;
}

ExitCode RunTranscribe(const TranscribeSettings& settings, Context& context) {
  if (settings.files.empty()) {
    throw CliError(
        kUsage, "transcribe: FILE: missing; give sound files or -; see `sotto transcribe --help`");
  }
  RequireUtf8("transcribe: --prompt", settings.prompt);
  if (settings.files.size() == 1) {
    return TranscribeOne(settings, context);
  }
  CheckOutputs(settings, context);
  return TranscribeSeveral(settings, context);
}

}  // namespace

Action DeclareTranscribe(CLI::App& app) {
  const auto settings = std::make_shared<TranscribeSettings>();
  Options options(app, "transcribe");
  options.Words("FILE", settings->files, "sound files of any rate and layout, or - for stdin");
  options.Choice("-f,--format", settings->format, {"txt", "srt", "vtt", "json"},
                 "how it is written");
  options
      .OwnText("-o,--output", settings->output,
               "write it here, not to stdout; for several files a folder, which gets a file "
               "for each")
      ->type_name("OUT");
  options.Flag("--fast", settings->fast, "the quick recogniser")
      ->excludes(options.Flag("--best", settings->best, "the good recogniser, the default"));
  options.Text("--language", settings->language, "spoken language, as en");
  options.OwnText("--prompt", settings->prompt, "names and words to expect");
  options.OwnText("--model", settings->model, "recogniser")->type_name("ID|FILE");
  return [settings](Context& context) { return RunTranscribe(*settings, context); };
}

}  // namespace sotto::cli
