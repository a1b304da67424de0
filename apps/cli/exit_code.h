// The exit codes of `sotto`, and the errors that carry them to main().
#ifndef SOTTO_APPS_CLI_EXIT_CODE_H_
#define SOTTO_APPS_CLI_EXIT_CODE_H_

#include <stdexcept>
#include <string>

#include "sotto/sotto.hpp"

namespace sotto::cli {

enum ExitCode : int {
  kDone = 0,
  kInternal = 1,
  kUsage = 2,         // The command line is wrong.
  kBadInput = 3,      // A file, sound, text or model is wrong or missing.
  kNotAvailable = 4,  // A model or feature is not here; the message says how to get it.
  kNoResources = 5,   // Memory, disk or context is full.
  kInterrupted = 130,
};

// Ends the command: one line for stderr and the exit code.
class CliError : public std::runtime_error {
 public:
  CliError(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// The reader of stdout has gone: it has what it wanted, so the command ends quietly with kDone.
struct PipeClosed {};

// The exit code for a failed call of the library.
ExitCode ExitCodeOf(sotto_status status);

// Throws CliError unless `status`, the end of a job, is SOTTO_OK.
void CheckEnd(sotto_status status, const std::string& message);

}  // namespace sotto::cli

#endif  // SOTTO_APPS_CLI_EXIT_CODE_H_
