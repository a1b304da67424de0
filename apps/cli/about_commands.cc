// sotto doctor, version and completion.
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace sotto::cli {
namespace {

using Json = nlohmann::ordered_json;

ExitCode RunDoctor(Context& context) {
  const Json report = Json::parse(context.engine().DoctorJson());
  Console& console = context.console;
  if (context.globals.json) {
    console.Json(report);
    return kDone;
  }
  for (const Json& check : report.value("checks", Json::array())) {
    const std::string status = check.value("status", "");
    const Style style = status == "ok"        ? Style::kGreen
                        : status == "warning" ? Style::kYellow
                                              : Style::kRed;
    std::string column = status;
    column.resize(9, ' ');
    console.Markup(console.Paint(style, column));
    console.Result(check.value("name", "") + ": " + check.value("detail", "") + "\n");
    const std::string fix = check.value("fix", "");
    if (!fix.empty()) {
      console.Result("         try: " + fix + "\n");
    }
  }
  return kDone;
}

ExitCode RunVersion(Context& context) {
  const Json info = Json::parse(BuildInfoJson());
  if (context.globals.json) {
    context.console.Json(info);
    return kDone;
  }
  std::string text = "sotto " + info.value("version", std::string(sotto_version())) + "\n";
  for (const char* key : {"revision", "compiler", "build_type"}) {
    text += std::string(key) + ": " + info.value(key, "") + "\n";
  }
  for (const char* key : {"backends", "dependencies"}) {
    if (info.contains(key)) {
      text += std::string(key) + ":";
      for (const auto& [name, value] : info[key].items()) {
        text += " " + name + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
      }
      text += "\n";
    }
  }
  context.console.Result(text);
  return kDone;
}

// The long options of a command.
std::string OptionWords(const Command& command) {
  CLI::App app;
  Globals globals;
  command.declare(app);
  DeclareGlobals(app, globals, false);
  std::string words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      words += (words.empty() ? "--" : " --") + name;
    }
  }
  return words;
}

ExitCode RunCompletion(const std::string& shell, Context& context) {
  std::string names;
  std::string cases;
  for (const Command& command : Commands()) {
    names += (names.empty() ? "" : " ") + std::string(command.name);
    cases += "    " + std::string(command.name) + ") words=\"" + OptionWords(command) + "\" ;;\n";
  }
  const bool zsh = shell == "zsh";
  context.console.Markup((zsh ? "autoload -Uz bashcompinit && bashcompinit\n" : "") +
                         ("_sotto() {\n"
                          "  local current=\"${COMP_WORDS[COMP_CWORD]}\" words=\"\"\n"
                          "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                          "    COMPREPLY=($(compgen -W \"" +
                          names +
                          "\" -- \"$current\"))\n    return\n  fi\n"
                          "  case \"${COMP_WORDS[1]}\" in\n" +
                          cases +
                          "  esac\n"
                          "  case \"$current\" in\n"
                          "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
                          "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
                          "  esac\n"
                          "}\n"
                          "complete -o filenames -F _sotto sotto\n"));
  return kDone;
}

}  // namespace

Action DeclareDoctor(CLI::App&) { return RunDoctor; }

Action DeclareVersion(CLI::App&) { return RunVersion; }

Action DeclareCompletion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  Options(app, "completion")
      .Choice("SHELL", *shell, {"bash", "zsh"}, "source its output")
      ->required();
  return [shell](Context& context) { return RunCompletion(*shell, context); };
}

}  // namespace sotto::cli
