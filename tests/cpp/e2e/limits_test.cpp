// SPDX-License-Identifier: MIT
// Dispatches that are wanted and not replayed, and those that are not wanted: decided once, and what they do not cost.
#include <gtest/gtest.h>

#include "shapes_run.hpp"

namespace multipass::e2e {
namespace {

using Texts = std::vector<std::string>;

// Of one round: 64 work-items, 4096, and the collective.
constexpr const char* kReplayed = "replayed p0 p1";

TEST(Limits, ACollectiveIsNotReplayedAndReadsOneGroup) {
  const ShapesRun run = shapes({}, {"1"});
  EXPECT_EQ(texts(run.capture), (Texts{kReplayed, kReplayed, "declined no_replay_list g0"}));
  EXPECT_EQ(watched(run.outcome), "replay_configured 1 offers 3 replayed 2 counted 5");
}

TEST(Limits, TheBuiltInListCanBeSwitchedOff) {
  const ShapesRun run = shapes({{"ROCPROFSYS_MULTIPASS_REPLAY_EVERYTHING", "on"}}, {"1"});
  EXPECT_EQ(texts(run.capture), Texts(3, kReplayed));
}

TEST(Limits, APatternAddsToTheList) {
  const ShapesRun run = shapes({{"ROCPROFSYS_MULTIPASS_NO_REPLAY", "^touch"}}, {"2"});
  EXPECT_EQ(texts(run.capture),
            (Texts{"declined no_replay_list g0", "declined no_replay_list g0", "declined no_replay_list g1",
                   "declined no_replay_list g1", "declined no_replay_list g0"}));
  EXPECT_EQ(watched(run.outcome), "replay_configured 1 offers 5 replayed 0 counted 5");
}

TEST(Limits, AfterTheLimitALaunchShapeIsNotReplayed) {
  const ShapesRun run = shapes({{"ROCPROFSYS_MULTIPASS_MAX_REPLAYS", "1"}}, {"3"});
  EXPECT_EQ(texts(run.capture),
            (Texts{kReplayed, kReplayed, "declined max_replays g0", "declined max_replays g0",
                   "declined max_replays g1", "declined max_replays g1", "declined no_replay_list g0"}));
}

TEST(Limits, AWrongPatternOrNumberLeavesTheProgramUnprofiled) {
  for (const auto& [name, value, message] :
       {std::tuple{"NO_REPLAY", "touch(", "no-replay 'touch(': column 7: missing closing parenthesis"},
        std::tuple{
            "MAX_REPLAYS", "some",
            "ROCPROFSYS_MULTIPASS_MAX_REPLAYS: 'some' is not understood (allowed: a number from 1 to 4294967295, "
            "none)"},
        std::tuple{"GPUS", "0-", "gpus '0-': column 3: a number from 0 is expected here"}}) {
    const Folder folder;
    const Outcome outcome = run_profiled(shapes_program(), "SQ_WAVES FETCH_SIZE WRITE_SIZE", folder,
                                         {{std::string("ROCPROFSYS_MULTIPASS_") + name, value}});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.err.find(std::string("the program runs unprofiled: ") + message), std::string::npos)
        << outcome.err;
  }
}

// Five launches, 2 to 3 wanted, two passes: dispatches 2 and 3, passes 0 and 1. The others cost neither a configuration
// nor a copy of the memory, which is made only when the answer is a pass count.
TEST(Limits, OfARangeExactlyItsLaunchesAreReplayedAndTheOthersCostNothing) {
  const ShapesRun run =
      shapes({{"ROCPROFSYS_MULTIPASS_RANGE", "3-4"}, {"ROCPROFSYS_MULTIPASS_KERNEL_INCLUDE", "touch"}}, {"3"});
  EXPECT_EQ(texts(run.capture), (Texts{"filtered range", "filtered range", kReplayed, kReplayed, "filtered range",
                                       "filtered range", "filtered kernel_include"}));
  EXPECT_EQ(watched(run.outcome), "replay_configured 1 offers 7 replayed 2 counted 4");
}

TEST(Limits, AGpuThatIsLeftOutIsNotPlannedForAndItsLaunchesAreFiltered) {
  const ShapesRun run =
      shapes({{"ROCPROFSYS_MULTIPASS_SIMULATE", "gfx942,gfx942"}, {"ROCPROFSYS_MULTIPASS_GPUS", "1"}}, {"1"});
  EXPECT_EQ(texts(run.capture), Texts(3, "filtered gpus"));
  EXPECT_EQ(watched(run.outcome), "replay_configured 1 offers 3 replayed 0 counted 0");
  EXPECT_TRUE(run.capture.gpu(0).plan.passes.empty());
  EXPECT_FALSE(run.capture.gpu(1).plan.passes.empty());
}

TEST(Limits, AGpuThatDoesNotExistIsNamed) {
  const ShapesRun run = shapes({{"ROCPROFSYS_MULTIPASS_GPUS", "0,3"}}, {"1"});
  EXPECT_EQ(texts(run.capture).front(), kReplayed);
  ASSERT_FALSE(run.capture.warnings.empty());
  EXPECT_EQ(run.capture.warnings[0], "gpus 0,3: there is no GPU 3; there is only GPU 0");
}

}  // namespace
}  // namespace multipass::e2e
