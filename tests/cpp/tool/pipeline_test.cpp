// SPDX-License-Identifier: MIT
#include "tool/pipeline.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <thread>

#include "journal/decode.hpp"
#include "journal/reader.hpp"
#include "model/names.hpp"

namespace multipass::tool {
namespace {

constexpr std::uint32_t kGroups = 3;

// A GPU with three passes of one counter each. The handle of the configuration of group g is g + 1.
PreparedAgent gpu(std::uint32_t index) {
  PreparedAgent agent;
  agent.agent.info.index = AgentIndex{index};
  for (std::uint32_t group = 0; group < kGroups; ++group) {
    agent.configs.push_back(group + 1);
    agent.groups.push_back({CounterIndex{group}});
  }
  return agent;
}

DispatchInfo dispatch(std::uint64_t id, std::uint32_t agent, std::uint64_t kernel = 1) {
  DispatchInfo info;
  info.dispatch_id = DispatchId{id};
  info.agent = AgentIndex{agent};
  info.kernel = KernelId{kernel};
  info.grid = {64, 1, 1};
  info.workgroup = {64, 1, 1};
  return info;
}

// What an execution reads tells which one it was.
double value_of(const DispatchInfo& of, std::uint32_t group) {
  return static_cast<double>(of.dispatch_id.value * 10 + group);
}

// How the SDK treats a launch.
enum class Way : std::uint8_t { kReplay, kDecline, kGraph };

class PipelineTest : public ::testing::Test {
 protected:
  PipelineTest()
      : path_(std::filesystem::temp_directory_path() / ("pipeline-" + std::to_string(::getpid()) + ".journal")) {
    std::filesystem::remove(path_);
    bool exists = false;
    auto writer = journal::JournalWriter::create(path_.string(), exists);
    EXPECT_TRUE(writer) << writer.message();
    journal_ = *std::move(writer);
  }
  ~PipelineTest() override { std::filesystem::remove(path_); }

  void make(Pipeline::Wishes wishes, std::uint32_t agents = 1) {
    std::vector<PreparedAgent> prepared;
    for (std::uint32_t index = 0; index < agents; ++index) prepared.push_back(gpu(index));
    pipeline_ = std::make_unique<Pipeline>(prepared, std::move(wishes), *journal_);
  }

  // One execution, as the SDK runs it: what it was given is read, on another thread.
  void execute(const DispatchInfo& of) {
    const Execution enqueued = pipeline_->enqueue(of);
    const sdk::Choice choice = pipeline_->choose(of);
    std::thread([&] {
      pipeline_->complete(of, enqueued, {100, 200});
      if (choice.config == 0) return;
      const auto group = static_cast<std::uint32_t>(choice.config - 1);
      pipeline_->record(of, choice.execution, {100, 200}, {{CounterIndex{group}}, {value_of(of, group)}});
    }).join();
  }

  void launch(const DispatchInfo& of, Way way) {
    if (way == Way::kGraph) return execute(of);
    const std::uint64_t passes = pipeline_->config_enter(of);
    if (way == Way::kDecline || passes < 2) {
      pipeline_->config_exit(of);
      return execute(of);
    }
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
      pipeline_->pass_enter(of, PassIndex{pass});
      execute(of);
      pipeline_->pass_exit(of, PassIndex{pass});
    }
    pipeline_->config_exit(of);
  }

  // Closes the capture and reads it, by dispatch id.
  std::map<std::uint64_t, DispatchRecord> captured() {
    pipeline_->seal();
    EXPECT_TRUE(journal_->close(std::chrono::seconds(10)));
    std::map<std::uint64_t, DispatchRecord> all;
    auto reader = journal::JournalReader::open(path_.string());
    EXPECT_TRUE(reader) << reader.message();
    while (auto frame = reader->next()) {
      const auto* record = std::get_if<DispatchRecord>(&*frame);
      if (record == nullptr) continue;
      EXPECT_TRUE(all.emplace(record->dispatch_id.value, *record).second) << "recorded twice";
    }
    return all;
  }

  std::filesystem::path path_;
  std::unique_ptr<journal::JournalWriter> journal_;
  std::unique_ptr<Pipeline> pipeline_;
};

std::string text(const DispatchRecord& record) {
  return std::string(name_of(record.outcome)) + (record.reason.empty() ? "" : " " + record.reason);
}

// Each reading is that of its execution, and of nothing else.
void expect_attributed(const DispatchRecord& record) {
  for (const PassRecord& pass : record.passes) {
    if (pass.counters.empty()) continue;
    ASSERT_EQ(pass.counters, std::vector<CounterIndex>{CounterIndex{pass.group.value}});
    EXPECT_EQ(pass.pass.value_or(PassIndex{pass.group.value}).value, pass.group.value);
    EXPECT_EQ(pass.values[0], static_cast<double>(record.dispatch_id.value * 10 + pass.group.value));
  }
}

TEST_F(PipelineTest, EveryWayALaunchCanGoHasItsOutcome) {
  make({ReplayMode::kAuto, std::nullopt, {}, {{}, 2}});
  launch(dispatch(101, 0), Way::kReplay);
  launch(dispatch(102, 0), Way::kDecline);
  launch(dispatch(103, 0), Way::kGraph);
  launch(dispatch(104, 0), Way::kReplay);
  launch(dispatch(105, 0), Way::kReplay);
  const auto all = captured();
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(text(all.at(101)), "replayed");
  EXPECT_EQ(text(all.at(102)), "declined unknown");
  EXPECT_EQ(text(all.at(103)), "declined not_offered");
  EXPECT_EQ(text(all.at(104)), "replayed");
  EXPECT_EQ(text(all.at(105)), "declined max_replays");
  for (const auto& [id, record] : all) expect_attributed(record);
  EXPECT_EQ(all.at(102).passes.at(0).group, GroupIndex{0});
  EXPECT_EQ(all.at(103).passes.at(0).group, GroupIndex{1});
  EXPECT_EQ(all.at(105).passes.at(0).group, GroupIndex{2});
}

// A callback of another tool launches a kernel between the question and the execution, and inside a pass.
TEST_F(PipelineTest, LaunchesFromInsideAnotherLaunchAreDispatchesOfTheirOwn) {
  make({ReplayMode::kAuto, std::nullopt, *replay::KernelFilter::create({.range = "1,3-9"}, 2), {}}, 2);
  EXPECT_EQ(pipeline_->config_enter(dispatch(201, 0)), kGroups);
  launch(dispatch(202, 0), Way::kGraph);  // the second launch of the kernel there
  for (std::uint32_t pass = 0; pass < kGroups; ++pass) {
    pipeline_->pass_enter(dispatch(201, 0), PassIndex{pass});
    if (pass == 1) launch(dispatch(203, 1), Way::kReplay);  // the first on another GPU
    execute(dispatch(201, 0));
    pipeline_->pass_exit(dispatch(201, 0), PassIndex{pass});
  }
  pipeline_->config_exit(dispatch(201, 0));
  launch(dispatch(204, 0), Way::kReplay);
  const auto all = captured();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(text(all.at(201)), "replayed");
  EXPECT_EQ(text(all.at(202)), "filtered range");
  EXPECT_EQ(text(all.at(203)), "replayed");
  EXPECT_EQ(text(all.at(204)), "replayed");
  for (const auto& [id, record] : all) expect_attributed(record);
}

TEST_F(PipelineTest, InRotationNothingIsReplayedAndTheGroupsTakeTurns) {
  make({ReplayMode::kRotate, DeclineReason::kRotateMode, {}, {}});
  for (std::uint64_t id = 301; id <= 304; ++id) launch(dispatch(id, 0), Way::kGraph);
  EXPECT_TRUE(pipeline_->gaps(AgentIndex{0}).kernels.empty());
  const auto all = captured();
  std::vector<std::uint32_t> groups;
  for (const auto& [id, record] : all) {
    EXPECT_EQ(text(record), "declined rotate_mode");
    expect_attributed(record);
    groups.push_back(record.passes.at(0).group.value);
  }
  EXPECT_EQ(groups, (std::vector<std::uint32_t>{0, 1, 2, 0}));
}

TEST_F(PipelineTest, AKernelWithTooFewLaunchesIsAGapWithItsName) {
  make({ReplayMode::kRotate, DeclineReason::kRotateMode, {}, {}});
  KernelSymbol symbol;
  symbol.id = KernelId{1};
  symbol.name = "_Z4axpyPf.kd";
  pipeline_->kernel(std::move(symbol));
  launch(dispatch(401, 0), Way::kGraph);
  EXPECT_EQ(pipeline_->gaps(AgentIndex{0}).kernels,
            std::vector<std::string>{"axpy(float*): groups 1, 2 of 3 were never read (1 launch)"});
  EXPECT_TRUE(pipeline_->gaps(AgentIndex{7}).kernels.empty());
}

TEST_F(PipelineTest, LaunchesThatAreNotFollowedAreNoKernel) {
  make({ReplayMode::kRotate, DeclineReason::kRotateMode, {}, {}});
  for (std::uint64_t shape = 1; shape <= assemble::Coverage::kMaxShapes + 2; ++shape)
    launch(dispatch(1000 + shape, 0, shape), Way::kGraph);
  const Pipeline::Gaps gaps = pipeline_->gaps(AgentIndex{0});
  EXPECT_EQ(gaps.kernels.size(), assemble::Coverage::kMaxShapes);
  EXPECT_EQ(gaps.unfollowed, 2U);
}

// Several launching threads on each of two GPUs, all ways at once.
TEST_F(PipelineTest, OfManyThreadsEachDispatchHasOneOutcomeAndItsOwnReadings) {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kLaunches = 60;
  make({ReplayMode::kAuto, std::nullopt, *replay::KernelFilter::create({.range = "11-100000"}, 2), {{}, 25}}, 2);
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([this, thread] {
      for (std::uint64_t i = 0; i < kLaunches; ++i)
        launch(dispatch(1000 + i * kThreads + thread, static_cast<std::uint32_t>(thread % 2)), static_cast<Way>(i % 3));
    });
  for (std::thread& thread : threads) thread.join();
  const auto all = captured();
  ASSERT_EQ(all.size(), kThreads * kLaunches);
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [id, record] : all) {
    ++counts[text(record)];
    expect_attributed(record);
  }
  EXPECT_EQ(counts["filtered range"], 20U) << "ten on each GPU";
  EXPECT_LE(counts["replayed"], 50U) << "25 on each GPU, and never one more";
  EXPECT_GE(counts["replayed"], 40U) << "of 60 to 80 that could be";
  std::uint64_t sum = 0;
  for (const auto& [what, count] : counts) sum += count;
  EXPECT_EQ(sum, kThreads * kLaunches);
  EXPECT_EQ(counts.size(), 5U) << "filtered, replayed, and declined for three reasons";
  EXPECT_EQ(pipeline_->seen(), kThreads * kLaunches) << "so that nothing is in flight at the end";
  EXPECT_EQ(pipeline_->strays(), 0U);
}

TEST_F(PipelineTest, WhatIsKeptForAKernelGoesWithIt) {
  auto list = replay::NoReplayList::create("", true);
  ASSERT_TRUE(list);
  Pipeline::Wishes wishes;
  wishes.limits.no_replay = *std::move(list);
  make(std::move(wishes));
  KernelSymbol symbol;
  symbol.id = KernelId{1};
  symbol.name = "ncclDevKernel_AllReduce.kd";
  pipeline_->kernel(std::move(symbol));
  launch(dispatch(1, 0), Way::kReplay);
  pipeline_->kernel_unloaded(KernelId{1});
  launch(dispatch(2, 0), Way::kReplay);  // as if another kernel had its number
  const auto all = captured();
  EXPECT_EQ(text(all.at(1)), "declined no_replay_list");
  EXPECT_EQ(text(all.at(2)), "replayed");
}

// As in a forked child: nothing is answered and nothing recorded; what was open before stays as it was.
TEST_F(PipelineTest, DetachedItRecordsNothingAndSaysSoOnce) {
  make({});
  launch(dispatch(1, 0), Way::kReplay);
  const DispatchInfo open = dispatch(2, 0);
  EXPECT_EQ(pipeline_->config_enter(open), kGroups);
  pipeline_->detach();
  ::testing::internal::CaptureStderr();
  pipeline_->config_exit(open);
  EXPECT_EQ(pipeline_->config_enter(dispatch(3, 0)), 1U);
  for (std::uint64_t id = 4; id < 7; ++id) {
    const Execution execution = pipeline_->enqueue(dispatch(id, 0));
    EXPECT_EQ(pipeline_->choose(dispatch(id, 0)).config, 0U);
    pipeline_->complete(dispatch(id, 0), execution, {100, 200});
    pipeline_->record(dispatch(id, 0), execution, {100, 200}, {{CounterIndex{0}}, {1}});
  }
  pipeline_->kernel({});
  EXPECT_EQ(
      ::testing::internal::GetCapturedStderr(),
      "rocprof-sys-multipass: warning: this process was forked from one that is profiled, after the profiling had "
      "begun: its kernels are not recorded; a program that is started anew (exec, spawn) is profiled\n");
  const auto all = captured();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(text(all.at(1)), "replayed");
  EXPECT_EQ(text(all.at(2)), "incomplete its launch had not ended when the program ended");
}

TEST_F(PipelineTest, ALaunchForWhichNoCountersWereAskedIsCounted) {
  make({});
  launch(dispatch(1, 0), Way::kGraph);
  pipeline_->complete(dispatch(2, 0), pipeline_->enqueue(dispatch(2, 0)), {100, 200});
  EXPECT_EQ(pipeline_->uncounted(), 1U);
  EXPECT_EQ(captured().size(), 2U);
}

// Of a dispatch that no queue holds with the values of its single instances.
TEST_F(PipelineTest, ADispatchThatIsTooLargeWithItsInstancesIsRecordedWithoutThem) {
  make({.mode = ReplayMode::kOff});
  const auto large = static_cast<std::uint32_t>(Pipeline::kMostFrame / 12);
  for (const std::uint32_t instances : {8U, large}) {
    const DispatchInfo of = dispatch(instances, 0);
    const Execution enqueued = pipeline_->enqueue(of);
    const sdk::Choice choice = pipeline_->choose(of);
    InstanceValues kept;
    for (std::uint32_t i = 0; i < instances; ++i) {
      kept.positions.push_back(i);
      kept.values.push_back(2);
    }
    pipeline_->complete(of, enqueued, {100, 200});
    pipeline_->record(of, choice.execution, {100, 200}, {{CounterIndex{0}}, {2.0 * instances}, {kept}});
  }
  EXPECT_EQ(pipeline_->without_instances(), 1U);
  EXPECT_EQ(journal_->dropped(), 0U);
  const auto all = captured();
  EXPECT_EQ(all.at(8).passes.at(0).instances.at(0).values, std::vector<double>(8, 2));
  EXPECT_EQ(all.at(large).passes.at(0).values, std::vector<double>{2.0 * large});
  EXPECT_TRUE(all.at(large).passes.at(0).instances.empty());
}

// A launching thread that copies in its own window is the SDK, which saves and restores memory.
TEST_F(PipelineTest, OnlyACopyOfAnotherThreadEndsAReplay) {
  make({.mode = ReplayMode::kKernel});
  const DispatchInfo of = dispatch(1, 0);
  ASSERT_EQ(pipeline_->config_enter(of), kGroups);
  pipeline_->copy_ends(pipeline_->copy_begins(std::nullopt, AgentIndex{0}));
  pipeline_->pass_enter(of, PassIndex{0});
  execute(of);
  pipeline_->pass_exit(of, PassIndex{0});
  EXPECT_TRUE(pipeline_->goes_on(of, PassIndex{0}));
  std::thread([&] { pipeline_->copy_ends(pipeline_->copy_begins(AgentIndex{0}, std::nullopt)); }).join();
  EXPECT_FALSE(pipeline_->goes_on(of, PassIndex{0}));
  pipeline_->config_exit(of);
  EXPECT_EQ(captured().at(1).reason, "copy_in_flight: ended after 1 of 3 passes");
}

}  // namespace
}  // namespace multipass::tool
