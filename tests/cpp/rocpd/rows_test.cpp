// SPDX-License-Identifier: MIT
// Rows around the dispatches: run, agents, counters, kernels, and the rules that keep a dispatch visible.
#include "fixture.hpp"

namespace multipass::output::rocpd::test {
namespace {

class RowsTest : public RocpdTest {};

TEST_F(RowsTest, MetadataHasEveryTagOnce) {
  write_example({});
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT tag, value FROM rocpd_metadata WHERE tag <> 'schema_creation_time' ORDER BY id"),
            (Table{{"schema_version", "3.0.1"},
                   {"schema_version_major", "3"},
                   {"schema_version_minor", "0"},
                   {"schema_version_patch", "1"},
                   {"uuid", kSuffix},
                   {"guid", kGuid},
                   {"replay_layout", "canonical/1"}}));
  EXPECT_EQ(reader.value("SELECT COUNT(*) FROM rocpd_metadata WHERE tag = 'schema_creation_time' AND "
                         "datetime(value) = value AND ABS(julianday(value) - julianday('now')) < 0.01"),
            "1");
}

TEST_F(RowsTest, TheProcessSpansFromTheToolsStartToTheLastTime) {
  write_example({example_dispatch()});
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT nid, hostname, system_name, system_release, system_version, machine_id, ppid, pid, "
                        "init, start, \"end\", fini, command FROM processes"),
            (Table{{"1", "node01", "Linux", "6.1.0", "#1 SMP", "0123456789abcdef", "4200", "4242", "500", "500", "3100",
                    "3100", "./app --size 4 K"}}));
}

TEST_F(RowsTest, ExtdataOfTheProcessDescribesTheRun) {
  const std::unique_ptr<Sink> sink = make_rocpd_sink(target());
  RunMetadata run = some_run();
  run.rank = 3;
  run.simulated = true;
  expect_ok(sink->begin(run));
  expect_ok(sink->warning("counter X cannot be placed"));
  expect_ok(sink->finish());
  EXPECT_EQ(Reader(target()).value("SELECT extdata FROM rocpd_info_process"),
            R"({"tool":"rocprofsys-multipass","tool_version":"0.1.0","sdk_version":"1.4.1",)"
            R"("sdk_library":"/opt/lib/librocprofiler-sdk.so.1","simulated":true,"kernel_replay":false,)"
            R"("replay_mode":"auto","events":"SQ_WAVES,GRBM_COUNT","command":["./app","--size","4 K"],"rank":3,)"
            R"("clocks":{"boottime_ns":11,"monotonic_ns":12,"realtime_ns":13},)"
            R"("warnings":["counter X cannot be placed"]})");
}

TEST_F(RowsTest, TheProcessSaysWhichSetsOfMetricsWereAskedFor) {
  const std::unique_ptr<Sink> sink = make_rocpd_sink(target());
  RunMetadata run = some_run();
  run.sets = {"memory", "cache"};
  expect_ok(sink->begin(run));
  expect_ok(sink->finish());
  EXPECT_EQ(Reader(target()).value("SELECT json_extract(extdata, '$.sets') FROM rocpd_info_process"),
            R"(["memory","cache"])");
}

TEST_F(RowsTest, ARunWithoutDispatchesIsAValidEmptyFile) {
  const std::unique_ptr<Sink> sink = make_rocpd_sink(target());
  expect_ok(sink->begin(some_run()));
  expect_ok(sink->finish());
  const Reader reader(target());
  EXPECT_EQ(reader.value("SELECT COUNT(*) FROM kernels"), "0");
  EXPECT_EQ(reader.value("SELECT COUNT(*) FROM processes"), "1");
  EXPECT_EQ(reader.value("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(reader.rows("SELECT tid, name FROM threads"), (Table{{"4242", "Main thread"}}));
}

TEST_F(RowsTest, QueuesStreamsAndThreadsAreTheDefaultsAndThoseSeen) {
  DispatchRecord other = dispatch_of(2, {});
  other.queue_id = 9;
  other.stream_id = 0;
  other.thread_id = 0;
  write_example({example_dispatch(), other});
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT id, name FROM rocpd_info_queue ORDER BY id"),
            (Table{{"0", "Default Queue"}, {"5", "Queue 5"}, {"9", "Queue 9"}}));
  EXPECT_EQ(reader.rows("SELECT id, name FROM rocpd_info_stream ORDER BY id"),
            (Table{{"0", "Default Stream"}, {"2", "Stream 2"}}));
  EXPECT_EQ(reader.rows("SELECT id, tid, pid, name FROM rocpd_info_thread ORDER BY id"),
            (Table{{"0", "0", "4242", "Unknown thread"},
                   {"4242", "4242", "4242", "Main thread"},
                   {"4243", "4243", "4242", "Thread 4243"}}));
}

TEST_F(RowsTest, AllAgentsAreThereWithTheirNodeIds) {
  const std::unique_ptr<Sink> sink = make_rocpd_sink(target());
  expect_ok(sink->begin(some_run()));
  expect_ok(sink->agent(cpu(0, 0), {}, plan_of(0, {})));
  expect_ok(sink->agent(gpu(1, 4, "gfx90a"), {counter("SQ_WAVES")}, plan_of(1, {{"SQ_WAVES"}})));
  expect_ok(sink->finish());
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT id, type, absolute_index, logical_index, type_index, uuid, name, model_name, "
                        "vendor_name, product_name, user_name FROM rocpd_info_agent ORDER BY id"),
            (Table{{"0", "CPU", "0", "0", "0", "0", "AMD EPYC", "", "", "", ""},
                   {"4", "GPU", "4", "4", "1", "29857", "gfx90a", "Model gfx90a", "AMD", "Product gfx90a",
                    "Product gfx90a"}}));
  EXPECT_EQ(reader.rows("SELECT json_extract(extdata, '$.replay.passes'), json_extract(extdata, '$.cu_count') "
                        "FROM rocpd_info_agent WHERE id = 4"),
            (Table{{R"([{"counters":["SQ_WAVES"],"sentinel":[]}])", "304"}}));
}

TEST_F(RowsTest, TwoAgentsHaveTheirOwnCountersAndNeverShareAValue) {
  const std::unique_ptr<Sink> sink = make_rocpd_sink(target());
  expect_ok(sink->begin(some_run()));
  expect_ok(sink->agent(gpu(0, 2), example_counters(), example_plan()));
  expect_ok(sink->agent(gpu(1, 3), {counter("SQ_WAVES")}, plan_of(1, {{"SQ_WAVES"}})));
  expect_ok(sink->kernel(kernel(7, "k")));
  expect_ok(sink->dispatch(example_dispatch()));
  DispatchRecord second = dispatch_of(2, {pass_record(std::nullopt, 4000, 4100, {{0, 64}})});
  second.agent = AgentIndex{1};
  second.outcome = Outcome::kSinglePass;
  expect_ok(sink->dispatch(second));
  expect_ok(sink->finish());
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT agent_id, dispatch_id, counter_id, value FROM counters_collection "
                        "WHERE counter_name = 'SQ_WAVES' ORDER BY agent_id"),
            (Table{{"2", "1", "1", "512"}, {"3", "2", "5", "64"}}));
  EXPECT_EQ(reader.rows("SELECT COUNT(*), COUNT(DISTINCT agent_id || name) FROM rocpd_info_pmc"), (Table{{"5", "5"}}));
  EXPECT_EQ(reader.rows("SELECT agent_abs_index, COUNT(*) FROM pmc_info GROUP BY 1 ORDER BY 1"),
            (Table{{"2", "4"}, {"3", "1"}}));
  EXPECT_EQ(reader.rows("SELECT agent_id, GpuTime, WallTime FROM busy ORDER BY agent_id"),
            (Table{{"2", "100", "3100"}, {"3", "100", "3100"}}));
}

TEST_F(RowsTest, ExtdataOfACounterTellsItsInstances) {
  write_example({});
  EXPECT_EQ(Reader(target()).rows("SELECT DISTINCT extdata FROM rocpd_info_pmc"), (Table{{R"({"instances":2})"}}));
}

TEST_F(RowsTest, DerivedCountersKeepTheirExpression) {
  CounterInfo derived = counter("L2_HIT");
  derived.is_derived = true;
  derived.block.clear();
  derived.expression = "100*TCC_HIT/(TCC_HIT+TCC_MISS)";
  const std::unique_ptr<Sink> sink = make_rocpd_sink(target());
  expect_ok(sink->begin(some_run()));
  expect_ok(sink->agent(gpu(0, 1), {derived}, plan_of(0, {{"L2_HIT"}})));
  expect_ok(sink->finish());
  EXPECT_EQ(Reader(target()).rows("SELECT name, block, expression, is_derived, is_constant FROM pmc_info"),
            (Table{{"L2_HIT", "", "100*TCC_HIT/(TCC_HIT+TCC_MISS)", "1", "0"}}));
}

TEST_F(RowsTest, KernelSymbolsShowsTheNamesFromExtdata) {
  const std::string name = "void ns::axpy<float>(float*, int)";
  const std::unique_ptr<Sink> sink = begin_example();
  expect_ok(sink->kernel(kernel(8, name)));
  expect_ok(sink->finish());
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT id, code_object_id, kernel_name, display_name, kernel_id, formatted_kernel_name, "
                        "demangled_kernel_name, truncated_kernel_name FROM kernel_symbols WHERE id = 8"),
            (Table{{"8", "3", name + ".kd", name, "8", name, name, "axpy"}}));
  EXPECT_EQ(reader.rows("SELECT kernarg_segment_size, kernarg_segment_alignment, group_segment_size, "
                        "private_segment_size, sgpr_count, arch_vgpr_count, accum_vgpr_count "
                        "FROM kernel_symbols WHERE id = 8"),
            (Table{{"24", "8", "1024", "16", "32", "64", "4"}}));
}

TEST_F(RowsTest, ACodeObjectOfSeveralKernelsIsOneRow) {
  const std::unique_ptr<Sink> sink = begin_example();
  expect_ok(sink->kernel(kernel(8, "other")));
  expect_ok(sink->finish());
  EXPECT_EQ(Reader(target()).rows("SELECT id, pid, agent_abs_index, uri, storage_type_str FROM code_objects"),
            (Table{{"3", "4242", "1", "NULL", "NULL"}}));
}

TEST_F(RowsTest, AKernelWithoutADemangledNameIsShownByItsOwn) {
  const std::unique_ptr<Sink> sink = begin_example();
  KernelSymbol symbol = kernel(8, "x");
  symbol.demangled.clear();
  expect_ok(sink->kernel(symbol));
  expect_ok(sink->finish());
  EXPECT_EQ(Reader(target()).value("SELECT display_name FROM kernel_symbols WHERE id = 8"), "x.kd");
}

TEST_F(RowsTest, AKernelWhoseSymbolNeverCameIsNamedByItsNumber) {
  DispatchRecord dispatch = example_dispatch();
  dispatch.kernel = KernelId{77};
  write_example({dispatch});
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT kernel_id, name, dispatch_id FROM kernels"),
            (Table{{"77", "kernel 77 (symbol unknown)", "1"}}));
  EXPECT_EQ(reader.value("SELECT COUNT(*) FROM counters_collection"), "4");
  EXPECT_EQ(reader.value("SELECT COUNT(*) FROM replay_counters_collection"), "6");
  EXPECT_EQ(reader.rows("SELECT id, agent_abs_index FROM code_objects ORDER BY id"), (Table{{"0", "1"}, {"3", "1"}}));
}

TEST_F(RowsTest, ASymbolThatComesLateOrTwiceIsStillTheKernels) {
  const std::unique_ptr<Sink> sink = begin_example();
  DispatchRecord dispatch = example_dispatch();
  dispatch.kernel = KernelId{8};
  expect_ok(sink->dispatch(dispatch));
  expect_ok(sink->kernel(kernel(8, "late")));
  expect_ok(sink->kernel(kernel(8, "late")));
  expect_ok(sink->finish());
  EXPECT_EQ(Reader(target()).rows("SELECT name FROM kernels"), (Table{{"late"}}));
}

TEST_F(RowsTest, LargeDispatchIdsKeepTheirBits) {
  DispatchRecord big = example_dispatch();
  big.dispatch_id = DispatchId{std::uint64_t{1} << 40U};
  DispatchRecord highest = example_dispatch();
  highest.dispatch_id = DispatchId{std::uint64_t{1} << 63U};
  write_example({big, highest});
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT id, dispatch_id, typeof(dispatch_id) FROM kernels ORDER BY id"),
            (Table{{"-9223372036854775808", "-9223372036854775808", "integer"},
                   {"1099511627776", "1099511627776", "integer"}}));
  EXPECT_EQ(reader.rows("SELECT dispatch_id, COUNT(*) FROM replay_counters_collection GROUP BY 1 ORDER BY 1"),
            (Table{{"-9223372036854775808", "6"}, {"1099511627776", "6"}}));
}

TEST_F(RowsTest, LargeHandlesKeepTheirBits) {
  DispatchRecord dispatch = example_dispatch();
  dispatch.queue_id = 0xFFFFFFFFFFFFFFFFU;
  dispatch.correlation_id = 0x8000000000000001U;
  write_example({dispatch});
  EXPECT_EQ(Reader(target()).rows("SELECT queue_id, queue, printf('%x', stack_id) FROM kernels"),
            (Table{{"-1", "Queue 18446744073709551615", "8000000000000001"}}));
}

TEST_F(RowsTest, OneEventPerDispatchAndOneDispatchPerEvent) {
  std::vector<DispatchRecord> dispatches;
  for (std::uint64_t id = 10; id > 0; --id) {
    dispatches.push_back(example_dispatch(static_cast<double>(id)));
    dispatches.back().dispatch_id = DispatchId{id};
  }
  write_example(dispatches);
  const Reader reader(target());
  EXPECT_EQ(reader.rows("SELECT COUNT(*), COUNT(DISTINCT event_id), COUNT(DISTINCT dispatch_id) "
                        "FROM rocpd_kernel_dispatch"),
            (Table{{"10", "10", "10"}}));
  EXPECT_EQ(reader.value("SELECT COUNT(*) FROM rocpd_event"), "10");
  EXPECT_EQ(reader.value("SELECT COUNT(*) FROM counters_collection WHERE counter_name = 'SQ_WAVES' "
                         "AND value = dispatch_id"),
            "10");
}

TEST_F(RowsTest, ReferencesAreWholeAndNoJournalIsNeeded) {
  write_example({example_dispatch()});
  const Reader reader(target());
  EXPECT_EQ(reader.rows("PRAGMA foreign_key_check"), Table{});
  EXPECT_EQ(reader.value("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(reader.value("PRAGMA journal_mode"), "delete");  // the file itself says nothing of WAL
  EXPECT_EQ(files(), (std::vector<std::string>{"out.db"}));
}

TEST_F(RowsTest, PmcIdsStartAt1) {
  write_example({example_dispatch()});
  EXPECT_EQ(Reader(target()).rows("SELECT id, name FROM rocpd_info_pmc ORDER BY id"),
            (Table{{"1", "SQ_WAVES"}, {"2", "GRBM_COUNT"}, {"3", "GRBM_GUI_ACTIVE"}, {"4", "SQ_INSTS_SALU"}}));
}

}  // namespace
}  // namespace multipass::output::rocpd::test
