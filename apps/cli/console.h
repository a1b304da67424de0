// What the user sees: results on stdout, everything else on stderr.
#ifndef SOTTO_APPS_CLI_CONSOLE_H_
#define SOTTO_APPS_CLI_CONSOLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace sotto::cli {

enum class Style { kBold, kDim, kGreen, kYellow, kRed };

// Writes all of `bytes` to `fd`. PipeClosed when the reader has gone, CliError when the disk is
// full.
void WriteAll(int fd, std::string_view bytes);

class Console {
 public:
  Console();

  void set_quiet(bool quiet) { quiet_ = quiet; }
  void set_progress(bool progress) { progress_ = progress; }
  // Sound goes to stdout, so results go to stderr.
  void MoveResultsToStderr();

  bool results_on_terminal() const { return results_on_terminal_; }
  // True when a line on stderr may be rewritten.
  bool can_rewrite() const { return progress_ && !quiet_ && stderr_on_terminal_; }
  bool quiet() const { return quiet_; }

  // A result. On a terminal, control characters other than newline and tab are left out, so that
  // text of a model or a file cannot steer it.
  void Result(std::string_view text);
  // A result of our own, escape sequences included.
  void Markup(std::string_view text);
  // A result as one line of JSON; text that is not UTF-8 becomes U+FFFD.
  void Json(const nlohmann::ordered_json& json);
  // A line for stderr, unless quiet.
  void Note(std::string_view line);

  // `text` in a style where results are coloured.
  std::string Paint(Style style, std::string_view text) const;

  // Shows `line` in place of the last status line of stderr; "" removes it. Only with
  // can_rewrite().
  void Status(std::string_view line);

 private:
  int results_fd_ = 1;
  bool quiet_ = false;
  bool progress_ = true;
  bool results_on_terminal_ = false;
  bool stderr_on_terminal_ = false;
  bool colour_ = false;
  bool has_status_ = false;
};

// "12.3 MB".
std::string FormatBytes(uint64_t bytes);
// "1:02:03" or "2:03".
std::string FormatDuration(double seconds);
// "[=====     ]  52 %".
std::string FormatBar(double fraction);

// Bars, one a line, redrawn in place.
class Bars {
 public:
  explicit Bars(Console& console) : console_(console) {}
  ~Bars() { Erase(); }
  Bars(const Bars&) = delete;
  Bars& operator=(const Bars&) = delete;

  void Set(const std::string& key, std::string line);
  void Remove(const std::string& key);
  // Takes the bars away, so that something else can be written; Draw() puts them back.
  void Erase();
  void Draw();

 private:
  Console& console_;
  std::map<std::string, std::string> lines_;
  int drawn_ = 0;
};

}  // namespace sotto::cli

#endif  // SOTTO_APPS_CLI_CONSOLE_H_
