// sotto pull, list, show, rm and verify: the models on disk.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"

namespace sotto::cli {
namespace {

using Json = nlohmann::ordered_json;

// --- pull -------------------------------------------------------------------------------------

const char* PullEventName(int32_t type) {
  switch (type) {
    case SOTTO_PULL_PROGRESS:
      return "progress";
    case SOTTO_PULL_NOTICE:
      return "notice";
    case SOTTO_PULL_FILE_DONE:
      return "file_done";
    default:
      return "done";
  }
}

Json EventJson(const PullEvent& event) {
  Json json = {{"event", PullEventName(event.type)}};
  if (event.type == SOTTO_PULL_DONE) {
    json["status"] = sotto_status_name(event.status);
  }
  if (!event.item.empty()) {
    json["model"] = event.item;
  }
  if (!event.file.empty()) {
    json["file"] = event.file;
    json["phase"] = event.phase;
    json["done_bytes"] = event.done_bytes;
    json["total_bytes"] = event.total_bytes;
    json["rate_bytes_per_s"] = event.rate_bytes_per_s;
    json["all_done_bytes"] = event.all_done_bytes;
    json["all_total_bytes"] = event.all_total_bytes;
  }
  if (!event.text.empty()) {
    json["text"] = event.text;
  }
  return json;
}

std::string ProgressLine(const PullEvent& event) {
  const std::string name = event.file.empty() ? event.item : event.file;
  std::string line = "  " + name.substr(0, 36);
  line.resize(38, ' ');
  if (event.total_bytes == 0) {
    return line + " " + event.phase + "  " + FormatBytes(event.done_bytes);
  }
  line += FormatBar(static_cast<double>(event.done_bytes) / static_cast<double>(event.total_bytes));
  line += "  " + FormatBytes(event.total_bytes);
  if (event.rate_bytes_per_s > 0 && event.total_bytes > event.done_bytes) {
    line += "  " + FormatBytes(event.rate_bytes_per_s) + "/s  " +
            FormatDuration(static_cast<double>(event.total_bytes - event.done_bytes) /
                           static_cast<double>(event.rate_bytes_per_s)) +
            " left";
  }
  return line + "  " + event.phase;
}

// Bars on a terminal; elsewhere a line when a phase of a file begins, at every tenth of it, and
// when the file is done.
class PullScreen {
 public:
  explicit PullScreen(Context& context) : context_(context), bars_(context.console) {}

  void Show(const PullEvent& event) {
    if (context_.globals.json) {
      if (event.type != SOTTO_PULL_NONE) {
        context_.console.Json(EventJson(event));
      }
    } else if (event.type == SOTTO_PULL_PROGRESS) {
      ShowProgress(event);
    } else if (event.type == SOTTO_PULL_NOTICE) {
      Say((event.phase == "retry" ? "  " + event.item + "  " + event.file + "  " : "") +
          event.text);
    } else if (event.type == SOTTO_PULL_FILE_DONE) {
      bars_.Remove(Key(event));
      Say("  " + event.item + "  " + event.file + "  " + FormatBytes(event.total_bytes) + "  done");
    }
  }

 private:
  static std::string Key(const PullEvent& event) { return event.item + "/" + event.file; }

  void ShowProgress(const PullEvent& event) {
    if (context_.console.can_rewrite()) {
      bars_.Set(Key(event), ProgressLine(event));
    } else if (!context_.globals.no_progress && IsNews(event)) {
      Say("  " + event.item + "  " + event.file + "  " + event.phase + AmountText(event));
    }
  }

  // A phase's first time, or another tenth of the file. A file of many parts goes through the same
  // phases with each.
  bool IsNews(const PullEvent& event) {
    Told& told = told_[Key(event)];
    const uint64_t tenth = event.total_bytes > 0 ? event.done_bytes * 10 / event.total_bytes : 0;
    const bool is_more = tenth > told.tenth;
    told.tenth = std::max(told.tenth, tenth);
    return told.phases.insert(event.phase).second || is_more;
  }

  static std::string AmountText(const PullEvent& event) {
    if (event.total_bytes == 0) {
      return "";
    }
    const std::string total = FormatBytes(event.total_bytes);
    return event.done_bytes == 0 ? "  " + total
                                 : "  " + FormatBytes(event.done_bytes) + " of " + total;
  }

  void Say(const std::string& line) {
    bars_.Erase();
    context_.console.Note(line);
    bars_.Draw();
  }

  Context& context_;
  Bars bars_;
  struct Told {
    std::set<std::string> phases;
    uint64_t tenth = 0;
  };
  std::map<std::string, Told> told_;
};

// Looks at what is installed; the store remembers what it finds damaged, and the pull mends it.
void VerifyBeforePull(const std::vector<std::string>& ids, Context& context) {
  for (const std::string& id : ids) {
    context.console.Note("sotto: pull: " + id + ": hashing what is here");
    char* json = nullptr;
    const sotto_status status = sotto_store_verify_json(context.engine().get(), id.c_str(), &json);
    sotto_string_free(json);
    if (status != SOTTO_OK && status != SOTTO_DATA_LOSS) {
      throw Error(status, sotto_last_error_message());
    }
  }
}

ExitCode RunPull(const std::vector<std::string>& ids, bool verify, Context& context) {
  if (verify) {
    VerifyBeforePull(ids, context);
  }
  Pull pull(context.engine(), ids);
  const InterruptScope scope([&pull] { pull.Cancel(); });
  PullScreen screen(context);
  for (;;) {
    const PullEvent event = pull.Next();
    screen.Show(event);
    if (event.type != SOTTO_PULL_DONE) {
      continue;
    }
    if (event.status == SOTTO_CANCELLED) {
      throw CliError(kInterrupted, "pull: interrupted; the same command goes on from here");
    }
    CheckEnd(event.status, event.text);
    return kDone;
  }
}

// --- list, show -------------------------------------------------------------------------------

std::string Padded(std::string text, size_t width) {
  text.resize(std::max(text.size() + 2, width), ' ');
  return text;
}

std::string SizeOf(const Json& entry) {
  const Json size = entry.value("size_bytes", Json());
  return size.is_number() && size > 0 ? FormatBytes(size.get<uint64_t>()) : "-";
}

ExitCode RunList(bool all, Context& context) {
  const Json list = Json::parse(context.engine().StoreListJson());
  Console& console = context.console;
  if (context.globals.json) {
    console.Json(list);
    return kDone;
  }
  const std::string mark = console.Paint(Style::kGreen, "*");
  console.Markup(console.Paint(Style::kBold, "packs") + "  (* installed)\n");
  for (const Json& pack : list.value("packs", Json::array())) {
    console.Markup(pack.value("installed", false) ? mark : " ");
    console.Result(" " + Padded(pack.value("id", ""), 22) + Padded(SizeOf(pack), 12) +
                   pack.value("summary", "") + "\n");
  }
  console.Markup(console.Paint(Style::kBold, "models") + "\n");
  size_t hidden = 0;
  for (const Json& model : list.value("models", Json::array())) {
    const bool installed = model.value("installed", false);
    if (!installed && !all) {
      ++hidden;
      continue;
    }
    console.Markup(installed ? mark : " ");
    console.Result(" " + Padded(model.value("id", ""), 30) + Padded(model.value("role", ""), 12) +
                   Padded(SizeOf(model), 12) + model.value("licence", "") + "\n");
  }
  if (hidden > 0) {
    console.Note(std::to_string(hidden) + " more can be pulled; `sotto list --all` shows them");
  }
  return kDone;
}

// "a, b" for a list of plain values.
std::string Listed(const Json& list) {
  std::string text;
  for (const Json& value : list) {
    text +=
        (text.empty() ? "" : ", ") + (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

bool IsPlainList(const Json& json) {
  return json.is_array() &&
         std::ranges::none_of(json, [](const Json& v) { return v.is_structured(); });
}

// One row a value; the first row of an object in a list begins with "- ".
struct Row {
  std::string key;
  std::string value;
};

void AppendRows(const Json& object, const std::string& indent, std::vector<Row>& rows) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_null() || value == "" || (value.is_structured() && value.empty())) {
      continue;
    }
    if (IsPlainList(value)) {
      rows.push_back({indent + key, Listed(value)});
    } else if (value.is_object()) {
      rows.push_back({indent + key, ""});
      AppendRows(value, indent + "  ", rows);
    } else if (value.is_array()) {
      rows.push_back({indent + key, ""});
      for (const Json& item : value) {
        const size_t first = rows.size();
        AppendRows(item, indent + "    ", rows);
        if (first < rows.size()) {
          rows[first].key[indent.size() + 2] = '-';
        }
      }
    } else if (value.is_string()) {
      rows.push_back({indent + key, value.get<std::string>()});
    } else if (key.ends_with("_bytes") && value.is_number_unsigned() && value >= 1000) {
      rows.push_back(
          {indent + key, value.dump() + "  (" + FormatBytes(value.get<uint64_t>()) + ")"});
    } else {
      rows.push_back({indent + key, value.dump()});
    }
  }
}

// All values in one column.
std::string Readable(const Json& json) {
  std::vector<Row> rows;
  AppendRows(json, "", rows);
  size_t width = 0;
  for (const Row& row : rows) {
    width = std::max(width, row.value.empty() ? 0 : row.key.size());
  }
  std::string text;
  for (const Row& row : rows) {
    text += (row.value.empty() ? row.key : Padded(row.key, width + 2) + row.value) + "\n";
  }
  return text;
}

ExitCode RunShow(const std::string& id, Context& context) {
  const Json json = Json::parse(context.engine().StoreShowJson(id));
  if (context.globals.json) {
    context.console.Json(json);
    return kDone;
  }
  context.console.Result(Readable(json));
  return kDone;
}

// --- rm, verify -------------------------------------------------------------------------------

ExitCode RunRemove(const std::string& id, bool force, Context& context) {
  const Json json = Json::parse(context.engine().StoreRemoveJson(id, force));
  if (context.globals.json) {
    context.console.Json(json);
    return kDone;
  }
  for (const Json& removed : json.value("removed", Json::array())) {
    context.console.Result("removed  " + removed.get<std::string>() + "\n");
  }
  for (const Json& kept : json.value("kept", Json::array())) {
    context.console.Result("kept     " + kept.get<std::string>() + "\n");
  }
  context.console.Result("freed    " + FormatBytes(json.value("freed_bytes", uint64_t{0})) + "\n");
  for (const Json& pack : json.value("incomplete_packs", Json::array())) {
    const std::string name = pack.get<std::string>();
    context.console.Note("sotto: rm: pack " + name + " is incomplete without it; sotto pull " +
                         name);
  }
  return kDone;
}

ExitCode RunVerify(const std::string& id, Context& context) {
  char* raw = nullptr;
  const sotto_status status = sotto_store_verify_json(context.engine().get(), OrNull(id), &raw);
  const std::string message = sotto_last_error_message();
  if (raw == nullptr) {
    throw Error(status, message);
  }
  const Json json = Json::parse(raw);
  sotto_string_free(raw);
  if (context.globals.json) {
    context.console.Json(json);
  } else {
    for (const Json& file : json.value("files", Json::array())) {
      const bool ok = file.value("ok", false);
      const std::string fault = file.value("code", "") == "UNAVAILABLE" ? "absent   " : "damaged  ";
      context.console.Markup(
          context.console.Paint(ok ? Style::kGreen : Style::kRed, ok ? "ok       " : fault));
      context.console.Result(file.value("model", "") + "  " + file.value("file", "") + "\n");
    }
  }
  CheckEnd(status, message);
  return kDone;
}

}  // namespace

Action DeclarePull(CLI::App& app) {
  const auto ids = std::make_shared<std::vector<std::string>>();
  app.add_option("ID", *ids, "models and packs; see `sotto list --all`")->required();
  const auto verify = std::make_shared<bool>(false);
  app.add_flag("--verify", *verify, "hash what is installed too, and mend what is damaged");
  return [ids, verify](Context& context) { return RunPull(*ids, *verify, context); };
}

Action DeclareList(CLI::App& app) {
  const auto all = std::make_shared<bool>(false);
  Options(app, "list").Flag("-a,--all", *all, "also what is not installed");
  return [all](Context& context) { return RunList(*all, context); };
}

Action DeclareShow(CLI::App& app) {
  const auto id = std::make_shared<std::string>();
  app.add_option("ID", *id, "a model or pack")->required();
  return [id](Context& context) { return RunShow(*id, context); };
}

Action DeclareRemove(CLI::App& app) {
  const auto id = std::make_shared<std::string>();
  const auto force = std::make_shared<bool>(false);
  app.add_option("ID", *id, "a model or pack")->required();
  // Not from the environment: it is an answer to one question.
  app.add_flag("--force", *force, "also what another installed pack needs");
  return [id, force](Context& context) { return RunRemove(*id, *force, context); };
}

Action DeclareVerify(CLI::App& app) {
  const auto id = std::make_shared<std::string>();
  app.add_option("ID", *id, "a model or pack; without it all that is installed");
  return [id](Context& context) { return RunVerify(*id, context); };
}

}  // namespace sotto::cli
