// SPDX-License-Identifier: MIT
//
// What is said of the passes of a kernel: from which counters, with what memory. That readers say the same of any run
// is tested in tests/e2e/test_verdicts.py.
#include "apps/export/kernel_agreement.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace multipass::apps {
namespace {

using nlohmann::ordered_json;

const std::vector<std::string>& names() {
  static const std::vector<std::string> all{"SQ_INSTS_VALU", "SQ_WAVES", "GRBM_GUI_ACTIVE", "TCC_MISS"};
  return all;
}

// A launch of two passes of 100 ns, which both read one counter.
DispatchRecord launch(std::uint32_t counter, double first, double second, std::uint64_t kernel = 1) {
  DispatchRecord record;
  record.agent = AgentIndex{1};
  record.kernel = KernelId{kernel};
  record.passes = {{PassIndex{0}, GroupIndex{0}, 100, 200, {CounterIndex{counter}}, {first}},
                   {PassIndex{1}, GroupIndex{0}, 300, 400, {CounterIndex{counter}}, {second}}};
  return record;
}

class OfKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    AgentInfo agent;
    agent.index = AgentIndex{1};
    std::vector<CounterInfo> counters;
    for (const std::string& name : names()) counters.emplace_back().name = name;
    agreement_.agent(agent, counters);
  }
  [[nodiscard]] ordered_json only(bool simulated = false) const {
    const ordered_json list = agreement_.kernels(simulated);
    EXPECT_EQ(list.size(), 1U);
    return list.at(0);
  }
  KernelAgreement agreement_;
};

TEST_F(OfKernels, WorkIsOfInstructionsAndWavesAloneProveNothing) {
  agreement_.dispatch(launch(1, 64, 64));
  EXPECT_EQ(only().at("work").at("reason"), "waves_only");
  agreement_.dispatch(launch(0, 10'000, 10'006));
  EXPECT_EQ(only().at("work").at("verdict"), "within");
  EXPECT_EQ(only().at("inputs_restored"), "unknown");
  agreement_.dispatch(launch(1, 64, 32));
  EXPECT_EQ(only().at("work"),
            ordered_json({{"verdict", "not"}, {"reason", ""}, {"spread", 0.5}, {"compared", 1}, {"in_all_passes", 1}}));
  EXPECT_EQ(only().at("inputs_restored"), "no");
}

TEST_F(OfKernels, WorkAfterAnExecutionThatReadNothingIsNeverCalledTheSame) {
  agreement_.dispatch(launch(0, 8, 8));
  EXPECT_EQ(only().at("work").at("verdict"), "exact");
  DispatchRecord unread = launch(0, 10'000, 10'005);
  unread.timing = Interval{};  // submitted, of no known time
  agreement_.dispatch(unread);
  EXPECT_EQ(only().at("work"), ordered_json({{"verdict", "unknown"},
                                             {"reason", "first_unread"},
                                             {"spread", nullptr},
                                             {"compared", 2},
                                             {"in_all_passes", 2}}));
  EXPECT_EQ(only().at("inputs_restored"), "unknown");
  unread = launch(0, 8, 6);
  unread.warm_up = Interval{10, 20};
  agreement_.dispatch(unread);
  EXPECT_EQ(only().at("work").at("verdict"), "not");
  EXPECT_EQ(only().at("inputs_restored"), "no");
}

TEST_F(OfKernels, AnUnreadFirstExecutionSaysNothingOfClockAndCaches) {
  for (const std::uint32_t counter : {2U, 3U}) {
    DispatchRecord unread = launch(counter, 8, 8);
    unread.warm_up = unread.timing = Interval{10, 20};
    agreement_.dispatch(unread);
  }
  EXPECT_EQ(only().at("clock").at("verdict"), "exact");
  EXPECT_EQ(only().at("cache").at("verdict"), "exact");
  EXPECT_EQ(only().at("work").at("reason"), "not_read");
}

TEST_F(OfKernels, ZeroAndWhatIsNoNumberAreNoAgreement) {
  agreement_.dispatch(launch(3, 0, 0));
  EXPECT_EQ(only().at("cache").at("reason"), "zero");
  agreement_.dispatch(launch(3, std::numeric_limits<double>::quiet_NaN(), 7));
  EXPECT_EQ(only().at("cache").at("compared"), 0);
  agreement_.dispatch(launch(3, std::numeric_limits<double>::infinity(), 7));
  EXPECT_EQ(only().at("cache").at("compared"), 0);
}

TEST_F(OfKernels, TheClockIsUnknownInASimulationAndWithoutTimes) {
  DispatchRecord untimed = launch(2, 5, 5);
  untimed.passes[1].start_ns = untimed.passes[1].end_ns = 0;
  agreement_.dispatch(untimed);
  EXPECT_EQ(only().at("clock").at("reason"), "no_times");
  agreement_.dispatch(launch(2, 100, 96));
  EXPECT_EQ(only().at("clock").at("verdict"), "within");
  EXPECT_EQ(only(true).at("clock").at("reason"), "simulated");
  EXPECT_EQ(only(true).at("clock").at("spread"), nullptr);
}

DispatchRecord ended(Outcome outcome, const char* reason) {
  DispatchRecord record = launch(0, 8, 8);
  record.outcome = outcome;
  record.reason = reason;
  return record;
}

TEST_F(OfKernels, HaveTheirOutcomesCountedByReason) {
  agreement_.dispatch(ended(Outcome::kReplayed, ""));
  agreement_.dispatch(ended(Outcome::kReplayed, "managed_memory"));
  for (const char* reason : {"budget", "max_replays", "budget"}) agreement_.dispatch(ended(Outcome::kDeclined, reason));
  agreement_.dispatch(ended(Outcome::kIncomplete, "copy_in_flight: ended after 2 of 6 passes"));
  agreement_.dispatch(ended(Outcome::kIncomplete, "pass 1: 2 of 3 counters were not delivered"));
  EXPECT_EQ(only().at("outcomes"), ordered_json({{"replayed", 2},
                                                 {"single_pass", 0},
                                                 {"declined", 3},
                                                 {"filtered", 0},
                                                 {"incomplete", 2},
                                                 {"declined_reasons", {{"budget", 2}, {"max_replays", 1}}},
                                                 {"filtered_reasons", ordered_json::object()},
                                                 {"replayed_reasons", {{"managed_memory", 1}}},
                                                 {"incomplete_reasons", {{"copy_in_flight", 1}}}}));
}

TEST_F(OfKernels, AreCountedTogetherBeyondTheLimit) {
  for (std::uint64_t kernel = 1; kernel <= KernelAgreement::kKernels; ++kernel)
    agreement_.dispatch(launch(0, 8, 8, kernel));
  EXPECT_EQ(agreement_.rest(false), nullptr);
  for (std::uint64_t kernel = 1; kernel <= 3; ++kernel)
    agreement_.dispatch(launch(0, 8, 6, KernelAgreement::kKernels + kernel));
  agreement_.dispatch(launch(0, 8, 8, 1));
  const ordered_json list = agreement_.kernels(false);
  EXPECT_EQ(list.size(), KernelAgreement::kKernels);
  EXPECT_EQ(list.at(0).at("replayed"), 2);
  EXPECT_EQ(agreement_.rest(false).at("replayed"), 3);
  EXPECT_EQ(agreement_.rest(false).at("work").at("spread"), 0.25);
}

TEST_F(OfKernels, AreNamedAsOnAnotherAgentOrByTheirNumber) {
  KernelSymbol symbol;
  symbol.id = KernelId{1};
  symbol.agent = AgentIndex{2};
  symbol.name = "_Z1k";
  agreement_.dispatch(launch(0, 8, 8));
  EXPECT_EQ(only().at("kernel"), "kernel 1");
  agreement_.kernel(symbol);
  EXPECT_EQ(only().at("kernel"), "_Z1k");
  symbol.agent = AgentIndex{1};
  symbol.demangled = "k()";
  agreement_.kernel(symbol);
  EXPECT_EQ(only().at("kernel"), "k()");
}

}  // namespace
}  // namespace multipass::apps
