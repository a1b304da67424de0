#include "cli/transcript.h"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace sotto::cli {
namespace {

// Two lines of 40 characters, the usual limit of a caption.
constexpr size_t kCueBytes = 80;

std::string Timestamp(int64_t ms, char decimal) {
  const int64_t held = std::max<int64_t>(ms, 0);
  char text[40];
  std::snprintf(text, sizeof text, "%02lld:%02lld:%02lld%c%03lld",
                static_cast<long long>(held / 3600000), static_cast<long long>(held / 60000 % 60),
                static_cast<long long>(held / 1000 % 60), decimal,
                static_cast<long long>(held % 1000));
  return text;
}

// Ends of the pieces that `text` is cut into, at spaces.
std::vector<size_t> PieceEnds(const std::string& text) {
  std::vector<size_t> ends;
  size_t begin = 0;
  while (text.size() - begin > kCueBytes) {
    size_t cut = text.rfind(' ', begin + kCueBytes);
    if (cut == std::string::npos || cut <= begin) {
      cut = text.find(' ', begin + kCueBytes);
    }
    if (cut == std::string::npos) {
      break;
    }
    ends.push_back(cut);
    begin = cut + 1;
  }
  ends.push_back(text.size());
  return ends;
}

std::vector<Segment> Cues(const std::vector<Segment>& segments) {
  std::vector<Segment> cues;
  for (const Segment& segment : segments) {
    const auto length = static_cast<int64_t>(std::max<size_t>(segment.text.size(), 1));
    const int64_t duration_ms = segment.end_ms - segment.start_ms;
    size_t begin = 0;
    for (const size_t end : PieceEnds(segment.text)) {
      cues.push_back({segment.start_ms + duration_ms * static_cast<int64_t>(begin) / length,
                      segment.start_ms + duration_ms * static_cast<int64_t>(end) / length,
                      segment.text.substr(begin, end - begin)});
      begin = end + 1;
    }
  }
  return cues;
}

std::string EscapeVtt(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string TextOf(const std::vector<Segment>& segments) {
  std::string text;
  for (const Segment& segment : segments) {
    if (!segment.text.empty()) {
      text += (text.empty() ? "" : " ") + segment.text;
    }
  }
  return text;
}

std::string ToSrt(const std::vector<Segment>& segments) {
  std::string out;
  int number = 0;
  for (const Segment& cue : Cues(segments)) {
    out += std::to_string(++number) + "\n" + Timestamp(cue.start_ms, ',') + " --> " +
           Timestamp(cue.end_ms, ',') + "\n" + cue.text + "\n\n";
  }
  return out;
}

std::string ToVtt(const std::vector<Segment>& segments) {
  std::string out = "WEBVTT\n\n";
  for (const Segment& cue : Cues(segments)) {
    out += Timestamp(cue.start_ms, '.') + " --> " + Timestamp(cue.end_ms, '.') + "\n" +
           EscapeVtt(cue.text) + "\n\n";
  }
  return out;
}

nlohmann::ordered_json ToJson(const std::vector<Segment>& segments) {
  nlohmann::ordered_json listed = nlohmann::ordered_json::array();
  for (const Segment& segment : segments) {
    listed.push_back({{"start_s", static_cast<double>(segment.start_ms) / 1000.0},
                      {"end_s", static_cast<double>(segment.end_ms) / 1000.0},
                      {"text", segment.text}});
  }
  return {{"text", TextOf(segments)}, {"segments", std::move(listed)}};
}

}  // namespace sotto::cli
