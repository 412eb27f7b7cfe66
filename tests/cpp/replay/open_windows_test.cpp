// SPDX-License-Identifier: MIT
#include "replay/open_windows.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "allocations.hpp"

namespace multipass::replay {
namespace {

DispatchInfo dispatch(std::uint64_t id, std::uint64_t kernel = 3, std::uint32_t agent = 1) {
  DispatchInfo info;
  info.dispatch_id = DispatchId{id};
  info.kernel = KernelId{kernel};
  info.agent = AgentIndex{agent};
  return info;
}

std::vector<OpenWindow> seen(const OpenWindows& windows) {
  std::vector<OpenWindow> all;
  for (std::size_t index = 0; index < OpenWindows::kSlots; ++index)
    if (const auto window = windows.at(index)) all.push_back(*window);
  return all;
}

TEST(OpenWindows, ShowAWindowAndHowFarItHasComeUntilItIsClosed) {
  OpenWindows windows;
  EXPECT_TRUE(seen(windows).empty());
  windows.open(dispatch(70));
  ASSERT_EQ(seen(windows).size(), 1U);
  EXPECT_EQ(seen(windows)[0].dispatch, DispatchId{70});
  EXPECT_EQ(seen(windows)[0].kernel, KernelId{3});
  EXPECT_EQ(seen(windows)[0].agent, AgentIndex{1});
  EXPECT_EQ(seen(windows)[0].step, 0U);
  windows.reached(DispatchId{70}, in_pass(PassIndex{2}));
  EXPECT_EQ(seen(windows)[0].step, 5U);
  windows.reached(DispatchId{70}, behind_pass(PassIndex{2}));
  EXPECT_EQ(seen(windows)[0].step, 6U);
  windows.close(DispatchId{70});
  EXPECT_TRUE(seen(windows).empty());
}

TEST(OpenWindows, KeepThoseApartThatBelongInTheSamePlace) {
  OpenWindows windows;
  windows.open(dispatch(1));
  windows.open(dispatch(1 + OpenWindows::kSlots));
  windows.close(DispatchId{1});
  windows.reached(DispatchId{1 + OpenWindows::kSlots}, 9);
  ASSERT_EQ(seen(windows).size(), 1U);
  EXPECT_EQ(seen(windows)[0].dispatch, DispatchId{1 + OpenWindows::kSlots});
  EXPECT_EQ(seen(windows)[0].step, 9U);
}

TEST(OpenWindows, LeaveOutWhatTheyHaveNoRoomForAndWhatWasNotOpened) {
  OpenWindows windows;
  for (std::uint64_t id = 1; id <= OpenWindows::kSlots + 1; ++id) windows.open(dispatch(id));
  EXPECT_EQ(seen(windows).size(), OpenWindows::kSlots);
  windows.reached(DispatchId{1000}, 1);
  windows.close(DispatchId{1000});
  windows.open(dispatch(0));
  EXPECT_EQ(seen(windows).size(), OpenWindows::kSlots);
  for (const OpenWindow& window : seen(windows)) EXPECT_EQ(window.step, 0U);
}

TEST(OpenWindows, ShowNothingThatNeverWasWhileThreadsOpenAndCloseThem) {
  OpenWindows windows;
  std::atomic<unsigned> running{2};
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&windows, &running, thread] {
      for (std::uint64_t round = 1; round <= 20'000; ++round) {
        const std::uint64_t id = 2 * round + thread;
        windows.open(dispatch(id, id * 7, static_cast<std::uint32_t>(thread)));
        windows.reached(DispatchId{id}, in_pass(PassIndex{0}));
        windows.close(DispatchId{id});
      }
      --running;
    });
  }
  while (running != 0) {
    for (const OpenWindow& window : seen(windows)) {
      EXPECT_EQ(window.kernel.value, window.dispatch.value * 7);
      EXPECT_EQ(window.agent.value, window.dispatch.value % 2);
      EXPECT_LE(window.step, 1U);
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(seen(windows).empty());
}

TEST(OpenWindows, CostALaunchNoAllocation) {
  OpenWindows windows;
  const std::uint64_t before = allocations_of_this_thread();
  for (std::uint64_t id = 1; id < 1000; ++id) {
    windows.open(dispatch(id));
    windows.reached(DispatchId{id}, 1);
    windows.close(DispatchId{id});
  }
  EXPECT_EQ(allocations_of_this_thread(), before);
}

}  // namespace
}  // namespace multipass::replay
