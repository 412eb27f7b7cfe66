// SPDX-License-Identifier: MIT
//
// The executable as the Python package calls it: exit codes, stdout for JSON only, messages on stderr.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
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

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
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

TEST_F(PlanApp, RefusesAWrongCommandLineWithTwo) {
  const std::string file = write("small.json", kSmall);
  for (const std::string& arguments :
       {std::string{}, "--device " + file, std::string{"--events HIT"}, "--device " + file + " --events HIT --nope",
        "--device " + file + " --events HIT --list", "--device " + file + " --list '('"}) {
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

TEST_F(PlanApp, ListsCounters) {
  const std::string file = write("small.json", kSmall);
  const Ran all = run("--device " + file + " --list");
  EXPECT_EQ(all.code, 0);
  EXPECT_EQ(Json::parse(all.out).at("agents")[0].at("counters").size(), 2U);
  const Ran some = run("--device " + file + " --list mis");
  EXPECT_EQ(Json::parse(some.out).at("agents")[0].at("counters")[0].at("name"), "MISS");
}

TEST_F(PlanApp, SaysThatItsOutputCannotBeWritten) {
  const Ran ran = run("--device gfx942 --events SQ_WAVES", "/dev/full");
  EXPECT_EQ(ran.code, 7);
  EXPECT_THAT(ran.err, HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace multipass::apps
