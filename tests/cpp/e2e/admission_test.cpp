// SPDX-License-Identifier: MIT
// A kernel that changes memory in place: the application's result is that of a plain run, and each launch says why it
// was not replayed.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "shapes_run.hpp"

namespace multipass::e2e {
namespace {

constexpr const char* kEvents = "SQ_WAVES FETCH_SIZE WRITE_SIZE";  // two passes
using Fates = std::map<std::string, int>;

struct Run {
  Outcome outcome;
  Capture capture;
  bool same_result = false;
  [[nodiscard]] Fates fates() const {
    Fates all;
    for (const DispatchRecord& dispatch : capture.dispatches) {
      std::string text(dispatch.outcome == multipass::Outcome::kReplayed ? "replayed" : "not replayed");
      if (!dispatch.reason.empty()) text += ": " + dispatch.reason;
      ++all[text];
    }
    return all;
  }
};

Run in_place(const std::vector<std::string>& arguments, Environment environment = {}) {
  const Folder folder;
  environment.emplace("ROCPROFSYS_MULTIPASS_FORMAT", "rocpd");
  const Outcome plain = run(MULTIPASS_IN_PLACE, {}, arguments);
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  Outcome outcome = run_profiled(MULTIPASS_IN_PLACE, kEvents, folder, environment, arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const bool same = outcome.out == plain.out;
  return {std::move(outcome), read_capture(folder), same};
}

TEST(Admission, MemoryThatIsRestoredIsReplayed) {
  const Run run = in_place({"device", "3"});
  EXPECT_TRUE(run.same_result);
  EXPECT_EQ(run.fates(), (Fates{{"replayed", 3}}));
}

class Unrestored : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Unrestored, MemoryIsNotReplayedAndTheResultIsThatOfAPlainRun) {
  const auto& [kind, reason] = GetParam();
  const Run run = in_place({kind, "3"});
  EXPECT_TRUE(run.same_result);
  EXPECT_EQ(run.fates(), (Fates{{std::string("not replayed: ") + reason, 3}}));
  EXPECT_NE(run.outcome.err.find("launches are not replayed from here on"), std::string::npos) << run.outcome.err;
}

TEST_P(Unrestored, MemoryIsReplayedWhereThatIsLiftedAndTheReportSaysSo) {
  const auto& [kind, reason] = GetParam();
  const Run run = in_place({kind, "3"}, {{"ROCPROFSYS_MULTIPASS_UNSAFE", reason}});
  EXPECT_FALSE(run.same_result) << "each pass went on with what the one before it left";
  EXPECT_EQ(run.fates(), (Fates{{std::string("replayed: ") + reason, 3}}));
  ASSERT_EQ(run.capture.warnings.size(), 1U);
  EXPECT_TRUE(run.capture.warnings[0].starts_with("3 launches were replayed although ")) << run.capture.warnings[0];
}

INSTANTIATE_TEST_SUITE_P(Kinds, Unrestored,
                         ::testing::Values(std::pair{"managed", "managed_memory"}, std::pair{"pool", "pool_memory"},
                                           std::pair{"fine", "fine_grained_memory"}));

TEST(Admission, CopiesOfAnotherThreadDoNoHarm) {
  const Run run = in_place({"device", "40", "copy"}, {{"ROCPROFSYS_MULTIPASS_REPLAY", "kernel"}});
  EXPECT_TRUE(run.same_result);
  int met = 0;
  for (const auto& [fate, count] : run.fates()) {
    if (fate == "replayed") continue;
    EXPECT_TRUE(fate.starts_with("not replayed: copy_in_flight")) << fate;
    met += count;
  }
  EXPECT_GT(met, 0);
}

TEST(Admission, TheHostMustHaveRoomForTheCopy) {
  const Run run = in_place({"device", "2"}, {{"ROCPROFSYS_MULTIPASS_HOST_MEMORY", "1KB"}});
  EXPECT_EQ(run.fates(), (Fates{{"not replayed: host_memory", 2}}));
  EXPECT_TRUE(run.same_result);
}

TEST(Admission, TheControlGroupOfTheProcessMustHaveRoomForTheCopy) {
  const Folder root;
  const auto write = [&root](const std::string& name, const std::string& text) {
    const std::filesystem::path path = root.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  };
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/memory.max", "100000\n");
  write("sys/fs/cgroup/job/memory.current", "98000\n");
  const Environment there{{"IN_PLACE_ROOT", root.path().string()}};
  EXPECT_EQ(in_place({"device", "2"}, there).fates(), (Fates{{"not replayed: host_memory", 2}}));
  write("sys/fs/cgroup/job/memory.stat", "inactive_file 50000\n");
  EXPECT_EQ(in_place({"device", "2"}, there).fates(), (Fates{{"replayed", 2}}));
}

}  // namespace
}  // namespace multipass::e2e
