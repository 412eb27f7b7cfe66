// SPDX-License-Identifier: MIT
// Forks of two threads while four launch: for the sanitizers, which the Python tests (tests/e2e/test_forks.py) run
// without. Only ends of a child that neither sanitizer minds: ThreadSanitizer follows no threads that a child makes,
// and the allocator of AddressSanitizer may be locked in it.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <tuple>

#include "application.hpp"

namespace multipass::e2e {
namespace {

// (how a child ends and what its parent sees, the faults of the SDK)
class Forking : public testing::TestWithParam<std::tuple<std::pair<const char*, const char*>, const char*>> {};

TEST_P(Forking, LeavesTheCaptureOfTheParentWhole) {
  const auto& [child, faults] = GetParam();
  const Folder folder;
  const Outcome outcome = run_profiled(MULTIPASS_FORKS_APPLICATION, "SQ_WAVES FETCH_SIZE WRITE_SIZE", folder,
                                       {{"ROCPROFSYS_MULTIPASS_SIMULATE", "gfx942"},
                                        {"ROCPROFSYS_MULTIPASS_REPLAY", "kernel"},
                                        {"ROCPROFSYS_MULTIPASS_SIM_FAULTS", faults},
                                        {"TSAN_OPTIONS", "die_after_fork=0"}},
                                       {child.first, "4", "3", "2"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_TRUE(outcome.out.ends_with(std::string("children ") + child.second + ": 6\n")) << outcome.out;
  std::stringstream lines(outcome.out);
  std::size_t launched = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("children")) continue;
    std::stringstream words(line);
    std::size_t size = 0, times = 0, wrong = 1;
    std::string word;
    words >> size >> word >> times >> word >> wrong;
    EXPECT_EQ(wrong, 0U) << line;
    launched += times;
  }
  const Capture capture = read_capture(folder);
  EXPECT_TRUE(capture.ended);
  EXPECT_EQ(capture.dispatches.size(), launched);
  const bool replays = std::string(faults).empty();
  for (const DispatchRecord& dispatch : capture.dispatches) {
    if (replays) {
      EXPECT_EQ(dispatch.outcome, ::multipass::Outcome::kReplayed);
    }
    for (const PassRecord& pass : dispatch.passes)
      for (std::size_t i = 0; i < pass.counters.size(); ++i)
        if (capture.gpu().counters[pass.counters[i].value].name == "SQ_WAVES") {
          EXPECT_EQ(pass.values[i], dispatch.grid.x / 64);
        }
  }
}

INSTANTIATE_TEST_SUITE_P(Forks, Forking,
                         testing::Combine(testing::Values(std::pair{"_exit", "exit 7"}, std::pair{"abort", "signal 6"},
                                                          std::pair{"kill", "signal 9"}),
                                          testing::Values("", "sdk_1_0_0")));

}  // namespace
}  // namespace multipass::e2e
