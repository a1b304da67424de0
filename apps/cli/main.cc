// sotto: the command line. Finds the command, reads its options, runs it, and turns what it throws
// into one line on stderr and an exit code.
#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/interrupt.h"

namespace sotto::cli {
namespace {

void PrintError(const std::string& message) {
  const std::string line = OneLine("sotto: " + message);
  try {
    WriteAll(2, line + "\n");
  } catch (const PipeClosed&) {
  } catch (const CliError&) {
  }
}

std::string Help(CLI::App& root) {
  std::string text =
      "sotto listens, thinks and speaks on this machine.\n\n"
      "usage: sotto COMMAND [options]    sotto COMMAND --help\n\ncommands:\n";
  for (const Command& command : Commands()) {
    const std::string name = command.name;
    text += "  " + name + std::string(name.size() < 12 ? 12 - name.size() : 1, ' ') +
            command.summary + "\n";
  }
  const std::string options = root.help();
  const size_t everywhere = options.find("Everywhere:");
  if (everywhere != std::string::npos) {
    text += "\n" + options.substr(everywhere);
  }
  text +=
      "\nEach option --like-this may be given as $SOTTO_LIKE_THIS, or as $SOTTO_SAY_LIKE_THIS for\n"
      "`sotto say` alone; the command line wins. Switches take 1, true, yes, on, 0, false, no, "
      "off.\n"
      "Beside options: $SOTTO_HOME the folder of the models, $SOTTO_OFFLINE a switch: fetch "
      "nothing,\n"
      "$SOTTO_CATALOGUE a file with more models, $SOTTO_ESPEAK_PLUGIN a phonemizer to load,\n"
      "$SOTTO_FORCE_ISA plain, avx2, avx512 or neon; see apps/cli/README.md.\n"
      "Exit codes: 0 done, 2 wrong usage, 3 bad input, 4 not available, 5 not enough resources,\n"
      "130 interrupted, 1 a fault of sotto. A closed stdout is no error.\n";
  return text;
}

const Command& FindCommand(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : Commands()) {
    if (name == command.name) {
      return command;
    }
    names.emplace_back(command.name);
  }
  const std::string nearest = Nearest(name, names);
  throw CliError(kUsage, "command: " + name + ": unknown; " +
                             (nearest.empty() ? "see `sotto --help`"
                                              : "did you mean `sotto " + nearest + "`?"));
}

// Reads `arguments`, in order. False when help was asked for, which is printed then.
bool Parse(CLI::App& app, std::vector<std::string> arguments, const std::string& command,
           Context& context) {
  CheckEnvironment(app, arguments);
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(std::move(arguments));
    return true;
  } catch (const CLI::CallForHelp&) {
    context.console.Markup(command.empty() ? Help(app) : app.help());
    return false;
  } catch (const CLI::ParseError& e) {
    throw CliError(kUsage, UsageMessage(command, e));
  }
}

ExitCode RunCommand(std::vector<std::string> arguments, Context& context) {
  bool version = false;
  CLI::App root("", "sotto");
  DeclareGlobals(root, context.globals, true);
  root.add_flag("--version", version, "print the version")->group("Everywhere");
  root.prefix_command();
  if (!Parse(root, std::move(arguments), "", context)) {
    return kDone;
  }
  if (version) {
    context.console.Markup("sotto " + std::string(sotto_version()) + "\n");
    return kDone;
  }
  std::vector<std::string> rest = root.remaining();
  if (rest.empty()) {
    throw CliError(kUsage, "command: none given; see `sotto --help`");
  }
  if (rest.front() == "help") {
    context.console.Markup(Help(root));
    return kDone;
  }
  if (rest.front().starts_with("-")) {
    throw CliError(kUsage, "option: " + rest.front() + ": unknown; see `sotto --help`");
  }
  const Command& command = FindCommand(rest.front());
  rest.erase(rest.begin());

  CLI::App app(command.summary, std::string("sotto ") + command.name);
  const Action action = command.declare(app);
  DeclareGlobals(app, context.globals, false);
  if (!Parse(app, std::move(rest), command.name, context)) {
    return kDone;
  }
  context.console.set_quiet(context.globals.quiet);
  context.console.set_progress(!context.globals.no_progress && !context.globals.json);
  return action(context);
}

// A standard descriptor that the caller closed would be given to the next file that is opened.
void OpenStandardDescriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      static_cast<void>(::open("/dev/null", fd == 0 ? O_WRONLY : O_RDWR));  // reading it fails
    }
  }
}

int Main(int argc, char** argv) {
  OpenStandardDescriptors();
  InstallInterrupt();
  ::signal(SIGPIPE, SIG_IGN);  // NOLINT: a closed pipe is EPIPE, see PipeClosed
  ::signal(SIGXFSZ, SIG_IGN);  // NOLINT: a file over the limit is EFBIG
  Context context;
  try {
    return RunCommand(std::vector<std::string>(argv + 1, argv + argc), context);
  } catch (const PipeClosed&) {
    return kDone;
  } catch (const CliError& e) {
    context.console.Status("");
    PrintError(e.what());
    return e.code();
  } catch (const Error& e) {
    context.console.Status("");
    if (e.status() == SOTTO_CANCELLED && InterruptRequested()) {
      PrintError("interrupted");
      return kInterrupted;
    }
    PrintError(e.what());
    return ExitCodeOf(e.status());
  } catch (const std::bad_alloc&) {
    PrintError("memory: the system gave none; close something or choose a smaller model");
    return kNoResources;
  } catch (const std::exception& e) {
    PrintError(std::string("internal: ") + e.what());
    return kInternal;
  }
}

}  // namespace
}  // namespace sotto::cli

int main(int argc, char** argv) { return argc < 1 ? 2 : sotto::cli::Main(argc, argv); }
