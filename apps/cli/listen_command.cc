// sotto listen: live captions of a microphone, or of a file at the pace of its sound.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/device.h"
#include "cli/interrupt.h"

namespace sotto::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint32_t kRateHz = 16000;
// What a sound card hands over at a time.
constexpr uint32_t kBlockMs = 20;

struct ListenSettings {
  std::string file;
  std::string device;
  bool no_real_time = false;
  bool fast = false;
  bool best = false;
  std::string language;
  std::string model;
  CLI::Option* device_option = nullptr;
};

// A wait that another thread can end.
class Stop {
 public:
  void Request() {
    const std::lock_guard<std::mutex> lock(mutex_);
    requested_ = true;
    changed_.notify_all();
  }
  // False when the stop came before `until`.
  bool WaitUntil(std::chrono::steady_clock::time_point until) {
    std::unique_lock<std::mutex> lock(mutex_);
    return !changed_.wait_until(lock, until, [this] { return requested_; });
  }
  bool requested() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return requested_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool requested_ = false;
};

void FeedFile(Transcriber& transcriber, const Clip& clip, bool real_time, Stop& stop) {
  constexpr size_t kBlockSamples = size_t{kRateHz} * kBlockMs / 1000;
  const auto start = std::chrono::steady_clock::now();
  for (size_t at = 0; at < clip.num_samples() && !stop.requested(); at += kBlockSamples) {
    const size_t count = std::min(kBlockSamples, clip.num_samples() - at);
    // A block is there once its last sample has been spoken.
    const auto spoken = start + std::chrono::microseconds((at + count) * 1000000 / kRateHz);
    if (real_time && !stop.WaitUntil(spoken)) {
      break;
    }
    transcriber.Feed(clip.samples() + at, count);
  }
  transcriber.Finish();
}

void FeedMicrophone(Transcriber& transcriber, Microphone& microphone, Stop& stop) {
  std::vector<float> block(microphone.rate_hz() * kBlockMs / 1000);
  while (!stop.requested()) {
    microphone.Read(block.data(), block.size());
    transcriber.Feed(block.data(), block.size());
  }
  transcriber.Finish();
}

double ToSeconds(int64_t ms) { return static_cast<double>(ms) / 1000.0; }

void ShowJson(Context& context, const TranscriptEvent& event) {
  switch (event.type) {
    case SOTTO_TRANSCRIPT_SPEECH_STARTED:
      return context.console.Json(
          {{"type", "speech_started"}, {"start_s", ToSeconds(event.start_ms)}});
    case SOTTO_TRANSCRIPT_SPEECH_ENDED:
      return context.console.Json({{"type", "speech_ended"}, {"end_s", ToSeconds(event.end_ms)}});
    case SOTTO_TRANSCRIPT_PARTIAL:
    case SOTTO_TRANSCRIPT_SEGMENT:
      return context.console.Json(
          {{"type", event.type == SOTTO_TRANSCRIPT_PARTIAL ? "partial" : "segment"},
           {"start_s", ToSeconds(event.start_ms)},
           {"end_s", ToSeconds(event.end_ms)},
           {"text", event.text}});
    case SOTTO_TRANSCRIPT_DONE:
      return context.console.Json({{"type", "done"}});
    default:
      return;
  }
}

// A partial stays on its line until its segment takes its place.
void ShowText(Context& context, const TranscriptEvent& event) {
  Console& console = context.console;
  if (event.type == SOTTO_TRANSCRIPT_PARTIAL) {
    constexpr size_t kShownBytes = 76;  // one line of a terminal
    size_t from = event.text.size() > kShownBytes ? event.text.size() - kShownBytes : 0;
    while (from > 0 && from < event.text.size() && (event.text[from] & 0xc0) == 0x80) {
      ++from;
    }
    console.Status("  " + event.text.substr(from));
  } else if (event.type == SOTTO_TRANSCRIPT_SEGMENT) {
    console.Result(FormatDuration(ToSeconds(event.start_ms)) + "  " + event.text + "\n");
  }
}

// Ctrl-C ends a microphone as the end of a file does: what was said last is still written.
ExitCode Follow(Transcriber& transcriber, Context& context) {
  for (;;) {
    const TranscriptEvent event = transcriber.Next();
    if (event.type == SOTTO_TRANSCRIPT_DONE) {
      context.console.Status("");
      CheckEnd(event.status, event.message);
    }
    if (context.globals.json) {
      ShowJson(context, event);
    } else {
      ShowText(context, event);
    }
    if (event.type == SOTTO_TRANSCRIPT_DONE) {
      return InterruptRequested() ? kInterrupted : kDone;
    }
  }
}

ExitCode RunListen(const ListenSettings& settings, Context& context) {
  const bool live = settings.device_option->count() > 0;
  if (live == !settings.file.empty()) {
    throw CliError(kUsage, live ? "listen: FILE and --device: one source at a time; leave one out"
                                : "listen: FILE: missing; give a sound file, - or --device NAME");
  }
  std::optional<Clip> clip;
  std::unique_ptr<Microphone> microphone;
  if (live) {
    microphone = OpenMicrophone(settings.device);
  } else {
    clip.emplace(InputPath(settings.file), kRateHz);
  }
  sotto_transcriber_config config = TranscriberConfig();
  config.rate_hz = live ? microphone->rate_hz() : kRateHz;
  config.profile = settings.best ? SOTTO_PROFILE_BEST : SOTTO_PROFILE_FAST;
  config.partials = 1;
  config.model = OrNull(settings.model);
  config.language = OrNull(settings.language);
  Transcriber transcriber(context.engine(), config);

  Stop stop;
  const auto end = [&] {
    stop.Request();
    if (!live) {
      sotto_transcriber_cancel(transcriber.get());
    }
  };
  const InterruptScope scope(end);
  std::future<void> feeder = std::async(std::launch::async, [&] {
    try {
      if (live) {
        FeedMicrophone(transcriber, *microphone, stop);
      } else {
        FeedFile(transcriber, *clip, !settings.no_real_time, stop);
      }
    } catch (...) {
      sotto_transcriber_cancel(transcriber.get());
      throw;
    }
  });
  try {
    const ExitCode code = Follow(transcriber, context);
    feeder.get();
    return code;
  } catch (...) {
    stop.Request();
    sotto_transcriber_cancel(transcriber.get());
    throw;
  }
}

}  // namespace

Action DeclareListen(CLI::App& app) {
  const auto settings = std::make_shared<ListenSettings>();
  Options options(app, "listen");
  app.add_option("FILE", settings->file, "a sound file, or - for stdin");
  settings->device_option =
      options.OwnText("--device", settings->device, "a microphone, or `default`");
  options.Flag("--no-real-time", settings->no_real_time, "take a file as fast as it goes");
  options.Flag("--fast", settings->fast, "the quick recogniser, the default")
      ->excludes(options.Flag("--best", settings->best, "the good recogniser"));
  options.Text("--language", settings->language, "spoken language, as en");
  options.OwnText("--model", settings->model, "recogniser")->type_name("ID|FILE");
  return [settings](Context& context) { return RunListen(*settings, context); };
}

}  // namespace sotto::cli
