// SPDX-License-Identifier: MIT
// An SDK that would skip counters or replay without a word: the user is told, once, and the program is as ever.
#include <gtest/gtest.h>

#include "shapes_run.hpp"

namespace multipass::e2e {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kLite =
    "ROCPROF_LITE_TRACE is set: in this mode the SDK collects no counters and replays no kernels; unset it to collect "
    "them";

std::size_t count_of(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
  return count;
}

TEST(Guard, LiteTraceIsNamedInOneLineAndTheProgramRunsUncollected) {
  const ShapesRun run = shapes({{"WATCHED_SDK", "lite_trace"}, {"ROCPROF_LITE_TRACE", "1"}}, {"1"});
  EXPECT_EQ(count_of(run.outcome.err, std::string("the program runs unprofiled: ") + kLite), 1U) << run.outcome.err;
  EXPECT_EQ(count_of(run.outcome.err, "LITE_TRACE"), 1U) << run.outcome.err;
  EXPECT_EQ(count_of(run.outcome.err, "INVALID_ARGUMENT"), 0U) << "that is not the cause";
  EXPECT_TRUE(run.capture.dispatches.empty());
  EXPECT_TRUE(run.capture.ended);
  EXPECT_EQ(run.capture.warnings,
            Texts{std::string("the program ran unprofiled: the profiling could not be set up: ") + kLite});
}

TEST(Guard, WithoutLiteTraceTheSameStatusIsReportedAsItIs) {
  for (const char* value : {"", "0", "off"}) {
    const ShapesRun run = shapes({{"WATCHED_SDK", "lite_trace"}, {"ROCPROF_LITE_TRACE", value}}, {"1"});
    EXPECT_EQ(count_of(run.outcome.err, "LITE_TRACE"), 0U) << run.outcome.err;
    EXPECT_EQ(count_of(run.outcome.err, "INVALID_ARGUMENT (19)"), 1U) << run.outcome.err;
  }
}

TEST(Guard, AnSdkThatDoesNotKnowLiteTraceCollectsAsEver) {
  const ShapesRun run = shapes({{"ROCPROF_LITE_TRACE", "1"}}, {"1"});
  EXPECT_EQ(texts(run.capture).front(), "replayed p0 p1");
  EXPECT_EQ(count_of(run.outcome.err, "LITE_TRACE"), 0U) << run.outcome.err;
}

TEST(Guard, ReplayThatIsOnAndNeverOfferedIsSaidAtTheEnd) {
  const ShapesRun run = shapes({{"WATCHED_SDK", "never_offers"}}, {"2"});
  EXPECT_EQ(texts(run.capture), (Texts{"declined not_offered g0", "declined not_offered g0", "declined not_offered g1",
                                       "declined not_offered g1", "declined no_replay_list g0"}));
  ASSERT_FALSE(run.capture.warnings.empty());
  EXPECT_TRUE(
      run.capture.warnings[0].starts_with("no kernel was replayed: of 5 launches the SDK offered none for replay; "))
      << run.capture.warnings[0];
}

TEST(Guard, OneLaunchThatWasOfferedIsEnoughToSayNothing) {
  const ShapesRun run = shapes({{"ROCPROFSYS_MULTIPASS_KERNEL_INCLUDE", "no such kernel"}}, {"1"});
  EXPECT_EQ(texts(run.capture), Texts(3, "filtered kernel_include"));
  EXPECT_TRUE(run.capture.warnings.empty());
}

TEST(Guard, AfterOneRecordThatIsNotUnderstoodNothingIsReplayed) {
  const ShapesRun run = shapes({{"WATCHED_SDK", "odd_payload"}}, {"2"});
  EXPECT_EQ(texts(run.capture),
            (Texts{"declined replay_unusable g0", "declined replay_unusable g0", "declined replay_unusable g1",
                   "declined replay_unusable g1", "declined replay_unusable g0"}));
  EXPECT_EQ(watched(run.outcome), "replay_configured 1 offers 5 replayed 0 counted 5");
  ASSERT_FALSE(run.capture.warnings.empty()) << "in the capture too";
  EXPECT_EQ(run.capture.warnings[0],
            "kernels are not replayed: the replay record of this SDK is laid out in another way; each launch reads one "
            "group of counters, in turn");
  EXPECT_EQ(
      count_of(run.outcome.err, "kernels are not replayed: the replay record of this SDK is laid out in another way"),
      1U)
      << run.outcome.err;
}

}  // namespace
}  // namespace multipass::e2e
