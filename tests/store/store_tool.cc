// Drives a Store from a test script: one JSON document or error line per call.
//
//   store_tool DIR list | show ID | resolve ID | verify [--quick] [ID...] | rm [--force] ID
//              | pull [--repin] ID...
//
// Environment, beside the store's own: TOOL_FREE_BYTES (what the disk is said to have),
// TOOL_ATTEMPTS, TOOL_STALL_MS, TOOL_PYTHON, TOOL_NPM, TOOL_OFFLINE, TOOL_CANCEL_AT (cancels when
// a progress event reaches this many bytes), TOOL_CANCEL_IN (cancels in this phase, once FAKE_PID
// is written), TOOL_REJECT (the validator, which
// passes all else, refuses files of this name), TOOL_VALIDATE (real: the store's own validator),
// TOOL_EVENT_GAP_MS, TOOL_CONVERT (cat: joins its inputs; real: our converters), TOOL_MANIFESTS
// (paths, separated by
// ':'). Events go to stderr. Exit status: 0, or 10 + the code of the error, which stands on stdout
// as "CODE: message".
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#ifdef SOTTO_TOOL_CONVERTS
#include "convert/convert.h"
#endif
#include "store/layout.h"
#include "store/store.h"

namespace {

using sotto::EnvironmentOr;
using sotto::Result;
using sotto::Status;

int Fail(const Status& status) {
  std::cout << status.ToString() << std::endl;
  return 10 + static_cast<int>(status.code());
}

Status Join(const sotto::ConversionJob& job) {
  std::ofstream out(job.output, std::ios::binary);
  for (const std::string& input : job.inputs) {
    std::ifstream in(input, std::ios::binary);
    out << in.rdbuf();
  }
  return job.on_progress(1.0) ? sotto::OkStatus() : sotto::CancelledError("convert");
}

sotto::StoreOptions Options(const std::string& dir) {
  sotto::StoreOptions options;
  options.dir = dir;
  options.offline = EnvironmentOr("TOOL_OFFLINE", "") == "1";
  options.clients.python = EnvironmentOr("TOOL_PYTHON", "python3");
  options.clients.npm = EnvironmentOr("TOOL_NPM", "npm");
  options.http.attempts = std::atoi(EnvironmentOr("TOOL_ATTEMPTS", "3").c_str());
  options.http.stall_timeout_ms = std::atoi(EnvironmentOr("TOOL_STALL_MS", "5000").c_str());
  options.http.stall_min_bytes = 1;
  options.http.backoff_ms = 1;
  options.http.backoff_max_ms = 10;
  if (const std::string free = EnvironmentOr("TOOL_FREE_BYTES", ""); !free.empty()) {
    const uint64_t bytes = std::strtoull(free.c_str(), nullptr, 10);
    options.free_bytes = [bytes](const std::string&) { return Result<uint64_t>(bytes); };
  }
  if (EnvironmentOr("TOOL_VALIDATE", "") != "real") {
    const std::string name = EnvironmentOr("TOOL_REJECT", "");
    options.validate = [name](const sotto::FileToCheck& file) {
      return file.name == name ? sotto::DataLossError("gguf: " + file.name + ": magic")
                               : sotto::OkStatus();
    };
  }
  if (EnvironmentOr("TOOL_CONVERT", "") == "cat") {
    options.convert = Join;
  }
#ifdef SOTTO_TOOL_CONVERTS
  if (EnvironmentOr("TOOL_CONVERT", "") == "real") {
    options.convert = [](const sotto::ConversionJob& job) {
      return sotto::Convert({.kind = job.kind,
                             .inputs = job.inputs,
                             .output = job.output,
                             .type = job.type,
                             .on_progress = job.on_progress});
    };
  }
#endif
  std::stringstream manifests(EnvironmentOr("TOOL_MANIFESTS", ""));
  for (std::string path; std::getline(manifests, path, ':');) {
    options.manifest_paths.push_back(path);
  }
  return options;
}

// The words that are not flags.
std::vector<std::string> Ids(int argc, char** argv) {
  std::vector<std::string> ids;
  for (int i = 3; i < argc; ++i) {
    if (argv[i][0] != '-') {
      ids.emplace_back(argv[i]);
    }
  }
  return ids;
}

bool HasFlag(int argc, char** argv, const std::string& flag) {
  for (int i = 3; i < argc; ++i) {
    if (flag == argv[i]) {
      return true;
    }
  }
  return false;
}

// True once the file that FAKE_PID names holds something.
bool Ready() {
  std::ifstream file(EnvironmentOr("FAKE_PID", ""));
  return file && file.peek() != std::ifstream::traits_type::eof();
}

int Pull(const sotto::Store& store, int argc, char** argv) {
  sotto::CancelSource source;
  sotto::PullOptions options;
  options.repin = HasFlag(argc, argv, "--repin");
  options.event_gap_ms = std::atoi(EnvironmentOr("TOOL_EVENT_GAP_MS", "100").c_str());
  const uint64_t cancel_at =
      std::strtoull(EnvironmentOr("TOOL_CANCEL_AT", "0").c_str(), nullptr, 10);
  const std::string cancel_in = EnvironmentOr("TOOL_CANCEL_IN", "");
  options.on_event = [&](const sotto::PullEvent& event) {
    std::fprintf(stderr, "%s\n", sotto::PullEventJson(event).c_str());
    const bool in_phase = event.type == sotto::PullEvent::Type::kProgress &&
                          sotto::PullPhaseName(event.phase) == cancel_in && Ready();
    if (in_phase || (cancel_at > 0 && event.done_bytes >= cancel_at)) {
      source.Cancel(sotto::CancelReason::kUserCancel);
    }
  };
  const Result<std::string> report = store.PullJson(Ids(argc, argv), options, source.token());
  if (!report.ok()) {
    return Fail(report.status());
  }
  std::cout << *report << std::endl;
  return 0;
}

int Print(const Result<std::string>& text) {
  if (!text.ok()) {
    return Fail(text.status());
  }
  std::cout << *text << std::endl;
  return 0;
}

int Run(int argc, char** argv) {
  const std::string command = argv[2];
  const Result<std::unique_ptr<sotto::Store>> opened = sotto::Store::Open(Options(argv[1]));
  if (!opened.ok()) {
    return Fail(opened.status());
  }
  const sotto::Store& store = **opened;
  const std::vector<std::string> ids = Ids(argc, argv);
  if (command == "list") {
    std::cout << store.ListJson() << std::endl;
    return 0;
  }
  if (command == "pull") {
    return Pull(store, argc, argv);
  }
  if (command == "verify") {
    return Print(store.VerifyJson(ids, HasFlag(argc, argv, "--quick"), {}));
  }
  if (ids.size() != 1) {
    return 2;
  }
  if (command == "show") {
    return Print(store.ShowJson(ids[0]));
  }
  if (command == "rm") {
    return Print(store.RemoveJson(ids[0], HasFlag(argc, argv, "--force")));
  }
  if (command == "resolve") {
    const Result<sotto::ResolvedModel> model = store.Resolve(ids[0]);
    return Print(model.ok() ? Result<std::string>(model->path) : model.status());
  }
  return 2;
}

}  // namespace

int main(int argc, char** argv) { return argc < 3 ? 2 : Run(argc, argv); }
