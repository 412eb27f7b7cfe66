// SPDX-License-Identifier: MIT
// Launches that are not replayed: each reads one group, in turn for each launch shape, and says why.
#include <gtest/gtest.h>

#include "shapes_run.hpp"

namespace multipass::e2e {
namespace {

using Texts = std::vector<std::string>;

TEST(Rotate, EveryShapeOfAKernelReadsEachGroupInTurnAndReplayIsNeverConfigured) {
  const ShapesRun run = shapes({{"ROCPROFSYS_MULTIPASS_REPLAY", "rotate"}}, {"3"});
  const std::string declined = "declined rotate_mode ";
  EXPECT_EQ(texts(run.capture), (Texts{declined + "g0", declined + "g0", declined + "g1", declined + "g1",
                                       declined + "g1", declined + "g1", declined + "g0"}))
      << "the second cycle of two groups is the other way round";
  EXPECT_EQ(watched(run.outcome), "replay_configured 0 offers 0 replayed 0 counted 7");
  EXPECT_EQ(run.capture.run.replay_mode, ReplayMode::kRotate);
  EXPECT_TRUE(run.capture.run.kernel_replay) << "the SDK has it";
}

TEST(Rotate, TheCountersOfAGroupAreThoseOfItsLaunchAndTheOthersAreAbsent) {
  const ShapesRun run = shapes({{"ROCPROFSYS_MULTIPASS_REPLAY", "rotate"}}, {"2"});
  const auto& passes = run.capture.gpu().plan.passes;
  ASSERT_EQ(passes.size(), 2U);
  ASSERT_EQ(run.capture.dispatches.size(), 5U);
  for (const DispatchRecord& dispatch : run.capture.dispatches) {
    ASSERT_EQ(dispatch.passes.size(), 1U);
    const PassRecord& read = dispatch.passes[0];
    EXPECT_EQ(read.pass, std::nullopt);
    EXPECT_EQ(dispatch.passes_planned, 2U);
    ASSERT_EQ(read.counters.size(), passes[read.group.value].counters.size());
    const double items = dispatch.grid.x;
    if (read.group.value == 0) {
      EXPECT_EQ(run.capture.value(dispatch, "SQ_WAVES"), items / 64);
      EXPECT_EQ(run.capture.value(dispatch, "FETCH_SIZE"), items * 4 / 1024);
    } else {
      EXPECT_EQ(run.capture.value(dispatch, "WRITE_SIZE"), items * 4 / 1024);
    }
  }
}

TEST(Rotate, OnAnSdkWithoutReplayAutoTakesTurnsAndSaysWhy) {
  const ShapesRun run = shapes({{"WATCHED_SDK", "no_replay"}}, {"2"});
  const std::string declined = "declined no_kernel_replay ";
  EXPECT_EQ(texts(run.capture),
            (Texts{declined + "g0", declined + "g0", declined + "g1", declined + "g1", declined + "g0"}));
  EXPECT_EQ(watched(run.outcome), "replay_configured 0 offers 0 replayed 0 counted 5");
  EXPECT_FALSE(run.capture.run.kernel_replay);
  ASSERT_FALSE(run.capture.warnings.empty());
  EXPECT_EQ(run.capture.warnings[0],
            "kernels run once, for SDK 1.4.1 has no kernel replay: each launch reads one group of counters, in turn");
}

TEST(Rotate, OnAnSdkWithoutReplayTheWishForItIsAnsweredWithAWarning) {
  const ShapesRun run = shapes({{"WATCHED_SDK", "no_replay"}, {"ROCPROFSYS_MULTIPASS_REPLAY", "kernel"}}, {"1"});
  EXPECT_EQ(texts(run.capture).front(), "declined no_kernel_replay g0");
  ASSERT_FALSE(run.capture.warnings.empty());
  EXPECT_TRUE(run.capture.warnings[0].starts_with("kernels are not replayed, as 'replay kernel' wants: SDK 1.4.1 has"))
      << run.capture.warnings[0];
}

TEST(Rotate, WhereAnotherToolOwnsReplayTheLaunchesTakeTurnsAndSaySo) {
  const ShapesRun run = shapes({{"WATCHED_SDK", "owned"}}, {"2"});
  EXPECT_EQ(texts(run.capture)[2], "declined replay_refused g1");
  ASSERT_FALSE(run.capture.warnings.empty());
  EXPECT_TRUE(run.capture.warnings[0].starts_with(
      "kernels are not replayed: another tool of this process owns kernel replay: "))
      << run.capture.warnings[0];
}

TEST(Rotate, GraphLaunchesAreNotOfferedAndTakeTurnsBesideReplayedOnes) {
  const ShapesRun run = shapes({}, {"1", "4"});
  const std::string graph = "declined not_offered ";
  EXPECT_EQ(texts(run.capture), (Texts{"replayed p0 p1", "replayed p0 p1", graph + "g0", graph + "g1", graph + "g1",
                                       graph + "g0", "declined no_replay_list g0"}));
}

TEST(Rotate, KernelsThatWereLaunchedTooFewTimesAreNamedAtTheEnd) {
  const std::string gpu = "GPU 0 (gfx942): not every group of counters was read, what is missing is absent: ";
  const std::string collective = "ncclDevKernel_AllReduce(unsigned int*): group 1 of 2 was never read (1 launch)";
  const Environment rotate{{"ROCPROFSYS_MULTIPASS_REPLAY", "rotate"}};
  EXPECT_EQ(shapes(rotate, {"2"}).capture.warnings, std::vector<std::string>{gpu + collective});
  EXPECT_EQ(shapes(rotate, {"1"}).capture.warnings,
            std::vector<std::string>{
                gpu + "touch(unsigned int*): group 1 of 2 was never read (2 launches in 2 shapes); " + collective});
  EXPECT_EQ(shapes({}, {"1", "1"}).capture.warnings, std::vector<std::string>{gpu + collective})
      << "what was replayed lacks nothing";
}

TEST(Rotate, AListThatFitsOnePassIsASinglePassInRotation) {
  const Folder folder;
  ASSERT_EQ(
      run_profiled(shapes_program(), "SQ_WAVES", folder, {{"ROCPROFSYS_MULTIPASS_REPLAY", "rotate"}}, {"1"}).exit_code,
      0);
  EXPECT_EQ(texts(read_capture(folder)), (Texts(3, "single_pass g0")));
}

}  // namespace
}  // namespace multipass::e2e
