// SPDX-License-Identifier: MIT
#include "replay/session.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "model/names.hpp"

namespace multipass::replay {
namespace {

// What a thread launches is kept by dispatch id, which is unique in a process; a test ends what it begins.
DispatchInfo dispatch(std::uint64_t id, std::uint32_t agent = 1, std::uint64_t kernel = 5, std::uint32_t grid = 64) {
  DispatchInfo info;
  info.dispatch_id = DispatchId{id};
  info.agent = AgentIndex{agent};
  info.kernel = KernelId{kernel};
  info.grid = {grid, 1, 1};
  info.workgroup = {64, 1, 1};
  return info;
}

// Agent 0 has no counters, agent 1 three passes, agent 2 one.
Session session(bool rotate = true) {
  return Session({{}, {{11, 12, 13}}, {{21}}}, rotate);
}

// A launch that is not replayed: which group it reads.
std::uint32_t group_of(Session& s, const DispatchInfo& of) {
  return s.choose(of).execution.group.value;
}

// All passes of a dispatch that the SDK replays.
void replay(Session& s, const DispatchInfo& of, std::uint64_t passes) {
  for (std::uint32_t k = 0; k < passes; ++k) {
    s.pass_enter(of, PassIndex{k});
    EXPECT_EQ(s.choose(of).execution.pass, PassIndex{k});
    s.pass_exit(of);
  }
}

TEST(Session, AsksForAsManyPassesAsArePlanned) {
  Session s = session();
  const auto passes = [&s](const DispatchInfo& of) {
    const std::uint64_t wanted = s.config_enter(of).passes;
    s.config_exit(of);
    (void)s.choose(of);  // the launch is over
    return wanted;
  };
  EXPECT_EQ(passes(dispatch(1, 1)), 3U);
  EXPECT_EQ(passes(dispatch(2, 2)), 1U);
  EXPECT_EQ(passes(dispatch(3, 0)), 1U);
  EXPECT_EQ(passes(dispatch(4, 99)), 1U) << "an agent it was not told of";
}

TEST(Session, GivesEachPassItsConfiguration) {
  Session s = session();
  for (std::uint32_t k = 0; k < 3; ++k) {
    s.pass_enter(dispatch(1), PassIndex{k});
    const Selection selection = s.choose(dispatch(1));
    EXPECT_EQ(selection.config, 11U + k);
    EXPECT_EQ(selection.execution, (Execution{PassIndex{k}, GroupIndex{k}}));
    s.pass_exit(dispatch(1));
  }
  s.config_exit(dispatch(1));
}

TEST(Session, APassBeyondThePlanReadsNothing) {
  Session s = session();
  s.pass_enter(dispatch(1), PassIndex{3});
  EXPECT_EQ(s.choose(dispatch(1)).config, 0U);
  s.config_exit(dispatch(1));
}

TEST(Session, WithoutAPassTheGroupsTakeTurnsForEachLaunchShape) {
  Session s = session();
  EXPECT_EQ(group_of(s, dispatch(1)), 0U);
  EXPECT_EQ(group_of(s, dispatch(2)), 1U);
  EXPECT_EQ(group_of(s, dispatch(3, 1, 6)), 0U) << "another kernel";
  EXPECT_EQ(group_of(s, dispatch(4, 1, 5, 128)), 0U) << "another grid";
  EXPECT_EQ(group_of(s, dispatch(5)), 2U);
  EXPECT_EQ(group_of(s, dispatch(6)), 0U);
  EXPECT_EQ(group_of(s, dispatch(7, 1, 5, 128)), 1U);
}

TEST(Session, TheReplayedLaunchesOfAShapeTakeNoTurn) {
  Session s = session();
  EXPECT_EQ(group_of(s, dispatch(1)), 0U);
  replay(s, dispatch(2), 3);
  s.config_exit(dispatch(2));
  EXPECT_EQ(group_of(s, dispatch(3)), 1U);
}

TEST(Session, WithoutRotationItIsAlwaysTheFirstGroup) {
  Session s = session(false);
  for (std::uint64_t id = 1; id <= 3; ++id) EXPECT_EQ(s.choose(dispatch(id)).config, 11U);
}

TEST(Session, ADispatchAfterTheWindowDoesNotInheritThePass) {
  Session s = session();
  s.pass_enter(dispatch(1), PassIndex{2});
  s.config_exit(dispatch(1));  // a loop that was abandoned: no pass_exit
  EXPECT_EQ(s.choose(dispatch(2)).execution.pass, std::nullopt);
  EXPECT_EQ(s.current(dispatch(1)).pass, std::nullopt);
}

// Each launch runs three times in its window, and no pass is told of: it is one launch all the same.
TEST(Session, ALaunchIsDecidedOnOnceThoughNoPassIsToldOf) {
  Session s({{}, {{11, 12, 13}}}, true, *KernelFilter::create({.range = "2-3"}, 2));
  for (std::uint64_t id = 1; id <= 5; ++id) {
    const bool wanted = id == 2 || id == 3;
    EXPECT_EQ(s.config_enter(dispatch(id)).decision.filtered.has_value(), !wanted) << id;
    for (int execution = 0; execution < 3; ++execution) EXPECT_EQ(s.choose(dispatch(id)).config != 0, wanted) << id;
    s.config_exit(dispatch(id));
  }
}

TEST(Session, ALaunchFromInsideThePassOfAnotherDispatchIsNotThatPass) {
  Session s = session();
  s.pass_enter(dispatch(1), PassIndex{1});
  EXPECT_EQ(s.choose(dispatch(2)).execution.pass, std::nullopt);
  EXPECT_EQ(s.choose(dispatch(1)).execution.pass, PassIndex{1});
  s.config_exit(dispatch(1));
}

TEST(Session, TheWindowOfALaunchFromInsideLeavesTheOuterPass) {
  Session s = session();
  s.pass_enter(dispatch(1), PassIndex{1});
  EXPECT_EQ(s.config_enter(dispatch(2, 2)).passes, 1U);
  s.config_exit(dispatch(2, 2));
  EXPECT_EQ(s.choose(dispatch(2, 2)).execution.pass, std::nullopt);
  EXPECT_EQ(s.choose(dispatch(1)).execution.pass, PassIndex{1});
  s.pass_exit(dispatch(1));
  EXPECT_EQ(s.current(dispatch(1)).pass, std::nullopt);
  s.config_exit(dispatch(1));
}

// Allowed on another agent; the inner loop must not end the outer pass.
TEST(Session, AReplayedLaunchFromInsideAPassLeavesTheOuterPass) {
  Session s({{}, {{11, 12, 13}}, {{21, 22}}}, true);
  s.pass_enter(dispatch(1), PassIndex{2});
  EXPECT_EQ(s.config_enter(dispatch(2, 2)).passes, 2U);
  replay(s, dispatch(2, 2), 2);
  s.config_exit(dispatch(2, 2));
  EXPECT_EQ(s.choose(dispatch(1)).config, 13U);
  EXPECT_EQ(s.choose(dispatch(1)).execution.pass, PassIndex{2});
  s.config_exit(dispatch(1));
}

TEST(Session, EveryThreadHasItsOwnPass) {
  Session s = session();
  s.pass_enter(dispatch(1), PassIndex{1});
  std::thread other([&s] {
    EXPECT_EQ(s.current(dispatch(1)).pass, std::nullopt);
    s.pass_enter(dispatch(2), PassIndex{2});
    EXPECT_EQ(s.choose(dispatch(2)).config, 13U);
    s.config_exit(dispatch(2));
  });
  other.join();
  EXPECT_EQ(s.choose(dispatch(1)).config, 12U);
  s.config_exit(dispatch(1));
}

Session filtered_session(const FilterConfig& config) {
  Session s({{}, {{11, 12, 13}}, {{21}}}, true, *KernelFilter::create(config, 3));
  s.know(KernelId{5}, "axpy(float*)");
  return s;
}

TEST(Session, TheFilterIsAskedOnceForADispatch) {
  Session s = filtered_session({.range = "2"});
  const auto ask = [&s](std::uint64_t id) {
    const auto at_config = s.config_enter(dispatch(id)).decision.filtered;
    s.config_exit(dispatch(id));
    EXPECT_EQ(s.choose(dispatch(id)).decision.filtered, at_config) << "when the execution begins it is the same launch";
    return at_config;
  };
  EXPECT_EQ(ask(1), FilterReason::kOutOfRange);
  EXPECT_EQ(ask(2), std::nullopt);
  EXPECT_EQ(ask(3), FilterReason::kOutOfRange);
}

TEST(Session, AFilteredDispatchGetsNoConfigurationAndNoReplay) {
  Session s = filtered_session({.kernel_exclude = "axpy"});
  EXPECT_EQ(s.config_enter(dispatch(1)).passes, 1U);
  s.config_exit(dispatch(1));
  EXPECT_EQ(s.choose(dispatch(1)).config, 0U);
  EXPECT_EQ(s.choose(dispatch(2)).config, 0U) << "one that was not offered";
}

TEST(Session, ThePassesOfADispatchAreNotLaunchesOfTheirOwn) {
  Session s = filtered_session({.range = "1-2"});
  for (const std::uint64_t id : {1U, 2U}) {
    EXPECT_EQ(s.config_enter(dispatch(id)).decision.filtered, std::nullopt);
    replay(s, dispatch(id), 3);
    s.config_exit(dispatch(id));
  }
  EXPECT_EQ(s.choose(dispatch(3)).decision.filtered, FilterReason::kOutOfRange);
}

// A callback of another tool may launch: between the question and the execution, this thread decides of another
// dispatch.
TEST(Session, ALaunchFromInsideTheWindowIsNoSecondLaunchOfTheOuterOne) {
  Session s = filtered_session({.range = "1,3"});
  EXPECT_EQ(s.config_enter(dispatch(1)).decision.filtered, std::nullopt);
  EXPECT_EQ(s.choose(dispatch(2)).decision.filtered, FilterReason::kOutOfRange) << "from inside: the second launch";
  s.config_exit(dispatch(1));
  EXPECT_EQ(s.choose(dispatch(1)).decision.filtered, std::nullopt) << "still the first one";
  EXPECT_EQ(s.choose(dispatch(3)).decision.filtered, std::nullopt) << "the third";
}

Session limited_session(const std::string& no_replay, std::uint64_t max_replays, bool builtin = true) {
  Session s({{}, {{11, 12, 13}}, {{21}}}, true, {}, {*NoReplayList::create(no_replay, builtin), max_replays});
  s.know(KernelId{5}, "axpy(float*)");
  s.know(KernelId{6}, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)");
  return s;
}

// What becomes of one launch: "<passes> <reason>", "0" for no reason. The SDK replays what it is told to.
std::string launched(Session& s, const DispatchInfo& of) {
  const Offer offer = s.config_enter(of);
  std::string text = std::to_string(offer.passes);
  if (offer.passes > 1) replay(s, of, offer.passes);
  s.config_exit(of);
  if (offer.passes > 1) return text;
  const Selection selection = s.choose(of);
  EXPECT_EQ(selection.decision.declined, offer.decision.declined) << "decided once";
  if (selection.decision.declined) text += " " + std::string(name_of(*selection.decision.declined));
  return text + " g" + std::to_string(selection.execution.group.value);
}

TEST(Session, AKernelOfTheNoReplayListRunsOnceAndTakesTurns) {
  Session s = limited_session("", 0);
  EXPECT_EQ(launched(s, dispatch(1, 1, 6)), "1 no_replay_list g0");
  EXPECT_EQ(launched(s, dispatch(2, 1, 6)), "1 no_replay_list g1");
  EXPECT_EQ(launched(s, dispatch(3, 1, 5)), "3") << "another kernel";
}

TEST(Session, TheUsersListIsAddedToTheBuiltInOne) {
  Session s = limited_session("^axpy", 0);
  EXPECT_EQ(launched(s, dispatch(1, 1, 5)), "1 no_replay_list g0");
  EXPECT_EQ(launched(s, dispatch(2, 1, 6)), "1 no_replay_list g0");
  Session own = limited_session("^axpy", 0, false);
  EXPECT_EQ(launched(own, dispatch(3, 1, 5)), "1 no_replay_list g0");
  EXPECT_EQ(launched(own, dispatch(4, 1, 6)), "3");
}

TEST(Session, AGraphLaunchOfAListedKernelIsDeclinedForTheList) {
  Session s = limited_session("", 0);
  EXPECT_EQ(s.choose(dispatch(1, 1, 6)).decision.declined, DeclineReason::kNoReplayList);
  EXPECT_EQ(s.choose(dispatch(2, 1, 5)).decision.declined, std::nullopt);
}

TEST(Session, APlanOfOnePassIsNotDeclined) {
  Session s = limited_session("", 1);
  EXPECT_EQ(launched(s, dispatch(1, 2, 6)), "1 g0");
  EXPECT_EQ(launched(s, dispatch(2, 2, 5)), "1 g0");
  EXPECT_EQ(launched(s, dispatch(3, 2, 5)), "1 g0");
}

TEST(Session, BeyondTheLimitALaunchShapeRunsOnceAndTakesTurns) {
  Session s = limited_session("", 2);
  EXPECT_EQ(launched(s, dispatch(1)), "3");
  EXPECT_EQ(launched(s, dispatch(2)), "3");
  EXPECT_EQ(launched(s, dispatch(3)), "1 max_replays g0");
  EXPECT_EQ(launched(s, dispatch(4)), "1 max_replays g1");
  EXPECT_EQ(launched(s, dispatch(5, 1, 5, 128)), "3") << "another grid";
}

TEST(Session, AReplayThatTheSdkDeclinedDoesNotCount) {
  Session s = limited_session("", 1);
  EXPECT_EQ(s.config_enter(dispatch(1)).passes, 3U);
  s.config_exit(dispatch(1));  // no room for the copy
  EXPECT_EQ(s.choose(dispatch(1)).decision.declined, std::nullopt) << "the reason is the SDK's";
  EXPECT_EQ(launched(s, dispatch(2)), "3");
  EXPECT_EQ(launched(s, dispatch(3)), "1 max_replays g1");
}

TEST(Session, GraphLaunchesDoNotUseUpTheLimit) {
  Session s = limited_session("", 1);
  for (std::uint64_t id = 1; id <= 3; ++id) EXPECT_EQ(s.choose(dispatch(id)).decision.declined, std::nullopt);
  EXPECT_EQ(launched(s, dispatch(4)), "3");
  EXPECT_EQ(s.choose(dispatch(5)).decision.declined, std::nullopt) << "it was not offered, whatever the limit";
}

TEST(Session, AFilteredLaunchDoesNotUseUpTheLimit) {
  Session s({{}, {{11, 12, 13}}}, true, *KernelFilter::create({.range = "2-3"}, 2), {{}, 1});
  s.know(KernelId{5}, "axpy(float*)");
  EXPECT_EQ(s.config_enter(dispatch(1)).decision.filtered, FilterReason::kOutOfRange);
  s.config_exit(dispatch(1));
  (void)s.choose(dispatch(1));
  EXPECT_EQ(launched(s, dispatch(2)), "3");
  EXPECT_EQ(launched(s, dispatch(3)), "1 max_replays g0");
}

TEST(Execution, TravelsThroughSixtyFourBits) {
  for (const Execution& execution : {Execution{}, Execution{std::nullopt, GroupIndex{7}},
                                     Execution{PassIndex{0}, GroupIndex{0}}, Execution{PassIndex{41}, GroupIndex{41}}})
    EXPECT_EQ(Execution::unpack(execution.pack()), execution);
  EXPECT_EQ(Execution{}.pack(), 0U);
}

}  // namespace
}  // namespace multipass::replay
