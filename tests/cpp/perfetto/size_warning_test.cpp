// SPDX-License-Identifier: MIT
#include "output/perfetto/size_warning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace multipass::output::perfetto {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr std::uint64_t kGigabyte = 1'000'000'000;

SizeWarning warning() {
  return SizeWarning{"/data/out/run.pftrace"};
}

TEST(SizeWarningTest, TheSizeIsExtrapolatedByTheBytesThatAreRead) {
  EXPECT_EQ(SizeWarning::estimate(100, 1000, 970), 9700U);
}

TEST(SizeWarningTest, TheStartOfTheInputTellsNothing) {
  EXPECT_EQ(SizeWarning::estimate(0, 6400, 0), std::nullopt);
  EXPECT_EQ(SizeWarning::estimate(99, 6400, 500), std::nullopt);
  EXPECT_NE(SizeWarning::estimate(100, 6400, 500), std::nullopt);
}

TEST(SizeWarningTest, WhatIsReadWholeIsNotExtrapolated) {
  EXPECT_EQ(SizeWarning::estimate(1000, 1000, 777), 777U);
  EXPECT_EQ(SizeWarning::estimate(0, 0, 777), 777U);
}

TEST(SizeWarningTest, LargeNumbersKeepTheirSize) {
  EXPECT_EQ(SizeWarning::estimate(std::uint64_t{1} << 40U, std::uint64_t{1} << 44U, std::uint64_t{1} << 44U),
            std::uint64_t{1} << 48U);
}

TEST(SizeWarningTest, ATraceThatABrowserHoldsGivesNone) {
  SizeWarning size = warning();
  EXPECT_EQ(size.progress(10, 100, kGigabyte / 5), std::nullopt);
  EXPECT_EQ(size.progress(100, 100, 2 * kGigabyte), std::nullopt);
}

TEST(SizeWarningTest, ALargerOneIsForetoldOnceAndSaidAtTheEnd) {
  SizeWarning size = warning();
  EXPECT_THAT(size.progress(10, 100, kGigabyte / 4),
              Optional(HasSubstr("run.pftrace will have about 2.5 GB, and a browser holds some 2.0 GB")));
  EXPECT_EQ(size.progress(20, 100, kGigabyte / 2), std::nullopt);
  EXPECT_THAT(size.progress(100, 100, 2 * kGigabyte + kGigabyte / 4), Optional(HasSubstr("run.pftrace has 2.2 GB")));
}

TEST(SizeWarningTest, AnEstimateThatWasWrongIsNotRepeatedAtTheEnd) {
  SizeWarning size = warning();
  EXPECT_NE(size.progress(10, 100, kGigabyte / 4), std::nullopt);
  EXPECT_EQ(size.progress(100, 100, kGigabyte), std::nullopt);
}

TEST(SizeWarningTest, OneThatGrowsLateIsSaidWhenItIsKnown) {
  SizeWarning size = warning();
  EXPECT_EQ(size.progress(50, 100, kGigabyte / 2), std::nullopt);
  EXPECT_NE(size.progress(60, 100, 2 * kGigabyte), std::nullopt);
}

TEST(SizeWarningTest, ItSaysWhatToDo) {
  EXPECT_THAT(
      warning().progress(1, 1, 3 * kGigabyte),
      Optional(AllOf(HasSubstr("`trace_processor_shell --httpd run.pftrace`"),
                     HasSubstr("`rocprof-sys-multipass export /data/out --format perfetto --trace-counters none`"),
                     HasSubstr("--kernel-include"))));
}

}  // namespace
}  // namespace multipass::output::perfetto
