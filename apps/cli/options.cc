#include "cli/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "cli/exit_code.h"

namespace sotto::cli {
namespace {

std::string EnvironmentName(const std::string& command, const std::string& option) {
  std::string name = "SOTTO_" + command + (command.empty() ? "" : "_") + option;
  for (char& c : name) {
    c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

template <typename T>
std::string Shown(T value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

// CLI11 puts "--name: " before what this answers.
template <typename T>
std::string CheckNumber(const std::string& text, Range<T> range) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string limits = "give " + Shown(range.low) + " to " + Shown(range.high);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
    return text + ": not a " + (std::is_integral_v<T> ? "whole " : "") + "number; " + limits;
  }
  if (error != std::errc() || !(value >= range.low && value <= range.high)) {
    return text + ": out of range; " + limits;
  }
  return {};
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) {
    row[j] = j;
  }
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

// Bytes of the character that starts `text`; 0 when it is not UTF-8 (RFC 3629).
size_t CharacterBytes(std::string_view text) {
  const auto at = [&](size_t i) {
    return static_cast<unsigned char>(i < text.size() ? text[i] : 0);
  };
  const unsigned char lead = at(0);
  const size_t count = lead < 0x80   ? 1
                       : lead < 0xc2 ? 0
                       : lead < 0xe0 ? 2
                       : lead < 0xf0 ? 3
                       : lead < 0xf5 ? 4
                                     : 0;
  for (size_t i = 1; i < count; ++i) {
    if (at(i) < 0x80 || at(i) > 0xbf) {
      return 0;
    }
  }
  const bool overlong = (lead == 0xe0 && at(1) < 0xa0) || (lead == 0xf0 && at(1) < 0x90);
  const bool beyond = (lead == 0xed && at(1) > 0x9f) || (lead == 0xf4 && at(1) > 0x8f);
  return overlong || beyond ? 0 : count;
}

// True when one of the option's names stands on the command line.
bool IsGiven(const CLI::Option& option, const std::vector<std::string>& arguments) {
  return std::ranges::any_of(arguments, [&](const std::string& argument) {
    const auto is_long = [&](const std::string& name) {
      return argument == "--" + name || argument.starts_with("--" + name + "=");
    };
    const auto is_short = [&](const std::string& name) {
      return !argument.starts_with("--") && argument.starts_with("-" + name);
    };
    return std::ranges::any_of(option.get_lnames(), is_long) ||
           std::ranges::any_of(option.get_snames(), is_short);
  });
}

// What is wrong with `value` for the option; "" when nothing is.
std::string Refusal(CLI::Option& option, std::string value) {
  if (option.get_items_expected_max() == 0) {  // a flag
    static constexpr std::array kSwitches = {"1", "0", "true", "false", "yes", "no", "on", "off"};
    const std::string lower = CLI::detail::to_lower(value);
    const bool known = std::ranges::find(kSwitches, lower) != kSwitches.end();
    return known ? "" : value + ": not a switch; give 1, true, yes or on, or 0, false, no or off";
  }
  for (int i = 0;; ++i) {
    const CLI::Validator* validator = nullptr;
    try {
      validator = option.get_validator(i);
    } catch (const CLI::OptionNotFound&) {
      return "";
    }
    if (const std::string refusal = (*validator)(value); !refusal.empty()) {
      return refusal;
    }
  }
}

}  // namespace

CLI::Option* Options::Mirror(CLI::Option* option, bool shared_environment) {
  const std::vector<std::string>& names = option->get_lnames();
  if (!mirror_ || names.empty()) {
    return option;
  }
  std::string name = EnvironmentName(command_, names.front());
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read before the first thread is made
  if (shared_environment && std::getenv(name.c_str()) == nullptr) {
    name = EnvironmentName("", names.front());
  }
  return option->envname(name);
}

CLI::Option* Options::Text(const std::string& flags, std::string& value, const std::string& help) {
  return Mirror(app_.add_option(flags, value, help), true);
}

CLI::Option* Options::OwnText(const std::string& flags, std::string& value,
                              const std::string& help) {
  return Mirror(app_.add_option(flags, value, help), false);
}

CLI::Option* Options::Flag(const std::string& flags, bool& value, const std::string& help) {
  return Mirror(app_.add_flag(flags, value, help), true);
}

CLI::Option* Options::Whole(const std::string& flags, uint32_t& value, Range<uint32_t> range,
                            const std::string& help) {
  CLI::Option* option = app_.add_option(flags, value, help)->type_name("N")->capture_default_str();
  option->check([range](const std::string& text) { return CheckNumber(text, range); });
  return Mirror(option, true);
}

CLI::Option* Options::Decimal(const std::string& flags, float& value, Range<float> range,
                              const std::string& help) {
  CLI::Option* option = app_.add_option(flags, value, help)->type_name("X")->capture_default_str();
  option->check([range](const std::string& text) { return CheckNumber(text, range); });
  return Mirror(option, true);
}

CLI::Option* Options::Choice(const std::string& flags, std::string& value,
                             std::vector<std::string> choices, const std::string& help) {
  std::string listed;
  for (const std::string& choice : choices) {
    listed += (listed.empty() ? "" : ", ") + choice;
  }
  CLI::Option* option =
      app_.add_option(flags, value, help + ": " + listed)->type_name("X")->capture_default_str();
  option->check([choices = std::move(choices), listed](const std::string& text) {
    const bool known = std::find(choices.begin(), choices.end(), text) != choices.end();
    return known ? std::string() : text + ": unknown; give one of " + listed;
  });
  return Mirror(option, true);
}

CLI::Option* Options::Repeated(const std::string& flags, std::vector<std::string>& values,
                               const std::string& help) {
  return Mirror(
      app_.add_option_function<std::string>(
              flags, [&values](const std::string& value) { values.push_back(value); }, help)
          ->trigger_on_parse()
          ->type_name("TEXT"),
      true);
}

CLI::Option* Options::Words(const std::string& name, std::vector<std::string>& values,
                            const std::string& help) {
  return app_.add_option(name, values, help)->type_name("");
}

void CheckEnvironment(CLI::App& app, const std::vector<std::string>& arguments) {
  for (CLI::Option* option : app.get_options()) {
    const std::string name = option->get_envname();
    // NOLINTNEXTLINE(concurrency-mt-unsafe): read before the first thread is made
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') {
      continue;
    }
    const auto& excluded = option->get_excludes();
    if (IsGiven(*option, arguments) || std::ranges::any_of(excluded, [&](CLI::Option* other) {
          return IsGiven(*other, arguments);
        })) {
      option->envname("");
      continue;
    }
    const std::string refusal = Refusal(*option, value);
    if (!refusal.empty()) {
      throw CliError(kUsage,
                     "$" + name + " for --" + option->get_lnames().front() + ": " + refusal);
    }
  }
}

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

void RequireUtf8(const std::string& what, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t count = CharacterBytes(text.substr(at));
    if (count == 0) {
      throw CliError(kBadInput, what + ": byte " + std::to_string(at) +
                                    ": not UTF-8; convert the text to UTF-8");
    }
    at += count;
  }
}

std::string OneLine(std::string_view text) {
  std::string line;
  for (size_t at = 0; at < text.size();) {
    const size_t count = CharacterBytes(text.substr(at));
    if (count == 0) {
      line += '?';
      ++at;
      continue;
    }
    const auto first = static_cast<unsigned char>(text[at]);
    line += first < 0x20 || first == 0x7f ? std::string_view(" ") : text.substr(at, count);
    at += count;
  }
  return line;
}

std::string UsageMessage(const std::string& command, const CLI::ParseError& error) {
  std::string what = error.what();
  if (what.starts_with("The following argument")) {
    const size_t colon = what.find(": ");
    what = (colon == std::string::npos ? what : what.substr(colon + 2)) + ": not expected here";
  }
  std::replace(what.begin(), what.end(), '\n', ' ');
  const std::string program = command.empty() ? "sotto" : "sotto " + command;
  return (command.empty() ? "" : command + ": ") + what + "; see `" + program + " --help`";
}

std::string Nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  size_t best_distance = 3;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace sotto::cli
