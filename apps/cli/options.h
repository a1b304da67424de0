// The options of one command, in CLI11, with one style of message and a mirror in the environment.
#ifndef SOTTO_APPS_CLI_OPTIONS_H_
#define SOTTO_APPS_CLI_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace sotto::cli {

// Both ends included.
template <typename T>
struct Range {
  T low;
  T high;
};

// Declares options. `flags` is as in CLI11: "-o,--output", "--voice", or "TEXT" for a positional.
// An option --max-tokens of the command `run` that is not given is read from
// $SOTTO_RUN_MAX_TOKENS, and else from $SOTTO_MAX_TOKENS unless `shared_environment` is false.
class Options {
 public:
  // `command` is "" for the options of every command. With `mirror` false nothing is read from the
  // environment.
  Options(CLI::App& app, std::string command, bool mirror = true)
      : app_(app), command_(std::move(command)), mirror_(mirror) {}

  CLI::Option* Text(const std::string& flags, std::string& value, const std::string& help);
  // A name that means one thing in this command alone: a model, a file.
  CLI::Option* OwnText(const std::string& flags, std::string& value, const std::string& help);
  CLI::Option* Flag(const std::string& flags, bool& value, const std::string& help);
  CLI::Option* Whole(const std::string& flags, uint32_t& value, Range<uint32_t> range,
                     const std::string& help);
  CLI::Option* Decimal(const std::string& flags, float& value, Range<float> range,
                       const std::string& help);
  CLI::Option* Choice(const std::string& flags, std::string& value,
                      std::vector<std::string> choices, const std::string& help);
  // May be given several times.
  CLI::Option* Repeated(const std::string& flags, std::vector<std::string>& values,
                        const std::string& help);
  CLI::Option* Words(const std::string& name, std::vector<std::string>& values,
                     const std::string& help);

 private:
  CLI::Option* Mirror(CLI::Option* option, bool shared_environment);

  CLI::App& app_;
  const std::string command_;
  const bool mirror_;
};

// Before `app` reads `arguments`: leaves to the command line the options that are named there, and
// throws CliError(kUsage) for a variable whose value its option refuses; the message names the
// variable, the value and what is allowed.
void CheckEnvironment(CLI::App& app, const std::vector<std::string>& arguments);

// Words of a command line as one text.
std::string Join(const std::vector<std::string>& words);

// Throws CliError(kBadInput) unless `text` is valid UTF-8. `what` names it: "TEXT".
void RequireUtf8(const std::string& what, std::string_view text);

// `text` as one line of UTF-8: control characters become spaces, bytes that are none "?".
std::string OneLine(std::string_view text);

// The line for a command line that CLI11 refused.
std::string UsageMessage(const std::string& command, const CLI::ParseError& error);

// The candidate nearest to `word`, or "" when none is near.
std::string Nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace sotto::cli

#endif  // SOTTO_APPS_CLI_OPTIONS_H_
