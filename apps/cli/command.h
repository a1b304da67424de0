// The commands of `sotto`, and what each of them is given.
#ifndef SOTTO_APPS_CLI_COMMAND_H_
#define SOTTO_APPS_CLI_COMMAND_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/sotto.hpp"

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/options.h"

namespace sotto::cli {

// Options of every command.
struct Globals {
  bool json = false;
  bool quiet = false;
  bool no_progress = false;
  std::string pack;
  std::string store;
  uint32_t threads = 0;
  std::string log_level = "error";
};

// What a running command uses.
class Context {
 public:
  Globals globals;
  Console console;

  // The engine, made at the first call.
  Engine& engine();

 private:
  std::optional<Engine> engine_;
};

// Runs a parsed command. Throws CliError, sotto::Error or PipeClosed.
using Action = std::function<ExitCode(Context& context)>;

struct Command {
  const char* name;
  const char* summary;
  // Declares the command's options; the action reads them when it runs.
  Action (*declare)(CLI::App& app);
};

// All of them, in the order of the help.
std::span<const Command> Commands();

void DeclareGlobals(CLI::App& app, Globals& globals, bool with_environment);

// "" as NULL, for settings of the C ABI.
inline const char* OrNull(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

// Seconds of `num_samples`.
inline double Seconds(uint64_t num_samples, uint32_t rate_hz) {
  return rate_hz == 0 ? 0.0 : static_cast<double>(num_samples) / static_cast<double>(rate_hz);
}

// Milliseconds since it was made.
class Stopwatch {
 public:
  Stopwatch();
  double ElapsedMs() const;

 private:
  int64_t start_ns_;
};

// `ms` with three decimals, as JSON shows it.
double Rounded(double ms);

// The path of an input: "-" is the standard input, which may not be a terminal.
std::string InputPath(const std::string& path);

// The sound of `file` at `rate_hz`; CliError(kBadInput) when it holds no sample.
Clip LoadSound(const std::string& file, uint32_t rate_hz);

// CliError when `output` names the file that is the input: it would be replaced by what is made of
// it. "-", devices and files that do not exist are fine.
void RequireOtherFile(const std::string& input, const std::string& output);

// All of the standard input as text. CliError when it is a terminal.
std::string ReadStandardInput(const std::string& what);

Action DeclareTurn(CLI::App& app);
Action DeclareTranscribe(CLI::App& app);
Action DeclareSay(CLI::App& app);
Action DeclareRun(CLI::App& app);
Action DeclareListen(CLI::App& app);
Action DeclareVad(CLI::App& app);
Action DeclareEmbed(CLI::App& app);
Action DeclareTurnScore(CLI::App& app);
Action DeclareSpeaker(CLI::App& app);
Action DeclarePull(CLI::App& app);
Action DeclareList(CLI::App& app);
Action DeclareShow(CLI::App& app);
Action DeclareRemove(CLI::App& app);
Action DeclareVerify(CLI::App& app);
Action DeclareDoctor(CLI::App& app);
Action DeclareVersion(CLI::App& app);
Action DeclareBench(CLI::App& app);
Action DeclareCompletion(CLI::App& app);

}  // namespace sotto::cli

#endif  // SOTTO_APPS_CLI_COMMAND_H_
