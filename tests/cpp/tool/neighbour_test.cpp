// SPDX-License-Identifier: MIT
#include "tool/neighbour.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mapped_libraries.hpp"
#include "environment_guard.hpp"

namespace multipass::tool {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string maps_with(const std::string& path) {
  return "55d0-55d1 r--p 00000000 08:01 11      /usr/bin/app\n"
         "7f00-7f01 r-xp 00000000 08:01 12      " +
         path +
         "\n"
         "7fff-8000 rw-p 00000000 00:00 0       [stack]\n";
}

PreparedAgent agent_with(std::size_t passes) {
  PreparedAgent agent;
  agent.plan.passes.resize(passes);
  return agent;
}

class NeighbourTest : public ::testing::Test {
 protected:
  static bool is_there(const std::string& path) { return find_neighbour(maps_with(path)).there; }

  ScopedVariable events_{"ROCPROFSYS_ROCM_EVENTS", "A,B"};
  ScopedVariable streamed_{"ROCPROFSYS_ROCM_SPM_EVENTS", nullptr};
  ScopedVariable tooling_{"ROCPROFSYS_INIT_TOOLING", nullptr};
  ScopedVariable enabled_{"ROCPROFSYS_ENABLED", nullptr};
  ScopedVariable rocm_{"ROCPROFSYS_USE_ROCM", nullptr};
  ScopedVariable library_{"ROCPROFSYS_LIBRARY", nullptr};
  ScopedVariable dl_library_{"ROCPROFSYS_DL_LIBRARY", nullptr};
};

TEST_F(NeighbourTest, IsALibraryOfRocprofSys) {
  for (const char* path : {"/opt/rocm/lib/librocprof-sys.so", "/opt/rocm/lib/librocprof-sys.so.1.6.0",
                           "/opt/rocm/lib/librocprof-sys-dl.so", "/a b/librocprof-sys-dl.so.1 (deleted)"})
    EXPECT_EQ(find_neighbour(maps_with(path)), (Neighbour{true, "A,B"})) << path;
}

TEST_F(NeighbourTest, IsNoOtherLibrary) {
  for (const char* path :
       {"/x/librocprofsys-multipass.so", "/x/librocprof-sys-user.so.1", "/x/librocprof-sys-rt.so.11",
        "/x/librocprof-sys.so/file", "/x/mylibrocprof-sys.so", "/x/librocprof-sys.sock", "/x/librocprof-sys-dl", ""})
    EXPECT_FALSE(is_there(path)) << path;
  EXPECT_FALSE(find_neighbour("").there);
  EXPECT_FALSE(find_neighbour(own_maps()).there) << "this test";
}

TEST_F(NeighbourTest, IsWhatItsVariablesName) {
  EXPECT_FALSE(is_there("/home/me/libprofiler.so"));
  const ScopedVariable library("ROCPROFSYS_LIBRARY", "/home/me/libprofiler.so");
  EXPECT_TRUE(is_there("/home/me/libprofiler.so"));
  EXPECT_TRUE(is_there("/opt/rocm/lib/librocprof-sys-dl.so"));
  const ScopedVariable empty("ROCPROFSYS_DL_LIBRARY", "");
  EXPECT_FALSE(is_there("/home/me/other.so"));
}

TEST_F(NeighbourTest, IsNoneWhereItIsSwitchedOff) {
  for (const char* name : {"ROCPROFSYS_INIT_TOOLING", "ROCPROFSYS_ENABLED", "ROCPROFSYS_USE_ROCM"}) {
    const ScopedVariable off(name, "OFF");
    EXPECT_FALSE(is_there("/opt/rocm/lib/librocprof-sys.so")) << name;
  }
  const ScopedVariable on("ROCPROFSYS_USE_ROCM", "true");
  EXPECT_TRUE(is_there("/opt/rocm/lib/librocprof-sys.so"));
}

TEST_F(NeighbourTest, HasNoListWhereThereIsNoToken) {
  const ScopedVariable events("ROCPROFSYS_ROCM_EVENTS", " ,;\t");
  EXPECT_EQ(find_neighbour(maps_with("/lib/librocprof-sys.so")), (Neighbour{true, ""}));
}

TEST_F(NeighbourTest, StreamsWhereItIsAskedForCounters) {
  const ScopedVariable none("ROCPROFSYS_ROCM_SPM_EVENTS", " ");
  EXPECT_FALSE(find_neighbour(maps_with("/lib/librocprof-sys.so")).streams);
  const ScopedVariable some("ROCPROFSYS_ROCM_SPM_EVENTS", "A");
  EXPECT_TRUE(find_neighbour(maps_with("/lib/librocprof-sys.so")).streams);
  EXPECT_FALSE(find_neighbour(maps_with("/usr/lib/libother.so")).streams) << "nobody there";
}

class SharingTest : public ::testing::Test {
 protected:
  SharingTest() {
    config_.events = "A,B";
    config_.shares_events = true;
  }
  [[nodiscard]] bool leaves() const { return leaves_to(neighbour_, config_, agents_); }

  Neighbour neighbour_{true, "A,B"};
  RunConfig config_;
  std::vector<PreparedAgent> agents_{agent_with(0), agent_with(1), agent_with(1)};
};

TEST_F(SharingTest, OnePassEverywhereIsLeftToRocprofSys) {
  EXPECT_TRUE(leaves());
}

TEST_F(SharingTest, MoreThanOneOnAnyGpuIsOurs) {
  agents_.push_back(agent_with(2));
  EXPECT_FALSE(leaves());
}

TEST_F(SharingTest, ACounterWithoutAPlaceIsOursSinceRocprofSysLosesTheWholeListByIt) {
  agents_.back().plan.unplaceable.push_back({"BIG", "needs 9 registers of 8", "SQ", 9, 8});
  EXPECT_FALSE(leaves());
  EXPECT_THAT(counting_text(neighbour_, config_, agents_), HasSubstr("which does not fit one pass as a whole: "));
}

TEST_F(SharingTest, WhatRocprofSysDoesNotCollectIsOurs) {
  config_.shares_events = false;
  EXPECT_FALSE(leaves()) << "a list of our own";
  config_.shares_events = true;
  config_.sets = {"memory"};
  EXPECT_FALSE(leaves()) << "more than the list";
  config_.sets.clear();
  config_.groups = {{"A", "B"}};
  EXPECT_FALSE(leaves()) << "a wish that rocprof-sys does not know";
  config_.groups.clear();
  config_.compute_panels = {7};
  EXPECT_FALSE(leaves()) << "panels that rocprof-sys does not know";
  config_.compute_panels.clear();
  neighbour_ = {};
  EXPECT_FALSE(leaves()) << "nobody there";
}

TEST_F(SharingTest, ForceMakesItOurs) {
  config_.force = true;
  EXPECT_FALSE(leaves());
}

TEST_F(SharingTest, WhereNothingIsPlannedTheCaptureSaysSo) {
  agents_ = {agent_with(0)};
  EXPECT_FALSE(leaves());
}

TEST_F(SharingTest, ARocprofSysWithoutAListIsNotSpokenOf) {
  neighbour_.events.clear();
  EXPECT_EQ(counting_text(neighbour_, config_, agents_), "");
  EXPECT_EQ(counting_text({}, config_, agents_), "");
}

TEST_F(SharingTest, TheLimitIsForetoldOfAListThatExceedsItOnly) {
  config_.force = true;
  EXPECT_THAT(counting_text(neighbour_, config_, agents_), Not(HasSubstr("38")));
  agents_.push_back(agent_with(5));
  EXPECT_THAT(counting_text(neighbour_, config_, agents_), HasSubstr("which takes up to 5 passes: "));
  EXPECT_THAT(counting_text(neighbour_, config_, agents_),
              HasSubstr(" 38 (EXCEEDS_HW_LIMIT) and 12 (CONTEXT_CONFLICT); "));
}

TEST_F(SharingTest, TheLimitIsNotForetoldWhereMoreIsPlannedThanTheList) {
  agents_.push_back(agent_with(5));
  config_.sets = {"memory"};
  EXPECT_THAT(counting_text(neighbour_, config_, agents_), Not(HasSubstr("38")));
  EXPECT_THAT(refused_text(neighbour_, config_, agents_, ""), Not(HasSubstr("38")));
}

TEST_F(SharingTest, ARefusalNamesTheOtherToolsThatAreLoaded) {
  const std::string text = refused_text({}, config_, agents_, "/a/libone.so:/b/librocprofsys-multipass.so::/c/two.so:");
  EXPECT_THAT(text, HasSubstr("(ROCP_TOOL_LIBRARIES names /a/libone.so, /c/two.so)"));
  EXPECT_THAT(refused_text({}, config_, agents_, "/b/librocprofsys-multipass.so"), Not(HasSubstr("names")));
}

}  // namespace
}  // namespace multipass::tool
