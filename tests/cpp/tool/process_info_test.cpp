// SPDX-License-Identifier: MIT
#include "tool/process_info.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <regex>
#include <set>

#include "environment_guard.hpp"

namespace multipass::tool {
namespace {

TEST(ProcessInfo, AGuidIsAVersionSevenUuidAndFresh) {
  const std::regex form("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string guid = make_guid();
    EXPECT_TRUE(std::regex_match(guid, form)) << guid;
    seen.insert(guid);
  }
  EXPECT_EQ(seen.size(), 100U);
  const auto ms = std::stoull(make_guid().substr(0, 8) + make_guid().substr(9, 4), nullptr, 16);
  EXPECT_NEAR(static_cast<double>(ms), static_cast<double>(clock_ns(CLOCK_REALTIME)) / 1e6, 10'000);
}

TEST(ProcessInfo, ReadsTheRankOfEveryLauncherAndNothingElse) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PALS_RANKID",
                           "FLUX_TASK_RANK", "SLURM_PROCID"}) {
    const ScopedVariable rank(name, "7");
    EXPECT_EQ(launcher_rank(), 7U) << name;
  }
  EXPECT_EQ(launcher_rank(), std::nullopt);
  const ScopedVariable odd("SLURM_PROCID", "7x");
  EXPECT_EQ(launcher_rank(), std::nullopt);
}

TEST(ProcessInfo, DescribesThisProcess) {
  RunMetadata run;
  describe_process(run);
  EXPECT_EQ(run.pid, static_cast<std::uint64_t>(getpid()));
  ASSERT_FALSE(run.command.empty());
  EXPECT_NE(run.command[0].find("tool_test"), std::string::npos);
  EXPECT_EQ(application_name(), "tool_test");
  EXPECT_EQ(run.system_name, "Linux");
  EXPECT_GT(run.boottime_ns, 0U);
  EXPECT_GE(run.boottime_ns, run.monotonic_ns - 1'000'000'000U);
}

}  // namespace
}  // namespace multipass::tool
