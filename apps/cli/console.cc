#include "cli/console.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/exit_code.h"

namespace sotto::cli {
namespace {

bool ColourWanted() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read before the first thread is made
  const char* no_colour = std::getenv("NO_COLOR");  // no-color.org: set and not empty
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read before the first thread is made
  const char* terminal = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

// Stderr is advice: a closed one stops nothing.
void WriteStderr(std::string_view text) {
  try {
    WriteAll(STDERR_FILENO, text);
  } catch (const PipeClosed&) {
  } catch (const CliError&) {
  }
}

}  // namespace

void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EPIPE) {
      throw PipeClosed();
    } else if (errno == ENOSPC || errno == EDQUOT) {
      throw CliError(kNoResources, "output: stdout: the disk is full; free some space");
    } else if (errno != EINTR && errno != EAGAIN) {
      throw CliError(kBadInput, "output: stdout: cannot be written, error " +
                                    std::to_string(errno) + "; give a file with -o");
    }
  }
}

Console::Console()
    : results_on_terminal_(::isatty(STDOUT_FILENO) == 1),
      stderr_on_terminal_(::isatty(STDERR_FILENO) == 1),
      colour_(results_on_terminal_ && ColourWanted()) {}

void Console::MoveResultsToStderr() {
  results_fd_ = STDERR_FILENO;
  results_on_terminal_ = stderr_on_terminal_;
  colour_ = results_on_terminal_ && ColourWanted();
}

void Console::Result(std::string_view text) {
  if (!results_on_terminal_) {
    Markup(text);
    return;
  }
  std::string safe(text);
  std::erase_if(safe, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
  });
  Markup(safe);
}

void Console::Markup(std::string_view text) {
  Status("");
  WriteAll(results_fd_, text);
}

void Console::Json(const nlohmann::ordered_json& json) {
  Markup(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void Console::Note(std::string_view line) {
  if (!quiet_) {
    Status("");
    WriteStderr(std::string(line) + "\n");
  }
}

std::string Console::Paint(Style style, std::string_view text) const {
  if (!colour_) {
    return std::string(text);
  }
  static constexpr const char* kCodes[] = {"1", "2", "32", "33", "31"};
  return std::string("\033[") + kCodes[static_cast<int>(style)] + "m" + std::string(text) +
         "\033[0m";
}

void Console::Status(std::string_view line) {
  if (!can_rewrite() || (line.empty() && !has_status_)) {
    return;
  }
  WriteStderr("\r\033[K" + std::string(line));
  has_status_ = !line.empty();
}

std::string FormatBytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1000 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text;
}

std::string FormatDuration(double seconds) {
  const long total = std::lround(std::clamp(seconds, 0.0, 359999.0));
  char text[32];
  if (total >= 3600) {
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", total / 3600, total / 60 % 60, total % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld:%02ld", total / 60, total % 60);
  }
  return text;
}

std::string FormatBar(double fraction) {
  constexpr int kWidth = 24;
  const double held = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0.0;
  const int full = static_cast<int>(held * kWidth);
  char text[64];
  std::snprintf(text, sizeof text, "[%s%s] %3d %%", std::string(full, '=').c_str(),
                std::string(kWidth - full, ' ').c_str(), static_cast<int>(held * 100));
  return text;
}

void Bars::Set(const std::string& key, std::string line) {
  lines_[key] = std::move(line);
  Draw();
}

void Bars::Remove(const std::string& key) {
  Erase();
  lines_.erase(key);
}

void Bars::Erase() {
  if (drawn_ > 0) {
    WriteStderr("\r\033[" + std::to_string(drawn_) + "A\033[J");
    drawn_ = 0;
  }
}

void Bars::Draw() {
  if (!console_.can_rewrite()) {
    return;
  }
  std::string text;
  if (drawn_ > 0) {
    text = "\r\033[" + std::to_string(drawn_) + "A";
  }
  for (const auto& [key, line] : lines_) {
    text += "\033[K" + line + "\n";
  }
  drawn_ = static_cast<int>(lines_.size());
  WriteStderr(text);
}

}  // namespace sotto::cli
