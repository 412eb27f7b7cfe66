// SPDX-License-Identifier: MIT
#include "output/canonical.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace multipass::output {
namespace {

PassRecord pass(std::uint32_t k, std::uint64_t start, std::uint64_t end,
                const std::vector<std::pair<std::uint32_t, double>>& readings = {}) {
  PassRecord record;
  record.pass = PassIndex{k};
  record.group = GroupIndex{k};
  record.start_ns = start;
  record.end_ns = end;
  for (const auto& [counter, value] : readings) {
    record.counters.emplace_back(counter);
    record.values.push_back(value);
  }
  return record;
}

DispatchRecord dispatch(std::vector<PassRecord> passes) {
  DispatchRecord record;
  record.passes = std::move(passes);
  return record;
}

// (pass, value) of each counter; pass -1: none.
std::vector<std::pair<int, double>> chosen(const DispatchRecord& record, const std::vector<bool>& requested,
                                           const std::vector<std::vector<bool>>& as_sentinel = {}) {
  std::vector<std::pair<int, double>> out;
  for (const ReadingPlace& place : canonical_readings(in_pass_order(record), {requested, as_sentinel}))
    out.emplace_back(place.pass == nullptr ? -1 : static_cast<int>(place.pass->pass->value),
                     place.pass == nullptr ? 0 : place.pass->values[place.at]);
  return out;
}

using Chosen = std::vector<std::pair<int, double>>;

TEST(Canonical, TakesEachCounterFromTheLowestPassThatDeliveredIt) {
  const DispatchRecord record =
      dispatch({pass(2, 5, 6, {{0, 2}, {1, 12}}), pass(0, 1, 2, {{2, 20}}), pass(1, 3, 4, {{1, 11}, {2, 21}})});
  EXPECT_EQ(chosen(record, {true, true, true, true}), (Chosen{{2, 2}, {1, 11}, {0, 20}, {-1, 0}}));
}

TEST(Canonical, AReadingOfZeroIsAReadingAndNanIsNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const DispatchRecord record = dispatch({pass(0, 1, 2, {{0, 0}, {1, nan}}), pass(1, 3, 4, {{0, 7}, {1, 8}})});
  EXPECT_EQ(chosen(record, {true, true}), (Chosen{{0, 0}, {1, 8}}));
}

TEST(Canonical, WhatNobodyAskedForIsNeverCanonical) {
  EXPECT_EQ(chosen(dispatch({pass(0, 1, 2, {{0, 3}, {1, 4}})}), {true, false}), (Chosen{{0, 3}, {-1, 0}}));
}

TEST(Canonical, TakesARequestedCounterFromThePassThatIsNotMarked) {
  // Counter 0 is a sentinel of passes 0 and 2, and was asked for in pass 1.
  const std::vector<std::vector<bool>> marks{{true, false}, {false, false}, {true, false}};
  const DispatchRecord record =
      dispatch({pass(0, 1, 2, {{0, 7}, {1, 1}}), pass(1, 3, 4, {{0, 8}}), pass(2, 5, 6, {{0, 9}})});
  EXPECT_EQ(chosen(record, {true, true}, marks), (Chosen{{1, 8}, {0, 1}}));
}

TEST(Canonical, TakesASentinelsReadingOfARequestedCounterWhereThereIsNoOther) {
  const std::vector<std::vector<bool>> marks{{true}, {false}, {true}};
  EXPECT_EQ(chosen(dispatch({pass(0, 1, 2, {{0, 7}}), pass(2, 5, 6, {{0, 9}})}), {true}, marks), (Chosen{{0, 7}}));
}

TEST(Canonical, TheTimesAreThoseOfTheFirstPassThatLasted) {
  const auto start = [](const DispatchRecord& record) {
    const auto times = times_of(record, in_pass_order(record));
    return times ? times->interval.start_ns : 0;
  };
  EXPECT_EQ(start(dispatch({pass(0, 100, 200), pass(1, 300, 400)})), 100U);
  EXPECT_EQ(start(dispatch({pass(0, 0, 0), pass(1, 300, 400)})), 300U);
  EXPECT_EQ(start(dispatch({pass(0, 50, 40), pass(1, 300, 400)})), 300U);
  EXPECT_EQ(start(dispatch({pass(0, 0, 0), pass(1, 50, 40)})), 50U) << "better a bad time than none";
  EXPECT_EQ(start(dispatch({pass(0, 0, 0)})), 0U);
}

TEST(Canonical, TheTimesAreThoseOfTheTimingPassWhereItHasAnyAndSayWhoseTheyAre) {
  const auto times = [](std::optional<Interval> timing, std::vector<PassRecord> passes) {
    DispatchRecord record = dispatch(std::move(passes));
    record.warm_up = {10, 20};  // never the dispatch's
    record.timing = timing;
    const auto found = times_of(record, in_pass_order(record));
    return found ? found->name() + " from " + std::to_string(found->interval.start_ns) : "unknown";
  };
  PassRecord alone = pass(0, 70, 80);
  alone.pass.reset();
  EXPECT_EQ(times(Interval{30, 40}, {pass(0, 50, 60)}), "timing pass from 30");
  EXPECT_EQ(times(std::nullopt, {pass(0, 50, 60)}), "pass 0 from 50");
  EXPECT_EQ(times(std::nullopt, {pass(0, 0, 0), pass(1, 50, 60)}), "pass 1 from 50");
  EXPECT_EQ(times(Interval{}, {pass(0, 50, 60)}), "pass 0 from 50");
  EXPECT_EQ(times(Interval{40, 30}, {pass(0, 50, 60)}), "pass 0 from 50") << "one that lasted";
  EXPECT_EQ(times(Interval{40, 30}, {pass(0, 0, 0)}), "timing pass from 40") << "better a bad time than none";
  EXPECT_EQ(times(std::nullopt, {alone}), "single run from 70");
  EXPECT_EQ(times(std::nullopt, {}), "unknown");
}

TEST(Canonical, ACounterIsUnrequestedWhenItIsASentinelWhereverItOccurs) {
  AgentPlan plan;
  plan.passes = {{{"A", "S", "T"}, {"S"}, {}, {}}, {{"B", "S", "T"}, {"S", "T"}, {}, {}}};
  const CounterRoles roles = roles_of({"A", "B", "S", "T", "OTHER"}, plan);
  EXPECT_EQ(roles.requested, (std::vector<bool>{true, true, false, true, true}));
  EXPECT_EQ(roles.as_sentinel,
            (std::vector<std::vector<bool>>{{false, false, true, false, false}, {false, false, true, true, false}}));
}

}  // namespace
}  // namespace multipass::output
