// A text file that appears under its name when it is whole.
#ifndef SOTTO_APPS_CLI_TEXT_OUT_H_
#define SOTTO_APPS_CLI_TEXT_OUT_H_

#include <string>
#include <string_view>

namespace sotto::cli {

class TextOut {
 public:
  // Creates a temporary file beside `path`, or opens it when it is a pipe or device. CliError when
  // that cannot be.
  explicit TextOut(const std::string& path);
  TextOut(const TextOut&) = delete;
  TextOut& operator=(const TextOut&) = delete;
  // Without Finish() nothing has appeared.
  ~TextOut();

  void Write(std::string_view text);
  void Finish();

 private:
  const std::string path_;
  std::string temporary_path_;
  bool is_named_ = false;  // `temporary_path_` exists already
  int fd_ = -1;
};

}  // namespace sotto::cli

#endif  // SOTTO_APPS_CLI_TEXT_OUT_H_
