// SPDX-License-Identifier: MIT
// What a whole run captures, value by value. The expected numbers come from the examples' sources, computed here.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "application.hpp"

namespace multipass::e2e {
namespace {

// Does not fit one pass of gfx942: FETCH_SIZE and WRITE_SIZE alone need 5 of 4 TCC registers.
constexpr const char* kEvents =
    "SQ_WAVES SQ_INSTS_VALU SQ_INSTS_BRANCH SQ_INSTS_VMEM_RD GRBM_GUI_ACTIVE FETCH_SIZE WRITE_SIZE TCC_HIT TCC_MISS";

// Each launch, however many there are of a shape.
const Environment kEachReplayed{{"ROCPROFSYS_MULTIPASS_REPLAY", "kernel"}};

constexpr std::size_t kSize = 100'000;
constexpr std::size_t kBlock = 256;
constexpr std::size_t kWave = 64;
constexpr std::size_t kItems = (kSize + kBlock - 1) / kBlock * kBlock;

// Branches of each launch of axpy.cpp, wave by wave: one for the bounds, and one where any lane exceeds the limit.
std::vector<double> axpy_branches(int launches) {
  std::vector<float> y(kSize);
  for (std::size_t i = 0; i < kSize; ++i) y[i] = static_cast<float>(i % 11);
  std::vector<double> branches;
  for (int launch = 0; launch < launches; ++launch) {
    std::set<std::size_t> clamped;
    for (std::size_t i = 0; i < kSize; ++i) {
      y[i] += 2.0F * static_cast<float>(i % 7);
      if (y[i] > 40.0F) {
        y[i] = 40.0F;
        clamped.insert(i / kWave);
      }
    }
    branches.push_back(static_cast<double>(kItems / kWave + clamped.size()));
  }
  return branches;
}

TEST(Capture, ReplaysAnInPlaceKernelWithoutChangingItsResult) {
  const Outcome plain = run(example("axpy"));
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  const Folder folder;
  const Outcome profiled = run_profiled(example("axpy"), kEvents, folder);
  EXPECT_EQ(profiled.exit_code, 0);
  EXPECT_EQ(profiled.out, plain.out);
  EXPECT_EQ(plain.out, "axpy c7dd443c6490ff50\n");
}

TEST(Capture, ReadsTheSameWorkInEveryPassOfEveryLaunch) {
  const Folder folder;
  ASSERT_EQ(run_profiled(example("axpy"), kEvents, folder, kEachReplayed).exit_code, 0);
  const Capture capture = read_capture(folder);
  EXPECT_TRUE(capture.ended);
  EXPECT_TRUE(capture.warnings.empty());
  EXPECT_GE(capture.gpu().plan.passes.size(), 2U);
  const std::vector<double> branches = axpy_branches(5);
  EXPECT_NE(branches.front(), branches.back()) << "the kernel depends on what is in memory";
  ASSERT_EQ(capture.dispatches.size(), branches.size());
  for (std::size_t launch = 0; launch < branches.size(); ++launch) {
    const DispatchRecord& dispatch = capture.dispatches[launch];
    EXPECT_EQ(dispatch.dispatch_id.value, launch + 1);
    EXPECT_EQ(dispatch.outcome, multipass::Outcome::kReplayed) << dispatch.reason;
    EXPECT_EQ(dispatch.grid, (Dim3{kItems, 1, 1}));
    EXPECT_EQ(dispatch.workgroup, (Dim3{kBlock, 1, 1}));
    EXPECT_EQ(capture.value(dispatch, "SQ_WAVES"), kItems / kWave);
    EXPECT_EQ(capture.value(dispatch, "SQ_INSTS_VALU"), 4.0 * ((kSize + kWave - 1) / kWave) + 2.0) << "2 + 2 a wave";
    EXPECT_EQ(capture.value(dispatch, "SQ_INSTS_BRANCH"), branches[launch]);
    EXPECT_EQ(capture.value(dispatch, "SQ_INSTS_VMEM_RD"), 2.0 * ((kSize + kWave - 1) / kWave));
    EXPECT_EQ(capture.kernels.at(dispatch.kernel.value).demangled,
              "axpy(float*, float const*, float, float, unsigned long)");
  }
}

// Five launches of one shape, two passes.
TEST(Capture, ByDefaultThreeLaunchesOfAShapeAreReplayedAndTheRestTakeTurns) {
  const Folder folder;
  ASSERT_EQ(run_profiled(example("axpy"), kEvents, folder).exit_code, 0);
  std::vector<std::string> fates;
  for (const DispatchRecord& dispatch : read_capture(folder).dispatches)
    fates.push_back(dispatch.outcome == multipass::Outcome::kReplayed
                        ? "replayed"
                        : dispatch.reason + " " + std::to_string(dispatch.passes.at(0).group.value));
  EXPECT_EQ(fates, (std::vector<std::string>{"replayed", "replayed", "replayed", "max_replays 0", "max_replays 1"}));
}

// The simulator spreads a total over the instances in their order, so that what is left goes to the first of them.
std::vector<double> spread(double total, std::size_t instances) {
  const auto whole = static_cast<std::size_t>(total);
  std::vector<double> values;
  for (std::size_t i = 0; i < instances; ++i)
    values.push_back(static_cast<double>(whole / instances + (i < whole % instances ? 1 : 0)));
  return values;
}

TEST(Capture, KeepsTheValueOfEachInstanceWhereItIsWanted) {
  const Folder folder;
  ASSERT_EQ(run_profiled(example("axpy"), "TCC_HIT SQ_WAVES GRBM_GUI_ACTIVE", folder,
                         {{"ROCPROFSYS_MULTIPASS_INSTANCES", "keep"}})
                .exit_code,
            0);
  const Capture capture = read_capture(folder);
  EXPECT_TRUE(capture.run.keeps_instances);
  EXPECT_TRUE(capture.warnings.empty());
  const std::vector<CounterInfo>& counters = capture.gpu().counters;
  ASSERT_EQ(counters.at(2).name, "TCC_HIT");
  EXPECT_EQ(counters[2].dimensions, (std::vector<CounterDimension>{{"DIMENSION_INSTANCE", 16}, {"DIMENSION_XCC", 8}}));
  ASSERT_EQ(capture.dispatches.size(), 5U);
  for (const DispatchRecord& dispatch : capture.dispatches) {
    for (const PassRecord& pass : dispatch.passes) {
      ASSERT_EQ(pass.instances.size(), pass.counters.size());
      for (std::size_t i = 0; i < pass.counters.size(); ++i) {
        const CounterInfo& counter = counters[pass.counters[i].value];
        ASSERT_EQ(pass.instances[i].positions.size(), counter.instances);
        EXPECT_EQ(pass.instances[i].positions.back(), counter.instances - 1);
        EXPECT_EQ(pass.instances[i].values, spread(pass.values[i], counter.instances)) << counter.name;
      }
    }
    const double hits = capture.value(dispatch, "TCC_HIT");
    EXPECT_NE(static_cast<int>(hits) % 128 % 16, 0) << "else the order of the dimensions does not show";
  }
}

TEST(Capture, EveryPassHasItsOwnTimesInOrder) {
  const Folder folder;
  ASSERT_EQ(run_profiled(example("axpy"), kEvents, folder, kEachReplayed).exit_code, 0);
  std::uint64_t last_end = 0;
  const Capture capture = read_capture(folder);
  ASSERT_FALSE(capture.dispatches.empty());
  for (const DispatchRecord& dispatch : capture.dispatches) {
    ASSERT_EQ(dispatch.passes.size(), capture.gpu().plan.passes.size());
    for (std::uint32_t k = 0; k < dispatch.passes.size(); ++k) {
      const PassRecord& pass = dispatch.passes[k];
      EXPECT_EQ(pass.pass, PassIndex{k});
      EXPECT_EQ(pass.group, GroupIndex{k});
      EXPECT_LT(pass.start_ns, pass.end_ns);
      EXPECT_GE(pass.start_ns, last_end);
      last_end = pass.end_ns;
    }
  }
}

TEST(Capture, AListThatFitsOnePassIsNotReplayed) {
  const Folder folder;
  ASSERT_EQ(run_profiled(example("axpy"), "SQ_WAVES GRBM_GUI_ACTIVE", folder).exit_code, 0);
  const Capture capture = read_capture(folder);
  ASSERT_EQ(capture.dispatches.size(), 5U);
  for (const DispatchRecord& dispatch : capture.dispatches) {
    EXPECT_EQ(dispatch.outcome, multipass::Outcome::kSinglePass);
    ASSERT_EQ(dispatch.passes.size(), 1U);
    EXPECT_EQ(dispatch.passes[0].pass, std::nullopt);
    EXPECT_EQ(capture.value(dispatch, "SQ_WAVES"), kItems / kWave);
  }
}

TEST(Capture, WithReplayOffOnlyTheFirstPassIsRead) {
  const Folder folder;
  ASSERT_EQ(run_profiled(example("axpy"), kEvents, folder, {{"ROCPROFSYS_MULTIPASS_REPLAY", "off"}}).exit_code, 0);
  const Capture capture = read_capture(folder);
  ASSERT_EQ(capture.dispatches.size(), 5U);
  ASSERT_EQ(capture.warnings.size(), 1U) << "what is not read is said";
  EXPECT_EQ(capture.warnings[0],
            "GPU 0 (gfx942): with replay off only the first of 2 passes is read; not collected: TCC_HIT, TCC_MISS, "
            "WRITE_SIZE");
  for (const DispatchRecord& dispatch : capture.dispatches) {
    EXPECT_EQ(dispatch.outcome, multipass::Outcome::kSinglePass);
    ASSERT_EQ(dispatch.passes.size(), 1U);
    EXPECT_EQ(dispatch.passes[0].group, GroupIndex{0});
    EXPECT_EQ(dispatch.passes[0].counters.size(), capture.gpu().plan.passes[0].counters.size());
  }
}

TEST(Capture, AKernelWithBarriersIsReplayedOnBothDevices) {
  const Outcome plain = run(example("transpose"));
  for (const auto& [device, events] : std::map<std::string, std::string>{
           {"gfx942", kEvents}, {"tiny", "SQ_WAVES SQ_INSTS_VALU SQ_INSTS_LDS SQ_INSTS_SALU"}}) {
    const Folder folder;
    const Outcome profiled =
        run_profiled(example("transpose"), events, folder, {{"ROCPROFSYS_MULTIPASS_SIMULATE", device}});
    EXPECT_EQ(profiled.exit_code, 0) << profiled.err;
    EXPECT_EQ(profiled.out, plain.out);
    const Capture capture = read_capture(folder);
    EXPECT_EQ(capture.gpu().agent.name, device);
    EXPECT_GE(capture.gpu().plan.passes.size(), 2U);
    ASSERT_FALSE(capture.dispatches.empty());
    for (const DispatchRecord& dispatch : capture.dispatches)
      EXPECT_EQ(dispatch.outcome, multipass::Outcome::kReplayed) << dispatch.reason;
  }
}

TEST(Capture, ADeviceQualifierLeavesTheOtherDeviceWithoutCounters) {
  const Folder folder;
  ASSERT_EQ(
      run_profiled(example("axpy"), "SQ_WAVES:device=1", folder, {{"ROCPROFSYS_MULTIPASS_SIMULATE", "gfx942,tiny"}})
          .exit_code,
      0);
  const Capture capture = read_capture(folder);
  EXPECT_TRUE(capture.gpu(0).plan.passes.empty());
  ASSERT_EQ(capture.gpu(1).plan.passes.size(), 1U);
  ASSERT_EQ(capture.dispatches.size(), 5U);  // on device 0: seen, timed, without counters
  for (const DispatchRecord& dispatch : capture.dispatches) {
    EXPECT_EQ(dispatch.outcome, multipass::Outcome::kFiltered);
    ASSERT_EQ(dispatch.passes.size(), 1U);
    EXPECT_LT(dispatch.passes[0].start_ns, dispatch.passes[0].end_ns);
    EXPECT_TRUE(dispatch.passes[0].values.empty());
  }
}

TEST(Capture, ThePluginAloneLeavesAllFourFiles) {
  const Folder folder;
  const Outcome profiled = run_profiled(example("demo"), kEvents, folder, kEachReplayed);
  EXPECT_EQ(profiled.exit_code, 0) << profiled.err;
  EXPECT_EQ(profiled.out, run(example("demo")).out);
  for (const char* extension : {".journal", ".pftrace", ".db", ".json"}) {
    const std::filesystem::path file = folder.only(extension);
    ASSERT_FALSE(file.empty()) << extension;
    EXPECT_TRUE(file.filename().string().starts_with("multipass-"));
    EXPECT_GT(std::filesystem::file_size(file), 0U);
  }
  std::ifstream file(folder.only(".json"));
  const nlohmann::json summary = nlohmann::json::parse(file);
  const auto& dispatches = summary.at("dispatches");
  EXPECT_EQ(dispatches.at("seen"), 12);
  EXPECT_EQ(dispatches.at("replayed"), 12);
  // SQ_INSTS_VALU, GRBM_GUI_ACTIVE and TCC_MISS are read in the other pass as well, to compare the two.
  EXPECT_EQ(summary.at("readings"), 12 * (9 + 3));
  EXPECT_EQ(summary.at("kernels"), 3);
  EXPECT_TRUE(summary.at("sdk").at("simulated").get<bool>());
  EXPECT_TRUE(summary.at("sdk").at("kernel_replay").get<bool>());
  EXPECT_TRUE(summary.at("warnings").empty()) << summary.at("warnings");
  EXPECT_EQ(summary.at("agents").size(), 1U);
  EXPECT_EQ(summary.at("agents")[0].at("pass_count"), read_capture(folder).gpu().plan.passes.size());
}

}  // namespace
}  // namespace multipass::e2e
