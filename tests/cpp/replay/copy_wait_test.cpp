// SPDX-License-Identifier: MIT
// Launches that meet copies: which wait for them and are replayed, and what those that wait in vain give back.
#include "replay/copy_wait.hpp"

#include <chrono>
#include <thread>

#include "admission_fixture.hpp"

namespace multipass::replay {
namespace {

using std::chrono::milliseconds, std::chrono::steady_clock;

constexpr milliseconds kShort{1}, kForEver{60'000};

// Ends when its condition was asked about so often.
struct EndsAfter {
  int* asked;
  int times;
  bool operator()() const noexcept { return ++*asked > times; }
};

TEST(CopyWait, EndsWithTheCopies) {
  CopyWait wait;
  int asked = 0;
  EXPECT_TRUE(wait.until(EndsAfter{&asked, 100}, kForEver));
  EXPECT_EQ(asked, 101);
}

TEST(CopyWait, IsInVainAfterItsTime) {
  CopyWait wait;
  const auto start = steady_clock::now();
  EXPECT_FALSE(wait.until([] { return false; }, milliseconds(5)));
  EXPECT_GE(steady_clock::now() - start, milliseconds(5));
}

TEST(CopyWait, LooksOnceMoreWhenItsTimeIsOver) {
  CopyWait wait;
  EXPECT_TRUE(wait.until([] { return true; }, milliseconds(0)));
}

TEST(CopyWait, IsLeftOutForAWhileWhereItIsInVain) {
  CopyWait wait;
  int asked = 0;
  const auto waits = [&] {
    asked = 0;
    EXPECT_FALSE(wait.until(EndsAfter{&asked, 1'000'000'000}, kShort));
    return asked > 0;
  };
  for (std::uint32_t i = 0; i < CopyWait::kMostInVain; ++i) EXPECT_TRUE(waits()) << i;
  for (int again = 0; again < 2; ++again) {
    for (std::uint32_t i = 0; i < CopyWait::kNotWaited; ++i) EXPECT_FALSE(waits()) << i;
    EXPECT_TRUE(waits()) << "one tries again";
  }
}

TEST(CopyWait, ThatWasWorthItBeginsTheCountAgain) {
  CopyWait wait;
  const auto never = [] { return false; };
  for (int again = 0; again < 3; ++again) {
    for (std::uint32_t i = 1; i < CopyWait::kMostInVain; ++i) EXPECT_FALSE(wait.until(never, kShort));
    EXPECT_TRUE(wait.until([] { return true; }, kShort)) << again;
  }
}

class CopyWaitOfLaunches : public AdmissionTest {
 protected:
  static AdmissionLimits waiting(milliseconds longest) {
    AdmissionLimits limits;
    limits.copy_wait = longest;
    return limits;
  }
};

TEST_F(CopyWaitOfLaunches, ALaunchBehindACopyWaitsForItAndIsReplayed) {
  Session s = session(waiting(kForEver));
  const std::uint64_t copy = copies_.begins(std::nullopt, kAgent, g_now);
  std::string fate;
  std::thread launching([&, of = dispatch()] { fate = launched(s, of); });
  EXPECT_EQ(launched(s, dispatch(64, kOther)), "replayed") << "on another agent nothing is waited for";
  copies_.ends(copy);
  launching.join();
  EXPECT_EQ(fate, "replayed");
}

TEST_F(CopyWaitOfLaunches, WhatTheWaitTakesIsTimeOfTheWindow) {
  AdmissionLimits limits = waiting(kForEver);
  limits.budget = {20 * kSecond, 0};
  Session s = session(limits);
  const std::uint64_t copy = copies_.begins(std::nullopt, kAgent, g_now);
  const DispatchInfo of = dispatch();
  std::thread launching([&] { EXPECT_EQ(launched(s, of), "replayed"); });
  while (s.admission().budget_left() == 20 * kSecond) g_now += 1000;  // its window is open
  g_now += 5 * kSecond;
  copies_.ends(copy);
  launching.join();
  EXPECT_LE(s.admission().budget_left(), 15 * kSecond);
}

TEST_F(CopyWaitOfLaunches, ACopyThatDoesNotEndDeclinesAfterTheWait) {
  Session s = session();
  const std::uint64_t copy = copies_.begins(std::nullopt, kAgent, g_now);
  const auto start = steady_clock::now();
  EXPECT_EQ(launched(s), "copy_in_flight");
  EXPECT_GE(steady_clock::now() - start, milliseconds(200));
  copies_.ends(copy);
  EXPECT_EQ(launched(s), "replayed");
}

TEST_F(CopyWaitOfLaunches, WhatWaitedInVainGivesBackWhatItTook) {
  AdmissionLimits limits = waiting(kShort);
  limits.host_memory = 10 * kGiga;
  limits.budget = {10 * kSecond, 0};
  Session s = session(limits, 1);
  allocate(MemoryClass::kDevice, 10 * kGiga);  // 7.5 s
  allocate(MemoryClass::kDevice, 10 * kGiga, kOther);
  const std::uint64_t copy = copies_.begins(std::nullopt, kAgent, g_now);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(launched(s), "copy_in_flight") << i;
  EXPECT_EQ(launched(s, dispatch(64, kOther)), "replayed") << "the host has room, and the budget is there";
  copies_.ends(copy);
  EXPECT_EQ(launched(s), "replayed") << "the one of the limit";
  EXPECT_EQ(launched(s), "max_replays");
}

TEST_F(CopyWaitOfLaunches, TheWindowThatMeasuresTheRateIsStillToBeHad) {
  Session s = session(waiting(kShort));
  allocate(MemoryClass::kDevice, 60 * kGiga);  // 45 s, one copy is 15 s
  const std::uint64_t copy = copies_.begins(std::nullopt, kAgent, g_now);
  EXPECT_EQ(launched(s), "copy_in_flight");
  copies_.ends(copy);
  EXPECT_EQ(launched(s), "replayed");
}

TEST_F(CopyWaitOfLaunches, EveryOtherReasonComesFirstAndNothingIsWaitedFor) {
  AdmissionLimits limits = waiting(kForEver);
  limits.budget = {20 * kSecond, 0};
  Session s = session(limits, 1);
  EXPECT_EQ(launched(s), "replayed");
  copies_.begins(std::nullopt, kAgent, g_now);
  EXPECT_EQ(launched(s), "max_replays");
  allocate(MemoryClass::kDevice, 36 * kGiga);  // 27 s
  EXPECT_EQ(launched(s, dispatch(128)), "budget");
  allocate(MemoryClass::kDevice, 200 * kGiga);
  EXPECT_EQ(launched(s, dispatch(128)), "window_time");
  s.admission().collectives(true);
  EXPECT_EQ(launched(s, dispatch(128)), "collectives");
}

TEST_F(CopyWaitOfLaunches, WhereItIsLiftedNothingIsWaitedFor) {
  AdmissionLimits limits = lifting(DeclineReason::kCopyInFlight);
  limits.copy_wait = kForEver;
  Session s = session(limits);
  copies_.begins(std::nullopt, kAgent, g_now);
  EXPECT_EQ(launched(s), "replayed despite copy_in_flight");
}

// Copies that begin while it waits are waited for as well, and are no copies that begin in its window.
TEST_F(CopyWaitOfLaunches, CopiesThatBeginMeanwhileAreWaitedForToo) {
  Session s = session(waiting(kForEver));
  std::uint64_t copy = copies_.begins(std::nullopt, kAgent, g_now);
  std::string fate;
  std::thread launching([&, of = dispatch()] { fate = launched(s, of); });
  for (std::size_t i = 0; i + 2 < Copies::kSlots; ++i) {  // at each moment one is under way, in a place of its own
    const std::uint64_t next = copies_.begins(std::nullopt, kAgent, g_now);
    copies_.ends(copy);
    copy = next;
    std::this_thread::yield();
  }
  copies_.ends(copy);
  launching.join();
  EXPECT_EQ(fate, "replayed");
}

// Whenever copies begin and end: one that has begun and meets a pass ends the replay.
TEST_F(CopyWaitOfLaunches, NoCopyIsMissedBetweenTheWaitAndTheFirstPass) {
  Session s = session(waiting(kForEver));
  std::atomic<bool> over{false}, copies{false};
  std::thread copying([&] {
    while (!over) {
      const std::uint64_t copy = copies_.begins(std::nullopt, kAgent, g_now);
      copies = true;
      std::this_thread::yield();
      copies = false;
      copies_.ends(copy);
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 1000; ++i) {
    const DispatchInfo of = dispatch();
    EXPECT_EQ(s.config_enter(of).passes, kPasses) << "each copy ends";
    s.pass_enter(of, PassIndex{0});
    const bool meets = copies;
    (void)s.choose(of);
    s.pass_exit(of);
    const bool goes_on = s.goes_on(of);
    EXPECT_FALSE(meets && goes_on) << i;
    s.config_exit(of);
  }
  over = true;
  copying.join();
}

}  // namespace
}  // namespace multipass::replay
