// SPDX-License-Identifier: MIT
// Dispatches that the user does not want: decided once for each launch, recorded without readings, never replayed.
#include <gtest/gtest.h>

#include "application.hpp"

namespace multipass::e2e {
namespace {

// Two passes on gfx942.
constexpr const char* kEvents = "SQ_WAVES FETCH_SIZE WRITE_SIZE";

// "<outcome> <reason> <passes>" of each dispatch, in order of launch.
std::vector<std::string> outcomes(const Capture& capture) {
  std::vector<std::string> texts;
  for (const DispatchRecord& dispatch : capture.dispatches) {
    const bool replayed = dispatch.outcome == multipass::Outcome::kReplayed;
    EXPECT_TRUE(replayed || dispatch.outcome == multipass::Outcome::kFiltered);
    std::size_t readings = 0;
    for (const PassRecord& pass : dispatch.passes) readings += pass.counters.size();
    texts.push_back(replayed ? "replayed " + std::to_string(readings)
                             : dispatch.reason + " " + std::to_string(readings));
  }
  return texts;
}

TEST(Filter, ARangeKeepsAllPassesOfItsLaunchesAndNoneOfTheOthers) {
  const Outcome plain = run(example("axpy"));
  const Folder folder;
  const Outcome profiled =
      run_profiled(example("axpy"), kEvents, folder,
                   {{"ROCPROFSYS_MULTIPASS_RANGE", "2-3"}, {"ROCPROFSYS_MULTIPASS_SENTINEL", "none"}});
  EXPECT_EQ(profiled.out, plain.out);
  EXPECT_EQ(profiled.exit_code, 0);
  const Capture capture = read_capture(folder);
  EXPECT_EQ(outcomes(capture), (std::vector<std::string>{"range 0", "replayed 3", "replayed 3", "range 0", "range 0"}));
  std::vector<std::pair<std::uint64_t, std::uint32_t>> read;  // dispatch and pass
  for (const DispatchRecord& dispatch : capture.dispatches)
    for (const PassRecord& pass : dispatch.passes)
      if (!pass.counters.empty()) read.emplace_back(dispatch.dispatch_id.value, pass.pass.value().value);
  EXPECT_EQ(read, (std::vector<std::pair<std::uint64_t, std::uint32_t>>{{2, 0}, {2, 1}, {3, 0}, {3, 1}}));
}

TEST(Filter, AFilteredDispatchRunsOnceAndKeepsItsTimes) {
  const Folder folder;
  ASSERT_EQ(
      run_profiled(example("axpy"), kEvents, folder, {{"ROCPROFSYS_MULTIPASS_KERNEL_EXCLUDE", "^axpy"}}).exit_code, 0);
  const Capture capture = read_capture(folder);
  EXPECT_EQ(outcomes(capture), (std::vector<std::string>(5, "kernel_exclude 0")));
  for (const DispatchRecord& dispatch : capture.dispatches) {
    ASSERT_EQ(dispatch.passes.size(), 1U);
    EXPECT_EQ(dispatch.passes[0].pass, std::nullopt);
    EXPECT_LT(dispatch.passes[0].start_ns, dispatch.passes[0].end_ns);
  }
}

TEST(Filter, OnlyTheKernelsThatAreIncludedAreReplayed) {
  const Folder folder;
  ASSERT_EQ(
      run_profiled(example("transpose"), kEvents, folder, {{"ROCPROFSYS_MULTIPASS_KERNEL_INCLUDE", "no such kernel"}})
          .exit_code,
      0);
  const Capture none = read_capture(folder);
  ASSERT_FALSE(none.dispatches.empty());
  for (const std::string& text : outcomes(none)) EXPECT_EQ(text, "kernel_include 0");
}

TEST(Filter, AnApplicationWithAWrongPatternRunsUnprofiledAndIsTold) {
  const Folder folder;
  const Outcome outcome =
      run_profiled(example("axpy"), kEvents, folder, {{"ROCPROFSYS_MULTIPASS_KERNEL_INCLUDE", "axpy("}});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, run(example("axpy")).out);
  EXPECT_NE(
      outcome.err.find("the program runs unprofiled: kernel-include 'axpy(': column 6: missing closing parenthesis"),
      std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace multipass::e2e
