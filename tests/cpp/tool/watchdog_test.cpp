// SPDX-License-Identifier: MIT
#include "tool/watchdog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "environment_guard.hpp"

namespace multipass::tool {
namespace {

using replay::OpenWindows;
using std::chrono::seconds;

constexpr const char* kAdvice =
    ". A kernel that waits for the host, another kernel or another GPU cannot be replayed: run it once with "
    "--no-replay 'ns::spin', or without counters with --kernel-exclude 'ns::spin'. Releases of the SDK with kernel "
    "replay end the process after about 60 s";

DispatchInfo dispatch(std::uint64_t id, std::uint64_t kernel = 4, std::uint32_t agent = 1) {
  DispatchInfo info;
  info.dispatch_id = DispatchId{id};
  info.kernel = KernelId{kernel};
  info.agent = AgentIndex{agent};
  return info;
}

class WatchdogTest : public ::testing::Test {
 protected:
  // Called every second up to this one, as the journal's thread does.
  std::vector<std::string> until(seconds time) {
    std::vector<std::string> all;
    for (; now_ <= time; now_ += seconds(1))
      for (std::string& text : watchdog_.due(Watchdog::Clock::time_point(now_))) all.push_back(std::move(text));
    return all;
  }

  OpenWindows windows_;
  seconds now_{0};
  Watchdog watchdog_{windows_,
                     [](KernelId kernel) {
                       return kernel == KernelId{4} ? std::string("void ns::spin<int>(int*)")
                                                    : "kernel " + std::to_string(kernel.value);
                     },
                     {"CPU", "GPU 0 (gfx942)"}};
};

TEST_F(WatchdogTest, IsQuietWhileAWindowGoesOnHoweverLongItTakes) {
  windows_.open(dispatch(17));
  for (std::uint32_t pass = 0; pass < 10; ++pass) {
    EXPECT_EQ(until(seconds(9 * (pass + 1))), std::vector<std::string>{});
    windows_.reached(DispatchId{17}, replay::in_pass(PassIndex{pass}));
  }
  windows_.close(DispatchId{17});
  EXPECT_EQ(until(seconds(500)), std::vector<std::string>{});
}

TEST_F(WatchdogTest, NamesKernelGpuPassTimeAndTheOptionsThatHelp) {
  windows_.open(dispatch(17));
  windows_.reached(DispatchId{17}, replay::in_pass(PassIndex{2}));
  EXPECT_EQ(until(seconds(9)), std::vector<std::string>{});
  EXPECT_EQ(until(seconds(10)),
            std::vector<std::string>{"replay of void ns::spin<int>(int*) on GPU 0 (gfx942), dispatch 17: pass 2 has "
                                     "not ended for 10 s" +
                                     std::string(kAdvice)});
}

TEST_F(WatchdogTest, TellsWhereBetweenThePassesItStandsStill) {
  windows_.open(dispatch(17));
  const std::vector<std::string> before = until(seconds(10));
  ASSERT_EQ(before.size(), 1U);
  EXPECT_NE(before[0].find("dispatch 17: pass 0 has not begun for 10 s (the SDK waits until the GPU is idle, then"),
            std::string::npos)
      << before[0];
  windows_.reached(DispatchId{17}, replay::behind_pass(PassIndex{1}));
  const std::vector<std::string> behind = until(seconds(41));
  ASSERT_EQ(behind.size(), 1U) << "10 s have been told of this kernel";
  EXPECT_NE(behind[0].find("dispatch 17: nothing has followed pass 1 for 30 s"), std::string::npos) << behind[0];
}

// The SDK counts the warm-up and the timing pass too.
TEST_F(WatchdogTest, CallsThePassesBeforeTheCountedOnesByTheirNames) {
  ReplayExtras extras;
  extras.warm_up = true;
  extras.timing = true;
  Watchdog watchdog(windows_, [](KernelId) { return std::string("k"); }, {"CPU", "GPU 0 (gfx942)"}, extras);
  const std::array<const char*, 4> expected{
      "the warm-up pass has not begun for 10 s", "the warm-up pass has not ended for 10 s",
      "nothing has followed the timing pass for 10 s", "pass 0 has not ended for 10 s"};
  const std::array<replay::WindowStep, 4> steps{0, replay::in_pass(PassIndex{0}), replay::behind_pass(PassIndex{1}),
                                                replay::in_pass(PassIndex{2})};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    DispatchInfo info = dispatch(i + 1, i + 1);
    windows_.open(info);
    windows_.reached(info.dispatch_id, steps[i]);
    const Watchdog::Clock::time_point start(seconds(1000 * (i + 1)));
    EXPECT_TRUE(watchdog.due(start).empty());
    const std::vector<std::string> told = watchdog.due(start + seconds(10));
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(told[0], ::testing::HasSubstr(expected[i]));
    windows_.close(info.dispatch_id);
  }
}

TEST_F(WatchdogTest, SpeaksAfter10And30And60SecondsThenAtTwiceTheTime) {
  windows_.open(dispatch(17));
  std::vector<long> when;
  for (seconds second{0}; second <= seconds(500); ++second)
    if (!until(second).empty()) when.push_back(second.count());
  EXPECT_EQ(when, (std::vector<long>{10, 30, 60, 120, 240, 480}));
}

TEST_F(WatchdogTest, SaysWhatHelpsTheFirstTimeOnly) {
  windows_.open(dispatch(17));
  const std::vector<std::string> told = until(seconds(60));
  ASSERT_EQ(told.size(), 3U);
  EXPECT_THAT(told[0], ::testing::EndsWith(kAdvice));
  for (const std::size_t later : {1U, 2U}) EXPECT_THAT(told[later], ::testing::EndsWith("copies its memory)"));
}

TEST_F(WatchdogTest, SaysTheSameOfAKernelOnce) {
  for (std::uint32_t id = 1; id <= 40; ++id) windows_.open(dispatch(id, 4, id));  // each on a GPU of its own
  EXPECT_EQ(until(seconds(29)).size(), 1U);
  EXPECT_EQ(until(seconds(30)).size(), 1U);
  for (std::uint64_t id = 1; id <= 40; ++id) windows_.close(DispatchId{id});
  (void)until(seconds(31));
  windows_.open(dispatch(41));
  EXPECT_EQ(until(seconds(70)), std::vector<std::string>{});
  windows_.open(dispatch(42, 5, 2));
  EXPECT_EQ(until(seconds(82)).size(), 1U) << "of another kernel";
}

TEST_F(WatchdogTest, NamesTheWindowThatTheOthersOfTheGpuWaitFor) {
  windows_.open(dispatch(16, 5));
  windows_.open(dispatch(17, 6));
  windows_.open(dispatch(18, 7));
  windows_.open(dispatch(19, 8, 0));
  windows_.reached(DispatchId{17}, replay::in_pass(PassIndex{0}));
  const std::vector<std::string> told = until(seconds(25));
  ASSERT_EQ(told.size(), 2U);
  EXPECT_NE(told[0].find("kernel 6 on GPU 0 (gfx942), dispatch 17: pass 0"), std::string::npos) << told[0];
  EXPECT_NE(told[1].find("kernel 8 on CPU, dispatch 19"), std::string::npos) << told[1];
  windows_.close(DispatchId{17});
  EXPECT_EQ(until(seconds(29)), std::vector<std::string>{});
}

// The lock of a GPU is not granted by number: which of them has it is not known, so none is blamed.
TEST_F(WatchdogTest, BlamesNoKernelWhereSeveralWaitBeforeTheirFirstPass) {
  for (std::uint64_t id = 16; id < 22; ++id) windows_.open(dispatch(id, id - 11));
  windows_.open(dispatch(30, 40, 0));
  const std::vector<std::string> told = until(seconds(25));
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].substr(0, told[0].find(". A kernel")),
            "replay on GPU 0 (gfx942): pass 0 has not begun for 10 s (the SDK waits until the GPU is idle, then copies "
            "its memory). One of these holds the GPU and the others wait for it: kernel 5 (dispatch 16), kernel 6 "
            "(dispatch 17), kernel 7 (dispatch 18), kernel 8 (dispatch 19), and 2 more");
  EXPECT_NE(told[0].find("--no-replay RE,"), std::string::npos) << told[0];
  EXPECT_EQ(told[1].rfind("replay of kernel 40 on CPU, dispatch 30: ", 0), 0U) << told[1];
}

TEST_F(WatchdogTest, MeasuresAnewWhenAPlaceIsTakenByAnotherWindow) {
  windows_.open(dispatch(17));
  (void)until(seconds(9));
  windows_.close(DispatchId{17});
  windows_.open(dispatch(17 + OpenWindows::kSlots));
  EXPECT_EQ(until(seconds(19)), std::vector<std::string>{});
  EXPECT_EQ(until(seconds(20)).size(), 1U);
}

TEST_F(WatchdogTest, LeavesThePatternToTheUserWhereTheNameIsNoPattern) {
  windows_.open(dispatch(17, 5));
  const std::vector<std::string> texts = until(seconds(10));
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_NE(texts[0].find("replay of kernel 5 on"), std::string::npos) << texts[0];
  EXPECT_EQ(texts[0].find("--no-replay '5'"), std::string::npos) << texts[0];
}

TEST(WatchdogTime, IsANumberOfSecondsOrNothing) {
  EXPECT_EQ(Watchdog::first_from("0"), seconds(0));
  EXPECT_EQ(Watchdog::first_from("86400"), seconds(86'400));
  for (const char* wrong : {"", "-1", "86401", "1.5", "10s", " 10", "99999999999999999999"})
    EXPECT_EQ(Watchdog::first_from(wrong), std::nullopt) << wrong;
}

TEST(WatchdogTime, IsThatOfTheEnvironmentAndAWrongOneIsNamed) {
  constexpr const char* kVariable = "ROCPROFSYS_MULTIPASS_STALL_SECONDS";
  std::string refused;
  for (const auto& [value, expected] : {std::pair{"", 10}, std::pair{"0", 0}, std::pair{"25", 25}}) {
    const ScopedVariable given(kVariable, value);
    EXPECT_EQ(Watchdog::first_given(refused), seconds(expected)) << value;
    EXPECT_EQ(refused, "");
  }
  const ScopedVariable wrong(kVariable, "10s");
  EXPECT_EQ(Watchdog::first_given(refused), Watchdog::kFirst);
  EXPECT_EQ(refused, "ROCPROFSYS_MULTIPASS_STALL_SECONDS='10s' is not a number from 0 to 86400; 10 is used");
}

}  // namespace
}  // namespace multipass::tool
