#include "base/machine.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace sotto {
namespace {

class MachineTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "sotto-mach-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    std::string cpuinfo;
    for (int cpu = 0; cpu < 8; ++cpu) {  // four cores of two threads
      cpuinfo += "processor\t: " + std::to_string(cpu) +
                 "\nmodel name\t: Test CPU\nphysical id\t: 0\n" +
                 "core id\t\t: " + std::to_string(cpu / 2) + "\nflags\t\t: fpu avx2 fma\n\n";
    }
    Write("proc/cpuinfo", cpuinfo);
    Write("proc/meminfo",
          "MemTotal:       65536000 kB\nMemFree: 1 kB\nMemAvailable:   32768000 kB\n");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void Write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = std::filesystem::path(root_) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  std::string root_;
};

TEST_F(MachineTest, WithoutLimitsPhysicalCoresAndAvailableMemoryCount) {
  const MachineCores cores = ReadMachineCores(root_);
  EXPECT_EQ(cores.logical, 8);
  EXPECT_EQ(cores.physical, 4);
  EXPECT_EQ(cores.usable, 4);
  EXPECT_EQ(ReadMachineMemory(root_).available_bytes, 32768000ull * 1024);
  EXPECT_EQ(ReadCpuName(root_), "Test CPU");
  EXPECT_EQ(ReadCpuFeatures(root_), (std::vector<std::string>{"fpu", "avx2", "fma"}));
}

TEST_F(MachineTest, ACpuQuotaOfAnAncestorIsObeyed) {
  Write("proc/self/cgroup", "0::/a/b\n");
  Write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  Write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(ReadMachineCores(root_).usable, 1);
  Write("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
  EXPECT_EQ(ReadMachineCores(root_).usable, 1);
}

// Cases 114 and 115: the container's memory limit counts, not the host's memory.
TEST_F(MachineTest, Case114TheTightestCgroupLimitCounts) {
  Write("proc/self/cgroup", "0::/a/b\n");
  Write("sys/fs/cgroup/a/memory.max", "4000000000\n");
  Write("sys/fs/cgroup/a/memory.current", "3000000000\n");
  Write("sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 500000000\n");
  Write("sys/fs/cgroup/a/b/memory.max", "max\n");
  const MachineMemory memory = ReadMachineMemory(root_);
  EXPECT_EQ(memory.available_bytes, 1500000000u);
  EXPECT_EQ(memory.cgroup_limit_bytes, 4000000000u);
}

TEST_F(MachineTest, UnreadableFilesAreNoLimit) {
  const MachineMemory memory = ReadMachineMemory(root_ + "/nothing");
  EXPECT_EQ(memory.available_bytes, 0u);
  EXPECT_EQ(ReadMachineCores(root_ + "/nothing").usable, 1);
}

TEST_F(MachineTest, ThisMachineHasCoresAndMemory) {
  EXPECT_GE(ReadMachineCores().usable, 1);
  EXPECT_GT(ReadMachineMemory().available_bytes, 1000000u);
}

TEST(UsableAddressSpace, LeavesRoomForWhatIsReserved) {
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  EXPECT_EQ(UsableAddressSpace(0, 0), 0u);
  EXPECT_EQ(UsableAddressSpace(100 * kMiB, 200 * kMiB), 0u);
  EXPECT_EQ(UsableAddressSpace(300 * kMiB, 200 * kMiB), 0u);
  EXPECT_EQ(UsableAddressSpace(1392 * kMiB, 200 * kMiB), 250 * kMiB);
}

}  // namespace
}  // namespace sotto
