// SPDX-License-Identifier: MIT
// Admission as the Session makes use of it: which launches are replayed, and which replays end early.
#include <thread>

#include "admission_fixture.hpp"

namespace multipass::replay {
namespace {

TEST_F(AdmissionTest, ALaunchIsReplayedWhereNothingIsKnownAgainstIt) {
  Session s = session();
  allocate(MemoryClass::kDevice, kGiga);
  EXPECT_EQ(launched(s), "replayed");
}

TEST_F(AdmissionTest, MemoryThatIsNotRestoredDeclinesOnItsAgentWhileItIsThere) {
  Session s = session();
  for (const auto& [kind, end, name] : {std::tuple{MemoryClass::kManaged, MemoryEnd::kReleased, "managed_memory"},
                                        std::tuple{MemoryClass::kPool, MemoryEnd::kReleased, "pool_memory"},
                                        std::tuple{MemoryClass::kVirtual, MemoryEnd::kUnmapped, "virtual_memory"},
                                        std::tuple{MemoryClass::kFineGrained, MemoryEnd::kFreed, "fine_grained_memory"},
                                        std::tuple{MemoryClass::kPinned, MemoryEnd::kReleased, "pinned_memory"},
                                        std::tuple{MemoryClass::kImported, MemoryEnd::kDetached, "imported_memory"}}) {
    allocate(kind, 4096);
    EXPECT_EQ(launched(s), name);
    EXPECT_EQ(launched(s, dispatch(64, kOther)), "replayed") << "it is no memory of that agent";
    free_last(end, 4096);
    EXPECT_EQ(launched(s), "replayed") << name;
  }
}

// So says the admission's contract: --unsafe names are tried in this order, and the first that holds is told.
TEST_F(AdmissionTest, OfSeveralKindsOfMemoryFineGrainedComesBeforePinnedAndThatBeforeWhatIsShared) {
  Session s = session();
  allocate(MemoryClass::kImported, 4096);
  EXPECT_EQ(launched(s), "imported_memory");
  allocate(MemoryClass::kPinned, 4096);
  EXPECT_EQ(launched(s), "pinned_memory");
  allocate(MemoryClass::kFineGrained, 4096);
  EXPECT_EQ(launched(s), "fine_grained_memory");
}

TEST_F(AdmissionTest, TheFirstReasonThatHoldsIsGiven) {
  AdmissionLimits limits;
  limits.host_memory = 10;
  limits.budget = {1, 0};
  Session s = session(limits, 1);
  s.admission().collectives(true);
  copies_.begins(std::nullopt, kAgent, g_now);
  allocate(MemoryClass::kDevice, 200 * kGiga);
  allocate(MemoryClass::kManaged, 1);
  EXPECT_EQ(launched(s), "managed_memory");
  free_last(MemoryEnd::kReleased);
  EXPECT_EQ(launched(s), "collectives");
  s.admission().collectives(false);
  EXPECT_EQ(launched(s), "host_memory");
}

TEST_F(AdmissionTest, WhatWouldTakeTooLongComesBeforeTheLimitAndTheBudgetAfterIt) {
  AdmissionLimits limits;
  limits.budget = {20 * kSecond, 0};
  Session s = session(limits, 1);
  allocate(MemoryClass::kDevice, 121 * kGiga);  // one copy: 30.25 s
  EXPECT_EQ(launched(s), "window_time");
  free_last(MemoryEnd::kFreed);
  allocate(MemoryClass::kDevice, 36 * kGiga);  // 27 s
  EXPECT_EQ(launched(s), "budget");
  free_last(MemoryEnd::kFreed);
  EXPECT_EQ(launched(s), "replayed") << "what the budget declined is no replay of the limit";
  EXPECT_EQ(launched(s), "max_replays");
  allocate(MemoryClass::kDevice, 36 * kGiga);
  EXPECT_EQ(launched(s), "max_replays");
}

TEST_F(AdmissionTest, WhatIsLiftedDeclinesNothingAndIsNamed) {
  AdmissionLimits limits;
  limits.lifted.add_all();
  limits.budget = {1, 0};
  limits.host_memory = 10;
  Session s = session(limits);
  allocate(MemoryClass::kDevice, 200 * kGiga);
  allocate(MemoryClass::kManaged, 1);
  s.admission().collectives(true);
  EXPECT_EQ(launched(s, 100 * kSecond),
            "replayed despite managed_memory despite collectives despite host_memory despite window_time despite "
            "budget");
  Session other = session(lifting(DeclineReason::kPoolMemory));
  EXPECT_EQ(launched(other), "managed_memory") << "another one is lifted";
}

TEST_F(AdmissionTest, ACopyThatBeginsInTheWindowEndsItAfterThePass) {
  Session s = session();
  in_pass_ = [&] { copies_.ends(copies_.begins(kOther, std::nullopt, g_now)); };
  EXPECT_EQ(launched(s), "replayed") << "of another agent";
  in_pass_ = [&] { copies_.ends(copies_.begins(std::nullopt, kAgent, g_now)); };
  EXPECT_EQ(launched(s), "copy_in_flight ended after 1") << "also when it is over already";
  Session lifted = session(lifting(DeclineReason::kCopyInFlight));
  EXPECT_EQ(launched(lifted), "replayed despite copy_in_flight");
}

TEST_F(AdmissionTest, AWindowThatWouldTakeLongerThanItMayIsEnded) {
  Session s = session();
  EXPECT_EQ(launched(s, 10 * kSecond), "replayed") << "30 s";
  Session slower = session();
  EXPECT_EQ(launched(slower, 11 * kSecond), "window_time ended after 2");
  EXPECT_EQ(launched(slower), "window_time") << "and is not begun again";
  EXPECT_EQ(launched(slower, dispatch(128)), "window_time") << "nor is another one as far as is known";
  Session lifted = session(lifting(DeclineReason::kWindowTime));
  EXPECT_EQ(launched(lifted, 11 * kSecond), "replayed") << "it did not hold when it was asked";
}

TEST_F(AdmissionTest, NeverMoreThanATenthOverTheBudgetIsSpent) {
  for (std::uint64_t pass_ns = 100; pass_ns <= 800; pass_ns += 7) {
    AdmissionLimits limits;
    limits.budget = {1000, 0};
    Session s = session(limits);
    const std::uint64_t start = g_now;
    std::string last;
    for (int i = 0; i < 20; ++i) last = launched(s, pass_ns);
    EXPECT_EQ(last, "budget") << pass_ns;
    EXPECT_LE(g_now - start, 1100U) << pass_ns;
  }
}

TEST_F(AdmissionTest, TheShareOfTheWallTimeGrows) {
  AdmissionLimits limits;
  limits.budget = {0, 0.1};
  Session s = session(limits);
  g_now += 100 * kSecond;
  EXPECT_EQ(launched(s, 3 * kSecond), "replayed");
  EXPECT_EQ(launched(s, 3 * kSecond), "budget") << "9 s of 10.9 s are spent";
  g_now += 80 * kSecond;
  EXPECT_EQ(launched(s, 3 * kSecond), "replayed");
}

TEST_F(AdmissionTest, WhatTheSdkDeclinedTakesNeitherAReplayNorMemoryNorWhatWasReserved) {
  AdmissionLimits limits;
  limits.host_memory = 10 * kGiga;
  limits.budget = {10 * kSecond, 0};
  Session s = session(limits, 1);
  allocate(MemoryClass::kDevice, 10 * kGiga);  // 7.5 s
  for (int i = 0; i < 5; ++i) {
    const DispatchInfo declined = dispatch();
    EXPECT_EQ(s.config_enter(declined).passes, kPasses);
    const WindowEnd end = s.config_exit(declined);
    EXPECT_EQ(end.ended_early, std::nullopt);
    (void)s.choose(declined);
  }
  EXPECT_EQ(launched(s), "replayed");
}

TEST_F(AdmissionTest, OfTwoWindowsAtOnceTheHostHasRoomForOne) {
  AdmissionLimits limits;
  limits.host_memory = 15;
  Session s = session(limits);
  allocate(MemoryClass::kDevice, 10);
  allocate(MemoryClass::kDevice, 10, kOther);
  const DispatchInfo first = dispatch();
  EXPECT_EQ(s.config_enter(first).passes, kPasses);
  std::string second;
  std::thread([&] { second = launched(s, dispatch(64, kOther)); }).join();
  EXPECT_EQ(second, "host_memory");
  s.config_exit(first);
  (void)s.choose(first);
  EXPECT_EQ(launched(s, dispatch(64, kOther)), "replayed");
}

// What a window waits for the one before it on its agent is no time of its own.
TEST_F(AdmissionTest, AWindowThatWaitedForAnotherIsNotTooLong) {
  Session s = session();
  const DispatchInfo waiting = dispatch();
  std::thread other([&] {
    EXPECT_EQ(s.config_enter(waiting).passes, kPasses);
    EXPECT_EQ(launched(s, 9 * kSecond), "replayed");  // inside of it, 27 s
    g_now += kSecond;
    s.pass_enter(waiting, PassIndex{0});
    g_now += 2 * kSecond;
    s.pass_exit(waiting);
    EXPECT_TRUE(s.goes_on(waiting)) << "30 s since it was asked for, 3 s of its own";
    s.config_exit(waiting);
  });
  other.join();
}

TEST_F(AdmissionTest, EndedEarlyAFewAreGivenBackToTheLimitAndThenNoMore) {
  Session s = session({}, 2);
  in_pass_ = [&] { copies_.ends(copies_.begins(std::nullopt, kAgent, g_now)); };
  for (std::uint32_t i = 0; i < LaunchTable::kMostEndedEarly + 2; ++i)
    EXPECT_EQ(launched(s), "copy_in_flight ended after 1") << i;
  EXPECT_EQ(launched(s), "max_replays");
  in_pass_ = {};
  EXPECT_EQ(launched(s, dispatch(128)), "replayed") << "another shape";
}

TEST_F(AdmissionTest, TellsOfTheFirstWindowOfAShapeThatTookASecond) {
  Session s = session();
  allocate(MemoryClass::kDevice, 4 * kGiga);
  EXPECT_EQ(launched(s, dispatch(64), kSecond / 10), "replayed");
  EXPECT_EQ(launched(s, dispatch(128), kSecond), "replayed");
  EXPECT_EQ(launched(s, dispatch(128), kSecond), "replayed");
  const std::vector<TimedWindow> timed = s.admission().take_timed(kAgent);
  ASSERT_EQ(timed.size(), 1U);
  EXPECT_EQ(timed[0].shape.grid.x, 128U);
  EXPECT_EQ(timed[0].ns, 3 * kSecond);
  EXPECT_EQ(timed[0].executions, kPasses);
  EXPECT_EQ(timed[0].footprint, 4 * kGiga);
  EXPECT_EQ(timed[0].next_ns, 3 * kSecond);
  EXPECT_TRUE(s.admission().take_timed(kAgent).empty());
}

TEST_F(AdmissionTest, CountsWhatBecameOfTheLaunchesOfAnAgent) {
  Session s = session({}, 1);
  EXPECT_EQ(launched(s), "replayed");
  EXPECT_EQ(launched(s), "max_replays");
  allocate(MemoryClass::kPool, 1);
  EXPECT_EQ(launched(s), "pool_memory");
  const Admission::Counts counts = s.admission().counts(kAgent);
  EXPECT_EQ(counts.admitted, 1U);
  EXPECT_EQ(counts.declined[static_cast<std::size_t>(DeclineReason::kMaxReplays)], 1U);
  EXPECT_EQ(counts.declined[static_cast<std::size_t>(DeclineReason::kPoolMemory)], 1U);
  EXPECT_EQ(s.admission().counts(kOther).admitted, 0U);
}

// The SDK holds the copy of one window of an agent at a time: further ones wait for it.
TEST_F(AdmissionTest, WindowsOfOneAgentShareTheRoomForACopy) {
  AdmissionLimits limits;
  limits.host_memory = 15;
  Session s = session(limits);
  allocate(MemoryClass::kDevice, 10);
  const DispatchInfo first = dispatch();
  EXPECT_EQ(s.config_enter(first).passes, kPasses);
  const DispatchInfo waiting = dispatch();
  std::thread([&] {
    EXPECT_EQ(s.config_enter(waiting).passes, kPasses);
    allocate(MemoryClass::kDevice, 6);
    EXPECT_EQ(launched(s, dispatch()), "host_memory") << "16 bytes now";
    free_last(MemoryEnd::kFreed);
    s.config_exit(waiting);
  }).join();
  allocate(MemoryClass::kDevice, 10, kOther);
  EXPECT_EQ(launched(s, dispatch(64, kOther)), "host_memory") << "one is still open";
  s.config_exit(first);
  (void)s.choose(first);
  EXPECT_EQ(launched(s, dispatch(64, kOther)), "replayed");
}

// Windows that are given up because their end is never told do not stay open for ever.
TEST_F(AdmissionTest, ALaunchThatNeverHearsOfItsEndGivesBackWhatItTook) {
  AdmissionLimits limits;
  limits.budget = {100, 0};  // of which a window is to take 75
  Session s = session(limits);
  allocate(MemoryClass::kDevice, 100);
  std::thread([&] {  // with launches of its own
    EXPECT_EQ(s.config_enter(dispatch()).passes, kPasses);
    for (std::size_t i = 1; i < LaunchStack::kDepth; ++i) EXPECT_EQ(s.config_enter(dispatch()).passes, 1U) << i;
    EXPECT_EQ(s.config_enter(dispatch()).passes, kPasses);
  })
      .join();
}

// Threads that launch on two agents, allocate and copy, all at once.
TEST_F(AdmissionTest, IsAskedByManyThreadsAtOnce) {
  AdmissionLimits limits;
  limits.budget = {kSecond, 0.5};
  limits.host_memory = 3 * kGiga;
  Session s = session(limits, 5);
  std::atomic<std::uint64_t> id{1000};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < 200; ++i) {
        DispatchInfo of;
        of.dispatch_id = DispatchId{id++};
        of.agent = AgentIndex{1 + (t + i) % 2};
        of.kernel = KernelId{i % 7};
        of.workgroup = {64, 1, 1};
        s.admission().executed(of, {10, 20 + i});
        (void)launched(s, of, 1000);
      }
    });
  threads.emplace_back([&] {
    for (std::uint64_t i = 1; i <= 200; ++i) {
      memory_.allocated({MemoryClass::kManaged, kAgent, i << 20U, 64});
      copies_.ends(copies_.begins(kAgent, kOther, g_now));
      memory_.ended(MemoryEnd::kReleased, i << 20U, 0);
      (void)s.admission().counts(kAgent);
      (void)s.admission().take_timed(kAgent);
      s.admission().collectives(i % 9 == 0);
    }
    s.admission().collectives(false);
  });
  for (std::thread& thread : threads) thread.join();
  std::uint64_t asked = 0;
  for (const AgentIndex agent : {kAgent, kOther}) {
    const Admission::Counts counts = s.admission().counts(agent);
    asked += counts.admitted;
    for (const std::uint64_t declined : counts.declined) asked += declined;
  }
  EXPECT_EQ(asked, 800U);
  EXPECT_EQ(launched(s, dispatch(4096)), "replayed") << "nothing is left reserved";
}

}  // namespace
}  // namespace multipass::replay
