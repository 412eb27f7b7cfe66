// SPDX-License-Identifier: MIT
// One dispatch, three passes, SQ_WAVES in each: the numbers of docs/formats/rocpd.md, one by one, in both layouts.
#include "fixture.hpp"

namespace multipass::output::rocpd::test {
namespace {

class WorkedExample : public RocpdTest, public ::testing::WithParamInterface<RocpdLayout> {
 protected:
  // Writes the example and opens the result.
  const Reader& written(double waves0 = 512, double waves1 = 512, double waves2 = 512) {
    write_example({example_dispatch(waves0, waves1, waves2)}, GetParam());
    reader_ = std::make_unique<Reader>(target());
    if (GetParam() == RocpdLayout::kStrict) reader_->attach_sidecar(sidecar_path(target()));
    return *reader_;
  }

 private:
  std::unique_ptr<Reader> reader_;
};

INSTANTIATE_TEST_SUITE_P(Layouts, WorkedExample, ::testing::Values(RocpdLayout::kCanonical, RocpdLayout::kStrict),
                         [](const auto& one) { return std::string(kRocpdLayouts[std::size_t(one.param)].name); });

TEST_P(WorkedExample, KernelsShowsTheLogicalDispatchOnceWithTheTimesOfPass0) {
  EXPECT_EQ(written().rows("SELECT id, dispatch_id, name, start, \"end\", duration FROM kernels"),
            (Table{{"1", "1", "k", "1000", "1100", "100"}}));
}

TEST_P(WorkedExample, KernelsCarriesGeometryAndResources) {
  EXPECT_EQ(written().rows("SELECT grid_x, grid_y, grid_z, workgroup_x, workgroup_y, workgroup_z, lds_size, "
                           "scratch_size, vgpr_count, accum_vgpr_count, sgpr_count, static_lds_size, "
                           "static_scratch_size FROM kernels"),
            (Table{{"1024", "2", "1", "64", "2", "1", "2048", "16", "64", "4", "32", "1024", "16"}}));
}

TEST_P(WorkedExample, KernelsNamesCategoryAgentQueueStreamAndThread) {
  EXPECT_EQ(written().rows("SELECT category, region, pid, tid, agent_abs_index, agent_log_index, agent_type_index, "
                           "agent_type, code_object_id, kernel_id, stream_id, queue_id, queue, stream, stack_id, "
                           "parent_stack_id, corr_id FROM kernels"),
            (Table{{"KERNEL_DISPATCH", "", "4242", "4243", "1", "1", "0", "GPU", "3", "7", "2", "5", "Queue 5",
                    "Stream 2", "901", "901", "0"}}));
}

TEST_P(WorkedExample, CountersCollectionHasEachCounterOnceWithTheValueOfOnePass) {
  EXPECT_EQ(written().rows("SELECT counter_name, value, start, \"end\" FROM counters_collection ORDER BY id"),
            (Table{{"SQ_WAVES", "512", "1000", "1100"},
                   {"GRBM_COUNT", "100", "1000", "1100"},
                   {"GRBM_GUI_ACTIVE", "200", "1000", "1100"},
                   {"SQ_INSTS_SALU", "300", "1000", "1100"}}));
}

TEST_P(WorkedExample, CountersCollectionDescribesTheCounter) {
  EXPECT_EQ(
      written().rows("SELECT counter_symbol, component, description, block, value_type, counter_id, "
                     "is_constant, is_derived, grid_size, workgroup_size, kernel_region, agent_id, extdata "
                     "FROM counters_collection WHERE counter_name = 'GRBM_COUNT'"),
      (Table{{"GRBM_COUNT", "rocm", "about GRBM_COUNT", "GRBM", "ABS", "2", "0", "0", "2048", "128", "", "1", "{}"}}));
}

TEST_P(WorkedExample, PmcEventsHasOneRowOfTheRepeatedCounter) {
  const Reader& reader = written();
  EXPECT_EQ(reader.rows("SELECT COUNT(*), SUM(counter_value) FROM pmc_events WHERE counter_name = 'SQ_WAVES'"),
            (Table{{"1", "512"}}));
  EXPECT_EQ(reader.rows("SELECT DISTINCT category, name, dispatch_id, start, duration FROM pmc_events"),
            (Table{{"KERNEL_DISPATCH", "k", "1", "1000", "100"}}));
}

TEST_P(WorkedExample, TopKernelsAndTopCountOneCallOfATenthMicrosecond) {
  const Reader& reader = written();
  const Table expected{{"k", "1", "0.1", "0.1", "100"}};
  EXPECT_EQ(reader.rows("SELECT * FROM top_kernels"), expected);
  EXPECT_EQ(reader.rows("SELECT * FROM top"), expected);
}

TEST_P(WorkedExample, BusyCountsThePassesOnce) {
  EXPECT_EQ(written().rows("SELECT agent_id, type, GpuTime, WallTime, Busy FROM busy"),
            (Table{{"1", "GPU", "100", "100", "1"}}));
}

TEST_P(WorkedExample, ReplayKernelsHasARowPerPassWithItsOwnTimes) {
  EXPECT_EQ(written().rows("SELECT replay_pass, start, \"end\", duration, name, dispatch_id, replay_status "
                           "FROM replay_kernels ORDER BY replay_pass"),
            (Table{{"0", "1000", "1100", "100", "k", "1", "OK"},
                   {"1", "2000", "2100", "100", "k", "1", "OK"},
                   {"2", "3000", "3100", "100", "k", "1", "OK"}}));
}

TEST_P(WorkedExample, ReplayCountersCollectionHasEveryReadingOfEveryPass) {
  EXPECT_EQ(written().rows("SELECT counter_name, replay_pass, value, is_canonical, start, replay_status "
                           "FROM replay_counters_collection ORDER BY id"),
            (Table{{"SQ_WAVES", "0", "512", "1", "1000", "OK"},
                   {"GRBM_COUNT", "0", "100", "1", "1000", "OK"},
                   {"SQ_WAVES", "1", "512", "0", "2000", "OK"},
                   {"GRBM_GUI_ACTIVE", "1", "200", "1", "2000", "OK"},
                   {"SQ_WAVES", "2", "512", "0", "3000", "OK"},
                   {"SQ_INSTS_SALU", "2", "300", "1", "3000", "OK"}}));
}

TEST_P(WorkedExample, AgreeingPassesAreNoConflict) {
  EXPECT_EQ(written().rows("SELECT * FROM replay_conflicts"), Table{});
}

TEST_P(WorkedExample, DisagreeingPassesAreOneConflict) {
  EXPECT_EQ(written(512, 0, 256).rows("SELECT * FROM replay_conflicts"),
            (Table{{kGuid, "1", "1", "1", "k", "SQ_WAVES", "3", "0", "512", "512", "1", "DIFFERENT"}}));
}

TEST_P(WorkedExample, SpreadIsRelativeToTheLargestMagnitude) {
  EXPECT_EQ(written(2, 0, 4).rows("SELECT min_value, max_value, canonical_value, spread FROM replay_conflicts"),
            (Table{{"0", "4", "2", "1"}}));
  EXPECT_EQ(written(100, 80, 100).rows("SELECT spread, kind FROM replay_conflicts"), (Table{{"0.2", "DIFFERENT"}}));
}

TEST_P(WorkedExample, AgreementAtZeroProvesNothing) {
  EXPECT_EQ(written(0, 0, 0).rows("SELECT counter_name, passes, min_value, max_value, canonical_value, spread, kind "
                                  "FROM replay_conflicts"),
            (Table{{"SQ_WAVES", "3", "0", "0", "0", "0", "ALL_ZERO"}}));
}

TEST_P(WorkedExample, BaseTablesHave3PassRows6ReadingsAnd4Events) {
  EXPECT_EQ(written().rows("SELECT (SELECT COUNT(*) FROM rocpd_replay_pass), (SELECT COUNT(*) FROM rocpd_replay_pmc), "
                           "(SELECT COUNT(*) FROM rocpd_pmc_event), (SELECT COUNT(*) FROM rocpd_event), "
                           "(SELECT COUNT(*) FROM rocpd_kernel_dispatch)"),
            (Table{{"3", "6", "4", "1", "1"}}));
}

TEST_P(WorkedExample, SummedReadingsHaveNoInstance) {
  EXPECT_EQ(written().value("SELECT COUNT(*) FROM rocpd_replay_pmc WHERE instance_id IS NULL"), "6");
}

TEST_P(WorkedExample, ExtdataOfTheDispatchTellsHowItWasReplayed) {
  EXPECT_EQ(written().value("SELECT extdata FROM rocpd_kernel_dispatch"),
            R"({"replay":{"passes":3,"executions":3,"canonical_pass":0,"complete":true,"outcome":"replayed",)"
            R"("time_of":"pass 0"}})");
}

TEST_P(WorkedExample, ExtdataOfAPassTellsItsGroup) {
  EXPECT_EQ(written().rows("SELECT extdata FROM rocpd_replay_pass ORDER BY id"),
            (Table{{R"({"group":0})"}, {R"({"group":1})"}, {R"({"group":2})"}}));
}

}  // namespace
}  // namespace multipass::output::rocpd::test
