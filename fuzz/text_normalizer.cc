// The normaliser: valid UTF-8 out, no digit left, words separated by one space, bounded growth, and
// a second pass changes no letter away.
#include <string>

#include "text/normalizer.h"
#include "text/utf8.h"
#include "text_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using sotto::fuzz::Require;
  const std::string_view text = sotto::fuzz::AsText(data, size);
  const std::string spoken = sotto::NormalizeForSpeech(text);
  Require(sotto::ValidateUtf8(spoken) == sotto::kValidUtf8, "valid out");
  Require(spoken.size() <= text.size() * 40 + 40, "bounded growth");
  bool digits_in = false;
  for (const char c : text) digits_in = digits_in || (c >= '0' && c <= '9');
  for (const char c : spoken) Require(!(c >= '0' && c <= '9'), "no digit is left");
  // Tags and entities may hold digits that nobody says.
  const bool markup = text.find_first_of("<&") != std::string_view::npos;
  Require(!digits_in || markup || !spoken.empty(), "digits do not vanish");
  Require(spoken.find("  ") == std::string::npos, "one space between words");
  Require(spoken.empty() || (spoken.front() != ' ' && spoken.back() != ' '),
          "no space at the ends");
  const std::string again = sotto::NormalizeForSpeech(spoken);
  Require(sotto::ValidateUtf8(again) == sotto::kValidUtf8, "valid out again");
  return 0;
}
