#include "base/machine.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

namespace sotto {
namespace {

std::string Slurp(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The number at the start of `text`; `fallback` for "max" and for anything else.
uint64_t Number(std::string_view text, uint64_t fallback) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? value : fallback;
}

// The value of the first "key<separator>value" line.
std::string Field(const std::string& text, std::string_view key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) {
      continue;
    }
    const size_t colon = line.find(':');
    if (colon != std::string::npos) {
      const size_t begin = line.find_first_not_of(" \t", colon + 1);
      return begin == std::string::npos ? "" : line.substr(begin);
    }
  }
  return "";
}

// This process's cgroup v2 folders, from its own up to the root.
std::vector<std::string> CgroupFolders(const std::string& root) {
  const std::string mount = root + "/sys/fs/cgroup";
  std::vector<std::string> folders;
  std::istringstream lines(Slurp(root + "/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("0::/")) {
      continue;
    }
    std::string path = line.substr(3);
    while (path.size() > 1) {
      folders.push_back(mount + path);
      path.resize(std::max<size_t>(path.find_last_of('/'), 1));
      if (path == "/") {
        break;
      }
    }
  }
  folders.push_back(mount);
  return folders;
}

std::set<int> AffinityMask(const std::string& root, int32_t processors) {
  std::set<int> mask;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (root.empty() && ::sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) {
        mask.insert(cpu);
      }
    }
  } else {
    for (int cpu = 0; cpu < processors; ++cpu) {
      mask.insert(cpu);
    }
  }
  return mask;
}

}  // namespace

uint64_t UsableAddressSpace(uint64_t limit_bytes, uint64_t used_bytes) {
  // Stacks, arenas of the allocator and buffers that are reserved before they are filled.
  constexpr uint64_t kReserveBytes = uint64_t{192} << 20;
  const uint64_t left_bytes = limit_bytes - std::min(limit_bytes, used_bytes);
  return (left_bytes - std::min(left_bytes, kReserveBytes)) / 4;
}

MachineCores ReadMachineCores(const std::string& root) {
  // (package, core) of each processor, in the order of /proc/cpuinfo.
  std::vector<std::pair<uint64_t, uint64_t>> places;
  std::istringstream lines(Slurp(root + "/proc/cpuinfo"));
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(':');
    const std::string_view value =
        colon == std::string::npos ? std::string_view() : std::string_view(line).substr(colon + 1);
    if (line.starts_with("processor")) {
      places.emplace_back(0, places.size());  // its own core until told otherwise
    } else if (line.starts_with("physical id") && !places.empty()) {
      places.back().first = Number(value, 0);
    } else if (line.starts_with("core id") && !places.empty()) {
      places.back().second = Number(value, places.size() - 1);
    }
  }
  const std::set<int> mask = AffinityMask(root, static_cast<int32_t>(places.size()));
  std::set<std::pair<uint64_t, uint64_t>> cores;
  for (const int cpu : mask) {
    const auto index = static_cast<size_t>(cpu);
    cores.insert(index < places.size() ? places[index] : std::pair<uint64_t, uint64_t>(0, index));
  }

  MachineCores result;
  result.logical = std::max<int32_t>(1, static_cast<int32_t>(mask.size()));
  result.physical = std::max<int32_t>(1, static_cast<int32_t>(cores.size()));
  result.usable = result.physical;
  for (const std::string& folder : CgroupFolders(root)) {
    std::istringstream text(Slurp(folder + "/cpu.max"));
    std::string quota;
    std::string period;
    if (!(text >> quota >> period)) {
      continue;
    }
    const uint64_t quota_us = Number(quota, 0);
    const uint64_t period_us = Number(period, 0);
    if (quota_us > 0 && period_us > 0) {
      const double limit = static_cast<double>(quota_us) / static_cast<double>(period_us);
      result.quota = result.quota == 0 ? limit : std::min(result.quota, limit);
    }
  }
  if (result.quota > 0) {
    // A fraction of a core is not worth a thread: one thread too many costs more than it gives.
    result.usable =
        std::clamp<int32_t>(static_cast<int32_t>(std::floor(result.quota)), 1, result.usable);
  }
  return result;
}

MachineMemory ReadMachineMemory(const std::string& root) {
  constexpr uint64_t kNone = UINT64_MAX;
  MachineMemory memory;
  const std::string meminfo = Slurp(root + "/proc/meminfo");
  memory.total_bytes = Number(Field(meminfo, "MemTotal"), 0) * 1024;
  memory.available_bytes = Number(Field(meminfo, "MemAvailable"), 0) * 1024;
  uint64_t tightest = kNone;
  for (const std::string& folder : CgroupFolders(root)) {
    const uint64_t limit = std::min(Number(Slurp(folder + "/memory.max"), kNone),
                                    Number(Slurp(folder + "/memory.high"), kNone));
    if (limit == kNone) {
      continue;
    }
    tightest = std::min(tightest, limit);
    uint64_t used = Number(Slurp(folder + "/memory.current"), 0);
    // Clean file pages count as current but are given up before anything is killed.
    std::istringstream stat(Slurp(folder + "/memory.stat"));
    std::string key;
    uint64_t value = 0;
    while (stat >> key >> value) {
      if (key == "inactive_file") {
        used -= std::min(used, value);
      }
    }
    memory.available_bytes = std::min(memory.available_bytes, limit - std::min(limit, used));
  }
  memory.cgroup_limit_bytes = tightest == kNone ? 0 : tightest;
  rlimit limit = {};
  if (root.empty() && ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    memory.address_space_bytes =
        UsableAddressSpace(limit.rlim_cur, Number(Slurp("/proc/self/statm"), 0) *
                                               static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)));
  }
  return memory;
}

std::string ReadCpuName(const std::string& root) {
  const std::string name = Field(Slurp(root + "/proc/cpuinfo"), "model name");
  return name.empty() ? "unknown" : name;
}

std::vector<std::string> ReadCpuFeatures(const std::string& root) {
  const std::string cpuinfo = Slurp(root + "/proc/cpuinfo");
  std::string flags = Field(cpuinfo, "flags");
  if (flags.empty()) {
    flags = Field(cpuinfo, "Features");
  }
  std::istringstream words(flags);
  std::vector<std::string> features;
  for (std::string word; words >> word;) {
    features.push_back(word);
  }
  return features;
}

}  // namespace sotto
