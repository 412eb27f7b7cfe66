// SPDX-License-Identifier: MIT
// View kernel_counters: what was read of each launch shape, and how much of the plan that is.
#include <limits>

#include "fixture.hpp"

namespace multipass::output::rocpd::test {
namespace {

using Readings = std::vector<std::pair<std::uint32_t, double>>;

// A launch that read one group: of the example SQ_WAVES (0) is in each of the three, and one more counter in each.
DispatchRecord rotated(std::uint64_t id, std::uint32_t group, const Readings& readings) {
  PassRecord record = pass_record(std::nullopt, 5000 + id, 5100 + id, readings);
  record.group = GroupIndex{group};
  DispatchRecord dispatch = dispatch_of(id, {record});
  dispatch.outcome = Outcome::kDeclined;
  dispatch.reason = "rotate_mode";
  return dispatch;
}

class KernelCounters : public RocpdTest {
 protected:
  [[nodiscard]] Table select(const std::string& columns, const std::string& more = "") const {
    return Reader(target()).rows("SELECT " + columns + " FROM kernel_counters " + more);
  }
};

TEST_F(KernelCounters, AReplayedDispatchHasEachPlannedCounterOnce) {
  write_example({example_dispatch()});
  EXPECT_EQ(select("counter_name, counter_group, n, median, mad, min_value, max_value", "ORDER BY counter_name"),
            (Table{{"GRBM_COUNT", "0", "1", "100", "0", "100", "100"},
                   {"GRBM_GUI_ACTIVE", "1", "1", "200", "0", "200", "200"},
                   {"SQ_INSTS_SALU", "2", "1", "300", "0", "300", "300"},
                   {"SQ_WAVES", "0", "1", "512", "0", "512", "512"}}));
  EXPECT_EQ(select("DISTINCT guid, pid, rank, agent_id, agent_type, kernel_name, launches, replayed, counters_read, "
                   "counters_planned, groups_read, groups_planned"),
            (Table{{kGuid, "4242", "NULL", "1", "GPU", "k", "1", "1", "4", "4", "3", "3"}}));
}

TEST_F(KernelCounters, TwoLaunchesInRotationReadTwoOfThreeGroupsAndTheOthersAreNotFilledIn) {
  write_example({rotated(1, 0, {{0, 512}, {1, 100}}), rotated(2, 1, {{0, 514}, {2, 200}})});
  EXPECT_EQ(select("counter_name, n, median, mad, min_value, max_value", "ORDER BY counter_name"),
            (Table{{"GRBM_COUNT", "1", "100", "0", "100", "100"},
                   {"GRBM_GUI_ACTIVE", "1", "200", "0", "200", "200"},
                   {"SQ_INSTS_SALU", "0", "NULL", "NULL", "NULL", "NULL"},
                   {"SQ_WAVES", "2", "513", "1", "512", "514"}}));
  EXPECT_EQ(select("DISTINCT launches, replayed, counters_read, counters_planned, groups_read, groups_planned"),
            (Table{{"2", "0", "3", "4", "2", "3"}}));
}

TEST_F(KernelCounters, TheMedianAbsoluteDeviationIsThatOfTheMedian) {
  std::vector<DispatchRecord> launches;
  for (const double value : {100.0, 1.0, 4.0, 2.0})
    launches.push_back(rotated(launches.size() + 1, 0, {{0, value}, {1, 7}}));
  write_example(launches);
  // Deviations from 3: 97, 2, 1, 1.
  EXPECT_EQ(select("n, median, mad, min_value, max_value", "WHERE counter_name = 'SQ_WAVES'"),
            (Table{{"4", "3", "1.5", "1", "100"}}));
}

TEST_F(KernelCounters, OtherExtentsAreOtherRows) {
  DispatchRecord larger = rotated(2, 0, {{0, 9}, {1, 8}});
  larger.grid = {8192, 1, 1};
  write_example({rotated(1, 0, {{0, 5}, {1, 4}}), larger});
  EXPECT_EQ(select("grid_size_x, n, median", "WHERE counter_name = 'SQ_WAVES' ORDER BY grid_size_x"),
            (Table{{"1024", "1", "5"}, {"8192", "1", "9"}}));
}

TEST_F(KernelCounters, WhatWasFilteredOrReadBesideTheCanonicalReadingDoesNotCount) {
  DispatchRecord filtered = rotated(2, 0, {});
  filtered.outcome = Outcome::kFiltered;
  DispatchRecord replayed = example_dispatch(512, 500, 400);
  replayed.warm_up = Interval{1, 2};
  replayed.timing = Interval{3, 4};
  write_example({replayed, filtered});
  EXPECT_EQ(select("launches, n, median, max_value", "WHERE counter_name = 'SQ_WAVES'"),
            (Table{{"1", "1", "512", "512"}}));
}

TEST_F(KernelCounters, ASentinelThatNobodyAskedForIsNoCounterOfIt) {
  const std::unique_ptr<Sink> sink = make_rocpd_sink(target());
  AgentPlan plan = plan_of(0, {{"A", "S"}, {"B", "S"}});
  for (PassPlan& pass : plan.passes) pass.sentinels = {"S"};
  RunMetadata run = some_run();
  run.rank = 3;
  expect_ok(sink->begin(run));
  expect_ok(sink->agent(gpu(0, 1), {counter("A"), counter("B"), counter("S")}, plan));
  expect_ok(sink->kernel(kernel(7, "k")));
  expect_ok(sink->dispatch(rotated(1, 1, {{2, 5}})));  // B did not come
  expect_ok(sink->finish());
  EXPECT_EQ(select("rank, counter_name, n, counters_read, counters_planned, groups_read, groups_planned",
                   "ORDER BY counter_name"),
            (Table{{"3", "A", "0", "0", "2", "0", "2"}, {"3", "B", "0", "0", "2", "0", "2"}}));
}

TEST_F(KernelCounters, NoDeviationIsMadeUpOfAMedianThatIsInfinite) {
  const double most = std::numeric_limits<double>::max();  // a sum of two is infinite
  write_example({rotated(1, 0, {{0, most}, {1, 1}}), rotated(2, 0, {{0, most}, {1, 3}})});
  EXPECT_EQ(select("counter_name, n, median, mad", "WHERE n > 0 ORDER BY counter_name"),
            (Table{{"GRBM_COUNT", "2", "2", "1"}, {"SQ_WAVES", "2", "inf", "NULL"}}));
}

}  // namespace
}  // namespace multipass::output::rocpd::test
