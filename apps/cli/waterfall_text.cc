#include "cli/waterfall_text.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace sotto::cli {
namespace {

constexpr int kBarWidth = 40;

struct Mark {
  std::string name;
  double t_ms;
};

std::vector<Mark> MarksInOrder(const nlohmann::ordered_json& waterfall) {
  std::vector<Mark> marks;
  for (const auto& checkpoint : waterfall.value("checkpoints", nlohmann::ordered_json::array())) {
    if (checkpoint.contains("t_ms") && checkpoint["t_ms"].is_number()) {
      marks.push_back({checkpoint.value("name", ""), checkpoint["t_ms"].get<double>()});
    }
  }
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.t_ms < b.t_ms; });
  return marks;
}

std::string Line(const Mark& mark, double from_ms, double first_ms, double last_ms) {
  const double scale = last_ms > first_ms ? kBarWidth / (last_ms - first_ms) : 0.0;
  const int begin = static_cast<int>((from_ms - first_ms) * scale);
  const int end = std::max(begin + 1, static_cast<int>((mark.t_ms - first_ms) * scale));
  std::string bar(static_cast<size_t>(begin), ' ');
  bar.append(static_cast<size_t>(end - begin), '#');
  bar.resize(kBarWidth + 1, ' ');
  char text[160];
  std::snprintf(text, sizeof text, "  %-27s %9.1f ms  |%s| %+8.1f\n", mark.name.c_str(), mark.t_ms,
                bar.c_str(), mark.t_ms - from_ms);
  return text;
}

}  // namespace

std::string WaterfallText(const nlohmann::ordered_json& waterfall) {
  const std::vector<Mark> marks = MarksInOrder(waterfall);
  std::string text;
  for (size_t i = 0; i < marks.size(); ++i) {
    const double from_ms = i == 0 ? marks[0].t_ms : marks[i - 1].t_ms;
    text += Line(marks[i], from_ms, marks.front().t_ms, marks.back().t_ms);
  }
  const auto derived = waterfall.value("derived", nlohmann::ordered_json::object());
  for (const auto& [name, value] : derived.items()) {
    if (value.is_number()) {
      char line[96];
      std::snprintf(line, sizeof line, "  %-27s %9.1f ms\n", name.c_str(), value.get<double>());
      text += line;
    }
  }
  for (const auto& anomaly : waterfall.value("anomalies", nlohmann::ordered_json::array())) {
    text +=
        "  anomaly: " + (anomaly.is_string() ? anomaly.get<std::string>() : anomaly.dump()) + "\n";
  }
  return text;
}

}  // namespace sotto::cli
