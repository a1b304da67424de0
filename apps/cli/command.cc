#include "cli/command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>

namespace sotto::cli {
namespace {

constexpr std::array kCommands = {
    Command{"turn", "answer a spoken or written question aloud", DeclareTurn},
    Command{"transcribe", "write down what sound files say", DeclareTranscribe},
    Command{"say", "speak text into a file or aloud", DeclareSay},
    Command{"run", "talk to the language model in writing", DeclareRun},
    Command{"listen", "live captions of a microphone or a file", DeclareListen},
    Command{"vad", "find where in a file somebody speaks", DeclareVad},
    Command{"embed", "turn texts into vectors", DeclareEmbed},
    Command{"turn-score", "how likely the speaker of a file is done", DeclareTurnScore},
    Command{"speaker", "turn voices into vectors and compare them", DeclareSpeaker},
    Command{"pull", "get models and packs", DeclarePull},
    Command{"list", "models and packs, and which are installed", DeclareList},
    Command{"show", "everything about one model or pack", DeclareShow},
    Command{"rm", "remove a model or pack", DeclareRemove},
    Command{"verify", "check installed models against their hashes", DeclareVerify},
    Command{"doctor", "what this machine can do, what is wrong, how to mend it", DeclareDoctor},
    Command{"bench", "measure this machine through the library", DeclareBench},
    Command{"completion", "print a completion script for a shell", DeclareCompletion},
    Command{"version", "what this build is", DeclareVersion},
};

int32_t LogLevel(const std::string& name) {
  if (name == "debug") {
    return SOTTO_LOG_DEBUG;
  }
  if (name == "info") {
    return SOTTO_LOG_INFO;
  }
  return name == "warning" ? SOTTO_LOG_WARNING : SOTTO_LOG_ERROR;
}

void LogToStderr(void*, int32_t level, const char* line, size_t line_bytes) {
  static constexpr const char* kNames[] = {"debug", "info", "warning", "error"};
  const char* name = level >= 0 && level <= 3 ? kNames[level] : "log";
  const std::string text =
      "sotto: " + std::string(name) + ": " + std::string(line, line_bytes) + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::span<const Command> Commands() { return kCommands; }

Engine& Context::engine() {
  if (!engine_) {
    sotto_engine_config config = EngineConfig();
    config.threads = globals.threads;
    config.store_dir = OrNull(globals.store);
    config.pack = OrNull(globals.pack);
    config.log = globals.quiet ? nullptr : LogToStderr;
    config.log_level = LogLevel(globals.log_level);
    try {
      engine_.emplace(config);
    } catch (const Error& e) {
      // Of the engine, a wrong state is a machine that cannot run this build.
      if (e.status() == SOTTO_FAILED_PRECONDITION) {
        throw CliError(kNotAvailable, e.what());
      }
      throw;
    }
  }
  return *engine_;
}

void DeclareGlobals(CLI::App& app, Globals& globals, bool with_environment) {
  // The program reads the environment once, before the command's own options are read.
  Options options(app, "", with_environment);
  CLI::Option* declared[] = {
      options.Flag("--json", globals.json, "results as JSON on stdout"),
      options.Flag("-q,--quiet", globals.quiet, "nothing on stderr but the error"),
      options.Flag("--no-progress", globals.no_progress, "no progress on stderr"),
      options.Text("--pack", globals.pack, "the pack whose models are used")->type_name("ID"),
      options.Text("--store", globals.store, "the folder of the models")->type_name("DIR"),
      options.Whole("--threads", globals.threads, {0, 256}, "cores to keep busy; 0: all"),
      options.Choice("--log-level", globals.log_level, {"debug", "info", "warning", "error"},
                     "what the library may log to stderr"),
  };
  for (CLI::Option* option : declared) {
    option->group("Everywhere");
  }
}

Stopwatch::Stopwatch() : start_ns_(NowNs()) {}

double Stopwatch::ElapsedMs() const { return static_cast<double>(NowNs() - start_ns_) / 1e6; }

double Rounded(double ms) { return std::round(ms * 1000.0) / 1000.0; }

std::string InputPath(const std::string& path) {
  if (path != "-") {
    return path;
  }
  if (::isatty(STDIN_FILENO) == 1) {
    throw CliError(kUsage, "input: -: the standard input is a terminal; pipe a sound file in");
  }
  return "/dev/stdin";
}

Clip LoadSound(const std::string& file, uint32_t rate_hz) {
  Clip clip(InputPath(file), rate_hz);
  if (clip.num_samples() == 0) {
    throw CliError(kBadInput, "sound: " + file + ": empty, it holds no sample; give a recording");
  }
  return clip;
}

void RequireOtherFile(const std::string& input, const std::string& output) {
  struct stat in = {};
  struct stat out = {};
  if (input != "-" && output != "-" && ::stat(input.c_str(), &in) == 0 &&
      ::stat(output.c_str(), &out) == 0 && S_ISREG(out.st_mode) && in.st_dev == out.st_dev &&
      in.st_ino == out.st_ino) {
    throw CliError(kUsage, "output: " + output + ": is the input; give another file with -o");
  }
}

std::string ReadStandardInput(const std::string& what) {
  if (::isatty(STDIN_FILENO) == 1) {
    throw CliError(kUsage, what + ": -: the standard input is a terminal; pipe text in");
  }
  constexpr size_t kLimitBytes = size_t{64} << 20;
  std::string text;
  std::array<char, 65536> block;
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, block.data(), block.size());
    if (n == 0) {
      return text;
    }
    if (n < 0 && errno != EINTR) {
      throw CliError(kBadInput, what + ": standard input: cannot be read, error " +
                                    std::to_string(errno) + "; pipe text in");
    }
    text.append(block.data(), n < 0 ? 0 : static_cast<size_t>(n));
    if (text.size() > kLimitBytes) {
      throw CliError(kBadInput, what + ": standard input: more than 64 MB of text; give less");
    }
  }
}

}  // namespace sotto::cli
