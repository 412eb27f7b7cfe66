// SPDX-License-Identifier: MIT
#include "replay/host_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "allocations.hpp"

namespace multipass::replay {
namespace {

// A folder with files, as /proc and /sys/fs/cgroup have them.
class HostMemoryTest : public ::testing::Test {
 protected:
  HostMemoryTest() { std::filesystem::create_directories(root_); }
  ~HostMemoryTest() override { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  [[nodiscard]] HostMemory::Places places() const { return {root_ / "meminfo", root_ / "cgroup", root_ / "groups"}; }
  // Of a process that starts now.
  [[nodiscard]] std::optional<std::uint64_t> left() const { return HostMemory({}, places()).left(1); }

 private:
  const std::filesystem::path root_ =
      std::filesystem::path(::testing::TempDir()) / ("host-memory-" + std::to_string(::getpid()));
};

TEST_F(HostMemoryTest, IsWhatTheMachineHasAvailable) {
  write("meminfo", "MemTotal:       16000000 kB\nMemAvailable:    8000000 kB\nSwapTotal: 1 kB\n");
  EXPECT_EQ(left(), 8'192'000'000U);
}

TEST_F(HostMemoryTest, WithoutAnyFileThereIsNoLimit) {
  EXPECT_EQ(left(), std::nullopt);
  HostMemory memory({}, places());
  EXPECT_TRUE(memory.reserve(std::uint64_t{1} << 50U, 1, false));
}

TEST_F(HostMemoryTest, IsTheLeastThatAGroupAroundTheProcessLeaves) {
  write("meminfo", "MemAvailable:    8000000 kB\n");
  write("cgroup", "0::/job/step\n");
  write("groups/job/step/memory.max", "max\n");
  write("groups/job/step/memory.current", "500\n");
  EXPECT_EQ(left(), 8'192'000'000U);
  write("groups/job/memory.max", "10000\n");
  write("groups/job/memory.current", "7000\n");
  EXPECT_EQ(left(), 3000U);
  write("groups/job/step/memory.high", "2500\n");
  EXPECT_EQ(left(), 2000U) << "beyond that the process is slowed down";
}

TEST_F(HostMemoryTest, FilePagesThatNobodyUsesCountAsFree) {
  write("cgroup", "0::/a\n");
  write("groups/a/memory.max", "10000\n");
  write("groups/a/memory.current", "9000\n");
  write("groups/a/memory.stat", "anon 100\nfile 8000\nactive_file 3000\ninactive_file 5000\n");
  EXPECT_EQ(left(), 6000U);
  write("groups/a/memory.stat", "inactive_file 50000\n");
  EXPECT_EQ(left(), 10000U) << "never more than the limit";
}

TEST_F(HostMemoryTest, KnowsGroupsOfVersionOneAndThoseOfAContainer) {
  write("cgroup", "12:cpu,cpuacct:/x\n4:memory:/docker/0a1b\n1:name=systemd:/docker/0a1b\n");
  write("groups/memory/memory.limit_in_bytes", "20000\n");
  write("groups/memory/memory.usage_in_bytes", "12000\n");
  write("groups/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 2000\n");
  EXPECT_EQ(left(), 10000U) << "the container sees its own group as the root";
  write("groups/memory/docker/0a1b/memory.limit_in_bytes", "9223372036854771712\n");
  write("groups/memory/docker/0a1b/memory.usage_in_bytes", "5\n");
  EXPECT_EQ(left(), 10000U) << "that number says that there is none";
}

TEST_F(HostMemoryTest, IsSharedByTheProcessesOfTheNode) {
  write("meminfo", "MemAvailable:    800 kB\n");
  HostMemory memory({}, places());
  memory.share_by(8);
  EXPECT_EQ(memory.left(1), 102'400U);
  memory.share_by(0);
  EXPECT_EQ(memory.left(1), 819'200U);
}

TEST_F(HostMemoryTest, ANumberOfTheUserStandsForAllOfIt) {
  write("meminfo", "MemAvailable:    800 kB\n");
  HostMemory memory(5'000'000, places());
  memory.share_by(8);
  EXPECT_EQ(memory.left(1), 5'000'000U);
}

TEST_F(HostMemoryTest, WhatIsReservedIsNotGivenOutAgain) {
  HostMemory memory(1000, places());
  EXPECT_TRUE(memory.reserve(600, 1, false));
  EXPECT_EQ(memory.left(1), 400U);
  EXPECT_FALSE(memory.reserve(401, 1, false));
  EXPECT_TRUE(memory.reserve(401, 1, true)) << "although it is not there";
  EXPECT_EQ(memory.left(1), 0U);
  memory.give_back(401);
  memory.give_back(600);
  EXPECT_EQ(memory.left(1), 1000U);
}

TEST_F(HostMemoryTest, IsReadAnewWhenItIsOldAndAllocatesNothing) {
  write("cgroup", "0::/a\n");
  write("groups/a/memory.max", "10000\n");
  write("groups/a/memory.current", "9000\n");
  HostMemory memory({}, places());
  const std::uint64_t start = 5 * HostMemory::kFresh;
  EXPECT_EQ(memory.left(start), 1000U);
  write("groups/a/memory.current", "2000\n");
  const std::uint64_t before = allocations_of_this_thread();
  const auto soon = memory.left(start + HostMemory::kFresh - 1);
  const auto later = memory.left(start + HostMemory::kFresh);
  EXPECT_EQ(allocations_of_this_thread(), before);
  EXPECT_EQ(soon, 1000U);
  EXPECT_EQ(later, 8000U);
}

// Launches of several GPUs begin together: none may go without the limit since another thread is just reading it.
TEST_F(HostMemoryTest, IsKnownToEachOfSeveralThreadsThatAskFirst) {
  write("cgroup", "0::/a\n");
  write("groups/a/memory.max", "10000\n");
  write("groups/a/memory.current", "9000\n");
  constexpr int kThreads = 4;
  std::atomic<int> without{0};
  for (int round = 0; round < 200; ++round) {
    HostMemory memory({}, places());
    std::barrier start(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&] {
        start.arrive_and_wait();
        if (memory.left(1) != 1000U) ++without;
      });
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(without, 0);
}

TEST_F(HostMemoryTest, WhereNothingIsToBeCopiedThereIsRoomAndNoFileIsRead) {
  write("meminfo", "MemAvailable: 1 kB\n");
  HostMemory memory({}, places());
  EXPECT_TRUE(memory.has_room(0, 1));
  EXPECT_TRUE(memory.reserve(0, 1, false));
  write("meminfo", "MemAvailable: 2 kB\n");
  EXPECT_TRUE(memory.has_room(2048, 2)) << "read now, for the first time";
  EXPECT_FALSE(memory.has_room(2049, 2));
  EXPECT_TRUE(memory.reserve(2048, 2, false));
  EXPECT_FALSE(memory.has_room(1, 2));
  EXPECT_TRUE(memory.has_room(0, 2));
}

}  // namespace
}  // namespace multipass::replay
