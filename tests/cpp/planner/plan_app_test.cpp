// SPDX-License-Identifier: MIT
//
// The executable as the Python package calls it: exit codes, stdout for JSON only, messages on stderr.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace multipass::apps {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

class PlanApp : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "multipass-plan-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }

  void TearDown() override { std::filesystem::remove_all(directory_); }

  // `arguments` are words for the shell.
  [[nodiscard]] Ran run(const std::string& arguments) const { return run(arguments, directory_ / "out"); }

  [[nodiscard]] Ran run(const std::string& arguments, const std::string& out) const {
    const std::string err = directory_ / "err";
    const std::string command = std::string{MULTIPASS_PLAN_APP} + " " + arguments;
    const int status = std::system((command + " >" + out + " 2>" + err).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out == "/dev/full" ? std::string{} : read(out), read(err)};
  }

  [[nodiscard]] Ran run_in(const std::filesystem::path& folder, const std::string& arguments) const {
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder);
    Ran ran = run(arguments);
    std::filesystem::current_path(before);
    return ran;
  }

  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = directory_ / name;
    std::ofstream{path} << text;
    return path;
  }

  std::filesystem::path directory_;

 private:
  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream{path}.rdbuf();
    return text.str();
  }
};

const std::string kSmall =
    R"({"schema": 1, "agent": {"name": "small"}, "slots": {"TCC": 1},
        "counters": [{"name": "HIT", "block": "TCC"}, {"name": "MISS", "block": "TCC"}]})";

TEST_F(PlanApp, PlansForANameAndForAFile) {
  const std::string file = write("small.json", kSmall);
  const Ran ran = run("--device gfx942 --device " + file + " --events FETCH_SIZE,WRITE_SIZE,HIT,MISS");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, IsEmpty());
  const Json json = Json::parse(ran.out);
  ASSERT_EQ(json.at("agents").size(), 2U);
  EXPECT_EQ(json.at("agents")[0].at("device"), "gfx942");
  EXPECT_EQ(json.at("agents")[0].at("pass_count"), 2);
  EXPECT_EQ(json.at("agents")[1].at("device"), "small");
  EXPECT_EQ(json.at("agents")[1].at("device_index"), 1);
  EXPECT_EQ(json.at("agents")[1].at("pass_count"), 2);
}

TEST_F(PlanApp, PrintsTheSameBytesForAnyOrder) {
  const Ran one =
      run("--device gfx942 --json --group TCC_HIT,TCC_MISS --events 'SQ_WAVES FETCH_SIZE WRITE_SIZE GRBM_COUNT'");
  const Ran two = run("--events 'GRBM_COUNT;WRITE_SIZE,SQ_WAVES,FETCH_SIZE' --group TCC_MISS,TCC_HIT --device gfx942");
  EXPECT_EQ(one.code, 0);
  EXPECT_EQ(one.out, two.out);
}

TEST_F(PlanApp, SearchesAsLongAsItsEffortLasts) {
  // Three passes are the minimum, which no bound tells (search_test.cpp).
  const std::string file = write("open.json", R"({"schema": 1, "agent": {"name": "open"}, "slots": {"P": 2, "Q": 2},
      "counters": [{"name": "A", "is_derived": true, "registers": ["P:3", "Q:3"]},
                   {"name": "B", "is_derived": true, "registers": ["P:0", "P:1"]},
                   {"name": "C", "is_derived": true, "registers": ["P:2", "Q:1"]},
                   {"name": "D", "is_derived": true, "registers": ["P:2", "Q:0"]}]})");
  const auto proof = [&](const std::string& options, std::uint64_t effort) -> std::string {
    const Ran ran = run("--device " + file + " --events A,B,C,D" + options);
    const Json plan = Json::parse(ran.out);
    EXPECT_EQ(plan.at("effort"), effort);
    const Json& agent = plan.at("agents").at(0);
    EXPECT_EQ(agent.at("pass_count"), 3);
    EXPECT_EQ(agent.at("lower_bound"), 2);
    EXPECT_EQ(agent.at("proven_minimal"), agent.at("proof") != "none");
    return agent.at("proof");
  };
  EXPECT_EQ(proof("", 300'000), "search");
  EXPECT_EQ(proof(" --effort 1000", 1000), "search");
  EXPECT_EQ(proof(" --effort 0", 0), "none");
}

TEST_F(PlanApp, RefusesAWrongCommandLineWithTwo) {
  const std::string file = write("small.json", kSmall);
  for (const std::string& arguments :
       {std::string{}, "--device " + file, std::string{"--events HIT"}, "--device " + file + " --events HIT --nope",
        "--device " + file + " --events HIT --list", "--device " + file + " --events HIT --effort -1",
        "--device " + file + " --events HIT --effort much", "--device " + file + " --events HIT --sentinel AUTO",
        "--device " + file + " --events HIT --sentinel none,HIT", "--device " + file + " --events HIT --sentinel ' '",
        "--device " + file + " --compute-panels 4", "--device " + file + " --compute-panels ''",
        "--device " + file + " --events HIT --instances all"}) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.code, 2) << arguments;
    EXPECT_THAT(ran.out, IsEmpty()) << arguments;
    EXPECT_FALSE(ran.err.empty()) << arguments;
  }
}

TEST_F(PlanApp, RefusesACatalogueThatCannotBeUsedWithThreeAndItsPlace) {
  const Ran unknown = run("--device gfx000 --events HIT");
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("\"gfx000\""));
  EXPECT_THAT(unknown.err, HasSubstr("gfx942"));
  const Ran missing = run("--device " + (directory_ / "none.json").string() + " --events HIT");
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.err, HasSubstr("none.json: cannot be read: No such file or directory"));
  const std::string broken =
      write("broken.json", R"({"schema": 1, "agent": {"name": "x"}, "slots": {"SQ": "8"}, "counters": []})");
  const Ran invalid = run("--device " + broken + " --events HIT");
  EXPECT_EQ(invalid.code, 3);
  EXPECT_THAT(invalid.err, HasSubstr("broken.json: slots.SQ: must be a whole number"));
  EXPECT_EQ(run("--device " + directory_.string() + " --events HIT").code, 3);
  EXPECT_EQ(run("--device " + write("empty.json", "") + " --events HIT").code, 3);
}

TEST_F(PlanApp, EndsWithFourAndAPlanWhenNothingCanBePlaced) {
  const Ran ran = run("--device gfx942 --events SQ_WAVEZ");
  EXPECT_EQ(ran.code, 4);
  EXPECT_EQ(Json::parse(ran.out).at("unknown")[0].at("suggestion"), "SQ_WAVES");
  EXPECT_EQ(run("--device gfx942 --events ''").code, 0);
  EXPECT_EQ(run("--device gfx942 --events SQ_WAVEZ,SQ_WAVES").code, 0);
}

TEST_F(PlanApp, TakesAFileOfTheFolderWithoutASlashWhereNoCatalogueHasThatName) {
  write("mine", kSmall);
  EXPECT_EQ(run_in(directory_, "--device mine --events HIT").code, 0);
  write("gfx942", kSmall);
  EXPECT_EQ(Json::parse(run_in(directory_, "--device gfx942 --events SQ_WAVES").out).at("agents")[0].at("pass_count"),
            1);
}

TEST_F(PlanApp, NamesTheKnownDevicesBesideAnUnknownOne) {
  EXPECT_THAT(run("--device gfx94 --events HIT").err,
              HasSubstr("there is no catalogue \"gfx94\": known devices are gfx1030, gfx1100, gfx1201, gfx908, gfx90a, "
                        "gfx942, gfx950, tiny"));
}

TEST_F(PlanApp, SaysThatADeviceHasNoName) {
  const Ran ran = run("--device gfx942 --device '' --events HIT");
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("a device has an empty name (a comma too many?): known devices are gfx1030, "));
}

TEST_F(PlanApp, TellsItsOwnAnswersFromACatalogue) {
  for (const std::string& arguments :
       {std::string{"--device gfx942 --events SQ_WAVES"}, std::string{"--device gfx942 --list"}}) {
    const std::string file = write("answer.json", run(arguments).out);
    const Ran ran = run("--device " + file + " --events SQ_WAVES");
    EXPECT_EQ(ran.code, 3);
    EXPECT_THAT(ran.err, HasSubstr("answer.json: document: is a plan or a list of counters, not a catalogue as "
                                   "'counters --save FILE' writes it"));
  }
}

TEST_F(PlanApp, NamesTheArchitecturesThatHaveAnUnknownName) {
  const auto reasons = [&](const std::string& arguments) {
    std::map<std::string, std::string> found;
    const Json plan = Json::parse(run(arguments).out);
    for (const Json& unknown : plan.at("unknown")) found[unknown.at("token")] = unknown.at("reason");
    return found;
  };
  using Reasons = std::map<std::string, std::string>;
  EXPECT_EQ(reasons("--device gfx942 --events TCC_CLIENT184_REQ,GL2C_HIT:device=0,NOPE,SQ_WAVS"),
            (Reasons{{"TCC_CLIENT184_REQ", "not a counter of gfx942, but of gfx908"},
                     {"GL2C_HIT:device=0", "not a counter of gfx942, but of gfx1030, gfx1100, gfx1201"},
                     {"NOPE", "not a counter of gfx942"},
                     {"SQ_WAVS", "not a counter of gfx942"}}));
  // What another GPU of the request has is said of that GPU; a token that cannot be read is no name.
  EXPECT_EQ(reasons("--device gfx942 --device gfx908 --events TCC_CLIENT184_REQ:device=0 --group GL2C_HIT:device=0"),
            (Reasons{{"TCC_CLIENT184_REQ:device=0", "not a counter of gfx942, but of GPU 1 (gfx908)"},
                     {"GL2C_HIT:device=0", "a group holds for every GPU that wants it: no ':device=' in it"}}));
  // A file may have less than the architecture whose name it bears.
  const std::string file = write("part.json", R"({"schema": 1, "agent": {"name": "gfx908"}, "slots": {"SQ": 8},
      "counters": [{"name": "SQ_WAVES", "block": "SQ"}]})");
  EXPECT_EQ(reasons("--device " + file + " --events TCC_CLIENT184_REQ,TCC_EA_RDREQ"),
            (Reasons{{"TCC_CLIENT184_REQ", "not a counter of gfx908"},
                     {"TCC_EA_RDREQ", "not a counter of gfx908, but of gfx90a"}}));
}

TEST_F(PlanApp, ListsCountersWithKindRegistersAndKeys) {
  const std::string file =
      write("small.json", R"({"schema": 1, "agent": {"name": "small"}, "slots": {"SQ": 4}, "counters": [
    {"name": "LEVEL", "block": "SQ", "instances": 8, "description": "Waves in flight"},
    {"name": "Mean", "is_derived": true, "expression": "accumulate(LEVEL, HIGH_RES) / CUS"},
    {"name": "Lost", "is_derived": true, "expression": "LEVEL + GONE"},
    {"name": "CUS", "is_constant": true}]})");
  const Ran ran = run("--device " + file + " --list");
  EXPECT_EQ(ran.code, 0) << ran.err;
  const Json agent = Json::parse(ran.out).at("agents")[0];
  EXPECT_EQ(agent.at("device"), "small");
  EXPECT_EQ(agent.at("slots"), Json({{"SQ", 4}}));
  EXPECT_EQ(agent.at("counters").size(), 4U);
  EXPECT_EQ(agent.at("counters")[0], Json::parse(R"({"name": "CUS", "kind": "constant", "block": "", "instances": 1,
      "registers": {}, "keys": [], "unknown": [], "description": "", "expression": ""})"));
  EXPECT_EQ(agent.at("counters")[1], Json::parse(R"({"name": "LEVEL", "kind": "base", "block": "SQ", "instances": 8,
      "registers": {"SQ": 1}, "keys": ["SQ:LEVEL"], "unknown": [], "description": "Waves in flight",
      "expression": ""})"));
  EXPECT_EQ(agent.at("counters")[2].at("registers"), Json(nullptr));
  EXPECT_EQ(agent.at("counters")[2].at("unknown"), Json({"GONE"}));
  // An accumulation needs the plain counter in the register before it.
  EXPECT_EQ(agent.at("counters")[3].at("registers"), Json({{"SQ", 2}}));
  EXPECT_EQ(agent.at("counters")[3].at("keys"), Json({"SQ:LEVEL@HIGH_RES"}));
}

TEST_F(PlanApp, ListsEveryCatalogueWithoutADevice) {
  const Json agents = Json::parse(run("--list").out).at("agents");
  std::map<std::string, std::size_t> counters;
  for (std::size_t i = 0; i < agents.size(); ++i) {
    EXPECT_EQ(agents[i].at("device_index"), i);
    counters[agents[i].at("device")] = agents[i].at("counters").size();
  }
  EXPECT_EQ(counters, (std::map<std::string, std::size_t>{{"gfx1030", 124},
                                                          {"gfx1100", 116},
                                                          {"gfx1201", 94},
                                                          {"gfx908", 420},
                                                          {"gfx90a", 509},
                                                          {"gfx942", 455},
                                                          {"gfx950", 664},
                                                          {"tiny", 23}}));
}

TEST_F(PlanApp, ChecksAPatternOfKernelNames) {
  const Ran good = run("--check-pattern '^axpy<[^>]+>'");
  EXPECT_EQ(good.code, 0);
  EXPECT_THAT(good.out + good.err, IsEmpty());
  const Ran bad = run("--check-pattern 'axpy('");
  EXPECT_EQ(bad.code, 3);
  EXPECT_THAT(bad.err, HasSubstr("'axpy(' is not a regular expression: column 6: missing closing parenthesis"));
}

TEST_F(PlanApp, SaysThatItsOutputCannotBeWritten) {
  const Ran ran = run("--device gfx942 --events SQ_WAVES", "/dev/full");
  EXPECT_EQ(ran.code, 7);
  EXPECT_THAT(ran.err, HasSubstr("cannot be written"));
}

TEST_F(PlanApp, PlansASetWithoutAListOfCounters) {
  const Ran ran = run("--device gfx942 --set cache --set lds");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Json agent = Json::parse(ran.out).at("agents").at(0);
  EXPECT_EQ(agent.at("pass_count"), 2);  // seven SQ and SQC counters, and GRBM, TCC, TCP beside them; TCP takes two
  EXPECT_EQ(agent.at("metrics").size(), 7U);
}

TEST_F(PlanApp, SaysHowTheWordsForSentinelsAreWritten) {
  const Ran ran = run("--device gfx942 --events SQ_WAVES --sentinel AUTO");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err,
              HasSubstr("--sentinel: 'AUTO' stands alone, in small letters; beside counters it has no meaning"));
}

TEST_F(PlanApp, RefusesASetThatIsNotThere) {
  const Ran ran = run("--device gfx942 --set memroy");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(ran.err, HasSubstr("--set: 'memroy' is not a set of metrics; did you mean memory?"));
}

}  // namespace
}  // namespace multipass::apps
