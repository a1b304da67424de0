// What this build is, what this machine can do, and what is wrong.
#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/machine.h"
#include "capi/build_info.h"
#include "capi/revision.h"
#include "capi/runtime.h"
#if SOTTO_WITH_LLAMA
#include <sotto_cpu_features.h>  // SOTTO_CPU_FEATURES: what the kernels were compiled for
#else
#define SOTTO_CPU_FEATURES ""
#endif

namespace sotto::capi {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> Words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

Json BuildInfo() {
  return {{"version", SOTTO_VERSION},
          {"revision", SOTTO_REVISION},
          {"compiler", SOTTO_COMPILER},
          {"build_type", SOTTO_BUILD_TYPE},
          {"cpu_features", Words(SOTTO_CPU_FEATURES)},
          {"backends",
           {{"llama", SOTTO_WITH_LLAMA != 0},
            {"whisper", SOTTO_WITH_WHISPER != 0},
            {"onnx", SOTTO_WITH_ONNX != 0}}},
          {"dependencies", Json::parse(SOTTO_DEPENDENCIES_JSON)}};
}

Json Check(std::string name, std::string_view status, std::string detail, std::string fix = "") {
  return {{"name", std::move(name)},
          {"status", std::string(status)},
          {"detail", std::move(detail)},
          {"fix", std::move(fix)}};
}

std::string Gigabytes(uint64_t bytes) {
  std::ostringstream text;
  text.precision(1);
  text << std::fixed << static_cast<double>(bytes) / 1e9 << " GB";
  return text.str();
}

Json MachineChecks(const MachineCores& cores, const MachineMemory& memory) {
  Json checks = Json::array();
  const std::string missing = MissingCpuFeatures();
  checks.push_back(missing.empty() ? Check("processor", "ok", ReadCpuName())
                                   : Check("processor", "error", "lacks " + missing,
                                           "build sotto on this machine: tools/demo"));
  checks.push_back(Check(
      "cores", cores.usable >= 2 ? "ok" : "warning",
      std::to_string(cores.usable) + " usable of " + std::to_string(cores.logical) + " processors",
      cores.usable >= 2 ? "" : "answers take longer on one core"));
  const bool enough = memory.available_bytes >= (3ull << 30);
  checks.push_back(
      Check("memory", enough ? "ok" : "warning",
            Gigabytes(memory.available_bytes) + " available of " + Gigabytes(memory.total_bytes),
            enough ? "" : "use the pack mini-en, which needs 1 GB"));
  return checks;
}

void AddStoreChecks(Runtime& runtime, Json* checks) {
  const Store& store = runtime.store();
  const Result<ResolvedPack> pack =
      runtime.pack().empty() ? store.ResolveDefaultPack() : store.ResolvePack(runtime.pack());
  checks->push_back(pack.ok()
                        ? Check("models", "ok", "pack " + pack->manifest.id)
                        : Check("models", "error", pack.status().message(), "sotto pull small-en"));
  const Result<std::vector<VerifiedFile>> files = store.Verify({}, /*quick=*/true, {});
  if (!files.ok()) {
    checks->push_back(Check("model files", "error", files.status().message()));
    return;
  }
  for (const VerifiedFile& file : *files) {
    if (!file.status.ok()) {
      checks->push_back(Check("model files", "error", file.status.message(),
                              "sotto rm " + file.model + " && sotto pull " + file.model));
    }
  }
}

}  // namespace

std::string BuildInfoJson() { return BuildInfo().dump(); }

std::string MissingCpuFeatures() {
  const std::vector<std::string> have = ReadCpuFeatures();
  if (have.empty()) {
    return "";  // what cannot be read is no lack
  }
  std::string missing;
  for (const std::string& needed : Words(SOTTO_CPU_FEATURES)) {
    if (std::ranges::find(have, needed) == have.end()) {
      missing += (missing.empty() ? "" : ", ") + needed;
    }
  }
  return missing;
}

std::string DoctorJson(Runtime& runtime) {
  const MachineCores cores = ReadMachineCores();
  const MachineMemory memory = ReadMachineMemory();
  Json checks = MachineChecks(cores, memory);
  AddStoreChecks(runtime, &checks);
  Json packs = Json::array();
  for (const PackInfo& pack : runtime.store().ListPacks()) {
    packs.push_back({{"id", pack.manifest->id}, {"installed", pack.installed}});
  }
  return Json{{"machine",
               {{"processor", ReadCpuName()},
                {"cores_usable", cores.usable},
                {"cores_physical", cores.physical},
                {"cores_quota", cores.quota},
                {"memory_total_bytes", memory.total_bytes},
                {"memory_available_bytes", memory.available_bytes},
                {"memory_cgroup_limit_bytes", memory.cgroup_limit_bytes}}},
              {"build", BuildInfo()},
              {"store", {{"dir", runtime.store().dir()}, {"packs", std::move(packs)}}},
              {"checks", std::move(checks)}}
      .dump();
}

}  // namespace sotto::capi
