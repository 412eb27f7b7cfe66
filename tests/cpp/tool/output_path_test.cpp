// SPDX-License-Identifier: MIT
#include "tool/output_path.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "environment_guard.hpp"

namespace multipass::tool {
namespace {

std::string expanded(const std::string& path) {
  std::vector<std::string> unknown;
  const std::string out = expand_tokens(path, unknown);
  EXPECT_TRUE(unknown.empty());
  return out;
}

TEST(OutputPath, ReplacesProcessAndRank) {
  const ScopedVariable rank("OMPI_COMM_WORLD_RANK", "3");
  EXPECT_EQ(expanded("out/%pid%-%rank%"), "out/" + std::to_string(getpid()) + "-3");
  EXPECT_EQ(expanded("%ppid%"), std::to_string(getppid()));
}

TEST(OutputPath, ASlashInAValueDoesNotMakeAFolder) {
  const ScopedVariable job("JOB", "a/b");
  EXPECT_EQ(expanded("out-%env{JOB}%"), "out-a_b");
}

TEST(OutputPath, AnUnknownTokenStaysAndIsNamed) {
  const ScopedVariable job("JOB", "x");
  std::vector<std::string> unknown;
  EXPECT_EQ(expand_tokens("%host%%env{JOB}%%env{}%", unknown), "%host%x%env{}%");
  EXPECT_EQ(unknown, (std::vector<std::string>{"%host%", "%env{}%"}));
}

TEST(OutputPath, AnyOtherPercentSignIsOne) {
  const std::string pid = std::to_string(getpid());
  EXPECT_EQ(expanded("100% of 50%"), "100% of 50%");
  EXPECT_EQ(expanded("%"), "%");
  EXPECT_EQ(expanded("%%pid%"), "%" + pid);
  EXPECT_EQ(expanded("50%pid%"), "50" + pid);
  EXPECT_EQ(expanded("%env{a{b}%"), "%env{a{b}%");
  EXPECT_EQ(expanded("%pid"), "%pid");
}

TEST(OutputPath, NamesFilesByRankOrProcess) {
  const std::string pid = std::to_string(getpid());
  const ScopedVariable rank("OMPI_COMM_WORLD_RANK", nullptr);
  EXPECT_EQ(file_id(0), pid);
  EXPECT_EQ(file_id(1), pid + "-1");
  const ScopedVariable slurm("SLURM_PROCID", "12");
  EXPECT_EQ(file_id(0), "rank12");
  EXPECT_EQ(file_id(1), "rank12-" + pid);
  EXPECT_EQ(file_id(2), "rank12-" + pid + "-1");
}

TEST(OutputPath, SaysWhyAFolderCannotBeMade) {
  const std::filesystem::path base =
      std::filesystem::temp_directory_path() / ("output-path-" + std::to_string(getpid()));
  std::filesystem::create_directories(base);
  EXPECT_TRUE(make_directories((base / "a" / "b").string()));
  EXPECT_TRUE(std::filesystem::is_directory(base / "a" / "b"));
  std::ofstream(base / "file") << "x";
  const std::string in_file = (base / "file" / "sub").string();
  EXPECT_EQ(make_directories(in_file).message(), "cannot create the output folder " + in_file + ": Not a directory");
  const std::string file = (base / "file").string();
  EXPECT_EQ(make_directories(file).message(), "cannot create the output folder " + file + ": Not a directory");
  std::filesystem::remove_all(base);
}

}  // namespace
}  // namespace multipass::tool
