// SPDX-License-Identifier: MIT
//
// The program as it is shipped, with the stand-in SDK in front of the search path, and without any SDK.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catalogue/json.hpp"
#include "planner/plan_agent.hpp"

namespace multipass::apps {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using Json = nlohmann::json;

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

class CountersApp : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "multipass-counters-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    catalogues_ = folder_ / "catalogues";
    fs::create_directory(catalogues_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // `prefix` and `arguments` are words for the shell.
  [[nodiscard]] Ran run(const std::string& prefix, const std::string& arguments) const {
    return run(prefix, arguments, (folder_ / "out").string());
  }

  [[nodiscard]] Ran run(const std::string& prefix, const std::string& arguments, const std::string& out) const {
    const std::string command = "env " + prefix + " " MULTIPASS_COUNTERS_APP " " + arguments;
    const int status = std::system((command + " >" + out + " 2>" + (folder_ / "err").string()).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out == "/dev/full" ? "" : read(out), read(folder_ / "err")};
  }

  [[nodiscard]] Ran simulate(const std::string& devices, const std::string& arguments = {}) const {
    return run(simulator(devices), arguments);
  }

  [[nodiscard]] static std::string simulator(const std::string& devices) {
    return "LD_LIBRARY_PATH=" MULTIPASS_SIM_DIR " ROCPROFSYS_MULTIPASS_SIMULATE=" + devices;
  }

  [[nodiscard]] std::vector<std::string> written() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator{catalogues_}) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  [[nodiscard]] static std::string read(const fs::path& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
  }

  [[nodiscard]] static AgentCatalogue load(const fs::path& path) {
    Result<AgentCatalogue> catalogue = catalogue::from_json(read(path), path.string());
    EXPECT_TRUE(catalogue) << catalogue.message();
    return catalogue ? *catalogue : AgentCatalogue{};
  }

  // Of a device that the simulator and the catalogues both have: what was read is what is shipped.
  void expect_shipped(const std::string& device) const {
    const AgentCatalogue live = load(catalogues_ / (device + ".json"));
    const AgentCatalogue shipped = load(fs::path{MULTIPASS_CATALOGUES} / (device + ".json"));
    EXPECT_EQ(live.agent, shipped.agent);
    EXPECT_EQ(live.register_keys, shipped.register_keys);
    ASSERT_EQ(live.counters.size(), shipped.counters.size());
    for (const auto& [name, counter] : shipped.counters) {
      CounterInfo found = live.counters.at(name);
      found.expression = counter.expression;  // the shipped ones give registers in its place
      EXPECT_EQ(found, counter) << name;
    }
  }

  fs::path folder_;
  fs::path catalogues_;
};

std::vector<std::string> agent_lines(const Json& index) {
  std::vector<std::string> lines;
  for (const Json& agent : index.at("agents"))
    lines.push_back(agent.at("type").get<std::string>() + " " + agent.at("device").dump() + " " +
                    agent.at("name").get<std::string>() + " " + agent.at("counters").dump() + " " +
                    agent.at("catalogue").dump());
  return lines;
}

TEST_F(CountersApp, ReadsOneSimulatedDevice) {
  const Ran ran = simulate("gfx942", "--output " + catalogues_.string());
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.err, IsEmpty());
  const Json index = Json::parse(ran.out);
  EXPECT_EQ(index.at("schema"), 1);
  EXPECT_EQ(index.at("sdk").at("version"), "1.4.1");
  EXPECT_EQ(index.at("sdk").at("simulated"), true);
  EXPECT_THAT(agent_lines(index), ElementsAre("cpu null Simulated host 0 null", R"(gpu 0 gfx942 455 "gfx942.json")"));
  EXPECT_THAT(index.at("agents")[0].at("reason"), HasSubstr("AGENT_ARCH_NOT_SUPPORTED (39)"));
  EXPECT_THAT(written(), ElementsAre("gfx942.json"));
  expect_shipped("gfx942");
}

TEST_F(CountersApp, WritesOneCatalogueForEachKindOfGpu) {
  const Ran ran = simulate("gfx942,tiny,gfx942", "--output " + catalogues_.string());
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(agent_lines(Json::parse(ran.out)),
              ElementsAre("cpu null Simulated host 0 null", R"(gpu 0 gfx942 455 "gfx942.json")",
                          R"(gpu 1 tiny 23 "tiny.json")", R"(gpu 2 gfx942 455 "gfx942.json")"));
  EXPECT_THAT(written(), ElementsAre("gfx942.json", "tiny.json"));
  expect_shipped("gfx942");
  expect_shipped("tiny");
}

TEST_F(CountersApp, TellsTwoDevicesOfOneNameApart) {
  Json other = Json::parse(read(MULTIPASS_SIM_DIR "/devices/tiny.json"));
  other.at("slots").at("SQ") = 1;
  for (Json& counter : other.at("counters"))
    if (counter.contains("id")) counter.at("id") = counter.at("id").get<int>() + 100;
  std::ofstream{folder_ / "other.json"} << other;
  const Ran ran = simulate("tiny," + (folder_ / "other.json").string(), "--output " + catalogues_.string());
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(written(), ElementsAre("tiny-2.json", "tiny.json"));
  EXPECT_EQ(load(catalogues_ / "tiny.json").slots.at("SQ"), 2U);
  EXPECT_EQ(load(catalogues_ / "tiny-2.json").slots.at("SQ"), 1U);
}

TEST_F(CountersApp, FindsTheSlotsOfEachBlockByTrial) {
  ASSERT_EQ(simulate("gfx942", "--output " + catalogues_.string()).code, 0);
  const std::map<std::string, std::uint32_t> expected{
      {"CPC", 2}, {"CPF", 2}, {"GRBM", 2}, {"SPI", 6},
      {"SQ", 8},  {"TA", 2},  {"TCA", 2},  // it has two counters, though four slots
      {"TCC", 4}, {"TCP", 4}, {"TD", 2}};
  EXPECT_EQ(load(catalogues_ / "gfx942.json").slots, expected);
}

TEST_F(CountersApp, ReadsTheSameBytesAgain) {
  const Ran one = simulate("gfx942", "--output " + catalogues_.string());
  const std::string first = read(catalogues_ / "gfx942.json");
  const Ran two = simulate("gfx942", "--output " + catalogues_.string());
  EXPECT_EQ(one.out, two.out);
  EXPECT_EQ(first, read(catalogues_ / "gfx942.json"));
}

TEST_F(CountersApp, WritesNothingWithoutAFolder) {
  const Ran ran = simulate("tiny");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(Json::parse(ran.out).at("agents")[1].at("counters"), 23);
  EXPECT_THAT(written(), IsEmpty());
}

TEST_F(CountersApp, ListsAMachineWithoutAGpu) {
  const Ran ran = simulate("nosuch", "--output " + catalogues_.string());
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(agent_lines(Json::parse(ran.out)), ElementsAre("cpu null Simulated host 0 null"));
  EXPECT_THAT(ran.err, HasSubstr("unknown simulated device \"nosuch\""));
  EXPECT_THAT(written(), IsEmpty());
}

TEST_F(CountersApp, LoadsNoToolThatTheEnvironmentNames) {
  const Ran ran = run(simulator("tiny") + " ROCP_TOOL_LIBRARIES=/nowhere/tool.so", "");
  EXPECT_EQ(ran.code, 0) << ran.err;  // a missing one would end the process
  EXPECT_THAT(ran.err, IsEmpty());
}

TEST_F(CountersApp, SaysThatThereIsNoSdk) {
  const Ran ran = run("LD_LIBRARY_PATH=", "--sdk /nowhere/librocprofiler-sdk.so.1");
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(ran.err, MatchesRegex("rocprof-sys-multipass: error: rocprofiler-sdk cannot be loaded: "
                                    "/nowhere/librocprofiler-sdk.so.1: .*No such file.*LD_LIBRARY_PATH.*\n"));
}

TEST_F(CountersApp, SaysThatALibraryIsNoSdk) {
  const Ran ran = run("LD_LIBRARY_PATH=", "--sdk " MULTIPASS_CATALOGUES "/tiny.json");
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, HasSubstr("tiny.json: "));
}

TEST_F(CountersApp, TakesTheSdkByItsPath) {
  const Ran ran =
      run("LD_LIBRARY_PATH= ROCPROFSYS_MULTIPASS_SIMULATE=tiny", "--sdk " MULTIPASS_SIM_DIR "/librocprofiler-sdk.so.1");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(Json::parse(ran.out).at("sdk").at("library"), MULTIPASS_SIM_DIR "/librocprofiler-sdk.so.1");
}

TEST_F(CountersApp, FindsTheSdkWhereRocmIsInstalled) {
  fs::create_directory(folder_ / "lib");
  fs::create_symlink(MULTIPASS_SIM_DIR "/librocprofiler-sdk.so.1", folder_ / "lib" / "librocprofiler-sdk.so.1");
  const Ran ran = run("LD_LIBRARY_PATH= ROCPROFSYS_MULTIPASS_SIMULATE=tiny ROCM_PATH=" + folder_.string(), "");
  EXPECT_EQ(ran.code, 0) << ran.err;
}

TEST_F(CountersApp, RefusesAWrongCommandLineWithTwo) {
  EXPECT_EQ(simulate("tiny", "--nope").code, 2);
  EXPECT_EQ(simulate("tiny", "--output " + (folder_ / "none").string()).code, 2);
  EXPECT_EQ(simulate("tiny", "--help").code, 0);
}

TEST_F(CountersApp, SaysThatItsOutputCannotBeWritten) {
  const Ran full = run(simulator("tiny"), "", "/dev/full");
  EXPECT_EQ(full.code, 7);
  EXPECT_THAT(full.err, HasSubstr("cannot be written"));
  fs::create_directory(catalogues_ / "tiny.json");
  const Ran taken = simulate("tiny", "--output " + catalogues_.string());
  EXPECT_EQ(taken.code, 7);
  EXPECT_THAT(taken.err, HasSubstr("tiny.json: cannot be written: Is a directory"));
  EXPECT_THAT(taken.out, IsEmpty());
}

// The whole of gfx942, planned from either catalogue: only the capacity of TCA may be told differently.
TEST_F(CountersApp, APlanFromWhatWasReadIsThatOfTheShippedCatalogue) {
  ASSERT_EQ(simulate("gfx942,tiny", "--output " + catalogues_.string()).code, 0);
  for (const std::string device : {"gfx942", "tiny"}) {
    const AgentCatalogue live = load(catalogues_ / (device + ".json"));
    const AgentCatalogue shipped = load(fs::path{MULTIPASS_CATALOGUES} / (device + ".json"));
    planner::Request everything;
    for (const auto& [name, counter] : shipped.counters) everything.counters.push_back(name);
    AgentPlan one = planner::plan_agent(live, everything, {});
    const AgentPlan other = planner::plan_agent(shipped, everything, {});
    EXPECT_GT(other.passes.size(), 2U);
    for (PassPlan& pass : one.passes)
      if (auto tca = pass.capacity.find("TCA"); tca != pass.capacity.end()) tca->second = 4;
    for (BlockBound& block : one.bounds.blocks)
      if (block.block == "TCA") block.slots = 4;
    EXPECT_EQ(one, other) << device;
  }
}

}  // namespace
}  // namespace multipass::apps
