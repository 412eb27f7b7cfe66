// SPDX-License-Identifier: MIT
// From records of the SDK, one for each instance, to sums and to instances by position.
#include "sdk/readings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>

#include "sdk/inventory.hpp"
#include "sim_sdk/isolated.hpp"

namespace multipass::sdk {
namespace {

constexpr std::uint64_t kXcc = 1, kEngine = 3, kInstance = 7;  // dimensions of the SDK

std::uint64_t id_of(std::uint64_t counter, std::uint64_t instance, std::uint64_t engine, std::uint64_t xcc) {
  const auto at = [](std::uint64_t dimension, std::uint64_t place) { return place << (6U * (dimension - 1U)); };
  return counter << 48U | at(kInstance, instance) | at(kEngine, engine) | at(kXcc, xcc);
}

rocprofiler_counter_record_t record(std::uint64_t id, double value) {
  rocprofiler_counter_record_t made{};
  made.id = id;
  made.counter_value = value;
  return made;
}

// In a process of its own: the state of the SDK is the process's.
template <class Body>
void isolated(const Body& body) {
  const auto outcome = sim_sdk_test::isolated([&] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "gfx942", 1);
    body();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

InstanceShape shape(std::uint64_t instances, std::uint64_t xccs) {
  return {{{"DIMENSION_INSTANCE", instances}, {"DIMENSION_XCC", xccs}}, {kInstance, kXcc}};
}

std::uint64_t counter_named(const std::string& name) {
  const auto agents = query_agents();
  for (const SdkAgent& agent : *agents) {
    if (agent.info.type != AgentType::kGpu) continue;
    const Result<CounterList> list = query_counters(agent);
    for (const SdkCounter& counter : list->counters)
      if (counter.info.name == name) return counter.id;
  }
  ADD_FAILURE() << "no counter " << name;
  return 0;
}

TEST(Instances, AreNumberedByTheDimensionsThatTheSdkLists) {
  isolated([] {
    const auto hits = find_instances(counter_named("TCC_HIT"));
    ASSERT_TRUE(hits) << hits.message();
    EXPECT_EQ(hits->dimensions, (std::vector<CounterDimension>{{"DIMENSION_INSTANCE", 16}, {"DIMENSION_XCC", 8}}));
    EXPECT_EQ(hits->position(id_of(9, 0, 0, 0)), 0U);
    EXPECT_EQ(hits->position(id_of(9, 15, 0, 7)), 127U);
    EXPECT_EQ(hits->position(id_of(9, 3, 0, 2)), 2U * 16U + 3U);
    EXPECT_EQ(hits->position(id_of(9, 16, 0, 0)), std::nullopt);
    const auto waves = find_instances(counter_named("SQ_WAVES"));
    ASSERT_TRUE(waves) << waves.message();
    EXPECT_EQ(waves->position(id_of(9, 0, 3, 7)), 31U);
    EXPECT_EQ(waves->position(id_of(9, 1, 0, 0)), std::nullopt);
  });
}

TEST(Instances, OfACounterThatTheSdkDoesNotKnowAreAnError) {
  isolated([] { EXPECT_EQ(find_instances(0xFFFF).message(), "ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND (8)"); });
}

TEST(CounterTable, KeepsNoInstancesWhereNoneAreWanted) {
  isolated([] {
    const CounterTable table({7, 8});
    std::vector<CounterIndex> misplaced;
    const std::vector records{record(id_of(8, 0, 0, 0), 1), record(id_of(8, 1, 0, 0), 2), record(id_of(9, 0, 0, 0), 5)};
    const Readings readings = table.sum(records, misplaced);
    EXPECT_EQ(readings.counters, std::vector{CounterIndex{1}});
    EXPECT_EQ(readings.values, std::vector{3.0});
    EXPECT_TRUE(readings.instances.empty());
  });
}

TEST(CounterTable, KeepsInstancesByPositionInWhateverOrderTheyCome) {
  isolated([] {
    const CounterTable table({7, 8, 9}, {shape(4, 2), std::nullopt, shape(1, 1)});
    std::vector<rocprofiler_counter_record_t> records;
    for (std::uint64_t i = 0; i < 8; ++i)
      if (i != 5) records.push_back(record(id_of(7, i % 4, 0, i / 4), 10.0 + static_cast<double>(i)));
    records.push_back(record(id_of(8, 0, 0, 0), 1));
    records.push_back(record(id_of(9, 0, 0, 0), 0));
    std::mt19937 random(3);
    for (int round = 0; round < 20; ++round) {
      std::vector<CounterIndex> misplaced;
      const Readings readings = table.sum(records, misplaced);
      ASSERT_EQ(readings.instances.size(), 3U);
      for (std::size_t i = 0; i < 3; ++i) {
        const InstanceValues& kept = readings.instances[i];
        if (readings.counters[i] == CounterIndex{0}) {
          EXPECT_EQ(kept.positions, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 6, 7}));  // one was not delivered
          EXPECT_EQ(kept.values, (std::vector<double>{10, 11, 12, 13, 14, 16, 17}));
          EXPECT_EQ(readings.values[i], 93);
        } else if (readings.counters[i] == CounterIndex{1}) {
          EXPECT_EQ(kept, InstanceValues{});
        } else {
          EXPECT_EQ(kept, (InstanceValues{{0}, {0}}));
        }
      }
      EXPECT_TRUE(misplaced.empty());
      std::shuffle(records.begin(), records.end(), random);
    }
  });
}

TEST(CounterTable, WhatComesTwiceIsAddedAsInTheSum) {
  isolated([] {
    const CounterTable table({7}, {shape(4, 2)});
    std::vector<CounterIndex> misplaced;
    const std::vector records{record(id_of(7, 2, 0, 0), 1), record(id_of(7, 3, 0, 0), 2), record(id_of(7, 2, 0, 0), 4)};
    const Readings readings = table.sum(records, misplaced);
    EXPECT_EQ(readings.values, std::vector{7.0});
    EXPECT_EQ(readings.instances, (std::vector<InstanceValues>{{{2, 3}, {5, 2}}}));
  });
}

TEST(CounterTable, ACounterWithAPlaceThatThereIsNotHasASumAndNoInstances) {
  isolated([] {
    const CounterTable table({7, 8}, {shape(4, 2), shape(4, 2)});
    std::vector<CounterIndex> misplaced;
    const std::vector records{record(id_of(7, 0, 0, 0), 1), record(id_of(7, 4, 0, 0), 2), record(id_of(7, 1, 0, 2), 4),
                              record(id_of(7, 1, 0, 0), 8), record(id_of(8, 1, 0, 0), 16)};
    const Readings readings = table.sum(records, misplaced);
    EXPECT_EQ(readings.values, (std::vector<double>{15, 16}));
    EXPECT_EQ(readings.instances, (std::vector<InstanceValues>{{}, {{1}, {16}}}));
    EXPECT_EQ(misplaced, std::vector{CounterIndex{0}});
  });
}

}  // namespace
}  // namespace multipass::sdk
