// SPDX-License-Identifier: MIT
// Ranges and pauses of an application while several threads launch; with the sanitizer of the preset. What is collected
// of which launch is tested by tests/e2e/test_regions.py.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "application.hpp"

namespace multipass::e2e {
namespace {

// Two passes on the device `tiny`.
constexpr const char* kEvents = "SQ_INSTS_VALU SQ_INSTS_VMEM_RD SQ_INSTS_VMEM_WR TCC_HIT";

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) found.push_back(word);
  return found;
}

// How many dispatches there are of each reason, or of each outcome that has none.
std::map<std::string, int> fates(const Capture& capture) {
  std::map<std::string, int> counts;
  for (const DispatchRecord& dispatch : capture.dispatches) {
    const bool filtered = dispatch.outcome == multipass::Outcome::kFiltered;
    EXPECT_TRUE(filtered || dispatch.outcome == multipass::Outcome::kReplayed) << dispatch.reason;
    for (const PassRecord& pass : dispatch.passes) EXPECT_EQ(pass.counters.empty(), filtered);
    EXPECT_EQ(dispatch.passes.size(), filtered ? 1U : 2U);
    ++counts[filtered ? dispatch.reason : "replayed"];
  }
  return counts;
}

TEST(Regions, AreEachThreadsOwn) {
  const Folder folder;
  const auto steps = words("all[ 2 +solve 3 +x 2 - - 1 pause-own 2 resume-own ]");
  const Outcome outcome = run_profiled(MULTIPASS_REGIONS_APPLICATION, kEvents, folder,
                                       {{"ROCPROFSYS_MULTIPASS_SIMULATE", "tiny"},
                                        {"ROCPROFSYS_MULTIPASS_REPLAY", "kernel"},
                                        {"ROCPROFSYS_MULTIPASS_ROCTX_INCLUDE", "solve"},
                                        {"ROCPROFSYS_MULTIPASS_ROCTX_EXCLUDE", "x"}},
                                       steps);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "launches 40, sum 40\n");
  EXPECT_EQ(fates(read_capture(folder)), (std::map<std::string, int>{{"replayed", 12}, {"roctx", 20}, {"paused", 8}}));
}

TEST(Regions, OfTheProcessMayBeginAndEndOnAnyThreadAtAnyTime) {
  const Folder folder;
  const auto steps = words("all[ @a 2 pause 1 resume / 1 @b 2 resume-own / +a 1 - pause-own 1 ]");
  const Outcome outcome = run_profiled(MULTIPASS_REGIONS_APPLICATION, kEvents, folder,
                                       {{"ROCPROFSYS_MULTIPASS_SIMULATE", "tiny"},
                                        {"ROCPROFSYS_MULTIPASS_REPLAY", "kernel"},
                                        {"ROCPROFSYS_MULTIPASS_ROCTX_INCLUDE", "a"}},
                                       steps);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "launches 32, sum 32\n");
  const auto counts = fates(read_capture(folder));
  int seen = 0;
  for (const auto& [fate, count] : counts) seen += count;
  EXPECT_EQ(seen, 32);
}

}  // namespace
}  // namespace multipass::e2e
