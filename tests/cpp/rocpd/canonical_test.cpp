// SPDX-License-Identifier: MIT
#include "output/rocpd/canonical.hpp"

#include <limits>

#include "fixture.hpp"

namespace multipass::output::rocpd::test {
namespace {

using Flags = std::vector<std::vector<bool>>;
using Names = std::vector<std::string_view>;

PlannedCounters planned_by(const AgentPlan& plan) {
  PlannedCounters planned;
  for (const CounterInfo& info : example_counters()) planned.names.push_back(info.name);
  planned.plan_passes(plan);
  return planned;
}

PlannedCounters example_planned() {
  return planned_by(example_plan());
}

// Which readings of each pass are canonical.
Flags canonical_of(const DispatchRecord& dispatch, const PlannedCounters& planned) {
  const Result<DispatchSelection> selection = select_readings(dispatch, planned);
  EXPECT_TRUE(static_cast<bool>(selection)) << selection.message();
  Flags result;
  if (selection)
    for (const PassSelection& pass : selection->passes) result.push_back(pass.canonical);
  return result;
}

std::string failure_of(const DispatchRecord& dispatch) {
  const PlannedCounters planned = example_planned();
  return select_readings(dispatch, planned).message();
}

TEST(SelectReadings, TakesACounterFromTheLowestPassThatDeliveredIt) {
  EXPECT_EQ(canonical_of(example_dispatch(), example_planned()), (Flags{{true, true}, {false, true}, {false, true}}));
}

TEST(SelectReadings, DoesNotRelyOnTheOrderOfRecords) {
  DispatchRecord dispatch = example_dispatch();
  std::swap(dispatch.passes[0], dispatch.passes[2]);
  EXPECT_EQ(canonical_of(dispatch, example_planned()), (Flags{{true, true}, {false, true}, {false, true}}));
}

TEST(SelectReadings, GoesOnToTheNextPassWhenTheFirstDidNotDeliver) {
  DispatchRecord dispatch = example_dispatch();
  dispatch.passes[0] = pass_record(0, 1000, 1100, {{1, 100}});
  EXPECT_EQ(canonical_of(dispatch, example_planned()), (Flags{{true}, {true, true}, {false, true}}));
}

TEST(SelectReadings, NaNIsNoReading) {
  const DispatchRecord dispatch = example_dispatch(std::numeric_limits<double>::quiet_NaN());
  const PlannedCounters planned = example_planned();
  EXPECT_EQ(canonical_of(dispatch, planned), (Flags{{false, true}, {true, true}, {false, true}}));
  EXPECT_EQ(select_readings(dispatch, planned)->passes[0].missing, (Names{"SQ_WAVES"}));
}

TEST(SelectReadings, ASentinelThatNobodyAskedForIsNeverCanonical) {
  AgentPlan plan = example_plan();
  for (PassPlan& pass : plan.passes) pass.sentinels = {"SQ_WAVES"};
  const PlannedCounters planned = planned_by(plan);
  EXPECT_EQ(planned.roles.requested, (std::vector<bool>{false, true, true, true}));
  EXPECT_EQ(canonical_of(example_dispatch(), planned), (Flags{{false, true}, {false, true}, {false, true}}));
}

TEST(SelectReadings, ARequestedCounterThatServesAsSentinelElsewhereIsCanonicalWhereItIsNone) {
  AgentPlan plan = example_plan();
  plan.passes[0].sentinels = {"SQ_WAVES"};
  plan.passes[1].sentinels = {"SQ_WAVES"};
  EXPECT_EQ(canonical_of(example_dispatch(), planned_by(plan)), (Flags{{false, true}, {false, true}, {true, true}}));
}

TEST(SelectReadings, CompleteMeansThatEveryRequestedCounterHasAReading) {
  const PlannedCounters planned = example_planned();
  EXPECT_TRUE(select_readings(example_dispatch(), planned)->complete);
  DispatchRecord dispatch = example_dispatch();
  dispatch.passes.pop_back();
  EXPECT_FALSE(select_readings(dispatch, planned)->complete);
}

TEST(SelectReadings, AnIncompleteDispatchIsNeverComplete) {
  DispatchRecord dispatch = example_dispatch();
  dispatch.outcome = Outcome::kIncomplete;
  const PlannedCounters planned = example_planned();
  EXPECT_FALSE(select_readings(dispatch, planned)->complete);
}

TEST(SelectReadings, ACounterOfThePlanThatTheListLacksIsAlwaysMissing) {
  AgentPlan plan = example_plan();
  plan.passes[1].counters.emplace_back("NOT_LISTED");
  const PlannedCounters planned = planned_by(plan);
  const DispatchRecord dispatch = example_dispatch();
  EXPECT_EQ(select_readings(dispatch, planned)->passes[1].missing, (Names{"NOT_LISTED"}));
}

TEST(SelectReadings, TimesComeFromTheLowestPassThatLasted) {
  const PlannedCounters planned = example_planned();
  DispatchRecord dispatch = example_dispatch();
  EXPECT_EQ(select_readings(dispatch, planned)->times.value().pass, &dispatch.passes[0]);
  dispatch.passes[0].start_ns = dispatch.passes[0].end_ns = 0;
  EXPECT_EQ(select_readings(dispatch, planned)->times.value().pass, &dispatch.passes[1]);
  dispatch.passes[1].start_ns = 2200;  // ends before it starts
  EXPECT_EQ(select_readings(dispatch, planned)->times.value().pass, &dispatch.passes[2]);
  dispatch.passes[2].end_ns = 3000;  // zero length
  EXPECT_EQ(select_readings(dispatch, planned)->times.value().pass, &dispatch.passes[1])
      << "better a bad time than none";
  for (PassRecord& pass : dispatch.passes) pass.start_ns = pass.end_ns = 0;
  EXPECT_EQ(select_readings(dispatch, planned)->times.has_value(), false);
}

TEST(SelectReadings, RefusesAPassThatOccursTwice) {
  DispatchRecord dispatch = example_dispatch();
  dispatch.passes[2].pass = PassIndex{1};
  EXPECT_EQ(failure_of(dispatch), "pass 1 occurs twice");
}

TEST(SelectReadings, RefusesACounterThatOccursTwiceInAPass) {
  DispatchRecord dispatch = example_dispatch();
  dispatch.passes[1].counters[1] = CounterIndex{0};
  EXPECT_EQ(failure_of(dispatch), "pass 1 has counter SQ_WAVES twice");
}

TEST(SelectReadings, RefusesACounterThatTheAgentDoesNotHave) {
  DispatchRecord dispatch = example_dispatch();
  dispatch.passes[1].counters[1] = CounterIndex{4};
  EXPECT_EQ(failure_of(dispatch), "pass 1 refers to counter 4 of 4");
}

TEST(SelectReadings, RefusesListsOfDifferentLength) {
  DispatchRecord dispatch = example_dispatch();
  dispatch.passes[0].values.pop_back();
  EXPECT_EQ(failure_of(dispatch), "pass 0 has 2 counters and 1 values");
}

}  // namespace
}  // namespace multipass::output::rocpd::test
