// SPDX-License-Identifier: MIT
#include "tool/shared_plans.hpp"

#include <gtest/gtest.h>

namespace multipass::tool {
namespace {

AgentCatalogue catalogue(std::uint32_t device) {
  AgentCatalogue catalogue;
  catalogue.agent.name = "gfx942";
  catalogue.agent.device = device;
  catalogue.agent.index = AgentIndex{device + 1};
  catalogue.agent.uuid = std::to_string(device);
  catalogue.counters["A"].name = "A";
  catalogue.counters["A"].block = "SQ";
  catalogue.counters["B"].name = "B";
  catalogue.counters["B"].expression = "A/2";
  catalogue.register_keys["A"] = {{"SQ", "A"}};
  catalogue.register_keys["B"] = {{"SQ", "A"}};
  return catalogue;
}

const planner::Request kRequest{{"A", "B"}, {{"A", "B"}}};

// Whether the plan of one GPU serves one with this catalogue and this request.
bool serves(const AgentCatalogue& other, const planner::Request& request) {
  const AgentCatalogue first = catalogue(0);
  SharedPlans shared;
  AgentPlan plan;
  plan.lower_bound = 7;
  shared.add(first, kRequest, plan);
  const AgentPlan* found = shared.find(other, request);
  EXPECT_EQ(found == nullptr ? 7U : found->lower_bound, 7U);
  return found != nullptr;
}

TEST(SharedPlans, ServeAnotherGpuOfTheSameKind) {
  AgentCatalogue other = catalogue(1);
  EXPECT_TRUE(serves(other, kRequest));
  other.slots["SQ"] = 8;  // found by trial, which is not yet known of the other
  EXPECT_TRUE(serves(other, kRequest));
}

TEST(SharedPlans, DoNotServeAnotherArchitecture) {
  AgentCatalogue other = catalogue(1);
  other.agent.name = "gfx950";
  EXPECT_FALSE(serves(other, kRequest));
}

TEST(SharedPlans, DoNotServeOtherCounters) {
  AgentCatalogue more = catalogue(1);
  more.counters["C"].name = "C";
  EXPECT_FALSE(serves(more, kRequest));
  AgentCatalogue block = catalogue(1);
  block.counters["A"].block = "TA";
  EXPECT_FALSE(serves(block, kRequest));
  AgentCatalogue expression = catalogue(1);
  expression.counters["B"].expression = "A/4";
  EXPECT_FALSE(serves(expression, kRequest));
  AgentCatalogue keys = catalogue(1);
  keys.register_keys["B"] = {{"SQ", "A@HIGH_RES"}};
  EXPECT_FALSE(serves(keys, kRequest));
}

TEST(SharedPlans, DoNotServeAnotherRequest) {
  EXPECT_FALSE(serves(catalogue(1), {{"A"}, {}}));
  EXPECT_FALSE(serves(catalogue(1), {{"A", "B"}, {}}));
}

}  // namespace
}  // namespace multipass::tool
