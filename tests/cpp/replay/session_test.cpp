// SPDX-License-Identifier: MIT
#include "replay/session.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace multipass::replay {
namespace {

DispatchInfo dispatch(std::uint64_t id, std::uint32_t agent = 1, std::uint64_t kernel = 5) {
  DispatchInfo info;
  info.dispatch_id = DispatchId{id};
  info.agent = AgentIndex{agent};
  info.kernel = KernelId{kernel};
  return info;
}

// Agent 0 has no counters, agent 1 three passes, agent 2 one.
Session session(bool rotate = true) {
  return Session({{}, {{11, 12, 13}}, {{21}}}, rotate);
}

TEST(Session, AsksForAsManyPassesAsArePlanned) {
  Session s = session();
  EXPECT_EQ(s.config_enter(dispatch(1, 1)), 3U);
  EXPECT_EQ(s.config_enter(dispatch(2, 2)), 1U);
  EXPECT_EQ(s.config_enter(dispatch(3, 0)), 1U);
  EXPECT_EQ(s.config_enter(dispatch(4, 99)), 1U) << "an agent it was not told of";
}

TEST(Session, GivesEachPassItsConfiguration) {
  Session s = session();
  for (std::uint32_t k = 0; k < 3; ++k) {
    s.pass_enter(dispatch(1), PassIndex{k});
    const Selection selection = s.select(dispatch(1));
    EXPECT_EQ(selection.config, 11U + k);
    EXPECT_EQ(selection.execution, (Execution{PassIndex{k}, GroupIndex{k}}));
    s.pass_exit(dispatch(1));
  }
}

TEST(Session, APassBeyondThePlanReadsNothing) {
  Session s = session();
  s.pass_enter(dispatch(1), PassIndex{3});
  EXPECT_EQ(s.select(dispatch(1)).config, 0U);
  s.pass_exit(dispatch(1));
}

TEST(Session, WithoutAPassTheGroupsTakeTurnsForEachKernel) {
  Session s = session();
  const auto group = [&](std::uint64_t kernel) { return s.select(dispatch(1, 1, kernel)).execution.group.value; };
  EXPECT_EQ(group(5), 0U);
  EXPECT_EQ(group(5), 1U);
  EXPECT_EQ(group(6), 0U);
  EXPECT_EQ(group(5), 2U);
  EXPECT_EQ(group(5), 0U);
  EXPECT_EQ(group(6), 1U);
}

TEST(Session, WithoutRotationItIsAlwaysTheFirstGroup) {
  Session s = session(false);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(s.select(dispatch(1)).config, 11U);
}

TEST(Session, ADispatchAfterTheWindowDoesNotInheritThePass) {
  Session s = session();
  s.pass_enter(dispatch(1), PassIndex{2});
  s.config_exit(dispatch(1));  // a loop that was abandoned: no pass_exit
  EXPECT_EQ(s.select(dispatch(2)).execution.pass, std::nullopt);
}

TEST(Session, ALaunchFromInsideThePassOfAnotherDispatchIsNotThatPass) {
  Session s = session();
  s.pass_enter(dispatch(1), PassIndex{1});
  EXPECT_EQ(s.select(dispatch(2)).execution.pass, std::nullopt);
  EXPECT_EQ(s.select(dispatch(1)).execution.pass, PassIndex{1});
  s.pass_exit(dispatch(1));
}

TEST(Session, TheWindowOfALaunchFromInsideLeavesTheOuterPass) {
  Session s = session();
  s.pass_enter(dispatch(1), PassIndex{1});
  EXPECT_EQ(s.config_enter(dispatch(2, 2)), 1U);
  s.config_exit(dispatch(2, 2));
  EXPECT_EQ(s.select(dispatch(1)).execution.pass, PassIndex{1});
  s.pass_exit(dispatch(1));
  EXPECT_EQ(s.select(dispatch(1)).execution.pass, std::nullopt);
}

TEST(Session, EveryThreadHasItsOwnPass) {
  Session s = session();
  s.pass_enter(dispatch(1), PassIndex{1});
  std::thread other([&s] {
    EXPECT_EQ(s.current_pass(DispatchId{1}), std::nullopt);
    s.pass_enter(dispatch(2), PassIndex{2});
    EXPECT_EQ(s.select(dispatch(2)).config, 13U);
  });
  other.join();
  EXPECT_EQ(s.select(dispatch(1)).config, 12U);
  s.pass_exit(dispatch(1));
}

Session filtered_session(const FilterConfig& config) {
  Session s({{}, {{11, 12, 13}}, {{21}}}, true, *KernelFilter::create(config, 3));
  s.know(KernelId{5}, "axpy(float*)");
  return s;
}

TEST(Session, TheFilterIsAskedOnceForADispatch) {
  Session s = filtered_session({.range = "2"});
  const auto ask = [&s](std::uint64_t id) {
    const auto at_config = s.filtered(dispatch(id));
    EXPECT_EQ(s.filtered(dispatch(id)), at_config) << "when the execution begins it is the same launch";
    return at_config;
  };
  EXPECT_EQ(ask(1), FilterReason::kOutOfRange);
  EXPECT_EQ(ask(2), std::nullopt);
  EXPECT_EQ(ask(3), FilterReason::kOutOfRange);
}

TEST(Session, ThePassesOfADispatchAreNotLaunchesOfTheirOwn) {
  Session s = filtered_session({.range = "1-2"});
  for (const std::uint64_t id : {1U, 2U}) {
    EXPECT_EQ(s.filtered(dispatch(id)), std::nullopt);
    for (std::uint32_t k = 0; k < 3; ++k) {
      s.pass_enter(dispatch(id), PassIndex{k});
      EXPECT_EQ(s.filtered(dispatch(id)), std::nullopt);
      s.pass_exit(dispatch(id));
    }
    s.config_exit(dispatch(id));
  }
  EXPECT_EQ(s.filtered(dispatch(3)), FilterReason::kOutOfRange);
}

TEST(Execution, TravelsThroughSixtyFourBits) {
  for (const Execution& execution : {Execution{}, Execution{std::nullopt, GroupIndex{7}},
                                     Execution{PassIndex{0}, GroupIndex{0}}, Execution{PassIndex{41}, GroupIndex{41}}})
    EXPECT_EQ(Execution::unpack(execution.pack()), execution);
  EXPECT_EQ(Execution{}.pack(), 0U);
}

}  // namespace
}  // namespace multipass::replay
