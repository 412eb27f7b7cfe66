// SPDX-License-Identifier: MIT
// The rules about locks (docs/architecture.md), watched from outside in the plugin as it is shipped: four threads that
// launch on both of two GPUs, and allocate, copy and free between their launches.
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>

#include "application.hpp"

namespace multipass::e2e {
namespace {

struct Watched {
  unsigned sdk_calls = 0, while_holding = 0, callbacks = 0, locks = 0, shared = 0, memory_locks = 0, met = 0;
};

// What the application prints when its results are as they should be.
std::string all_right(int threads, int gpus) {
  std::string text;
  for (int thread = 0; thread < threads; ++thread)
    for (int gpu = 0; gpu < gpus; ++gpu)
      text += "thread " + std::to_string(thread) + " GPU " + std::to_string(gpu) + " wrong: 0\n";
  return text;
}

// What watched_locks.cpp counted; nothing when it does not say.
std::optional<Watched> watched_run(Environment environment) {
  const Folder folder;
  environment["ROCPROFSYS_MULTIPASS_SIMULATE"] = "tiny,tiny";
  const Outcome outcome = run_profiled(MULTIPASS_LOCKS, "SQ_INSTS_VALU SQ_INSTS_VMEM_RD SQ_WAVE_CYCLES SQ_LEVEL_WAVES",
                                       folder, std::move(environment), {"4", "8", "pure", "busy"});
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  EXPECT_EQ(outcome.out, all_right(4, 2));
  EXPECT_EQ(read_capture(folder).dispatches.size(), 32U);
  const std::size_t at = outcome.err.rfind("watched-locks: ");
  Watched found;
  if (at == std::string::npos ||
      std::sscanf(outcome.err.c_str() + at,
                  "watched-locks: sdk_calls %u while_holding %u callbacks %u locks %u shared %u memory_locks %u met %u",
                  &found.sdk_calls, &found.while_holding, &found.callbacks, &found.locks, &found.shared,
                  &found.memory_locks, &found.met) != 7)
    return std::nullopt;
  return found;
}

class Locks : public ::testing::TestWithParam<Environment> {};

TEST_P(Locks, NoneIsHeldInACallOfTheSdkOrSharedByTwoAgentsOrByLaunchesAndMemory) {
  const auto found = watched_run(GetParam());
  ASSERT_TRUE(found);
  EXPECT_GE(found->sdk_calls, 32U) << "each counter record is asked for its counter";
  EXPECT_EQ(found->while_holding, 0U);
  EXPECT_GE(found->callbacks, 4 * 32U);
  EXPECT_GE(found->locks, 4U) << "of each agent one for dispatches and one for the capture, at least";
  EXPECT_EQ(found->shared, 0U);
  const bool follows_memory = !GetParam().contains("ROCPROFSYS_MULTIPASS_REPLAY");  // not where nothing is replayed
  EXPECT_EQ(found->memory_locks >= 1, follows_memory) << "that of LiveMemory";
  EXPECT_EQ(found->met, 0U) << "a launch waits for nobody who allocates";
}

INSTANTIATE_TEST_SUITE_P(
    Ways, Locks,
    ::testing::Values(Environment{}, Environment{{"ROCPROFSYS_MULTIPASS_REPLAY", "rotate"}},
                      Environment{{"ROCPROFSYS_MULTIPASS_RANGE", "2-5"}, {"ROCPROFSYS_MULTIPASS_MAX_REPLAYS", "2"}},
                      Environment{{"ROCPROFSYS_MULTIPASS_SIM_FAULTS", "record_on_handler,snapshot_refused:every=3"}}));

TEST(WatchedLocks, APluginThatKeepsToNoRuleIsSeen) {
  const auto found = watched_run({{"WATCHED_LOCKS", "pretend"}});
  ASSERT_TRUE(found);
  EXPECT_GT(found->while_holding, 0U);
  EXPECT_EQ(found->shared, 1U);
  EXPECT_EQ(found->met, 1U);
}

}  // namespace
}  // namespace multipass::e2e
