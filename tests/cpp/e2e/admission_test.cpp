// SPDX-License-Identifier: MIT
// A kernel that changes memory in place: the application's result is that of a plain run, and each launch says why it
// was not replayed.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <tuple>

#include "shapes_run.hpp"

namespace multipass::e2e {
namespace {

constexpr const char* kEvents = "SQ_WAVES FETCH_SIZE WRITE_SIZE";  // two passes
using Fates = std::map<std::string, int>;

struct InPlaceRun {
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

InPlaceRun in_place(const std::vector<std::string>& arguments, Environment environment = {}) {
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
  const InPlaceRun ran = in_place({"device", "3"});
  EXPECT_TRUE(ran.same_result);
  EXPECT_EQ(ran.fates(), (Fates{{"replayed", 3}}));
}

// Kind of memory, why it declines, and all that has to be lifted: the memory of a pool is mapped virtual memory too.
using Kind = std::tuple<const char*, const char*, const char*>;
class Unrestored : public ::testing::TestWithParam<Kind> {};

TEST_P(Unrestored, MemoryIsNotReplayedAndTheResultIsThatOfAPlainRun) {
  const auto& [kind, reason, all] = GetParam();
  const InPlaceRun ran = in_place({kind, "3"});
  EXPECT_TRUE(ran.same_result);
  EXPECT_EQ(ran.fates(), (Fates{{std::string("not replayed: ") + reason, 3}}));
  EXPECT_NE(ran.outcome.err.find("launches are not replayed from here on"), std::string::npos) << ran.outcome.err;
}

TEST_P(Unrestored, MemoryIsReplayedWhereThatIsLiftedAndTheReportSaysSo) {
  const auto& [kind, reason, all] = GetParam();
  const InPlaceRun ran = in_place({kind, "3"}, {{"ROCPROFSYS_MULTIPASS_UNSAFE", all}});
  EXPECT_FALSE(ran.same_result) << "each pass went on with what the one before it left";
  EXPECT_EQ(ran.fates(), (Fates{{std::string("replayed: ") + all, 3}}));
  ASSERT_FALSE(ran.capture.warnings.empty());
  EXPECT_TRUE(ran.capture.warnings[0].starts_with("3 launches were replayed although ")) << ran.capture.warnings[0];
}

INSTANTIATE_TEST_SUITE_P(Kinds, Unrestored,
                         ::testing::Values(Kind{"managed", "managed_memory", "managed_memory"},
                                           Kind{"pool", "pool_memory", "virtual_memory, pool_memory"},
                                           Kind{"fine", "fine_grained_memory", "fine_grained_memory"}));

TEST(Admission, CopiesOfAnotherThreadDoNoHarm) {
  const InPlaceRun ran = in_place({"device", "40", "copy"}, {{"ROCPROFSYS_MULTIPASS_REPLAY", "kernel"}});
  EXPECT_TRUE(ran.same_result);
  int met = 0;
  for (const auto& [fate, count] : ran.fates()) {
    if (fate == "replayed") continue;
    EXPECT_TRUE(fate.starts_with("not replayed: copy_in_flight")) << fate;
    met += count;
  }
  EXPECT_GT(met, 0);
}

TEST(Admission, TheHostMustHaveRoomForTheCopy) {
  const InPlaceRun ran = in_place({"device", "2"}, {{"ROCPROFSYS_MULTIPASS_HOST_MEMORY", "1KB"}});
  EXPECT_EQ(ran.fates(), (Fates{{"not replayed: host_memory", 2}}));
  EXPECT_TRUE(ran.same_result);
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
