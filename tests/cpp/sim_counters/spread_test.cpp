// SPDX-License-Identifier: MIT
//
// How a total is spread over instances, and how instances are numbered.
#include <random>

#include "sim/counters/evaluate.hpp"
#include "support.hpp"

namespace multipass_sim {
namespace {

TEST(Spread, SumIsTheTotalForAnyTotalUpToTwoToThe53) {
  std::mt19937_64 random(20250809);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t total = random() >> (11 + random() % 50);
    const std::uint64_t instances = 1 + random() % 400;
    const std::vector<double> values = spread(total, instances);
    ASSERT_EQ(values.size(), instances);
    std::uint64_t sum = 0;
    for (const double value : values) sum += static_cast<std::uint64_t>(value);
    ASSERT_EQ(sum, total);
    double plain = 0;  // as a reader adds it
    for (const double value : values) plain += value;
    ASSERT_EQ(plain, static_cast<double>(total));
  }
}

TEST(Spread, TheFirstInstancesGetTheRemainder) {
  EXPECT_EQ(spread(11, 4), (std::vector<double>{3, 3, 3, 2}));
  EXPECT_EQ(spread(2, 4), (std::vector<double>{1, 1, 0, 0}));
  EXPECT_EQ(spread(0, 3), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(spread(7, 1), (std::vector<double>{7}));
}

TEST(Spread, RandomActivityIsReadBackExactly) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 300; ++i) {
    multipass_sim_activity activity{};
    activity.tcc_hits = random() >> 12U;
    activity.tcc_misses = random() >> 12U;
    activity.waves = random() >> 20U;
    EXPECT_EQ(sum_of(read_named(gfx942(), "TCC_HIT", activity)), static_cast<double>(activity.tcc_hits));
    EXPECT_EQ(sum_of(read_named(gfx942(), "TCC_REQ", activity)),
              static_cast<double>(activity.tcc_hits + activity.tcc_misses));
    EXPECT_EQ(sum_of(read_named(gfx942(), "TCC_HIT_sum", activity)), static_cast<double>(activity.tcc_hits));
    EXPECT_EQ(sum_of(read_named(tiny(), "SQ_WAVES", activity)), static_cast<double>(activity.waves));
  }
}

TEST(InstanceId, HoldsCounterAndPositionPerDimension) {
  const std::uint64_t waves = std::uint64_t{gfx942().find("SQ_WAVES")->id} << 48U;
  const auto values = read_named(gfx942(), "SQ_WAVES", worked_example());
  ASSERT_EQ(values.size(), 32U);
  EXPECT_EQ(values[0].instance_id, waves);
  EXPECT_EQ(values[1].instance_id, waves | 0x1000U);   // SHADER_ENGINE 1
  EXPECT_EQ(values[4].instance_id, waves | 0x1U);      // XCC 1
  EXPECT_EQ(values[31].instance_id, waves | 0x3007U);  // SHADER_ENGINE 3, XCC 7
  const std::uint64_t hit = std::uint64_t{gfx942().find("TCC_HIT")->id} << 48U;
  EXPECT_EQ(read_named(gfx942(), "TCC_HIT", worked_example()).at(127).instance_id, hit | 0xf000000007U);
}

TEST(InstanceId, OfAReducedCounterIsItsNumberOnly) {
  const auto values = read_named(gfx942(), "TCC_HIT_sum", worked_example());
  ASSERT_EQ(values.size(), 1U);
  EXPECT_EQ(values[0].instance_id, std::uint64_t{gfx942().find("TCC_HIT_sum")->id} << 48U);
}

}  // namespace
}  // namespace multipass_sim
