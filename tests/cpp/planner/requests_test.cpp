// SPDX-License-Identifier: MIT
//
// Large real requests, with the fewest passes that each can have.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "fixture.hpp"

namespace multipass::planner {
namespace {

using testing::expect_sound;
using testing::load_minimal_sets;
using testing::load_packing;
using testing::MinimalSet;
using testing::PackingData;
using testing::PackingRequest;

struct Figure {
  const char* arch;
  const char* request;
  std::size_t passes;

  friend void PrintTo(const Figure& figure, std::ostream* out) { *out << figure.arch << ' ' << figure.request; }
};

class LargeRequest : public ::testing::TestWithParam<Figure> {};

TEST_P(LargeRequest, TakesTheFewestPassesAndSaysSo) {
  const PackingData data = load_packing(GetParam().arch);
  const Request& request = data.request(GetParam().request);
  const AgentPlan plan = plan_agent(data.catalogue, request, {});
  expect_sound(data.catalogue, request.counters, plan);
  EXPECT_TRUE(plan.unplaceable.empty());
  EXPECT_EQ(plan.passes.size(), GetParam().passes);
  EXPECT_EQ(plan.proof, Proof::kBound);
}

INSTANTIATE_TEST_SUITE_P(Figures, LargeRequest,
                         ::testing::Values(Figure{"gfx908", "all", 13}, Figure{"gfx908", "profile", 10},
                                           Figure{"gfx90a", "all", 15}, Figure{"gfx90a", "profile", 12},
                                           Figure{"gfx942", "all", 15}, Figure{"gfx942", "profile", 12},
                                           Figure{"gfx950", "all", 19}, Figure{"gfx950", "profile", 15},
                                           Figure{"gfx1030", "all", 7}, Figure{"gfx1100", "all", 4},
                                           Figure{"gfx1201", "all", 3}));

class OneMetricPerGroup : public ::testing::TestWithParam<Figure> {};

TEST_P(OneMetricPerGroup, IsCoherentInTheFewestPasses) {
  const PackingData data = load_packing(GetParam().arch);
  const Request& request = data.request("profile-coherent");
  ASSERT_GT(request.groups.size(), 90U);
  const AgentPlan plan = plan_agent(data.catalogue, request, {});
  EXPECT_TRUE(plan.unplaceable.empty());
  EXPECT_EQ(plan.passes.size(), GetParam().passes);
  EXPECT_EQ(plan.proof, Proof::kBound);
  for (const std::vector<std::string>& group : request.groups) {
    const std::vector<std::string> members = testing::sorted(group);
    EXPECT_TRUE(std::any_of(plan.passes.begin(), plan.passes.end(), [&](const PassPlan& pass) {
      return std::includes(pass.counters.begin(), pass.counters.end(), members.begin(), members.end());
    })) << ::testing::PrintToString(group);
  }
  const std::vector<std::string> planned = testing::planned_counters(plan);
  for (const std::string& counter : request.counters)
    EXPECT_TRUE(std::binary_search(planned.begin(), planned.end(), counter)) << counter;
  for (const PassPlan& pass : plan.passes) EXPECT_TRUE(testing::fits_one_pass(data.catalogue, pass.counters));
}

INSTANTIATE_TEST_SUITE_P(Figures, OneMetricPerGroup,
                         ::testing::Values(Figure{"gfx908", "profile-coherent", 11},
                                           Figure{"gfx90a", "profile-coherent", 12},
                                           Figure{"gfx942", "profile-coherent", 12},
                                           Figure{"gfx950", "profile-coherent", 18}));

class RandomRequests : public ::testing::TestWithParam<const char*> {};

TEST_P(RandomRequests, AreProvenMinimal) {
  const PackingData data = load_packing(GetParam());
  int count = 0;
  for (const PackingRequest& candidate : data.requests) {
    if (!candidate.id.starts_with("random-")) continue;
    const AgentPlan plan = plan_agent(data.catalogue, candidate.request, {});
    expect_sound(data.catalogue, candidate.request.counters, plan);
    EXPECT_TRUE(plan.proven_minimal()) << candidate.id << ": " << plan.passes.size() << " of " << plan.lower_bound;
    ++count;
  }
  EXPECT_GE(count, 30);
}

INSTANTIATE_TEST_SUITE_P(Figures, RandomRequests,
                         ::testing::Values("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"),
                         [](const auto& instance) { return std::string{instance.param}; });

class RealisticRequests : public ::testing::TestWithParam<const char*> {};

TEST_P(RealisticRequests, TakeTheProvenMinimumOfPasses) {
  const AgentCatalogue catalogue = testing::load_verdicts(GetParam()).catalogue;
  const std::vector<MinimalSet> sets = load_minimal_sets(GetParam());
  EXPECT_GE(sets.size(), 65U);
  for (const MinimalSet& set : sets) {
    const AgentPlan plan = plan_agent(catalogue, {set.counters, {}}, {});
    expect_sound(catalogue, set.counters, plan);
    EXPECT_EQ(plan.passes.size(), set.minimum) << set.id;
    EXPECT_TRUE(plan.proven_minimal()) << set.id;
  }
}

INSTANTIATE_TEST_SUITE_P(Figures, RealisticRequests, ::testing::Values("gfx90a", "gfx942"),
                         [](const auto& instance) { return std::string{instance.param}; });

}  // namespace
}  // namespace multipass::planner
