// SPDX-License-Identifier: MIT
// What each outcome of a dispatch looks like in the file.
#include <limits>

#include "fixture.hpp"

namespace multipass::output::rocpd::test {
namespace {

DispatchRecord declined(std::uint64_t id, std::uint32_t group,
                        const std::vector<std::pair<std::uint32_t, double>>& readings) {
  PassRecord record = pass_record(std::nullopt, 5000, 5100, readings);
  record.group = GroupIndex{group};
  DispatchRecord dispatch = dispatch_of(id, {record});
  dispatch.outcome = Outcome::kDeclined;
  dispatch.reason = "graph";
  return dispatch;
}

DispatchRecord filtered(std::uint64_t id, std::vector<PassRecord> passes) {
  DispatchRecord dispatch = dispatch_of(id, std::move(passes));
  dispatch.outcome = Outcome::kFiltered;
  dispatch.reason = "kernel_exclude";
  return dispatch;
}

class OutcomeTest : public RocpdTest {};

TEST_F(OutcomeTest, ADeclinedDispatchHasNoPassNumberButItsGroup) {
  write_example({declined(1, 1, {{0, 512}, {2, 200}})});
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT replay_pass, status, start, \"end\", extdata FROM rocpd_replay_pass"),
            (Table{{"NULL", "OK", "5000", "5100", R"({"group":1})"}}));
  EXPECT_EQ(reader.value("SELECT extdata FROM rocpd_kernel_dispatch"),
            R"({"replay":{"passes":3,"executions":1,"canonical_pass":null,"complete":false,"outcome":"declined",)"
            R"("group":1,"reason":"graph","time_of":"single run"}})");
}

TEST_F(OutcomeTest, ADeclinedDispatchHasTheCountersOfItsGroupOnly) {
  write_example({declined(1, 1, {{0, 512}, {2, 200}})});
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT counter_name, value FROM counters_collection ORDER BY id"),
            (Table{{"SQ_WAVES", "512"}, {"GRBM_GUI_ACTIVE", "200"}}));
  EXPECT_EQ(reader.rows("SELECT replay_pass, is_canonical FROM replay_counters_collection"),
            (Table{{"NULL", "1"}, {"NULL", "1"}}));
}

TEST_F(OutcomeTest, ASinglePassDispatchIsComplete) {
  const std::unique_ptr<Sink> sink = make_rocpd_sink(target());
  expect_ok(sink->begin(some_run()));
  expect_ok(sink->agent(gpu(0, 1), {counter("SQ_WAVES")}, plan_of(0, {{"SQ_WAVES"}})));
  expect_ok(sink->kernel(kernel(7, "k")));
  DispatchRecord dispatch = dispatch_of(1, {pass_record(std::nullopt, 10, 20, {{0, 512}})});
  dispatch.outcome = Outcome::kSinglePass;
  dispatch.passes_planned = 1;
  expect_ok(sink->dispatch(dispatch));
  expect_ok(sink->finish());
  EXPECT_EQ(Reader(target()).value("SELECT extdata FROM rocpd_kernel_dispatch"),
            R"({"replay":{"passes":1,"executions":1,"canonical_pass":null,"complete":true,"outcome":"single_pass",)"
            R"("group":0,"time_of":"single run"}})");
}

TEST_F(OutcomeTest, AFilteredDispatchIsARowWithoutCounters) {
  write_example({filtered(1, {pass_record(std::nullopt, 5000, 5100, {})})});
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT dispatch_id, start, \"end\" FROM kernels"), (Table{{"1", "5000", "5100"}}));
  EXPECT_EQ(reader.value("SELECT COUNT(*) FROM counters_collection"), "0");
  EXPECT_EQ(reader.value("SELECT COUNT(*) FROM rocpd_replay_pmc"), "0");
  EXPECT_EQ(reader.rows("SELECT replay_pass, status, extdata FROM rocpd_replay_pass"), (Table{{"NULL", "OK", "{}"}}));
  EXPECT_EQ(reader.value("SELECT extdata FROM rocpd_kernel_dispatch"),
            R"({"replay":{"passes":3,"executions":1,"canonical_pass":null,"complete":false,"outcome":"filtered",)"
            R"("reason":"kernel_exclude","time_of":"single run"}})");
}

TEST_F(OutcomeTest, AnAbortInPass1LeavesAPartialPassAndNoZeros) {
  DispatchRecord dispatch =
      dispatch_of(1, {pass_record(0, 1000, 1100, {{0, 512}, {1, 100}}), pass_record(1, 2000, 2100, {{2, 200}})});
  dispatch.outcome = Outcome::kIncomplete;
  dispatch.reason = "pass 2 did not run";
  write_example({dispatch});
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT replay_pass, status, extdata FROM rocpd_replay_pass ORDER BY id"),
            (Table{{"0", "OK", R"({"group":0})"}, {"1", "PARTIAL", R"({"group":1,"missing":["SQ_WAVES"]})"}}));
  EXPECT_EQ(reader.value("SELECT extdata FROM rocpd_kernel_dispatch"),
            R"({"replay":{"passes":3,"executions":2,"canonical_pass":0,"complete":false,"outcome":"incomplete",)"
            R"("reason":"pass 2 did not run","time_of":"pass 0"}})");
  EXPECT_EQ(reader.rows("SELECT counter_name, value FROM counters_collection ORDER BY id"),
            (Table{{"SQ_WAVES", "512"}, {"GRBM_COUNT", "100"}, {"GRBM_GUI_ACTIVE", "200"}}));
}

TEST_F(OutcomeTest, ACounterMissingFromItsLowestPassIsTakenFromTheNext) {
  DispatchRecord dispatch = example_dispatch();
  dispatch.passes[0] = pass_record(0, 1000, 1100, {{1, 100}});
  dispatch.passes[1].values[0] = 511;
  write_example({dispatch});
  const Reader reader(target());
  EXPECT_EQ(reader.value("SELECT value FROM counters_collection WHERE counter_name = 'SQ_WAVES'"), "511");
  EXPECT_EQ(reader.rows("SELECT replay_pass, value FROM replay_counters_collection "
                        "WHERE counter_name = 'SQ_WAVES' AND is_canonical"),
            (Table{{"1", "511"}}));
}

TEST_F(OutcomeTest, ADispatchWithoutAnyExecutionKeepsItsRowWithTimes0) {
  DispatchRecord lost = dispatch_of(2, {});
  lost.outcome = Outcome::kIncomplete;
  lost.reason = "no record arrived";
  write_example({example_dispatch(), lost});
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT dispatch_id, start, \"end\" FROM kernels ORDER BY id"),
            (Table{{"1", "1000", "1100"}, {"2", "0", "0"}}));
  EXPECT_EQ(reader.value("SELECT json_extract(extdata, '$.replay.times') FROM rocpd_kernel_dispatch WHERE id = 2"),
            "unknown");
  EXPECT_EQ(reader.value("SELECT json_extract(extdata, '$.warnings[0]') FROM rocpd_info_process"),
            "1 dispatches have no known time; their start and end are 0");
}

TEST_F(OutcomeTest, UnknownTimesDoNotSpoilTheWallTime) {
  DispatchRecord lost = dispatch_of(2, {});
  lost.outcome = Outcome::kIncomplete;
  write_example({example_dispatch(), lost});
  EXPECT_EQ(Reader(target()).rows("SELECT GpuTime, WallTime FROM busy"), (Table{{"100", "100"}}));
}

TEST_F(OutcomeTest, BadTimesAreWrittenAsRecordedAndCounted) {
  write_example({dispatch_of(1, {pass_record(0, 200, 100, {{0, 1}, {1, 1}})}),
                 dispatch_of(2, {pass_record(0, 5, 5, {{0, 1}, {1, 1}})})});
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT start, \"end\" FROM replay_kernels ORDER BY dispatch_id"),
            (Table{{"200", "100"}, {"5", "5"}}));
  EXPECT_EQ(reader.rows("SELECT start, \"end\" FROM kernels ORDER BY dispatch_id"),
            (Table{{"200", "100"}, {"5", "5"}}));
  EXPECT_EQ(reader.value("SELECT json_extract(extdata, '$.warnings') FROM rocpd_info_process"),
            R"(["1 executions end before they start; written as recorded",)"
            R"("1 executions start and end at the same nanosecond; written as recorded"])");
}

TEST_F(OutcomeTest, TimesOfALaterPassStandInForThoseOfPass0) {
  DispatchRecord dispatch = example_dispatch();
  dispatch.passes[0].start_ns = dispatch.passes[0].end_ns = 0;
  write_example({dispatch});
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT start, \"end\" FROM kernels"), (Table{{"2000", "2100"}}));
  EXPECT_EQ(reader.value("SELECT json_extract(extdata, '$.replay.canonical_pass') FROM rocpd_kernel_dispatch"), "1");
  EXPECT_EQ(reader.rows("SELECT replay_pass, start FROM replay_kernels ORDER BY 1"),
            (Table{{"0", "0"}, {"1", "2000"}, {"2", "3000"}}));
}

TEST_F(OutcomeTest, AnUnrequestedSentinelIsOnlyInTheReplayTables) {
  AgentPlan plan = example_plan();
  for (PassPlan& pass : plan.passes) pass.sentinels = {"SQ_WAVES"};
  const std::unique_ptr<Sink> sink = make_rocpd_sink(target());
  expect_ok(sink->begin(some_run()));
  expect_ok(sink->agent(gpu(0, 1), example_counters(), plan));
  expect_ok(sink->kernel(kernel(7, "k")));
  expect_ok(sink->dispatch(example_dispatch(512, 0, 256)));
  expect_ok(sink->finish());
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT counter_name FROM pmc_events ORDER BY id"),
            (Table{{"GRBM_COUNT"}, {"GRBM_GUI_ACTIVE"}, {"SQ_INSTS_SALU"}}));
  EXPECT_EQ(reader.value("SELECT json_extract(extdata, '$.replay.complete') FROM rocpd_kernel_dispatch"), "1");
  EXPECT_EQ(reader.rows("SELECT passes, min_value, max_value, canonical_value, kind FROM replay_conflicts"),
            (Table{{"3", "0", "512", "NULL", "DIFFERENT"}}));
}

TEST_F(OutcomeTest, AReadingThatIsNoNumberIsNullAndNeverCanonical) {
  using Limits = std::numeric_limits<double>;
  for (const double none : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    write_example({example_dispatch(none, 7, 7)});
    const Reader reader(target());
    EXPECT_EQ(reader.rows("SELECT replay_pass, value, is_canonical FROM replay_counters_collection "
                          "WHERE counter_name = 'SQ_WAVES' ORDER BY replay_pass"),
              (Table{{"0", "NULL", "0"}, {"1", "7", "1"}, {"2", "7", "0"}}));
    EXPECT_EQ(reader.value("SELECT status FROM rocpd_replay_pass WHERE replay_pass = 0"), "PARTIAL");
    EXPECT_EQ(reader.value("SELECT COUNT(*) FROM replay_conflicts"), "0");
  }
}

TEST_F(OutcomeTest, ZeroIsAReadingAndNotAMissingOne) {
  write_example({example_dispatch(0, 0, 0)});
  const Reader reader(target());
  EXPECT_EQ(reader.value("SELECT value FROM counters_collection WHERE counter_name = 'SQ_WAVES'"), "0");
  EXPECT_EQ(reader.value("SELECT COUNT(*) FROM rocpd_replay_pass WHERE status = 'OK'"), "3");
}

TEST_F(OutcomeTest, EveryOutcomeIsInTheFileOnce) {
  DispatchRecord incomplete = dispatch_of(3, {});
  incomplete.outcome = Outcome::kIncomplete;
  write_example({example_dispatch(), declined(2, 0, {{0, 1}, {1, 1}}), incomplete, filtered(4, {})});
  EXPECT_EQ(Reader(target()).rows("SELECT json_extract(extdata, '$.replay.outcome'), COUNT(*) "
                                  "FROM rocpd_kernel_dispatch GROUP BY 1 ORDER BY 1"),
            (Table{{"declined", "1"}, {"filtered", "1"}, {"incomplete", "1"}, {"replayed", "1"}}));
}

// What is not a pass is no row of the pass tables: nothing is counted that was not read.
TEST_F(OutcomeTest, ExecutionsWithoutCountersAreToldInExtdataAndTheTimingPassHasTheTimes) {
  DispatchRecord dispatch =
      dispatch_of(1, {pass_record(0, 5000, 5100, {{0, 512}}), pass_record(1, 5200, 5300, {{2, 2}}),
                      pass_record(2, 5400, 5500, {{3, 3}})});
  dispatch.outcome = Outcome::kReplayed;
  dispatch.warm_up = Interval{4000, 4200};
  dispatch.timing = Interval{4500, 4550};
  write_example({dispatch});
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT start, \"end\" FROM rocpd_kernel_dispatch"), (Table{{"4500", "4550"}}));
  EXPECT_EQ(reader.rows("SELECT replay_pass, start FROM rocpd_replay_pass ORDER BY id"),
            (Table{{"0", "5000"}, {"1", "5200"}, {"2", "5400"}}));
  EXPECT_EQ(reader.rows("SELECT total_calls, total_duration FROM top_kernels"), (Table{{"1", "0.05"}}))
      << "microseconds";
  EXPECT_EQ(reader.value("SELECT json_extract(extdata, '$.replay.time_of') FROM rocpd_kernel_dispatch"), "timing pass");
  EXPECT_EQ(reader.value("SELECT json_extract(extdata, '$.replay.warm_up') FROM rocpd_kernel_dispatch"), "[4000,4200]");
  EXPECT_EQ(reader.value("SELECT json_extract(extdata, '$.replay.timing') FROM rocpd_kernel_dispatch"), "[4500,4550]");
  EXPECT_EQ(reader.value("SELECT json_extract(extdata, '$.replay.canonical_pass') FROM rocpd_kernel_dispatch"), "NULL");
}

TEST_F(OutcomeTest, APermutedPassHasTheGroupThatItRead) {
  std::vector<PassRecord> passes{pass_record(0, 5000, 5100, {{0, 512}, {2, 2}}), pass_record(1, 5200, 5300, {{3, 3}})};
  passes[0].group = GroupIndex{1};
  passes[1].group = GroupIndex{2};
  DispatchRecord dispatch = dispatch_of(1, std::move(passes));
  dispatch.outcome = Outcome::kIncomplete;
  write_example({dispatch});
  EXPECT_EQ(Reader(target()).rows("SELECT replay_pass, json_extract(extdata, '$.group') FROM rocpd_replay_pass"),
            (Table{{"0", "1"}, {"1", "2"}}));
}

}  // namespace
}  // namespace multipass::output::rocpd::test
