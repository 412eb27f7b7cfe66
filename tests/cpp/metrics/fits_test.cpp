// SPDX-License-Identifier: MIT
//
// Every metric on every architecture: its counters are there, and one pass has room for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "metrics/metrics.hpp"
#include "planner/plan_agent.hpp"

namespace multipass::metrics {
namespace {

using planner::testing::has_clash;
using planner::testing::has_room;
using planner::testing::load_packing;

constexpr std::uint32_t kNone = ~std::uint32_t{0};  // no pass

struct Figures {
  const char* architecture;
  std::size_t metrics;  // of all sets
  std::size_t passes;   // that they take together

  friend void PrintTo(const Figures& figures, std::ostream* out) { *out << figures.architecture; }
};

class EveryMetric : public ::testing::TestWithParam<Figures> {
 protected:
  EveryMetric() : catalogue_(load_packing(GetParam().architecture).catalogue), all_(expand(set_names(), catalogue_)) {}

  AgentCatalogue catalogue_;
  Expansion all_;
};

TEST_P(EveryMetric, HasAllItsCounters) {
  EXPECT_EQ(all_.metrics.size(), GetParam().metrics);
  for (const std::string& warning : all_.warnings)
    EXPECT_THAT(warning, ::testing::Not(::testing::HasSubstr("left out")));
}

// By the rule written in the fixture, which shares nothing with the planner.
TEST_P(EveryMetric, FitsOnePass) {
  for (const Metric& metric : all_.metrics) {
    EXPECT_TRUE(has_room(catalogue_, metric.counters)) << metric.name;
    EXPECT_FALSE(has_clash(catalogue_, metric.counters)) << metric.name;
  }
}

TEST_P(EveryMetric, IsPlannedIntoOnePassWhenItIsAlone) {
  for (const Metric& metric : all_.metrics) {
    catalogue::DeviceRequest request;
    add_to(request, {metric});
    const AgentPlan plan = planner::plan_agent(catalogue_, {request.counters, request.groups}, {});
    EXPECT_TRUE(plan.unplaceable.empty()) << metric.name;
    ASSERT_EQ(plan.passes.size(), 1U) << metric.name;
    EXPECT_EQ(plan.passes[0].counters, metric.counters) << metric.name;
  }
}

TEST_P(EveryMetric, IsWholeInAPassOfThePlanOfAllSets) {
  catalogue::DeviceRequest request;
  add_to(request, all_.metrics);
  const AgentPlan plan = planner::plan_agent(catalogue_, {request.counters, request.groups}, {});
  EXPECT_EQ(plan.passes.size(), GetParam().passes);
  EXPECT_EQ(plan.proof, Proof::kBound);
  for (const PlannedMetric& planned : place(all_.metrics, plan)) {
    ASSERT_LT(planned.pass.value_or(kNone), plan.passes.size()) << planned.metric.name;
    const std::vector<std::string>& read = plan.passes[planned.pass.value_or(kNone)].counters;
    EXPECT_TRUE(std::includes(read.begin(), read.end(), planned.metric.counters.begin(), planned.metric.counters.end()))
        << planned.metric.name;
  }
}

// A sentinel of the same name is in an earlier pass, with what else the metric needs.
TEST(MetricsBesideSentinels, AreInThePassThatTheirCountersAreReadFor) {
  const AgentCatalogue gpu = load_packing("gfx950").catalogue;
  const Expansion sets = expand({"cache", "compute", "lds"}, gpu);
  catalogue::DeviceRequest request;
  add_to(request, sets.metrics);
  const AgentPlan plan = planner::plan_agent(gpu, {request.counters, request.groups, {true, {}}}, {});
  bool valu_seen = false;
  for (const PlannedMetric& planned : place(sets.metrics, plan)) {
    ASSERT_LT(planned.pass.value_or(kNone), plan.passes.size()) << planned.metric.name;
    const std::vector<std::string>& sentinels = plan.passes[planned.pass.value_or(kNone)].sentinels;
    for (const std::string& counter : planned.metric.counters)
      EXPECT_THAT(sentinels, ::testing::Not(::testing::Contains(counter))) << planned.metric.name;
    valu_seen = valu_seen || planned.metric.name == "valu_per_wave";
  }
  EXPECT_TRUE(valu_seen);
}

INSTANTIATE_TEST_SUITE_P(Architectures, EveryMetric,
                         ::testing::Values(Figures{"gfx908", 29, 3}, Figures{"gfx90a", 40, 6}, Figures{"gfx942", 40, 6},
                                           Figures{"gfx950", 39, 6}, Figures{"gfx1030", 16, 2},
                                           Figures{"gfx1100", 16, 2}, Figures{"gfx1201", 11, 2}));

}  // namespace
}  // namespace multipass::metrics
