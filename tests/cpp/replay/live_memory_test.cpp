// SPDX-License-Identifier: MIT
#include "replay/live_memory.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "allocations.hpp"
#include "model/names.hpp"

namespace multipass::replay {
namespace {

constexpr AgentIndex kFirst{1};
constexpr AgentIndex kSecond{2};
constexpr std::uint64_t kAt = 0x7f0000000000;
constexpr std::uint64_t kMega = 1'048'576;

// By the names that users see.
std::set<std::string> present(const LiveMemory& memory, AgentIndex agent) {
  std::set<std::string> names;
  for (const DeclineReason reason : kSafetyReasons)
    if (memory.present(agent).has(reason)) names.emplace(name_of(reason));
  return names;
}
using Names = std::set<std::string>;

TEST(LiveMemory, OfDevicesIsTheFootprintOfItsAgentUntilItIsFreed) {
  LiveMemory memory(3);
  memory.allocated({MemoryClass::kDevice, kFirst, kAt, kMega});
  memory.allocated({MemoryClass::kDevice, kFirst, kAt + kMega, 5});
  memory.allocated({MemoryClass::kDevice, kSecond, kAt + 2 * kMega, 7});
  EXPECT_EQ(memory.footprint(kFirst), kMega + 5);
  EXPECT_EQ(memory.footprint(kSecond), 7U);
  memory.ended(MemoryEnd::kFreed, kAt, 0);
  EXPECT_EQ(memory.footprint(kFirst), 5U);
  EXPECT_EQ(present(memory, kFirst), Names{});
}

TEST(LiveMemory, FreedAtAnUnknownAddressChangesNothing) {
  LiveMemory memory(2);
  memory.allocated({MemoryClass::kDevice, kFirst, kAt, 10});
  for (const MemoryEnd end : {MemoryEnd::kFreed, MemoryEnd::kReleased, MemoryEnd::kUnmapped, MemoryEnd::kDetached})
    memory.ended(end, kAt + 1, 4);
  EXPECT_EQ(memory.footprint(kFirst), 10U);
}

TEST(LiveMemory, AtAnAddressThatComesAgainTakesThePlaceOfWhatWasThere) {
  LiveMemory memory(3);
  memory.allocated({MemoryClass::kDevice, kFirst, kAt, 10});
  memory.allocated({MemoryClass::kDevice, kSecond, kAt, 4});
  EXPECT_EQ(memory.footprint(kFirst), 0U);
  EXPECT_EQ(memory.footprint(kSecond), 4U);
}

// hipExtMallocWithFlags: HSA tells of an agent's memory, HIP of its class.
TEST(LiveMemory, ThatTurnsOutToBeFineGrainedLeavesTheFootprint) {
  LiveMemory memory(3);
  memory.allocated({MemoryClass::kDevice, kFirst, kAt, 10});
  memory.allocated({MemoryClass::kFineGrained, {}, kAt, 10});
  EXPECT_EQ(memory.footprint(kFirst), 0U);
  EXPECT_EQ(present(memory, kFirst), Names{"fine_grained_memory"});
  EXPECT_EQ(present(memory, kSecond), Names{}) << "the agent is that of the device memory";
  memory.ended(MemoryEnd::kFreed, kAt, 0);
  memory.ended(MemoryEnd::kReleased, kAt, 0);
  EXPECT_EQ(present(memory, kFirst), Names{});
}

TEST(LiveMemory, OfAnUnknownAgentIsPresentOnAll) {
  LiveMemory memory(3);
  memory.allocated({MemoryClass::kManaged, {}, kAt, 10});
  EXPECT_EQ(present(memory, kFirst), Names{"managed_memory"});
  EXPECT_EQ(present(memory, kSecond), Names{"managed_memory"});
  memory.ended(MemoryEnd::kReleased, kAt, 0);
  EXPECT_EQ(present(memory, kSecond), Names{});
}

TEST(LiveMemory, ThatIsPinnedIsReachedByAllAgentsUntilItsEnd) {
  LiveMemory memory(3);
  for (const MemoryEnd end : {MemoryEnd::kReleased, MemoryEnd::kFreed}) {
    memory.allocated({MemoryClass::kPinned, {}, kAt, kMega});
    EXPECT_EQ(present(memory, kFirst), Names{"pinned_memory"});
    EXPECT_EQ(present(memory, kSecond), Names{"pinned_memory"});
    EXPECT_EQ(memory.footprint(kFirst), 0U) << "a snapshot does not copy it";
    memory.ended(end, kAt, 0);
    EXPECT_EQ(present(memory, kFirst), Names{});
    EXPECT_EQ(present(memory, kSecond), Names{});
  }
}

TEST(LiveMemory, KnowsHowMuchThereIsOfEachReasonButForExports) {
  LiveMemory memory(3);
  memory.allocated({MemoryClass::kPinned, {}, kAt, 10});
  memory.allocated({MemoryClass::kVirtual, kFirst, kAt + kMega, 100});
  memory.exported(kAt + kMega);
  EXPECT_EQ(memory.bytes_of(DeclineReason::kPinnedMemory, kFirst), 10U);
  EXPECT_EQ(memory.bytes_of(DeclineReason::kPinnedMemory, kSecond), 10U);
  EXPECT_EQ(memory.bytes_of(DeclineReason::kVirtualMemory, kFirst), 100U);
  EXPECT_EQ(memory.bytes_of(DeclineReason::kVirtualMemory, kSecond), 0U);
  EXPECT_EQ(memory.bytes_of(DeclineReason::kExportedMemory, kFirst), 0U);
  EXPECT_EQ(memory.bytes_of(DeclineReason::kBudget, kFirst), 0U);
  memory.ended(MemoryEnd::kUnmapped, kAt + kMega, 40);
  EXPECT_EQ(memory.bytes_of(DeclineReason::kVirtualMemory, kFirst), 60U);
}

TEST(LiveMemory, ThatIsManagedEndsWithWhatIsToldOfItsParts) {
  LiveMemory memory(2);
  memory.allocated({MemoryClass::kManaged, {}, kAt, kMega});
  memory.allocated({MemoryClass::kManaged, {}, kAt + 4096, 4096});  // advice
  memory.ended(MemoryEnd::kReleased, kAt, 0);
  EXPECT_EQ(present(memory, kFirst), Names{});
}

TEST(LiveMemory, OfAPoolIsOnTheAgentWhoseMappingItLiesIn) {
  LiveMemory memory(3);
  memory.allocated({MemoryClass::kVirtual, kSecond, kAt, kMega});
  memory.allocated({MemoryClass::kPool, {}, kAt + 4096, 100});
  EXPECT_EQ(present(memory, kFirst), Names{});
  EXPECT_EQ(present(memory, kSecond), (Names{"pool_memory", "virtual_memory"}));
  memory.ended(MemoryEnd::kReleased, kAt + 4096, 0);
  EXPECT_EQ(present(memory, kSecond), Names{"virtual_memory"}) << "the pool keeps its mapping";
}

TEST(LiveMemory, ThatIsMappedStaysUntilItsLastPieceIsUnmapped) {
  LiveMemory memory(2);
  memory.allocated({MemoryClass::kVirtual, kFirst, kAt, 4 * kMega});
  memory.ended(MemoryEnd::kUnmapped, kAt + kMega, kMega);
  memory.ended(MemoryEnd::kUnmapped, kAt, kMega);
  memory.ended(MemoryEnd::kUnmapped, kAt + 3 * kMega, kMega);
  EXPECT_EQ(present(memory, kFirst), Names{"virtual_memory"});
  memory.ended(MemoryEnd::kUnmapped, kAt, 3 * kMega);
  EXPECT_EQ(present(memory, kFirst), Names{});
}

TEST(LiveMemory, OfAnotherProcessIsThereUntilItIsDetachedOrUnmapped) {
  LiveMemory memory(2);
  memory.allocated({MemoryClass::kImported, {}, kAt, 10});
  EXPECT_EQ(present(memory, kFirst), Names{"imported_memory"});
  memory.ended(MemoryEnd::kDetached, kAt, 0);
  EXPECT_EQ(present(memory, kFirst), Names{});
  memory.allocated({MemoryClass::kImported, {}, kAt, 10});
  memory.ended(MemoryEnd::kUnmapped, kAt, 10);
  EXPECT_EQ(present(memory, kFirst), Names{});
}

TEST(LiveMemory, ThatIsExportedIsSoUntilItIsFreed) {
  LiveMemory memory(3);
  memory.allocated({MemoryClass::kDevice, kFirst, kAt, 100});
  memory.exported(kAt + 50);
  memory.exported(kAt);
  EXPECT_EQ(present(memory, kFirst), Names{"exported_memory"});
  EXPECT_EQ(present(memory, kSecond), Names{});
  memory.ended(MemoryEnd::kReleased, kAt, 0);
  EXPECT_EQ(present(memory, kFirst), Names{"exported_memory"}) << "given back to a pool is not freed";
  memory.ended(MemoryEnd::kFreed, kAt, 0);
  EXPECT_EQ(present(memory, kFirst), Names{});
}

TEST(LiveMemory, ThatIsExportedAndNotKnownCountsForAllUntilItsAddressIsFreed) {
  LiveMemory memory(3);
  memory.exported(kAt);
  EXPECT_EQ(present(memory, kFirst), Names{"exported_memory"});
  EXPECT_EQ(present(memory, kSecond), Names{"exported_memory"});
  memory.ended(MemoryEnd::kFreed, kAt, 0);
  EXPECT_EQ(present(memory, kFirst), Names{});
}

// Between the free and its being told, another thread is given the same address.
TEST(LiveMemory, IsNotEndedByACallThatBeganBeforeIt) {
  LiveMemory memory(2);
  memory.allocated({MemoryClass::kDevice, kFirst, kAt, 10});
  memory.allocated({MemoryClass::kVirtual, kFirst, kAt, 10});
  const std::uint64_t mark = memory.mark();
  memory.allocated({MemoryClass::kDevice, kFirst, kAt, 4});
  memory.allocated({MemoryClass::kVirtual, kFirst, kAt + 2, 4});
  memory.allocated({MemoryClass::kManaged, {}, kAt, 4});
  memory.ended(MemoryEnd::kFreed, kAt, 0, mark);
  memory.ended(MemoryEnd::kUnmapped, kAt, 10, mark);
  memory.ended(MemoryEnd::kReleased, kAt, 0, mark);
  EXPECT_EQ(memory.footprint(kFirst), 4U);
  EXPECT_EQ(present(memory, kFirst), (Names{"managed_memory", "virtual_memory"}));
  memory.ended(MemoryEnd::kUnmapped, kAt, 10, memory.mark());
  EXPECT_EQ(present(memory, kFirst), Names{"managed_memory"});
}

TEST(LiveMemory, BeyondTheLimitCountsForEver) {
  LiveMemory memory(3, 2);
  memory.allocated({MemoryClass::kDevice, kFirst, 0x1000, 1});
  memory.allocated({MemoryClass::kDevice, kFirst, 0x2000, 2});
  EXPECT_EQ(memory.unkept(), 0U);
  memory.allocated({MemoryClass::kDevice, kFirst, 0x3000, 4});
  memory.allocated({MemoryClass::kManaged, kSecond, 0x4000, 8});
  memory.exported(0x1000);
  EXPECT_EQ(memory.unkept(), 3U);
  for (std::uint64_t at = 0x1000; at <= 0x4000; at += 0x1000) {
    memory.ended(MemoryEnd::kFreed, at, 0);
    memory.ended(MemoryEnd::kReleased, at, 0);
  }
  EXPECT_EQ(memory.footprint(kFirst), 4U);
  EXPECT_EQ(present(memory, kFirst), Names{"exported_memory"});
  EXPECT_EQ(present(memory, kSecond), Names{"managed_memory"});
}

TEST(LiveMemory, AtTheEndOfTheAddressSpaceIsUnmapped) {
  constexpr std::uint64_t kLast = ~std::uint64_t{0} - 99;
  LiveMemory memory(2);
  memory.allocated({MemoryClass::kVirtual, kFirst, kLast, 1'000});
  EXPECT_EQ(present(memory, kFirst), Names{"virtual_memory"});
  memory.ended(MemoryEnd::kUnmapped, kLast - 1, 1'000'000);
  EXPECT_EQ(present(memory, kFirst), Names{});
}

TEST(LiveMemory, OfAgentsThatThereAreNotCountsForAll) {
  LiveMemory memory(2);
  memory.allocated({MemoryClass::kDevice, AgentIndex{9}, kAt, 10});
  EXPECT_EQ(memory.footprint(kFirst), 10U);
  EXPECT_EQ(memory.footprint(AgentIndex{9}), 10U);
}

TEST(LiveMemory, IsAskedForWithoutAnAllocation) {
  LiveMemory memory(2);
  memory.allocated({MemoryClass::kManaged, {}, kAt, 10});
  const std::uint64_t before = allocations_of_this_thread();
  EXPECT_TRUE(memory.present(kFirst).any());
  EXPECT_EQ(memory.footprint(kFirst), 0U);
  EXPECT_EQ(allocations_of_this_thread(), before);
}

TEST(LiveMemory, IsCountedRightByManyThreads) {
  LiveMemory memory(2);
  std::atomic<bool> over{false};
  std::thread asking([&] {
    while (!over) EXPECT_LE(memory.footprint(kFirst), 4U * 100);
  });
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&memory, thread] {
      const std::uint64_t at = 0x1000 * (thread + 1);
      for (int i = 0; i < 2'000; ++i) {
        memory.allocated({MemoryClass::kDevice, kFirst, at, 100});
        memory.allocated({MemoryClass::kVirtual, kFirst, at, 100});
        const std::uint64_t mark = memory.mark();
        memory.ended(MemoryEnd::kFreed, at, 0, mark);
        memory.ended(MemoryEnd::kUnmapped, at, 100, mark);
      }
    });
  for (std::thread& thread : threads) thread.join();
  over = true;
  asking.join();
  EXPECT_EQ(memory.footprint(kFirst), 0U);
  EXPECT_EQ(present(memory, kFirst), Names{});
}

}  // namespace
}  // namespace multipass::replay
