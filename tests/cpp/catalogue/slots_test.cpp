// SPDX-License-Identifier: MIT
// The registers of a block by trial, with an answer that is made up; tests/cpp/sdk asks the SDK.
#include "catalogue/slots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace multipass::catalogue {
namespace {

using SlotMap = std::map<std::string, std::uint32_t>;
using Names = std::vector<std::string>;

std::vector<CounterInfo> counters_of(const std::string& block, const Names& names) {
  std::vector<CounterInfo> counters;
  for (const std::string& name : names) {
    counters.emplace_back();
    counters.back().name = name;
    counters.back().block = block;
  }
  return counters;
}

TryConfig at_most(std::size_t slots) {
  return [slots](const Names& names) { return names.size() <= slots ? Answer::kTaken : Answer::kTooMany; };
}

TEST(CatalogueSlots, AreAsManyCountersAsAreTakenTogether) {
  const auto counters = counters_of("NEW", {"A", "B", "C", "D", "E", "F", "G"});
  for (std::uint32_t slots = 1; slots < 7; ++slots)
    EXPECT_EQ(probe_slots(counters, at_most(slots)).by_block, (SlotMap{{"NEW", slots}}));
}

TEST(CatalogueSlots, DerivedCountersConstantsAndThoseWithoutABlockAreNotTried) {
  auto counters = counters_of("NEW", {"A", "DERIVED", "CONSTANT", "NOWHERE"});
  counters[1].is_derived = true;
  counters[2].is_constant = true;
  counters[3].block.clear();
  const Slots slots = probe_slots(counters, [](const Names& names) {
    EXPECT_EQ(names, (Names{"A"}));
    return Answer::kTaken;
  });
  EXPECT_EQ(slots.by_block, (SlotMap{{"NEW", 1}}));
}

// Whoever answers knows one counter of a name, and would count it once.
TEST(CatalogueSlots, TheSecondCounterOfANameIsLeftOut) {
  EXPECT_EQ(probe_slots(counters_of("NEW", {"A", "A", "B"}), at_most(4)).by_block, (SlotMap{{"NEW", 2}}));
}

TEST(CatalogueSlots, ARefusedCounterIsPassedOver) {
  const auto answer = [](const Names& names) {
    if (std::find(names.begin(), names.end(), "A") != names.end()) return Answer::kRefused;
    return at_most(2)(names);
  };
  EXPECT_EQ(probe_slots(counters_of("NEW", {"A", "B", "C", "D"}), answer).by_block, (SlotMap{{"NEW", 2}}));
}

}  // namespace
}  // namespace multipass::catalogue
