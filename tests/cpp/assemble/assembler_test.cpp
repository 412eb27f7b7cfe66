// SPDX-License-Identifier: MIT
#include "assemble/assembler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

namespace multipass::assemble {
namespace {

DispatchInfo dispatch(std::uint64_t id) {
  DispatchInfo info;
  info.dispatch_id = DispatchId{id};
  info.agent = AgentIndex{1};
  info.kernel = KernelId{3};
  info.queue_id = 77;
  info.thread_id = 5;
  info.correlation_id = 6;
  info.grid = {128, 1, 1};
  info.workgroup = {64, 1, 1};
  return info;
}

Execution pass(std::uint32_t k) {
  return {PassIndex{k}, GroupIndex{k}};
}
Execution alone(std::uint32_t group) {
  return {std::nullopt, GroupIndex{group}};
}
Interval times(std::uint64_t k) {
  return {1000 * (k + 1), 1000 * (k + 1) + 100};
}
Readings reading(std::uint32_t counter, double value) {
  return {{CounterIndex{counter}}, {value}};
}

class AssemblerTest : public ::testing::Test {
 protected:
  AssemblerTest() : assembler_(expectation(), std::nullopt, [this](const DispatchRecord& record) { add(record); }) {}

  // Three passes of one counter each.
  static AgentExpectation expectation() {
    AgentExpectation expected;
    expected.groups = {{CounterIndex{0}}, {CounterIndex{1}}, {CounterIndex{2}}};
    return expected;
  }
  void add(const DispatchRecord& record) {
    const std::lock_guard lock(mutex_);
    emitted_.push_back(record);
  }
  // What the launching thread does of one pass.
  void launch_pass(std::uint64_t id, std::uint32_t k) {
    assembler_.pass_begun(dispatch(id));
    assembler_.enqueued(dispatch(id));
    assembler_.counters_chosen(dispatch(id), pass(k), true);
  }

  std::mutex mutex_;
  std::vector<DispatchRecord> emitted_;
  Assembler assembler_;
};

TEST_F(AssemblerTest, EmitsAReplayedDispatchOnceWithEveryPass) {
  assembler_.offered(dispatch(1));
  for (std::uint32_t k = 0; k < 3; ++k) {
    launch_pass(1, k);
    assembler_.completed(dispatch(1), pass(k), times(k));
    assembler_.recorded(dispatch(1), pass(k), times(k), reading(k, 10.0 * k));
    EXPECT_TRUE(emitted_.empty()) << "the window is still open";
  }
  assembler_.window_closed(dispatch(1));
  ASSERT_EQ(emitted_.size(), 1U);
  const DispatchRecord& record = emitted_[0];
  EXPECT_EQ(record.outcome, Outcome::kReplayed);
  EXPECT_EQ(record.passes_planned, 3U);
  ASSERT_EQ(record.passes.size(), 3U);
  for (std::uint32_t k = 0; k < 3; ++k) {
    EXPECT_EQ(record.passes[k].pass, PassIndex{k});
    EXPECT_EQ(record.passes[k].group, GroupIndex{k});
    EXPECT_EQ(record.passes[k].start_ns, times(k).start_ns);
    EXPECT_EQ(record.passes[k].end_ns, times(k).end_ns);
    EXPECT_EQ(record.passes[k].counters, std::vector<CounterIndex>{CounterIndex{k}});
    EXPECT_EQ(record.passes[k].values, std::vector<double>{10.0 * k});
  }
  EXPECT_EQ(record.queue_id, 77U);
  EXPECT_EQ(record.thread_id, 5U);
  EXPECT_EQ(record.correlation_id, 6U);
  EXPECT_EQ(record.grid, (Dim3{128, 1, 1}));
  EXPECT_EQ(assembler_.strays(), 0U);
}

TEST_F(AssemblerTest, TakesRecordsInAnyOrderAndAfterTheWindow) {
  // All records late and backwards; completions before, between and after them.
  std::mt19937 random(7);
  for (std::uint64_t id = 1; id <= 50; ++id) {
    assembler_.offered(dispatch(id));
    std::vector<std::function<void()>> late;
    for (std::uint32_t k = 0; k < 3; ++k) {
      launch_pass(id, k);
      late.emplace_back([this, id, k] { assembler_.completed(dispatch(id), pass(k), times(k)); });
      late.emplace_back([this, id, k] { assembler_.recorded(dispatch(id), pass(k), times(k), reading(k, k)); });
    }
    late.emplace_back([this, id] { assembler_.window_closed(dispatch(id)); });
    std::shuffle(late.begin(), late.end(), random);
    for (const auto& event : late) event();
    ASSERT_EQ(emitted_.size(), id);
    const DispatchRecord& record = emitted_.back();
    EXPECT_EQ(record.outcome, Outcome::kReplayed);
    for (std::uint32_t k = 0; k < 3; ++k) EXPECT_EQ(record.passes[k].values, std::vector<double>{double(k)});
  }
  EXPECT_EQ(assembler_.strays(), 0U);
}

TEST_F(AssemblerTest, ADeclinedDispatchWaitsForTheRunAfterItsWindow) {
  assembler_.offered(dispatch(1));
  assembler_.window_closed(dispatch(1));  // the SDK closes the window, then submits
  EXPECT_TRUE(emitted_.empty());
  assembler_.enqueued(dispatch(1));
  assembler_.counters_chosen(dispatch(1), alone(1), true);
  assembler_.completed(dispatch(1), alone(0), times(0));
  EXPECT_TRUE(emitted_.empty());
  assembler_.recorded(dispatch(1), alone(1), times(0), reading(1, 4));
  ASSERT_EQ(emitted_.size(), 1U);
  EXPECT_EQ(emitted_[0].outcome, Outcome::kDeclined);
  EXPECT_EQ(emitted_[0].reason, "unknown");
  ASSERT_EQ(emitted_[0].passes.size(), 1U);
  EXPECT_EQ(emitted_[0].passes[0].pass, std::nullopt);
  EXPECT_EQ(emitted_[0].passes[0].group, GroupIndex{1});
}

TEST_F(AssemblerTest, ADispatchWithoutCountersEndsWithItsExecutionAndKeepsItsTimes) {
  assembler_.enqueued(dispatch(1));
  assembler_.counters_chosen(dispatch(1), alone(0), false);
  EXPECT_TRUE(emitted_.empty());
  assembler_.completed(dispatch(1), alone(0), times(0));
  ASSERT_EQ(emitted_.size(), 1U);
  ASSERT_EQ(emitted_[0].passes.size(), 1U);
  EXPECT_EQ(emitted_[0].passes[0].start_ns, 1000U);
  EXPECT_EQ(emitted_[0].passes[0].end_ns, 1100U);
  EXPECT_TRUE(emitted_[0].passes[0].values.empty());
}

TEST_F(AssemblerTest, PassesOfAWindowThatNobodyToldOfAreOneDispatch) {
  for (std::uint32_t k = 0; k < 3; ++k) {
    launch_pass(1, k);
    assembler_.completed(dispatch(1), pass(k), times(k));
    assembler_.recorded(dispatch(1), pass(k), times(k), reading(k, 10.0 * k));
  }
  EXPECT_TRUE(emitted_.empty()) << "another pass may follow";
  assembler_.flush();
  ASSERT_EQ(emitted_.size(), 1U);
  EXPECT_EQ(emitted_[0].outcome, Outcome::kReplayed);
  EXPECT_EQ(emitted_[0].passes.size(), 3U);
}

TEST_F(AssemblerTest, ALoopThatWasAbandonedIsIncompleteAtTheEnd) {
  assembler_.offered(dispatch(1));
  launch_pass(1, 0);
  assembler_.recorded(dispatch(1), pass(0), times(0), reading(0, 1));
  launch_pass(1, 1);                      // pass 1 begins and never ends
  assembler_.window_closed(dispatch(1));  // the SDK gives up
  EXPECT_TRUE(emitted_.empty()) << "its record may still come";
  assembler_.flush();
  ASSERT_EQ(emitted_.size(), 1U);
  EXPECT_EQ(emitted_[0].outcome, Outcome::kIncomplete);
  EXPECT_EQ(emitted_[0].reason, "pass 1 did not run");
  EXPECT_EQ(emitted_[0].passes.size(), 1U);
}

TEST_F(AssemblerTest, InstancesStayWithTheirPassAndTheirCounter) {
  for (std::uint64_t id = 1; id <= 2; ++id) {  // the second one in the place of the first
    assembler_.offered(dispatch(id));
    for (std::uint32_t k = 0; k < 3; ++k) {
      launch_pass(id, k);
      Readings readings = reading(k, 3);
      if (id == 1) readings.instances = {{{0, k + 1}, {1, 2}}};
      assembler_.recorded(dispatch(id), pass(k), times(k), std::move(readings));
    }
    assembler_.window_closed(dispatch(id));
  }
  ASSERT_EQ(emitted_.size(), 2U);
  for (std::uint32_t k = 0; k < 3; ++k) {
    EXPECT_EQ(emitted_[0].passes[k].instances, (std::vector<InstanceValues>{{{0, k + 1}, {1, 2}}}));
    EXPECT_TRUE(emitted_[1].passes[k].instances.empty());
  }
}

TEST_F(AssemblerTest, ASecondDeliveryOfAPassIsLeftOutAndCounted) {
  assembler_.offered(dispatch(1));
  for (std::uint32_t k = 0; k < 3; ++k) launch_pass(1, k);
  for (std::uint32_t k = 0; k < 2; ++k) assembler_.recorded(dispatch(1), pass(k), times(k), reading(k, 1));
  assembler_.recorded(dispatch(1), pass(1), times(1), reading(1, 999));
  assembler_.recorded(dispatch(1), pass(2), times(2), reading(2, 1));
  assembler_.window_closed(dispatch(1));
  ASSERT_EQ(emitted_.size(), 1U);
  EXPECT_EQ(emitted_[0].passes[1].values, std::vector<double>{1});
  EXPECT_EQ(assembler_.strays(), 1U);
}

TEST_F(AssemblerTest, ARunBeforeTheWindowClosesIsTheRunAfterIt) {
  assembler_.offered(dispatch(1));
  assembler_.enqueued(dispatch(1));
  assembler_.counters_chosen(dispatch(1), alone(2), true);
  assembler_.recorded(dispatch(1), alone(2), times(0), reading(2, 4));
  assembler_.window_closed(dispatch(1));
  ASSERT_EQ(emitted_.size(), 1U);
  EXPECT_EQ(emitted_[0].outcome, Outcome::kDeclined);
}

TEST_F(AssemblerTest, ReadingsThatNeverComeAreNotWaitedForForEver) {
  const std::uint64_t launches = Assembler::kMaxOpen + 100;
  for (std::uint64_t id = 1; id <= launches; ++id) {
    assembler_.enqueued(dispatch(id));
    assembler_.counters_chosen(dispatch(id), alone(1), true);
    assembler_.completed(dispatch(id), alone(1), times(0));
  }
  ASSERT_GE(emitted_.size(), 99U);
  EXPECT_EQ(emitted_[0].dispatch_id, DispatchId{1}) << "the oldest goes first";
  EXPECT_EQ(emitted_[0].outcome, Outcome::kIncomplete);
  EXPECT_EQ(emitted_[0].reason, "no counters were delivered");
  ASSERT_EQ(emitted_[0].passes.size(), 1U);
  EXPECT_EQ(emitted_[0].passes[0].group, GroupIndex{1}) << "what it was to read";
  assembler_.flush();
  EXPECT_EQ(emitted_.size(), launches);
}

TEST_F(AssemblerTest, ADispatchThatStillRunsIsKeptHoweverManyWait) {
  assembler_.offered(dispatch(1));
  launch_pass(1, 0);
  for (std::uint64_t id = 2; id <= Assembler::kMaxOpen + 10; ++id) assembler_.enqueued(dispatch(id));
  EXPECT_TRUE(emitted_.empty());
}

TEST_F(AssemblerTest, OneThatNeverEndsDoesNotKeepTheOthersOpen) {
  assembler_.enqueued(dispatch(1));  // of which nothing is heard again
  for (std::uint64_t id = 2; id <= Assembler::kMaxOpen + 51; ++id) {
    assembler_.enqueued(dispatch(id));
    assembler_.counters_chosen(dispatch(id), alone(1), true);
    assembler_.completed(dispatch(id), alone(1), times(0));
  }
  EXPECT_EQ(emitted_.size(), 50U);
  EXPECT_EQ(assembler_.given_up(), 50U);
}

TEST_F(AssemblerTest, ThoseThatRunAreBoundedTooAndTheOldestGoesFirst) {
  assembler_.offered(dispatch(1));
  launch_pass(1, 0);  // its window is open: it stays
  for (std::uint64_t id = 2; id <= Assembler::kMaxRunning + 2; ++id) {
    assembler_.enqueued(dispatch(id));
    assembler_.counters_chosen(dispatch(id), alone(1), true);
  }
  ASSERT_EQ(emitted_.size(), 2U);
  EXPECT_EQ(emitted_[0].dispatch_id, DispatchId{2});
  EXPECT_EQ(emitted_[0].outcome, Outcome::kIncomplete);
  EXPECT_EQ(assembler_.given_up(), 2U);
}

TEST_F(AssemblerTest, WhatWasGivenUpWhileItRanIsInTheCaptureOnce) {
  for (std::uint64_t id = 1; id <= Assembler::kMaxRunning + 1; ++id) assembler_.enqueued(dispatch(id));
  ASSERT_EQ(emitted_.size(), 1U);
  assembler_.counters_chosen(dispatch(1), alone(1), true);
  assembler_.completed(dispatch(1), alone(1), times(0));
  assembler_.recorded(dispatch(1), alone(1), times(0), reading(1, 4));
  assembler_.flush();
  EXPECT_EQ(emitted_.size(), Assembler::kMaxRunning + 1);
  EXPECT_EQ(assembler_.strays(), 2U) << "the choice and the record are counted";
}

TEST_F(AssemblerTest, AReadingThatComesAfterItsDispatchWasGivenUpIsCounted) {
  for (std::uint64_t id = 1; id <= Assembler::kMaxOpen + 1; ++id) {
    assembler_.enqueued(dispatch(id));
    assembler_.counters_chosen(dispatch(id), alone(1), true);
    assembler_.completed(dispatch(id), alone(1), times(0));
  }
  ASSERT_EQ(emitted_.size(), 1U);
  assembler_.recorded(dispatch(1), alone(1), times(0), reading(1, 4));
  EXPECT_EQ(emitted_.size(), 1U);
  EXPECT_EQ(assembler_.given_up(), 1U);
  EXPECT_EQ(assembler_.strays(), 1U);
}

TEST_F(AssemblerTest, TheBufferOfReadingsComesBackEmpty) {
  Readings readings = reading(1, 4);
  assembler_.recorded(dispatch(9), alone(0), times(0), std::move(readings));  // of no dispatch
  EXPECT_TRUE(readings.counters.empty() && readings.values.empty());
}

TEST_F(AssemblerTest, ARecordOfADispatchThatIsGoneIsCountedAndOpensNothing) {
  assembler_.recorded(dispatch(9), alone(0), times(0), reading(0, 1));
  assembler_.flush();
  EXPECT_TRUE(emitted_.empty());
  EXPECT_EQ(assembler_.strays(), 1U);
}

TEST_F(AssemblerTest, HoldsUnderManyLaunchAndRecordThreads) {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kEach = 200;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([this, t] {
      for (std::uint64_t i = 0; i < kEach; ++i) {
        const std::uint64_t id = t * kEach + i + 1;
        assembler_.offered(dispatch(id));
        std::vector<std::thread> consumers;
        for (std::uint32_t k = 0; k < 3; ++k) {
          launch_pass(id, k);
          consumers.emplace_back(
              [this, id, k] { assembler_.recorded(dispatch(id), pass(k), times(k), reading(k, k)); });
        }
        assembler_.window_closed(dispatch(id));
        for (std::thread& consumer : consumers) consumer.join();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(emitted_.size(), kThreads * kEach);
  EXPECT_TRUE(std::all_of(emitted_.begin(), emitted_.end(),
                          [](const DispatchRecord& record) { return record.outcome == Outcome::kReplayed; }));
  EXPECT_EQ(assembler_.strays(), 0U);
}

TEST_F(AssemblerTest, ReadingsOfSeveralExecutionsWithoutAPassBelongToNoneAndAreLeftOut) {
  assembler_.offered(dispatch(1));
  for (std::uint32_t k = 0; k < 3; ++k) {
    assembler_.enqueued(dispatch(1));
    assembler_.counters_chosen(dispatch(1), alone(k), true);
  }
  assembler_.window_closed(dispatch(1));
  for (std::uint32_t k = 0; k < 3; ++k) {
    EXPECT_TRUE(emitted_.empty());
    assembler_.completed(dispatch(1), alone(k), times(k));
    assembler_.recorded(dispatch(1), alone(k), times(k), reading(k, 10.0 * k));
  }
  ASSERT_EQ(emitted_.size(), 1U);
  EXPECT_EQ(emitted_[0].outcome, Outcome::kIncomplete);
  EXPECT_EQ(emitted_[0].reason, "it ran several times, and the SDK did not say in which pass");
  for (const PassRecord& record : emitted_[0].passes) EXPECT_TRUE(record.counters.empty());
  EXPECT_EQ(assembler_.untold(), 1U);
  EXPECT_EQ(assembler_.strays(), 0U);
}

TEST_F(AssemblerTest, APassThatIsNotToldIsLeftOutAndTheOthersStay) {
  assembler_.offered(dispatch(1));
  launch_pass(1, 0);
  assembler_.enqueued(dispatch(1));
  assembler_.counters_chosen(dispatch(1), alone(2), true);
  launch_pass(1, 2);
  assembler_.window_closed(dispatch(1));
  assembler_.recorded(dispatch(1), alone(2), times(1), reading(2, 77));
  assembler_.recorded(dispatch(1), pass(2), times(2), reading(2, 20));
  assembler_.recorded(dispatch(1), pass(0), times(0), reading(0, 0));
  ASSERT_EQ(emitted_.size(), 1U);
  EXPECT_EQ(emitted_[0].reason, "pass 1 did not run, or the SDK did not say so");
  ASSERT_EQ(emitted_[0].passes.size(), 2U);
  EXPECT_EQ(emitted_[0].passes[0].pass, PassIndex{0});
  EXPECT_EQ(emitted_[0].passes[1].values, std::vector<double>{20});
  EXPECT_EQ(assembler_.untold(), 1U);
}

TEST_F(AssemblerTest, AWindowThatIsOpenAtTheEndIsIncompleteAndKeepsWhatCame) {
  assembler_.offered(dispatch(1));
  launch_pass(1, 0);
  assembler_.completed(dispatch(1), pass(0), times(0));
  assembler_.recorded(dispatch(1), pass(0), times(0), reading(0, 5));
  assembler_.flush();
  ASSERT_EQ(emitted_.size(), 1U);
  EXPECT_EQ(emitted_[0].reason, "pass 1 had not begun when the program ended");
  ASSERT_EQ(emitted_[0].passes.size(), 1U);
  EXPECT_EQ(emitted_[0].passes[0].values, std::vector<double>{5});
}

}  // namespace
}  // namespace multipass::assemble
