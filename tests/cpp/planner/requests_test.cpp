// SPDX-License-Identifier: MIT
//
// Large real requests: how many passes first fit reaches. The best that is known is in the comments; a better packing
// may lower a figure, nothing may raise it.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "fixture.hpp"

namespace multipass::planner {
namespace {

using testing::expect_sound;
using testing::load_packing;
using testing::PackingData;
using testing::PackingRequest;

struct Figure {
  const char* arch;
  const char* request;
  std::size_t passes;
  bool proven;

  friend void PrintTo(const Figure& figure, std::ostream* out) { *out << figure.arch << ' ' << figure.request; }
};

class LargeRequest : public ::testing::TestWithParam<Figure> {};

TEST_P(LargeRequest, TakesNoMorePassesThanItDid) {
  const PackingData data = load_packing(GetParam().arch);
  const Request& request = data.request(GetParam().request);
  const AgentPlan plan = plan_agent(data.catalogue, request, {});
  expect_sound(data.catalogue, request.counters, plan);
  EXPECT_TRUE(plan.unplaceable.empty());
  EXPECT_LE(plan.passes.size(), GetParam().passes);
  EXPECT_EQ(plan.proven_minimal(), GetParam().proven);
}

INSTANTIATE_TEST_SUITE_P(Figures, LargeRequest,
                         ::testing::Values(Figure{"gfx90a", "all", 15, false},     // 15, and 14 is not refuted
                                           Figure{"gfx90a", "profile", 12, true},  // 12, minimal
                                           Figure{"gfx942", "all", 15, true},      // 15, minimal
                                           Figure{"gfx942", "profile", 12, true},  // 12, minimal
                                           Figure{"gfx950", "all", 19, false},     // 19, and 18 is not refuted
                                           Figure{"gfx950", "profile", 15, true},  // 15, minimal
                                           Figure{"gfx1030", "all", 7, false},     // 7, minimal by an exact search
                                           Figure{"gfx1100", "all", 4, true},      // 4, minimal
                                           Figure{"gfx1201", "all", 3, true}));    // 3, minimal

class OneMetricPerGroup : public ::testing::TestWithParam<Figure> {};

TEST_P(OneMetricPerGroup, IsCoherentInNoMorePassesThanItWas) {
  const PackingData data = load_packing(GetParam().arch);
  const Request& request = data.request(GetParam().request);
  ASSERT_GT(request.groups.size(), 90U);
  const AgentPlan plan = plan_agent(data.catalogue, request, {});
  EXPECT_TRUE(plan.unplaceable.empty());
  EXPECT_LE(plan.passes.size(), GetParam().passes);
  EXPECT_EQ(plan.proven_minimal(), GetParam().proven);
  for (const std::vector<std::string>& group : request.groups) {
    const std::vector<std::string> members = testing::sorted(group);
    EXPECT_TRUE(std::any_of(plan.passes.begin(), plan.passes.end(), [&](const PassPlan& pass) {
      return std::includes(pass.counters.begin(), pass.counters.end(), members.begin(), members.end());
    })) << ::testing::PrintToString(group);
  }
  for (const PassPlan& pass : plan.passes) EXPECT_TRUE(testing::fits_one_pass(data.catalogue, pass.counters));
}

INSTANTIATE_TEST_SUITE_P(Figures, OneMetricPerGroup,
                         ::testing::Values(Figure{"gfx90a", "profile-coherent", 13, false},    // best known 12, proven
                                           Figure{"gfx942", "profile-coherent", 13, false},    // best known 12, proven
                                           Figure{"gfx950", "profile-coherent", 18, false}));  // best known 18, 17 open

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

INSTANTIATE_TEST_SUITE_P(Figures, RandomRequests, ::testing::Values("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"),
                         [](const auto& instance) { return std::string{instance.param}; });

}  // namespace
}  // namespace multipass::planner
