// A transcript and its written forms.
#ifndef SOTTO_APPS_CLI_TRANSCRIPT_H_
#define SOTTO_APPS_CLI_TRANSCRIPT_H_

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace sotto::cli {

struct Segment {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  std::string text;
};

// The texts of `segments`, with a space between them.
std::string TextOf(const std::vector<Segment>& segments);

// Numbered cues with 00:00:01,500; a caption of many words is cut into cues of about 80 characters,
// its time shared out by length.
std::string ToSrt(const std::vector<Segment>& segments);
// WEBVTT; "-->" in a text and its markup characters are escaped.
std::string ToVtt(const std::vector<Segment>& segments);
// {"text", "segments": [{"start_s", "end_s", "text"}]}.
nlohmann::ordered_json ToJson(const std::vector<Segment>& segments);

}  // namespace sotto::cli

#endif  // SOTTO_APPS_CLI_TRANSCRIPT_H_
