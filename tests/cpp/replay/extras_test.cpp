// SPDX-License-Identifier: MIT
//
// Executions of a replayed launch that read no counters, and groups that take turns over the passes.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "replay/session.hpp"

namespace multipass::replay {
namespace {

DispatchInfo dispatch(std::uint64_t id, std::uint32_t agent = 1, std::uint32_t grid = 64) {
  DispatchInfo info;
  info.dispatch_id = DispatchId{id};
  info.agent = AgentIndex{agent};
  info.kernel = KernelId{5};
  info.grid = {grid, 1, 1};
  info.workgroup = {64, 1, 1};
  return info;
}

// Agent 0 has no counters, agent 1 three passes, agent 2 one.
Session session(ReplayExtras extras, ReplayLimits limits = {}) {
  return Session({{}, {{11, 12, 13}}, {{21}}}, true, {}, std::move(limits), extras);
}

// What each pass of a launch is for and reads: "w", "t", "0:11" for pass 0 with configuration 11. What ENQUEUE is told
// must be what the counters are read under.
std::vector<std::string> replay(Session& s, const DispatchInfo& of) {
  const std::uint64_t passes = s.config_enter(of).passes;
  std::vector<std::string> seen;
  for (std::uint32_t k = 0; k < passes && passes > 1; ++k) {
    s.pass_enter(of, PassIndex{k});
    const Execution enqueued = s.current(of);
    const Selection selection = s.choose(of);
    EXPECT_EQ(enqueued, selection.execution);
    EXPECT_EQ(Execution::unpack(enqueued.pack()), enqueued);
    s.pass_exit(of);
    const Execution& execution = selection.execution;
    if (execution.kind == ExecutionKind::kCounters)
      seen.push_back(std::to_string(execution.pass->value) + ":" + std::to_string(selection.config));
    else
      seen.push_back((execution.kind == ExecutionKind::kWarmUp ? "w" : "t") +
                     (selection.config == 0 ? std::string() : "!"));
  }
  s.config_exit(of);
  if (passes == 1) seen.push_back("single:" + std::to_string(s.choose(of).config));
  return seen;
}

using Seen = std::vector<std::string>;

TEST(Extras, RunFirstAndReadNothing) {
  Session both = session({.warm_up = true, .timing = true});
  EXPECT_EQ(replay(both, dispatch(1)), (Seen{"w", "t", "0:11", "1:12", "2:13"}));
  Session warm_up = session({.warm_up = true});
  EXPECT_EQ(replay(warm_up, dispatch(1)), (Seen{"w", "0:11", "1:12", "2:13"}));
  Session timing = session({.timing = true});
  EXPECT_EQ(replay(timing, dispatch(1)), (Seen{"t", "0:11", "1:12", "2:13"}));
}

TEST(Extras, ReplayALaunchWhoseCountersFitOnePass) {
  Session s = session({.timing = true});
  EXPECT_EQ(replay(s, dispatch(1, 2)), (Seen{"t", "0:21"}));
  Session permuted = session({.permute = true});
  EXPECT_EQ(replay(permuted, dispatch(1, 2)), (Seen{"single:21"})) << "nothing is to be turned";
}

TEST(Extras, AreNotRunWhereNothingIsPlanned) {
  Session s = session({.warm_up = true, .timing = true});
  EXPECT_EQ(replay(s, dispatch(1, 0)), (Seen{"single:0"}));
  EXPECT_EQ(replay(s, dispatch(2, 99)), (Seen{"single:0"}));
}

TEST(Extras, AreLimitedAsReplaysAre) {
  ReplayLimits limits;
  limits.max_replays = 1;
  Session s = session({.warm_up = true}, std::move(limits));
  EXPECT_EQ(replay(s, dispatch(1, 2)), (Seen{"w", "0:21"}));
  EXPECT_EQ(replay(s, dispatch(2, 2)), (Seen{"single:21"}));
}

TEST(Extras, APassBeyondThePlanReadsNothing) {
  Session s = session({.warm_up = true, .timing = true, .permute = true});
  s.pass_enter(dispatch(1), PassIndex{0});
  s.pass_enter(dispatch(1), PassIndex{5});
  EXPECT_EQ(s.choose(dispatch(1)).config, 0U);
  s.config_exit(dispatch(1));
}

TEST(Permuted, GroupsMoveOnByOneWithEachLaunchOfAShape) {
  Session s = session({.permute = true});
  EXPECT_EQ(replay(s, dispatch(1)), (Seen{"0:11", "1:12", "2:13"}));
  EXPECT_EQ(replay(s, dispatch(2)), (Seen{"0:12", "1:13", "2:11"}));
  EXPECT_EQ(replay(s, dispatch(3, 1, 128)), (Seen{"0:11", "1:12", "2:13"})) << "another grid";
  EXPECT_EQ(replay(s, dispatch(4)), (Seen{"0:13", "1:11", "2:12"}));
  EXPECT_EQ(replay(s, dispatch(5)), (Seen{"0:11", "1:12", "2:13"}));
}

TEST(Permuted, ALaunchThatTheSdkDoesNotReplayTakesNoTurn) {
  Session s = session({.permute = true});
  EXPECT_EQ(replay(s, dispatch(1)).front(), "0:11");
  EXPECT_EQ(s.config_enter(dispatch(2)).passes, 3U);
  s.config_exit(dispatch(2));
  (void)s.choose(dispatch(2));
  EXPECT_EQ(replay(s, dispatch(3)).front(), "0:12");
}

TEST(Permuted, APassOfWhichTheFirstWasNotHeardReadsNothing) {
  Session s = session({.permute = true});
  s.pass_enter(dispatch(1), PassIndex{1});
  EXPECT_EQ(s.choose(dispatch(1)).config, 0U);
  s.config_exit(dispatch(1));
}

TEST(Permuted, ThreadsThatLaunchOneShapeShareItsTurns) {
  Session s = session({.warm_up = true, .permute = true});
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kLaunches = 60;
  std::array<std::atomic<int>, 3> first{};  // by the configuration that pass 0 reads
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&s, &first, t] {
      for (std::uint64_t i = 1; i <= kLaunches; ++i) {
        const Seen seen = replay(s, dispatch(1000 * (t + 1) + i));
        EXPECT_EQ(seen.front(), "w");
        ++first.at(static_cast<std::size_t>(seen.at(1).back() - '1'));
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& count : first) EXPECT_EQ(count, kThreads * kLaunches / 3);
}

// The law: a launch reads each group once, and of N launches in a row each pass reads each group once; whatever was
// launched before and between.
TEST(Permuted, EachGroupOnceInALaunchAndOnceInEachPassOfNLaunches) {
  std::mt19937 random(11);
  std::uint64_t id = 1;
  for (std::size_t groups = 2; groups <= 9; ++groups) {
    AgentConfigs configs;
    for (std::size_t g = 0; g < groups; ++g) configs.handles.push_back(100 + g);
    const ReplayExtras extras{.warm_up = random() % 2 == 0, .timing = random() % 2 == 0, .permute = true};
    Session s({configs}, true, {}, {}, extras);
    for (auto before = random() % 20; before > 0; --before) (void)replay(s, dispatch(id++, 0));
    std::vector<std::set<std::string>> of_pass(groups);
    for (std::size_t launch = 0; launch < groups; ++launch) {
      (void)replay(s, dispatch(id++, 0, 128 * static_cast<std::uint32_t>(1 + random() % 3)));  // of another shape
      const Seen seen = replay(s, dispatch(id++, 0));
      ASSERT_EQ(seen.size(), groups + extras.executions());
      std::set<std::string> of_launch;
      for (std::size_t k = 0; k < groups; ++k) {
        const std::string& one = seen[k + extras.executions()];
        ASSERT_EQ(one.substr(0, one.find(':')), std::to_string(k));
        of_launch.insert(one.substr(one.find(':')));
        of_pass[k].insert(one.substr(one.find(':')));
      }
      EXPECT_EQ(of_launch.size(), groups);
    }
    for (const auto& read : of_pass) EXPECT_EQ(read.size(), groups);
  }
}

}  // namespace
}  // namespace multipass::replay
