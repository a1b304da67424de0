// What this process may use of the machine: cores and memory as the scheduler, the cgroup and the
// kernel limit them, never what the machine has in total.
#ifndef SOTTO_BASE_MACHINE_H_
#define SOTTO_BASE_MACHINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace sotto {

struct MachineCores {
  int32_t usable = 1;    // cores worth one busy thread each
  int32_t logical = 1;   // processors in the affinity mask
  int32_t physical = 1;  // distinct cores behind those
  double quota = 0;      // cgroup CPU quota in cores; 0: none
};

struct MachineMemory {
  uint64_t total_bytes = 0;         // of the machine
  uint64_t available_bytes = 0;     // what can be taken without swapping or hitting the cgroup
  uint64_t cgroup_limit_bytes = 0;  // the tightest memory.max on the way up; 0: none
  // UsableAddressSpace() of this process; UINT64_MAX without a limit on it.
  uint64_t address_space_bytes = UINT64_MAX;
};

// Reads /proc, /sys/fs/cgroup and the affinity mask below `root` ("" for the machine itself; a
// folder of fixture files in tests, where the affinity mask is `logical` processors of its
// proc/cpuinfo). What cannot be read counts as no limit.
MachineCores ReadMachineCores(const std::string& root = "");
MachineMemory ReadMachineMemory(const std::string& root = "");

// What of a limit on address space (RLIMIT_AS) may be planned for models when `used_bytes` are in
// use: a quarter of the rest less 192 MiB, because runtimes map several times what they fill, and
// abort where they are refused.
uint64_t UsableAddressSpace(uint64_t limit_bytes, uint64_t used_bytes);

// Model name and the instruction sets of the first processor, as the kernel names them.
std::string ReadCpuName(const std::string& root = "");
std::vector<std::string> ReadCpuFeatures(const std::string& root = "");

}  // namespace sotto

#endif  // SOTTO_BASE_MACHINE_H_
