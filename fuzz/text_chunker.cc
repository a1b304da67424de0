// The phrase chunker: the phrases do not depend on how the text was cut, are the text without white
// space between them, and are no longer than allowed.
#include <string>
#include <vector>

#include "text/phrase_chunker.h"
#include "text/utf8.h"
#include "text_fuzz.h"

namespace {

bool IsSpace(char c) { return std::string_view(" \n\t\r\v\f").find(c) != std::string_view::npos; }

void Check(std::string_view text, const sotto::PhrasePolicy& policy) {
  using sotto::fuzz::Require;
  sotto::PhraseChunker whole_chunker(policy);
  std::vector<sotto::Phrase> whole = whole_chunker.Feed(text);
  for (sotto::Phrase& p : whole_chunker.Finish()) whole.push_back(std::move(p));
  sotto::PhraseChunker chunker(policy);
  std::vector<sotto::Phrase> streamed;
  sotto::fuzz::Cutter cutter(text);
  for (std::string_view piece; cutter.Next(piece);) {
    for (sotto::Phrase& p : chunker.Feed(piece)) streamed.push_back(std::move(p));
    Require(chunker.pending_bytes() <= policy.max_bytes + 128, "what is pending is bounded");
  }
  for (sotto::Phrase& p : chunker.Finish()) streamed.push_back(std::move(p));
  Require(streamed.size() == whole.size(), "streamed equals whole: count");
  const bool valid = sotto::ValidateUtf8(text) == sotto::kValidUtf8;
  size_t end = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    const sotto::Phrase& p = whole[i];
    Require(p.text == streamed[i].text && p.begin_bytes == streamed[i].begin_bytes &&
                p.end_bytes == streamed[i].end_bytes && p.end == streamed[i].end,
            "streamed equals whole");
    Require(!p.text.empty() && p.text.size() <= policy.max_bytes, "1..max_bytes");
    Require(
        p.begin_bytes >= end && p.text == text.substr(p.begin_bytes, p.end_bytes - p.begin_bytes),
        "a phrase is its range of the input");
    for (; end < p.begin_bytes; ++end) Require(IsSpace(text[end]), "only white space is skipped");
    Require(p.index == static_cast<int64_t>(i), "indexes count");
    Require(!valid || sotto::ValidateUtf8(p.text) == sotto::kValidUtf8, "characters stay whole");
    end = p.end_bytes;
  }
  for (; end < text.size(); ++end) Require(IsSpace(text[end]), "the end is white space");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = sotto::fuzz::AsText(data, size);
  Check(text, {});
  Check(text, {.first_clause_words = 0, .first_max_words = 0, .grow_bytes = 16, .max_bytes = 24});
  Check(text, {.first_max_words = 3, .join_bytes = 30, .max_bytes = 60});
  return 0;
}
