// The speech filter: its output does not depend on how the text was cut, is valid UTF-8, holds no
// mark that it promises to remove, and grows by a bound.
#include <string>

#include "text/speech_filter.h"
#include "text/utf8.h"
#include "text_fuzz.h"

namespace {

void Check(std::string_view text, sotto::SpeechFilterOptions::Tables tables) {
  using sotto::fuzz::Require;
  sotto::SpeechFilterOptions options;
  options.tables = tables;
  sotto::SpeechFilter whole_filter(options);
  std::string whole = whole_filter.Feed(text);
  whole += whole_filter.Finish();
  sotto::SpeechFilter filter(options);
  std::string streamed;
  sotto::fuzz::Cutter cutter(text);
  for (std::string_view piece; cutter.Next(piece);) {
    const std::string out = filter.Feed(piece);
    Require(sotto::ValidateUtf8(out) == sotto::kValidUtf8, "every delta is valid");
    streamed += out;
  }
  streamed += filter.Finish();
  Require(streamed == whole, "streamed equals whole");
  Require(whole.size() <= text.size() * 4 + 8, "growth is bounded");
  size_t source = 0;
  for (size_t i = 0; i <= whole.size(); ++i) {
    const size_t next = filter.SourceOffset(i);
    Require(next >= source && next <= text.size(), "the source map is monotone and in range");
    Require(next == whole_filter.SourceOffset(i), "the source map does not depend on the cuts");
    source = next;
  }
  for (size_t i = 0; i < whole.size();) {
    const sotto::CodePoint c = sotto::DecodeUtf8(whole, i);
    Require(!sotto::IsPictograph(c.value) && !sotto::IsInvisible(c.value) && c.value != '`',
            "no pictograph, no invisible character, no backtick");
    i += c.size_bytes;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = sotto::fuzz::AsText(data, size);
  Check(text, sotto::SpeechFilterOptions::Tables::kDrop);
  Check(text, sotto::SpeechFilterOptions::Tables::kReadCells);
  return 0;
}
