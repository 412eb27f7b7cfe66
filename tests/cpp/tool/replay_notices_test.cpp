// SPDX-License-Identifier: MIT
#include "tool/replay_notices.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace multipass::tool {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000, kGiga = 1'000'000'000;
constexpr AgentIndex kGpu{0};

std::uint64_t g_now = kSecond;
std::uint64_t fake_clock() noexcept {
  return g_now;
}

class ReplayNoticesTest : public ::testing::Test {
 protected:
  // A launch of which each pass takes so long.
  void launch(std::uint64_t pass_ns = 0) { launch(session_, pass_ns); }
  void launch(replay::Session& session, std::uint64_t pass_ns = 0) {
    DispatchInfo of;
    of.dispatch_id = DispatchId{++last_};
    of.kernel = KernelId{5};
    of.workgroup = {64, 1, 1};
    const replay::Offer offer = session.config_enter(of);
    for (std::uint32_t pass = 0; pass < offer.passes && offer.passes > 1; ++pass) {
      session.pass_enter(of, PassIndex{pass});
      g_now += pass_ns;
      session.pass_exit(of);
    }
    session.config_exit(of);
    if (offer.passes < 2) (void)session.choose(of);
  }
  void allocate(MemoryClass kind, std::uint64_t bytes) { memory_.allocated({kind, kGpu, 4096, bytes}); }
  void free() { memory_.ended(MemoryEnd::kReleased, 4096, 0); }
  std::vector<std::string> due() { return texts(notices_.due()); }
  static std::vector<std::string> texts(const std::vector<Announcement>& lines) {
    std::vector<std::string> all;
    for (const Announcement& line : lines) all.push_back(line.text);
    return all;
  }

  replay::ReplayLimits limits() {
    replay::ReplayLimits limits;
    limits.max_replays = 3;
    limits.admission.budget = {60 * kSecond, 0};
    limits.admission.lifted.add(DeclineReason::kPoolMemory);
    return limits;
  }

  replay::LiveMemory memory_{1};
  replay::Session session_{{{{11, 12}}}, true, {}, limits(), {}, {fake_clock, &memory_, nullptr, {"", "", ""}}};
  ReplayNotices notices_{session_, [](KernelId) { return std::string("axpy"); }, {"GPU 0 (gfx942)"}};

 private:
  std::uint64_t last_ = 0;
};

TEST_F(ReplayNoticesTest, WhileAllIsWellThereIsNothingToTell) {
  launch();
  EXPECT_TRUE(due().empty());
  launch();
  EXPECT_TRUE(due().empty());
  EXPECT_TRUE(notices_.sum().empty());
}

TEST_F(ReplayNoticesTest, AChangeIsToldOnceWithItsReason) {
  launch();
  EXPECT_TRUE(due().empty());
  allocate(MemoryClass::kManaged, 64);
  EXPECT_TRUE(due().empty()) << "no launch was declined for it";
  launch();
  EXPECT_EQ(due(), std::vector<std::string>{"GPU 0 (gfx942): launches are not replayed from here on: managed memory is "
                                            "there (managed_memory, 64 bytes); each reads one group of counters, in "
                                            "turn"});
  launch();
  EXPECT_TRUE(due().empty());
  free();
  launch();
  EXPECT_EQ(due(), std::vector<std::string>{"GPU 0 (gfx942): launches are replayed again"});
}

TEST_F(ReplayNoticesTest, AChangeTellsHowMuchThereIsWhereThatIsKnown) {
  launch();
  (void)due();
  allocate(MemoryClass::kPinned, 64'000'000);
  launch();
  free();  // it is told later, by another thread
  std::vector<std::string> told = due();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find(": pinned host memory is there (pinned_memory, 64 MB); "), std::string::npos) << told[0];
  launch();
  (void)due();
  memory_.exported(4096);
  launch();
  told = due();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find(" (exported_memory); "), std::string::npos) << told[0];
}

TEST_F(ReplayNoticesTest, WhatComesAndGoesIsNoChange) {
  allocate(MemoryClass::kManaged, 64);
  launch();
  free();
  launch();
  EXPECT_TRUE(due().empty());
}

TEST_F(ReplayNoticesTest, TheLimitOfReplaysIsNoChange) {
  for (int i = 0; i < 3; ++i) launch();
  EXPECT_TRUE(due().empty());
  launch();
  EXPECT_TRUE(due().empty());
  EXPECT_EQ(texts(notices_.sum()),
            std::vector<std::string>{"1 launch was not replayed and read one group of counters each: max_replays 1"});
}

TEST_F(ReplayNoticesTest, AfterManyChangesNothingMoreIsTold) {
  // Without its limit of replays, so that it can go on.
  replay::Session session{{{{11, 12}}}, true, {}, {}, {}, {fake_clock, &memory_, nullptr, {"", "", ""}}};
  ReplayNotices notices{session, [](KernelId) { return std::string(); }, {"GPU 0"}};
  std::vector<std::string> told;
  for (std::uint64_t i = 0; i < 40; ++i) {
    session.admission().note(kGpu, i % 2 == 0 ? std::optional(DeclineReason::kCollectives) : std::nullopt);
    for (const std::string& text : texts(notices.due())) told.push_back(text);
  }
  ASSERT_EQ(told.size(), 8U);
  EXPECT_EQ(told.back(), "GPU 0: launches are replayed again; further changes are not told of");
}

TEST_F(ReplayNoticesTest, TheFirstLongReplayIsToldWithWhatFurtherOnesWillTake) {
  allocate(MemoryClass::kDevice, 3 * kGiga);
  launch(kSecond);
  EXPECT_EQ(due(),
            std::vector<std::string>{
                "GPU 0 (gfx942): the first replay of axpy took 2.0 s for 2 executions, in which 6.0 GB were copied"
                "; 2 further replays of this launch shape take about 4.0 s, of 58 s that are left"});
  launch(kSecond);
  EXPECT_TRUE(due().empty());
}

TEST_F(ReplayNoticesTest, AReplayThatWasTooLongSaysThatThereIsNoOther) {
  allocate(MemoryClass::kDevice, 3 * kGiga);
  launch(20 * kSecond);
  EXPECT_EQ(due(),
            std::vector<std::string>{
                "GPU 0 (gfx942): the first replay of axpy took 40 s for 2 executions, in which 6.0 GB were copied"
                "; another one would take longer than 30 s, and is not begun"});
}

TEST_F(ReplayNoticesTest, AGpuWithTooMuchMemoryForAnyReplaySaysSo) {
  allocate(MemoryClass::kDevice, 121 * kGiga);  // of which one copy alone takes more than 30 s at 4 GB/s
  launch();
  EXPECT_EQ(due(),
            std::vector<std::string>{"GPU 0 (gfx942): launches are not replayed from here on: a replay would take "
                                     "longer than 30 s (window_time); each reads one group of counters, in turn"});
}

TEST_F(ReplayNoticesTest, ReplaysInSpiteOfAReasonAreCountedInAWarning) {
  allocate(MemoryClass::kPool, 64);
  launch();
  launch();
  EXPECT_TRUE(due().empty());
  const std::vector<Announcement> sum = notices_.sum();
  ASSERT_EQ(sum.size(), 1U);
  EXPECT_EQ(sum[0].level, LogLevel::kWarning);
  EXPECT_EQ(sum[0].text,
            "2 launches were replayed although stream-ordered memory (hipMallocAsync, pools) is there (unsafe "
            "pool_memory): results of the program may differ");
}

TEST_F(ReplayNoticesTest, OfAReasonThatCostsTimeOnlyNothingIsSaidOfResults) {
  replay::ReplayLimits limits;
  limits.admission.budget = {kSecond, 0};
  limits.admission.lifted.add(DeclineReason::kBudget);
  replay::Session session{{{{11, 12}}}, true, {}, limits, {}, {fake_clock, &memory_, nullptr, {"", "", ""}}};
  const ReplayNotices notices{session, [](KernelId) { return std::string(); }, {"GPU 0"}};
  allocate(MemoryClass::kDevice, 3 * kGiga);
  launch(session);
  const std::vector<Announcement> sum = notices.sum();
  ASSERT_EQ(sum.size(), 1U);
  EXPECT_EQ(sum[0].text, "1 launch was replayed although the budget of time is spent (unsafe budget)");
}

}  // namespace
}  // namespace multipass::tool
