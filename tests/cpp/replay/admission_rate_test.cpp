// SPDX-License-Identifier: MIT
// The one window of an agent that is begun although it would be too long at the assumed rate: it measures the rate.
#include <random>
#include <set>
#include <thread>

#include "admission_fixture.hpp"

namespace multipass::replay {
namespace {

TEST_F(AdmissionTest, AWindowThatIsTooLongOnlyAsAssumedIsBegunAndMeasuresTheRate) {
  Session s = session();
  allocate(MemoryClass::kDevice, 60 * kGiga);  // 3 passes: 45 s
  EXPECT_EQ(launched(s, 2 * kSecond), "replayed") << "at 30 GB/s";
  EXPECT_EQ(launched(s, dispatch(128), 2 * kSecond), "replayed") << "and so is known of other shapes";
  allocate(MemoryClass::kDevice, 240 * kGiga);  // 30 s
  EXPECT_EQ(launched(s, dispatch(192), 10 * kSecond), "replayed");
  allocate(MemoryClass::kDevice, kGiga);
  EXPECT_EQ(launched(s, dispatch(256)), "window_time");
}

TEST_F(AdmissionTest, ItIsEndedWhereTheRateIsNotBetterAndNoOtherIsBegun) {
  Session s = session({}, 2);
  allocate(MemoryClass::kDevice, 60 * kGiga);
  allocate(MemoryClass::kDevice, 60 * kGiga, kOther);
  EXPECT_EQ(launched(s, 15 * kSecond), "window_time ended after 2");
  EXPECT_EQ(launched(s, 15 * kSecond), "window_time");
  EXPECT_EQ(launched(s, dispatch(128), 15 * kSecond), "window_time");
  EXPECT_EQ(launched(s, dispatch(64, kOther), 16 * kSecond), "window_time ended after 1")
      << "another GPU may be faster";
  EXPECT_EQ(launched(s, dispatch(64, kOther)), "window_time");
}

TEST_F(AdmissionTest, AfterItWasEndedTheShapeReadsEveryGroupInTurn) {
  Session s = session();
  allocate(MemoryClass::kDevice, 60 * kGiga);
  EXPECT_EQ(launched(s, 16 * kSecond), "window_time ended after 1");
  std::set<std::uint64_t> read;
  for (std::uint64_t i = 0; i < kPasses; ++i) {
    const DispatchInfo of = dispatch();
    EXPECT_EQ(s.config_enter(of).passes, 1U);
    s.config_exit(of);
    read.insert(s.choose(of).config);
  }
  EXPECT_EQ(read, (std::set<std::uint64_t>{11, 12, 13}));
}

TEST_F(AdmissionTest, NoneIsBegunWhereOneCopyOrTheKernelIsTooLong) {
  Session s = session();
  allocate(MemoryClass::kDevice, 173 * kGiga);
  EXPECT_EQ(launched(s), "window_time");
  free_last(MemoryEnd::kFreed);
  allocate(MemoryClass::kDevice, 60 * kGiga);
  s.admission().executed(dispatch(64), {kSecond, 7 * kSecond});  // 15 s for a copy, and 18 s
  EXPECT_EQ(launched(s), "window_time");
  EXPECT_EQ(launched(s, dispatch(128), kSecond), "replayed") << "none was begun so far";
}

TEST_F(AdmissionTest, TheBudgetHasToHoldAWindowOfTheLimit) {
  AdmissionLimits limits;
  limits.budget = {20 * kSecond, 0.1};
  Session s = session(limits);
  allocate(MemoryClass::kDevice, 60 * kGiga);
  EXPECT_EQ(launched(s), "budget");
  g_now += 300 * kSecond;
  EXPECT_EQ(launched(s, 5 * kSecond), "replayed") << "what the budget declined was none that was begun";
}

TEST_F(AdmissionTest, OfThreadsThatAskAtOnceOneMeasuresTheRate) {
  Session s = session();
  allocate(MemoryClass::kDevice, 60 * kGiga);
  const DispatchInfo declined = dispatch();
  EXPECT_EQ(s.config_enter(declined).passes, kPasses);
  std::string second;
  std::thread([&] { second = launched(s, dispatch(128)); }).join();
  EXPECT_EQ(second, "window_time") << "one is under way";
  s.config_exit(declined);  // the SDK did not replay it
  (void)s.choose(declined);
  EXPECT_EQ(launched(s, kSecond), "replayed");
}

// Whatever is in use, and however fast it is copied: of windows that would be too long one is begun on each GPU, and no
// more is spent than a tenth over the budget.
TEST_F(AdmissionTest, AtMostOneWindowOfAnAgentIsBegunThatIsTooLong) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    const auto up_to = [&random](std::uint64_t most) { return 1 + random() % most; };
    free_last(MemoryEnd::kFreed);
    const std::uint64_t gigabytes = up_to(180);
    allocate(MemoryClass::kDevice, gigabytes * kGiga);
    const std::uint64_t pass_ns = gigabytes * kSecond / (3 + up_to(40));
    AdmissionLimits limits;
    limits.budget = {up_to(300) * kSecond, 0.01 * static_cast<double>(random() % 20)};
    Session s = session(limits);
    const std::uint64_t start = g_now;
    std::uint64_t spent = 0, ended = 0, replayed = 0;
    for (int i = 0; i < 12; ++i) {
      const std::uint64_t before = g_now;
      const std::string what = launched(s, dispatch(64 + static_cast<std::uint32_t>(random() % 3)), pass_ns);
      spent += g_now - before;
      ended += what.starts_with("window_time ended");
      replayed += what == "replayed";
      const std::uint64_t allowed = std::max(
          limits.budget.ns, static_cast<std::uint64_t>(limits.budget.share * static_cast<double>(g_now - start)));
      ASSERT_LE(static_cast<double>(spent), 1.1 * static_cast<double>(allowed)) << "seed " << seed;
      g_now += up_to(60) * kSecond;
    }
    ASSERT_LE(ended, 1U) << "seed " << seed;
    const bool in_time = kPasses * pass_ns <= Admission::kLongestWindow;
    const bool begun = gigabytes <= 120 && limits.budget.ns >= Admission::kLongestWindow;
    ASSERT_TRUE(in_time || replayed == 0) << "seed " << seed;
    ASSERT_TRUE(!begun || ended + replayed > 0) << "seed " << seed;
  }
}

}  // namespace
}  // namespace multipass::replay
