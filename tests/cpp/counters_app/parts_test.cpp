// SPDX-License-Identifier: MIT
//
// The parts of the program that need no SDK: file names, the index, files that are whole or not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/counters/index_json.hpp"
#include "apps/counters/write_file.hpp"

namespace multipass::apps {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<AgentCatalogue> catalogues_named(const std::vector<std::string>& names) {
  std::vector<AgentCatalogue> catalogues;
  for (const std::string& name : names) catalogues.emplace_back().agent.name = name;
  return catalogues;
}

TEST(FileNames, AreTheNamesOfTheAgents) {
  EXPECT_THAT(file_names(catalogues_named({"gfx942", "tiny"})), ElementsAre("gfx942.json", "tiny.json"));
}

TEST(FileNames, TellTwoKindsOfOneNameApart) {
  EXPECT_THAT(file_names(catalogues_named({"gfx942", "gfx942-2", "gfx942", "gfx942"})),
              ElementsAre("gfx942.json", "gfx942-2.json", "gfx942-3.json", "gfx942-4.json"));
}

TEST(FileNames, StayInTheirFolder) {
  EXPECT_THAT(file_names(catalogues_named({"../gfx", "a b/c", "", ".hidden"})),
              ElementsAre("_._gfx.json", "a_b_c.json", "gpu.json", "_hidden.json"));
}

TEST(Index, NamesTheCatalogueOfAnAgentOrTheReasonWhyThereIsNone) {
  LiveCatalogues live;
  live.sdk = {"1.4.1", "/opt/x.so", false, 25};
  live.catalogues = catalogues_named({"gfx942"});
  live.catalogues[0].counters["A"].name = "A";
  live.agents.resize(2);
  live.agents[0].info.type = AgentType::kCpu;
  live.agents[0].info.name = "EPYC";
  live.agents[0].reason = "no counters";
  live.agents[1].info.index = AgentIndex{1};
  live.agents[1].info.name = "gfx942";
  live.agents[1].info.product_name = "MI300X";
  live.agents[1].catalogue = 0;
  EXPECT_EQ(nlohmann::json::parse(index_json(live, {"gfx942.json"})), nlohmann::json::parse(R"({
    "schema": 1,
    "sdk": {"version": "1.4.1", "library": "/opt/x.so", "simulated": false, "kernel_replay": true},
    "agents": [
      {"index": 0, "type": "cpu", "device": null, "name": "EPYC", "product_name": "", "counters": 0,
       "catalogue": null, "reason": "no counters"},
      {"index": 1, "type": "gpu", "device": 0, "name": "gfx942", "product_name": "MI300X", "counters": 1,
       "catalogue": "gfx942.json", "reason": ""}]})"));
}

class WriteFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "multipass-write-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] static std::string read(const fs::path& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
  }

  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{});
  }

  fs::path folder_;
};

TEST_F(WriteFile, ReplacesWhatWasThereAndLeavesNothingElse) {
  const fs::path path = folder_ / "a.json";
  std::ofstream{path} << "old and longer";
  const Status status = write_file(path, "new");
  EXPECT_TRUE(status) << status.message();
  EXPECT_EQ(read(path), "new");
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteFile, NamesTheFileThatCannotBeWritten) {
  const Status status = write_file(folder_ / "none" / "a.json", "x");
  EXPECT_FALSE(status);
  EXPECT_EQ(status.message(),
            (folder_ / "none" / "a.json").string() + ": cannot be written: No such file or directory");
}

TEST_F(WriteFile, LeavesNoHalfFileBehindWhenThePlaceIsTaken) {
  fs::create_directory(folder_ / "a.json");
  EXPECT_THAT(write_file(folder_ / "a.json", "x").message(), HasSubstr("cannot be written"));
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace multipass::apps
