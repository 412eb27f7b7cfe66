// SPDX-License-Identifier: MIT
// More than the plugin keeps: what is lost is counted and said.
#include <gtest/gtest.h>

#include <algorithm>

#include "application.hpp"

namespace multipass::e2e {
namespace {

constexpr std::size_t kLaunches = 4200;
constexpr std::size_t kKept = 4096;  // of each GPU

TEST(Bounds, ReadingsThatNeverComeAreGivenUpInTurnAndToldAtTheEnd) {
  const Folder folder;
  const Outcome outcome = run_profiled(MULTIPASS_FAULTS_APPLICATION, "SQ_INSTS_VALU SQ_WAVES", folder,
                                       {{"ROCPROFSYS_MULTIPASS_SIMULATE", "tiny"},
                                        {"ROCPROFSYS_MULTIPASS_REPLAY", "off"},
                                        {"ROCPROFSYS_MULTIPASS_SIM_FAULTS", "record_lost"}},
                                       {"1", std::to_string(kLaunches), "pure"});
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  const Capture capture = read_capture(folder);
  EXPECT_TRUE(capture.ended);
  ASSERT_EQ(capture.dispatches.size(), kLaunches) << "each is there, once";
  EXPECT_TRUE(std::all_of(capture.dispatches.begin(), capture.dispatches.end(), [](const DispatchRecord& dispatch) {
    return dispatch.outcome == multipass::Outcome::kIncomplete && dispatch.reason == "no counters were delivered";
  }));
  const std::string told = std::to_string(kLaunches - kKept) +
                           " dispatches were recorded without the readings that had not come when 4096 of their GPU "
                           "waited for some, or 65536 were under way";
  EXPECT_EQ(std::count(capture.warnings.begin(), capture.warnings.end(), told), 1);
  EXPECT_NE(outcome.err.find(told), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace multipass::e2e
