// SPDX-License-Identifier: MIT
#include "replay/window_budget.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

namespace multipass::replay {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

TEST(WindowBudget, SpendsTheTimeInWhichAWindowIsOpenOnce) {
  WindowBudget budget({60 * kSecond, 0}, 100);
  EXPECT_TRUE(budget.open(5, 1000, false));
  EXPECT_TRUE(budget.open(5, 1200, false)) << "of another agent";
  EXPECT_EQ(budget.spent(1300), 300U);
  EXPECT_TRUE(budget.close(5, 1500));
  EXPECT_TRUE(budget.close(5, 2000));
  EXPECT_EQ(budget.spent(9000), 1000U);
  EXPECT_TRUE(budget.open(5, 9000, false));
  EXPECT_EQ(budget.spent(9001), 1001U);
}

TEST(WindowBudget, IsTheLargerOfTimeAndShare) {
  const WindowBudget budget({60 * kSecond, 0.1}, 50);
  EXPECT_EQ(budget.allowed(50), 60 * kSecond);
  EXPECT_EQ(budget.allowed(50 + 600 * kSecond), 60 * kSecond);
  EXPECT_EQ(budget.allowed(50 + 700 * kSecond), 70 * kSecond);
  EXPECT_EQ(budget.allowed(0), 60 * kSecond) << "a clock that went back";
}

TEST(WindowBudget, WithoutALimitEverythingIsAdmittedAndTimeIsKept) {
  WindowBudget budget({}, 0);
  EXPECT_EQ(budget.allowed(1), kUnlimited);
  EXPECT_TRUE(budget.open(kUnlimited / 2, 10, false));
  EXPECT_FALSE(budget.overruns(kUnlimited, 20));
  EXPECT_TRUE(budget.close(kUnlimited / 2, 30));
  EXPECT_EQ(budget.spent(99), 20U);
}

TEST(WindowBudget, WhatIsReservedIsNotGivenOutAgain) {
  WindowBudget budget({100, 0}, 0);
  EXPECT_TRUE(budget.open(60, 1, false));
  EXPECT_FALSE(budget.open(50, 1, false));
  EXPECT_EQ(budget.left(1), 40U);
  EXPECT_TRUE(budget.open(50, 1, true)) << "at any cost";
  EXPECT_TRUE(budget.close(50, 11));
  EXPECT_TRUE(budget.close(60, 11));
  EXPECT_EQ(budget.left(11), 90U);
  EXPECT_FALSE(budget.close(60, 12)) << "none is open";
  EXPECT_EQ(budget.left(12), 90U);
}

TEST(WindowBudget, IsOverrunByMoreThanATenth) {
  WindowBudget budget({1000, 0}, 0);
  EXPECT_TRUE(budget.open(1000, 0, false));
  EXPECT_FALSE(budget.overruns(0, 1100));
  EXPECT_FALSE(budget.overruns(100, 1000));
  EXPECT_TRUE(budget.overruns(101, 1000)) << "a further pass would";
  EXPECT_TRUE(budget.overruns(0, 1101));
}

TEST(WindowBudget, OfMoreWindowsThanCanBeCountedTheFurtherOnesAreNotAdmitted) {
  WindowBudget budget({}, 0);
  for (std::uint64_t i = 0; i < WindowBudget::kMostOpen; ++i) ASSERT_TRUE(budget.open(1, 5, false));
  EXPECT_FALSE(budget.open(1, 5, false));
  EXPECT_TRUE(budget.close(1, 6));
  EXPECT_TRUE(budget.open(1, 6, false));
}

// However windows of several agents come and go: where each takes what it was projected to, never more is spent than
// may be, and never less is left than nothing.
TEST(WindowBudget, IsNeverExceededByWindowsThatTakeWhatWasProjected) {
  struct Window {
    std::uint64_t ends, projected;
  };
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto up_to = [&random](std::uint64_t most) { return random() % (most + 1); };
    const ReplayBudget limit{1 + up_to(5000), static_cast<double>(up_to(30)) / 100};
    WindowBudget budget(limit, 7);
    std::vector<Window> open;
    std::uint64_t now = 7, union_ns = 0;
    for (int step = 0; step < 300; ++step) {
      std::sort(open.begin(), open.end(), [](const Window& a, const Window& b) { return a.ends < b.ends; });
      const std::uint64_t next = now + up_to(200);
      while (!open.empty() && open.front().ends <= next) {
        union_ns += open.front().ends - now;
        now = open.front().ends;
        ASSERT_TRUE(budget.close(open.front().projected, now));
        open.erase(open.begin());
      }
      if (!open.empty()) union_ns += next - now;
      now = next;
      ASSERT_EQ(budget.spent(now), union_ns) << "seed " << seed << " step " << step;
      ASSERT_LE(budget.spent(now), budget.allowed(now)) << "seed " << seed << " step " << step;
      const std::uint64_t projected = 1 + up_to(1500);
      const std::uint64_t left = budget.left(now);
      const bool admitted = budget.open(projected, now, false);
      ASSERT_EQ(admitted, projected <= left);
      if (admitted) open.push_back({now + projected, projected});
    }
  }
}

// At once on several threads: of 1000 windows of 100 each the budget holds 40.
TEST(WindowBudget, IsNotExceededByThreadsThatAskAtOnce) {
  WindowBudget budget({4000, 0}, 0);
  std::atomic<int> admitted{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 250; ++i)
        if (budget.open(100, 10, false)) ++admitted;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(admitted, 40);
  EXPECT_EQ(budget.left(10), 0U);
}

TEST(WindowBudget, ThreadsThatOpenAndCloseLeaveNothingBehind) {
  WindowBudget budget({kSecond, 0}, 0);
  std::atomic<std::uint64_t> clock{1};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        const bool opened = budget.open(3, clock++, true);
        EXPECT_TRUE(opened);
        EXPECT_TRUE(budget.close(3, clock++));
      }
    });
  for (std::thread& thread : threads) thread.join();
  const std::uint64_t now = clock;
  EXPECT_LE(budget.spent(now), now);
  EXPECT_EQ(budget.left(now), kSecond - budget.spent(now)) << "nothing is reserved any more";
}

}  // namespace
}  // namespace multipass::replay
