// The waterfall of a turn as a table for people.
#ifndef SOTTO_APPS_CLI_WATERFALL_TEXT_H_
#define SOTTO_APPS_CLI_WATERFALL_TEXT_H_

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace sotto::cli {

// One line a mark, in order, with a bar from the mark before it; then the derived figures and the
// anomalies. `waterfall` is as in sotto/trace.h; what it lacks is left out.
std::string WaterfallText(const nlohmann::ordered_json& waterfall);

}  // namespace sotto::cli

#endif  // SOTTO_APPS_CLI_WATERFALL_TEXT_H_
