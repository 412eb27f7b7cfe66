// SPDX-License-Identifier: MIT
//
// Executions without counters: awaited, recorded apart from the passes, and part of the verdict.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "assemble/assembler.hpp"

namespace multipass::assemble {
namespace {

constexpr Execution kWarmUp{std::nullopt, GroupIndex{0}, ExecutionKind::kWarmUp};
constexpr Execution kTiming{std::nullopt, GroupIndex{0}, ExecutionKind::kTiming};
constexpr Interval kWarmUpTimes{100, 150};
constexpr Interval kTimingTimes{200, 240};

DispatchInfo dispatch(std::uint64_t id) {
  DispatchInfo info;
  info.dispatch_id = DispatchId{id};
  info.kernel = KernelId{3};
  return info;
}

Interval times(std::uint64_t k) {
  return {1000 * (k + 1), 1000 * (k + 1) + 100};
}

// Pass k of a launch whose groups are shifted by one.
Execution pass(std::uint32_t k) {
  return {PassIndex{k}, GroupIndex{(k + 1) % 2}};
}

class ExtrasTest : public ::testing::Test {
 protected:
  ExtrasTest()
      : assembler_(expectation(), std::nullopt, [this](const DispatchRecord& record) { emitted_.push_back(record); }) {}

  // Two passes of one counter each.
  static AgentExpectation expectation() {
    AgentExpectation expected;
    expected.groups = {{CounterIndex{0}}, {CounterIndex{1}}};
    expected.warm_up = true;
    expected.timing = true;
    return expected;
  }
  void launch(std::uint64_t id, const Execution& execution) {
    assembler_.pass_begun(dispatch(id));
    assembler_.enqueued(dispatch(id), execution);
    assembler_.counters_chosen(dispatch(id), execution, execution.kind == ExecutionKind::kCounters);
  }
  void launch_all(std::uint64_t id) {
    assembler_.offered(dispatch(id));
    for (const Execution& execution : {kWarmUp, kTiming, pass(0), pass(1)}) launch(id, execution);
  }
  void record(std::uint64_t id, std::uint32_t k) {
    assembler_.recorded(dispatch(id), pass(k), times(k), {{CounterIndex{(k + 1) % 2}}, {10.0 + k}});
  }
  [[nodiscard]] std::string verdict() const {
    return emitted_.size() != 1 ? std::to_string(emitted_.size()) + " dispatches" : emitted_[0].reason;
  }

  std::vector<DispatchRecord> emitted_;
  Assembler assembler_;
};

TEST_F(ExtrasTest, AreRecordedApartFromThePasses) {
  launch_all(1);
  assembler_.completed(dispatch(1), kWarmUp, kWarmUpTimes);
  assembler_.completed(dispatch(1), kTiming, kTimingTimes);
  for (std::uint32_t k = 0; k < 2; ++k) record(1, k);
  assembler_.window_closed(dispatch(1));
  ASSERT_EQ(emitted_.size(), 1U);
  const DispatchRecord& record = emitted_[0];
  EXPECT_EQ(record.outcome, Outcome::kReplayed) << record.reason;
  EXPECT_EQ(record.warm_up, kWarmUpTimes);
  EXPECT_EQ(record.timing, kTimingTimes);
  EXPECT_EQ(record.passes_planned, 2U);
  ASSERT_EQ(record.passes.size(), 2U);
  EXPECT_EQ(record.passes[0].pass, PassIndex{0});
  EXPECT_EQ(record.passes[0].group, GroupIndex{1});
  EXPECT_EQ(record.passes[0].values, std::vector<double>{10});
  EXPECT_EQ(record.passes[1].group, GroupIndex{0});
}

TEST_F(ExtrasTest, EventsMayComeInAnyOrder) {
  std::mt19937 random(5);
  for (std::uint64_t id = 1; id <= 200; ++id) {
    launch_all(id);
    std::vector<std::function<void()>> late;
    late.emplace_back([this, id] { assembler_.completed(dispatch(id), kWarmUp, kWarmUpTimes); });
    late.emplace_back([this, id] { assembler_.completed(dispatch(id), kTiming, kTimingTimes); });
    for (std::uint32_t k = 0; k < 2; ++k) {
      late.emplace_back([this, id, k] { assembler_.completed(dispatch(id), pass(k), times(k)); });
      late.emplace_back([this, id, k] { record(id, k); });
    }
    late.emplace_back([this, id] { assembler_.window_closed(dispatch(id)); });
    std::shuffle(late.begin(), late.end(), random);
    for (const auto& event : late) event();
    ASSERT_EQ(emitted_.size(), id);
    EXPECT_EQ(emitted_.back().outcome, Outcome::kReplayed) << emitted_.back().reason;
    EXPECT_EQ(emitted_.back().warm_up, kWarmUpTimes);
    EXPECT_EQ(emitted_.back().timing, kTimingTimes);
    EXPECT_EQ(emitted_.back().passes[1].values, std::vector<double>{11});
  }
  EXPECT_EQ(assembler_.strays(), 0U);
}

TEST_F(ExtrasTest, ATimingPassThatDeliversNothingIsWaitedForAndThenNamed) {
  launch_all(1);
  assembler_.completed(dispatch(1), kWarmUp, kWarmUpTimes);
  for (std::uint32_t k = 0; k < 2; ++k) record(1, k);
  assembler_.window_closed(dispatch(1));
  EXPECT_TRUE(emitted_.empty());
  assembler_.flush();
  EXPECT_EQ(verdict(), "the timing pass delivered no times");
  EXPECT_EQ(emitted_.at(0).passes.size(), 2U) << "what came is there";
}

TEST_F(ExtrasTest, ThoseThatNeverEndAreNotKeptForEver) {
  constexpr std::uint64_t kMore = 5;
  for (std::uint64_t id = 1; id <= Assembler::kMaxOpen + kMore; ++id) {
    launch_all(id);
    for (std::uint32_t k = 0; k < 2; ++k) record(id, k);
    assembler_.window_closed(dispatch(id));
  }
  ASSERT_EQ(emitted_.size(), kMore);
  EXPECT_EQ(emitted_[0].dispatch_id, DispatchId{1});
  EXPECT_EQ(emitted_[0].reason, "the timing pass delivered no times");
  EXPECT_EQ(emitted_[0].passes.size(), 2U);
}

TEST_F(ExtrasTest, ALoopThatWasAbandonedInTheWarmUpNamesWhatIsMissingFirst) {
  assembler_.offered(dispatch(1));
  launch(1, kWarmUp);
  assembler_.window_closed(dispatch(1));
  EXPECT_TRUE(emitted_.empty()) << "it runs still";
  assembler_.completed(dispatch(1), kWarmUp, kWarmUpTimes);
  EXPECT_EQ(verdict(), "the timing pass delivered no times");
  EXPECT_EQ(emitted_.at(0).warm_up, kWarmUpTimes);
  EXPECT_EQ(emitted_.at(0).timing, std::nullopt);
}

TEST_F(ExtrasTest, AMissingWarmUpIsNamed) {
  assembler_.offered(dispatch(1));
  for (const Execution& execution : {kTiming, pass(0), pass(1)}) launch(1, execution);
  assembler_.completed(dispatch(1), kTiming, kTimingTimes);
  for (std::uint32_t k = 0; k < 2; ++k) record(1, k);
  assembler_.window_closed(dispatch(1));
  EXPECT_EQ(verdict(), "the warm-up pass did not run");
}

TEST_F(ExtrasTest, CountersOfAnExecutionThatReadsNoneAreStray) {
  launch_all(1);
  assembler_.recorded(dispatch(1), kTiming, kTimingTimes, {{CounterIndex{0}}, {3}});
  EXPECT_EQ(assembler_.strays(), 1U);
  assembler_.completed(dispatch(1), kWarmUp, kWarmUpTimes);
  assembler_.completed(dispatch(1), kTiming, kTimingTimes);
  for (std::uint32_t k = 0; k < 2; ++k) record(1, k);
  assembler_.window_closed(dispatch(1));
  EXPECT_EQ(emitted_.at(0).outcome, Outcome::kReplayed);
}

TEST_F(ExtrasTest, ADispatchThatIsNotReplayedHasNone) {
  assembler_.offered(dispatch(1));
  assembler_.window_closed(dispatch(1));
  const Execution alone{std::nullopt, GroupIndex{1}};
  assembler_.enqueued(dispatch(1), alone);
  assembler_.counters_chosen(dispatch(1), alone, true);
  assembler_.recorded(dispatch(1), alone, times(0), {{CounterIndex{1}}, {3}});
  EXPECT_EQ(verdict(), "unknown");
  EXPECT_EQ(emitted_.at(0).outcome, Outcome::kDeclined);
  EXPECT_EQ(emitted_.at(0).warm_up, std::nullopt);
  EXPECT_EQ(emitted_.at(0).timing, std::nullopt);
}

TEST_F(ExtrasTest, TwoPassesOfOneGroupAreNoReplay) {
  const Execution again{PassIndex{1}, GroupIndex{1}};
  assembler_.offered(dispatch(1));
  for (const Execution& execution : {kWarmUp, kTiming, pass(0), again}) launch(1, execution);
  assembler_.completed(dispatch(1), kWarmUp, kWarmUpTimes);
  assembler_.completed(dispatch(1), kTiming, kTimingTimes);
  record(1, 0);
  assembler_.recorded(dispatch(1), again, times(1), {{CounterIndex{1}}, {3}});
  assembler_.window_closed(dispatch(1));
  EXPECT_EQ(verdict(), "pass 1 read group 1 once more");
}

}  // namespace
}  // namespace multipass::assemble
