// SPDX-License-Identifier: MIT
// The plugin under faults of the simulated SDK, four threads on two GPUs: for the sanitizers, which the Python matrix
// (tests/e2e/test_fault_matrix.py) runs without.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "application.hpp"

namespace multipass::e2e {
namespace {

constexpr const char* kEvents = "SQ_INSTS_VALU SQ_INSTS_VMEM_RD SQ_INSTS_VMEM_WR SQ_WAVE_CYCLES SQ_LEVEL_WAVES";
constexpr std::size_t kLaunches = 32;

// Dispatch, pass (empty outside a replay loop), counter.
using Key = std::tuple<std::uint64_t, std::string, std::string>;

std::map<Key, double> read_truth(const std::filesystem::path& path) {
  std::map<Key, double> truth;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::stringstream parts(line);
    std::string dispatch, pass, agent, kernel, counter, value;
    std::getline(parts, dispatch, ',');
    std::getline(parts, pass, ',');
    std::getline(parts, agent, ',');
    std::getline(parts, kernel, ',');
    std::getline(parts, counter, ',');
    std::getline(parts, value, ',');
    if (!counter.empty()) truth[{std::stoull(dispatch), pass, counter}] = std::stod(value);
  }
  return truth;
}

class UnderFault : public testing::TestWithParam<const char*> {};

TEST_P(UnderFault, TheApplicationIsUnharmedAndNoReadingIsOfAnotherExecution) {
  const Folder folder;
  const auto truth_path = folder.path() / "truth.csv";
  const Outcome outcome = run_profiled(MULTIPASS_FAULTS_APPLICATION, kEvents, folder,
                                       {{"ROCPROFSYS_MULTIPASS_SIMULATE", "tiny,tiny"},
                                        {"ROCPROFSYS_MULTIPASS_INSTANCES", "keep"},
                                        {"ROCPROFSYS_MULTIPASS_SIM_FAULTS", GetParam()},
                                        {"ROCPROFSYS_MULTIPASS_SIM_TRUTH", truth_path.string()}});
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  std::stringstream lines(outcome.out);
  std::size_t printed = 0;
  for (std::string line; std::getline(lines, line); ++printed) EXPECT_TRUE(line.ends_with(" wrong: 0")) << line;
  EXPECT_EQ(printed, 8U) << "of each thread on each GPU";
  const Capture capture = read_capture(folder);
  const std::map<Key, double> truth = read_truth(truth_path);
  EXPECT_TRUE(capture.ended);
  EXPECT_EQ(capture.dispatches.size(), kLaunches);
  for (const DispatchRecord& dispatch : capture.dispatches) {
    for (const PassRecord& pass : dispatch.passes) {
      const std::string index = pass.pass ? std::to_string(pass.pass->value) : std::string();
      ASSERT_EQ(pass.instances.size(), pass.counters.size());
      for (std::size_t i = 0; i < pass.counters.size(); ++i) {
        const std::vector<double>& kept = pass.instances[i].values;
        EXPECT_EQ(std::accumulate(kept.begin(), kept.end(), 0.0), pass.values[i]) << "of the same execution";
        // Both GPUs have the same plan.
        const Key key{dispatch.dispatch_id.value, index, capture.gpu().counters[pass.counters[i].value].name};
        const auto found = truth.find(key);
        ASSERT_NE(found, truth.end()) << std::get<0>(key) << " " << index << " " << std::get<2>(key);
        EXPECT_EQ(pass.values[i], found->second) << std::get<0>(key) << " " << index << " " << std::get<2>(key);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, UnderFault,
                         testing::Values("", "not_offered:every=3", "snapshot_refused:every=2", "pass_abandoned:pass=1",
                                         "restore_wrong", "payload_short", "payload_toggles_first",
                                         "record_lost:pass=1", "record_twice", "record_before_complete", "record_late",
                                         "record_reversed", "record_at_stop", "record_after_finalize:pass=2",
                                         "record_on_handler", "counting_conflict", "sdk_1_0_0", "ids_tagged",
                                         "agent_unsupported:agent=1"),
                         [](const auto& fault) {
                           std::string name = fault.param;
                           for (char& c : name)
                             if (c == ':' || c == '=') c = '_';
                           return name.empty() ? "none" : name;
                         });

}  // namespace
}  // namespace multipass::e2e
