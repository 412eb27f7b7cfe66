// SPDX-License-Identifier: MIT
#include "tool/rank_counts.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "environment_guard.hpp"

namespace multipass::tool {
namespace {

using Variables = std::map<std::string, std::string>;

// With these variables of launchers and no others.
replay::RankCounts counts_with(const Variables& variables) {
  std::vector<std::unique_ptr<ScopedVariable>> scope;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE",
                           "OMPI_COMM_WORLD_RANK",
                           "OMPI_COMM_WORLD_LOCAL_SIZE",
                           "PMI_SIZE",
                           "PMI_RANK",
                           "PMIX_RANK",
                           "MPI_LOCALNRANKS",
                           "MV2_COMM_WORLD_SIZE",
                           "MV2_COMM_WORLD_RANK",
                           "MV2_COMM_WORLD_LOCAL_SIZE",
                           "FLUX_JOB_SIZE",
                           "FLUX_TASK_RANK",
                           "PALS_RANKID",
                           "PALS_LOCAL_SIZE",
                           "RANK",
                           "LOCAL_RANK",
                           "WORLD_SIZE",
                           "LOCAL_WORLD_SIZE",
                           "SLURM_STEP_ID",
                           "SLURM_PROCID",
                           "SLURM_STEP_NUM_TASKS",
                           "SLURM_NTASKS",
                           "SLURM_STEP_TASKS_PER_NODE"})
    scope.push_back(std::make_unique<ScopedVariable>(name, nullptr));
  for (const auto& [name, value] : variables) scope.push_back(std::make_unique<ScopedVariable>(name, value.c_str()));
  return rank_counts();
}
using Counts = replay::RankCounts;

TEST(RankCounts, AreOneWithoutALauncher) {
  EXPECT_EQ(counts_with({}), (Counts{1, 1}));
}

TEST(RankCounts, AreThoseOfEachLauncher) {
  EXPECT_EQ(counts_with({{"OMPI_COMM_WORLD_SIZE", "16"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "8"}}), (Counts{16, 8}));
  EXPECT_EQ(counts_with({{"PMI_SIZE", "16"}, {"MPI_LOCALNRANKS", "4"}}), (Counts{16, 4}));
  EXPECT_EQ(counts_with({{"MV2_COMM_WORLD_SIZE", "6"}, {"MV2_COMM_WORLD_LOCAL_SIZE", "3"}}), (Counts{6, 3}));
  EXPECT_EQ(counts_with({{"FLUX_JOB_SIZE", "2"}}), (Counts{2, 2})) << "all of them may be here";
  EXPECT_EQ(counts_with({{"RANK", "3"}, {"LOCAL_RANK", "3"}, {"WORLD_SIZE", "16"}, {"LOCAL_WORLD_SIZE", "8"}}),
            (Counts{16, 8}));
}

TEST(RankCounts, OfSlurmAreThoseOfTheStepOnly) {
  EXPECT_EQ(counts_with({{"SLURM_STEP_ID", "0"},
                         {"SLURM_PROCID", "1"},
                         {"SLURM_STEP_NUM_TASKS", "7"},
                         {"SLURM_NTASKS", "9"},
                         {"SLURM_STEP_TASKS_PER_NODE", "2(x3),1"}}),
            (Counts{7, 2}));
  EXPECT_EQ(counts_with({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "9"}}), (Counts{9, 9}));
  EXPECT_EQ(counts_with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "9"}}), (Counts{1, 1})) << "a batch script";
}

TEST(RankCounts, OfSeveralLaunchersAreTheLargest) {
  EXPECT_EQ(counts_with({{"SLURM_STEP_ID", "0"},
                         {"SLURM_PROCID", "1"},
                         {"SLURM_STEP_NUM_TASKS", "2"},
                         {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
                         {"RANK", "3"},
                         {"LOCAL_RANK", "3"},
                         {"WORLD_SIZE", "16"},
                         {"LOCAL_WORLD_SIZE", "8"}}),
            (Counts{16, 8}));
}

TEST(RankCounts, OfAJobWhoseSizeIsNotSaidAreSeveral) {
  EXPECT_EQ(counts_with({{"PALS_RANKID", "0"}}), (Counts{2, 2}));
  EXPECT_EQ(counts_with({{"PMIX_RANK", "5"}}), (Counts{6, 6}));
  EXPECT_EQ(counts_with({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}), (Counts{1, 1}));
}

TEST(RankCounts, LeaveOutWhatIsNoNumber) {
  EXPECT_EQ(counts_with({{"PMI_SIZE", "4x"}, {"OMPI_COMM_WORLD_SIZE", ""}, {"FLUX_JOB_SIZE", "-3"}}), (Counts{1, 1}));
  EXPECT_EQ(counts_with({{"WORLD_SIZE", "12"}}), (Counts{1, 1})) << "without torchrun's others it may be anything";
  EXPECT_EQ(counts_with({{"PMI_SIZE", "0"}}), (Counts{1, 1}));
}

}  // namespace
}  // namespace multipass::tool
