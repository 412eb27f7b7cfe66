// SPDX-License-Identifier: MIT
#include "replay/kernel_filter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "replay/pattern.hpp"

namespace multipass::replay {
namespace {

constexpr KernelId kAxpy{1};
constexpr KernelId kTranspose{2};

DispatchInfo launch(KernelId kernel, std::uint32_t agent = 0) {
  DispatchInfo info;
  info.agent = AgentIndex{agent};
  info.kernel = kernel;
  return info;
}

KernelFilter filter(const FilterConfig& config) {
  auto made = KernelFilter::create(config, 2);
  EXPECT_TRUE(made) << made.message();
  KernelFilter result = *std::move(made);
  EXPECT_TRUE(result.know(kAxpy, "axpy(float*, float const*, float, int)"));
  EXPECT_TRUE(result.know(kTranspose, "void transpose<16>(float*)"));
  return result;
}

TEST(KernelFilter, WithoutSettingsNothingIsFilteredNorRemembered) {
  KernelFilter all = filter({});
  EXPECT_FALSE(all.active());
  EXPECT_EQ(all.decide(launch(kAxpy)), std::nullopt);
}

TEST(KernelFilter, OnlyWhatTheIncludeFindsIsWanted) {
  KernelFilter some = filter({.kernel_include = "^axpy\\("});
  EXPECT_EQ(some.decide(launch(kAxpy)), std::nullopt);
  EXPECT_EQ(some.decide(launch(kTranspose)), FilterReason::kNotIncluded);
}

TEST(KernelFilter, WhatTheExcludeFindsIsNotWanted) {
  KernelFilter some = filter({.kernel_exclude = "transpose<\\d+>"});
  EXPECT_EQ(some.decide(launch(kAxpy)), std::nullopt);
  EXPECT_EQ(some.decide(launch(kTranspose)), FilterReason::kExcluded);
}

TEST(KernelFilter, AKernelThatBothFindIsNotWanted) {
  KernelFilter some = filter({.kernel_include = "float", .kernel_exclude = "transpose"});
  EXPECT_EQ(some.decide(launch(kAxpy)), std::nullopt);
  EXPECT_EQ(some.decide(launch(kTranspose)), FilterReason::kExcluded);
}

TEST(KernelFilter, ARangeCountsTheLaunchesOfEachKernelOnEachAgent) {
  KernelFilter some = filter({.range = "2-3"});
  const auto decide = [&](KernelId kernel, std::uint32_t agent) { return some.decide(launch(kernel, agent)); };
  EXPECT_EQ(decide(kAxpy, 0), FilterReason::kOutOfRange);
  EXPECT_EQ(decide(kTranspose, 0), FilterReason::kOutOfRange);
  EXPECT_EQ(decide(kAxpy, 0), std::nullopt);
  EXPECT_EQ(decide(kAxpy, 1), FilterReason::kOutOfRange);
  EXPECT_EQ(decide(kAxpy, 0), std::nullopt);
  EXPECT_EQ(decide(kTranspose, 0), std::nullopt);
  EXPECT_EQ(decide(kAxpy, 0), FilterReason::kOutOfRange);
}

TEST(KernelFilter, AKernelWithoutANameIsNotIncludedAndNotExcluded) {
  constexpr KernelId kUnknown{9};
  KernelFilter included = filter({.kernel_include = "."});
  EXPECT_EQ(included.decide(launch(kUnknown)), FilterReason::kNotIncluded);
  KernelFilter excluded = filter({.kernel_exclude = "."});
  EXPECT_EQ(excluded.decide(launch(kUnknown)), std::nullopt);
}

TEST(KernelFilter, AKernelThatWasUnloadedIsForgotten) {
  KernelFilter some = filter({.kernel_exclude = "transpose"});
  EXPECT_EQ(some.decide(launch(kTranspose)), FilterReason::kExcluded);
  some.forget(kTranspose);
  EXPECT_EQ(some.decide(launch(kTranspose)), std::nullopt) << "nothing is known of it";
  EXPECT_EQ(some.decide(launch(kAxpy)), std::nullopt);
}

TEST(KernelFilter, KernelsThatWereNeverAnnouncedAreCountedUpToABound) {
  KernelFilter some = filter({.range = "1"});
  for (std::uint64_t i = 0; i < KernelFilter::kMaxUnannounced; ++i)
    ASSERT_EQ(some.decide(launch(KernelId{100 + i})), std::nullopt);
  const KernelId beyond{100 + KernelFilter::kMaxUnannounced};
  EXPECT_EQ(some.decide(launch(beyond)), FilterReason::kOutOfRange);
  EXPECT_EQ(some.decide(launch(KernelId{100})), FilterReason::kOutOfRange) << "its second launch";
  EXPECT_TRUE(some.know(KernelId{100}, "late()"));
  EXPECT_EQ(some.decide(launch(beyond)), std::nullopt) << "there is room for one more";
  EXPECT_EQ(some.decide(launch(kAxpy)), std::nullopt) << "one that was announced always has its place";
}

TEST(KernelFilter, AWrongSettingIsNamedWithItsFault) {
  EXPECT_EQ(KernelFilter::create({.kernel_include = "axpy("}, 1).message(),
            "kernel-include 'axpy(': column 6: missing closing parenthesis");
  EXPECT_EQ(KernelFilter::create({.kernel_exclude = "[a"}, 1).message().substr(0, 32),
            "kernel-exclude '[a': column 3: m");
  EXPECT_EQ(KernelFilter::create({.range = "x"}, 1).message(),
            "range 'x': column 1: a number from 1 is expected here; write 1, 1-3 or 1,4-6");
}

TEST(Pattern, ASearchThatDoesNotEndSoonGivesNoAnswer) {
  const auto slow = Pattern::compile("(a+)+$");
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->found_in(std::string(64, 'a') + "b"), std::nullopt);
  KernelFilter some = *KernelFilter::create({.kernel_exclude = "(a+)+$"}, 1);
  EXPECT_FALSE(some.know(kAxpy, std::string(64, 'a') + "b"));
  EXPECT_EQ(some.decide(launch(kAxpy)), std::nullopt);
}

TEST(Pattern, NamesOfAnyLengthAndAnyBytesAreSearched) {
  const auto pattern = Pattern::compile("z$");
  ASSERT_TRUE(pattern);
  EXPECT_EQ(pattern->found_in(std::string(1 << 20, 'x') + "z"), true);
  EXPECT_EQ(pattern->found_in(std::string("\xff\0z", 3)), true);
  EXPECT_EQ(pattern->found_in(""), false);
}

TEST(Pattern, ALetterBeyondAsciiIsOne) {
  const auto pattern = Pattern::compile("^gr..e\\(");
  ASSERT_TRUE(pattern);
  EXPECT_EQ(pattern->found_in("gr\xc3\xb6\xc3\x9f"
                              "e(int*)"),
            true);
  EXPECT_EQ(Pattern::compile("\xff").message().substr(0, 9), "column 1:");
}

}  // namespace
}  // namespace multipass::replay
