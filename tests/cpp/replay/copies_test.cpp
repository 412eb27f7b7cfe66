// SPDX-License-Identifier: MIT
#include "replay/copies.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "allocations.hpp"

namespace multipass::replay {
namespace {

constexpr AgentIndex kFirst{1};
constexpr AgentIndex kSecond{2};
constexpr std::uint64_t kStart = 1'000'000;
constexpr std::uint64_t kTooOld = kStart + Copies::kLongestNs + 1;

TEST(Copies, AreUnderWayOnBothAgentsUntilTheyEnd) {
  Copies copies(4);
  const std::uint64_t copy = copies.begins(kFirst, kSecond, kStart);
  EXPECT_TRUE(copies.in_flight(kFirst, kStart));
  EXPECT_TRUE(copies.in_flight(kSecond, kStart));
  EXPECT_FALSE(copies.in_flight(AgentIndex{3}, kStart));
  copies.ends(copy);
  EXPECT_FALSE(copies.in_flight(kFirst, kStart));
  EXPECT_FALSE(copies.in_flight(kSecond, kStart));
}

TEST(Copies, OfOneAgentEndOneByOne) {
  Copies copies(2);
  const std::uint64_t out = copies.begins(kFirst, std::nullopt, kStart);
  const std::uint64_t in = copies.begins(std::nullopt, kFirst, kStart);
  copies.ends(out);
  EXPECT_TRUE(copies.in_flight(kFirst, kStart));
  copies.ends(in);
  EXPECT_FALSE(copies.in_flight(kFirst, kStart));
}

TEST(Copies, ThatHaveBegunAreCountedOnceForEachAgent) {
  Copies copies(4);
  copies.ends(copies.begins(kFirst, kFirst, kStart));
  copies.ends(copies.begins(kFirst, kSecond, kStart));
  EXPECT_EQ(copies.begun(kFirst), 2U);
  EXPECT_EQ(copies.begun(kSecond), 1U);
  EXPECT_EQ(copies.begun(AgentIndex{3}), 0U);
}

TEST(Copies, BetweenHostsOrOfUnknownAgentsAreNotFollowed) {
  Copies copies(2);
  EXPECT_EQ(copies.begins(std::nullopt, std::nullopt, kStart), 0U);
  EXPECT_EQ(copies.begins(AgentIndex{2}, AgentIndex{9}, kStart), 0U);
  EXPECT_FALSE(copies.in_flight(AgentIndex{9}, kStart));
  EXPECT_EQ(copies.begun(AgentIndex{9}), 0U);
  copies.ends(0);
  copies.ends(~std::uint64_t{0});
  EXPECT_FALSE(copies.in_flight(kFirst, kStart));
}

TEST(Copies, WhoseEndIsNeverToldAreOverAfterAMinute) {
  Copies copies(2);
  const std::uint64_t copy = copies.begins(kFirst, std::nullopt, kStart);
  EXPECT_TRUE(copies.in_flight(kFirst, kTooOld - 1));
  EXPECT_FALSE(copies.in_flight(kFirst, kTooOld));
  copies.ends(copy);  // it is told after all
  EXPECT_FALSE(copies.in_flight(kFirst, kStart));
}

TEST(Copies, DoNotEndAnotherThatHasTheirPlaceByThen) {
  Copies copies(2);
  const std::uint64_t lost = copies.begins(kFirst, std::nullopt, kStart);
  std::vector<std::uint64_t> later;
  for (std::size_t i = 0; i < Copies::kSlots; ++i) later.push_back(copies.begins(kFirst, std::nullopt, kTooOld));
  copies.ends(lost);
  for (const std::uint64_t copy : later) {
    EXPECT_NE(copy, 0U);
    EXPECT_TRUE(copies.in_flight(kFirst, kTooOld));
    copies.ends(copy);
  }
  EXPECT_FALSE(copies.in_flight(kFirst, kTooOld));
}

TEST(Copies, BeyondThePlacesCountAsUnderWayForAMinute) {
  Copies copies(2);
  std::vector<std::uint64_t> kept;
  for (std::size_t i = 0; i < Copies::kSlots; ++i) kept.push_back(copies.begins(kFirst, std::nullopt, kStart));
  EXPECT_EQ(copies.begins(AgentIndex{0}, std::nullopt, kStart), 0U);
  for (const std::uint64_t copy : kept) copies.ends(copy);
  EXPECT_FALSE(copies.in_flight(kFirst, kStart));
  EXPECT_TRUE(copies.in_flight(AgentIndex{0}, kStart + Copies::kLongestNs - 1));
  EXPECT_FALSE(copies.in_flight(AgentIndex{0}, kStart + Copies::kLongestNs));
  EXPECT_EQ(copies.begun(AgentIndex{0}), 1U);
}

TEST(Copies, AllocateNothingWhileTheyAreFollowed) {
  Copies copies(2);
  const std::uint64_t before = allocations_of_this_thread();
  for (int i = 0; i < 1000; ++i) copies.ends(copies.begins(kFirst, std::nullopt, kStart));
  EXPECT_FALSE(copies.in_flight(kFirst, kStart));
  EXPECT_EQ(allocations_of_this_thread(), before);
}

// Whoever reads how many have begun, and then that none is under way, sees another number once one begins.
TEST(Copies, AreNotMissedByWhoLooksWhileTheyBeginAndEnd) {
  Copies copies(2);
  std::atomic<bool> over{false};
  std::atomic<std::uint64_t> really{0};  // under way for certain
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t copy = copies.begins(kFirst, std::nullopt, kStart);
        really.fetch_add(1);
        really.fetch_sub(1);
        copies.ends(copy);
      }
      over = true;
    });
  std::uint64_t missed = 0;
  while (!over) {
    const std::uint64_t before = copies.begun(kFirst);
    if (copies.in_flight(kFirst, kStart)) continue;
    if (really.load() != 0 && copies.begun(kFirst) == before) ++missed;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(missed, 0U);
  EXPECT_FALSE(copies.in_flight(kFirst, kStart));
  EXPECT_EQ(copies.begun(kFirst), 40'000U);
}

}  // namespace
}  // namespace multipass::replay
