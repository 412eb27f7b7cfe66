// SPDX-License-Identifier: MIT
#include "assemble/outcome.hpp"

#include <gtest/gtest.h>

namespace multipass::assemble {
namespace {

AgentExpectation two_groups() {
  AgentExpectation expected;
  expected.groups = {{CounterIndex{0}, CounterIndex{1}}, {CounterIndex{2}}};
  return expected;
}

PassRecord read(std::optional<PassIndex> pass, std::uint32_t group, std::vector<std::uint32_t> counters) {
  PassRecord record;
  record.pass = pass;
  record.group = GroupIndex{group};
  for (const std::uint32_t counter : counters) {
    record.counters.emplace_back(counter);
    record.values.push_back(1);
  }
  return record;
}

std::string text(const Judgement& judgement) {
  constexpr const char* kNames[] = {"replayed", "single_pass", "declined", "filtered", "incomplete"};
  const std::string name = kNames[static_cast<int>(judgement.outcome)];
  return judgement.reason.empty() ? name : name + ": " + std::string(judgement.reason.text());
}

TEST(Outcome, EveryPlannedPassDeliveredIsReplayed) {
  EXPECT_EQ(text(judge(two_groups(), std::nullopt, {true, 2, true},
                       {read(PassIndex{0}, 0, {0, 1}), read(PassIndex{1}, 1, {2})})),
            "replayed");
}

TEST(Outcome, AMissingPassIsNamed) {
  EXPECT_EQ(text(judge(two_groups(), std::nullopt, {true, 1, true}, {read(PassIndex{0}, 0, {0, 1})})),
            "incomplete: pass 1 did not run");
}

TEST(Outcome, APassWithoutReadingsIsNamed) {
  EXPECT_EQ(text(judge(two_groups(), std::nullopt, {true, 2, true},
                       {read(PassIndex{0}, 0, {0, 1}), read(PassIndex{1}, 1, {})})),
            "incomplete: pass 1 delivered no counters");
}

TEST(Outcome, AMissingCounterIsCounted) {
  EXPECT_EQ(text(judge(two_groups(), std::nullopt, {true, 2, true},
                       {read(PassIndex{0}, 0, {1}), read(PassIndex{1}, 1, {2})})),
            "incomplete: pass 0: 1 of 2 counters were not delivered");
}

TEST(Outcome, AWindowThatWasNeverClosedSaysSo) {
  RunFacts facts{true, 2, true};
  facts.window_open = true;
  EXPECT_EQ(text(judge(two_groups(), std::nullopt, facts, {read(PassIndex{0}, 0, {0, 1}), read(PassIndex{1}, 1, {})})),
            "incomplete: pass 1 had not ended when the program ended");
  EXPECT_EQ(text(judge(two_groups(), std::nullopt, facts, {read(PassIndex{0}, 0, {0, 1}), read(PassIndex{1}, 1, {2})})),
            "replayed")
      << "nothing is missing";
  facts.passes_begun = 0;
  EXPECT_EQ(text(judge(two_groups(), std::nullopt, facts, {})),
            "incomplete: its launch had not ended when the program ended");
}

TEST(Outcome, ADispatchThatTheUserDoesNotWantIsFilteredAndSaysByWhichOption) {
  EXPECT_EQ(text(judge(two_groups(), std::nullopt, {true, 0, false, FilterReason::kNotIncluded}, {})),
            "filtered: kernel_include");
  EXPECT_EQ(text(judge(two_groups(), std::nullopt, {false, 0, false, FilterReason::kExcluded}, {})),
            "filtered: kernel_exclude");
  EXPECT_EQ(text(judge(two_groups(), DeclineReason::kNoKernelReplay, {true, 0, false, FilterReason::kOutOfRange}, {})),
            "filtered: range");
}

// docs/life-of-a-dispatch.md, row by row. `facts`: offered, passes begun, counters chosen, filtered, declined.
TEST(Outcome, TheReasonOfADeclinedDispatchIsWhatAClientCanKnow) {
  struct Row {
    const char* what;
    std::optional<DeclineReason> no_replay;
    RunFacts facts;
    const char* verdict;
  };
  const Row rows[] = {
      {"it asked, was told two, and made no pass", {}, {true, 0, true}, "declined: unknown"},
      {"it did not ask", {}, {false, 0, true}, "declined: not_offered"},
      {"--replay rotate", DeclineReason::kRotateMode, {false, 0, true}, "declined: rotate_mode"},
      {"an SDK without it", DeclineReason::kNoKernelReplay, {false, 0, true}, "declined: no_kernel_replay"},
      {"another tool owns it", DeclineReason::kReplayRefused, {false, 0, true}, "declined: replay_refused"},
      {"a kernel of the no-replay list",
       {},
       {true, 0, true, {}, DeclineReason::kNoReplayList},
       "declined: no_replay_list"},
      {"a graph of such a kernel", {}, {false, 0, true, {}, DeclineReason::kNoReplayList}, "declined: no_replay_list"},
      {"as many as wanted were replayed", {}, {true, 0, true, {}, DeclineReason::kMaxReplays}, "declined: max_replays"},
      {"records that are not understood", DeclineReason::kReplayUnusable, {true, 0, true}, "declined: replay_unusable"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(text(judge(two_groups(), row.no_replay, row.facts, {read(std::nullopt, 1, {2})})), row.verdict)
        << row.what;
}

TEST(Outcome, AReplayInSpiteOfReasonsNamesThem) {
  RunFacts facts{true, 2, true};
  facts.despite.add(DeclineReason::kCopyInFlight);
  facts.despite.add(DeclineReason::kManagedMemory);
  const std::vector<PassRecord> passes{read(PassIndex{0}, 0, {0, 1}), read(PassIndex{1}, 1, {2})};
  EXPECT_EQ(text(judge(two_groups(), std::nullopt, facts, passes)), "replayed: managed_memory, copy_in_flight");
  facts.despite.add_all();
  EXPECT_TRUE(text(judge(two_groups(), std::nullopt, facts, passes)).ends_with(", window_time, budget")) << "not cut";
}

TEST(Outcome, AReplayThatWasEndedEarlySaysWhyAndHowFarItCame) {
  RunFacts facts{true, 1, true};
  facts.ended = DeclineReason::kCopyInFlight;
  EXPECT_EQ(text(judge(two_groups(), std::nullopt, facts, {read(PassIndex{0}, 0, {0, 1})})),
            "incomplete: copy_in_flight: ended after 1 of 2 passes");
  AgentExpectation with_extras = two_groups();
  with_extras.warm_up = with_extras.timing = true;
  EXPECT_EQ(text(judge(with_extras, std::nullopt, facts, {})), "incomplete: copy_in_flight: ended after 0 of 2 passes");
  facts.passes_begun = 2;
  EXPECT_EQ(text(judge(two_groups(), std::nullopt, facts, {read(PassIndex{0}, 0, {0, 1}), read(PassIndex{1}, 1, {2})})),
            "replayed")
      << "the SDK went on all the same";
}

// An SDK that tells of no pass asks whether to go on all the same: it ran once, in no pass that is known.
TEST(Outcome, AReplayThatWasEndedBeforeAPassWasToldOfSaysWhy) {
  RunFacts facts{true, 0, true};
  facts.ended = DeclineReason::kBudget;
  EXPECT_EQ(text(judge(two_groups(), std::nullopt, facts, {read(std::nullopt, 1, {2})})), "declined: budget");
}

TEST(Outcome, WhatHoldsForEveryDispatchGoesBeforeWhatWasDecidedOfOne) {
  const RunFacts decided{false, 0, true, std::nullopt, DeclineReason::kUnknown};
  EXPECT_EQ(text(judge(two_groups(), DeclineReason::kNoKernelReplay, decided, {read(std::nullopt, 0, {0, 1})})),
            "declined: no_kernel_replay");
}

TEST(Outcome, ADeclinedDispatchOfAListThatFitsIsASinglePass) {
  AgentExpectation expected;
  expected.groups = {{CounterIndex{0}}};
  EXPECT_EQ(text(judge(expected, DeclineReason::kRotateMode, {false, 0, true}, {read(std::nullopt, 0, {0})})),
            "single_pass");
}

TEST(Outcome, ADeclinedDispatchThatLacksReadingsIsIncomplete) {
  EXPECT_EQ(text(judge(two_groups(), DeclineReason::kRotateMode, {false, 0, true}, {read(std::nullopt, 0, {1})})),
            "incomplete: 1 of 2 counters were not delivered");
}

TEST(Outcome, OneGroupByChoiceIsASinglePass) {
  AgentExpectation expected = two_groups();
  expected.single_pass = true;
  EXPECT_EQ(text(judge(expected, std::nullopt, {false, 0, true}, {read(std::nullopt, 0, {0, 1})})), "single_pass");
}

TEST(Outcome, AListThatFitsIsASinglePass) {
  AgentExpectation expected;
  expected.groups = {{CounterIndex{0}}};
  EXPECT_EQ(text(judge(expected, std::nullopt, {false, 0, true}, {read(std::nullopt, 0, {0})})), "single_pass");
}

TEST(Outcome, AnAgentThatTheUserLeftOutIsFilteredByThatOption) {
  AgentExpectation expected;
  expected.left_out = true;
  EXPECT_EQ(text(judge(expected, std::nullopt, {true, 0, false}, {read(std::nullopt, 0, {})})), "filtered: gpus");
}

TEST(Outcome, AnAgentWithoutPlannedCountersIsFiltered) {
  EXPECT_EQ(text(judge({}, std::nullopt, {false, 0, false}, {read(std::nullopt, 0, {})})), "filtered: no_counters");
}

TEST(Outcome, ChosenCountersThatNeverCameAreIncomplete) {
  EXPECT_EQ(text(judge(two_groups(), std::nullopt, {true, 0, true}, {})), "incomplete: no counters were delivered");
  EXPECT_EQ(text(judge(two_groups(), std::nullopt, {false, 0, false}, {read(std::nullopt, 0, {})})),
            "incomplete: no counters were collected");
}

}  // namespace
}  // namespace multipass::assemble
