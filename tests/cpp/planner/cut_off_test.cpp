// SPDX-License-Identifier: MIT
//
// The one thing that may end a search before its nodes are spent: the caller's cut-off, here one that counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "fixture.hpp"
#include "planner/plan_agent.hpp"
#include "planner/search.hpp"

namespace multipass::planner {
namespace {

using testing::load_packing;
using testing::PackingData;

// A request that the search, and not first fit, brings to twelve passes (requests_test.cpp).
class CutOffPlan : public ::testing::Test {
 protected:
  // Strikes when it is asked for the n-th time; 0: never.
  AgentPlan plan(int strikes_at) {
    asked_ = 0;
    Options options;
    options.give_up = [this, strikes_at] { return ++asked_ == strikes_at; };
    return plan_agent(data_.catalogue, data_.request("profile-coherent"), options);
  }

  PackingData data_ = load_packing("gfx90a");
  int asked_ = 0;
};

TEST_F(CutOffPlan, IsThatOfFirstFitWhereverItStrikes) {
  AgentPlan first_fit = plan_agent(data_.catalogue, data_.request("profile-coherent"), {{}, 0});
  EXPECT_EQ(first_fit.passes.size(), 13U);
  EXPECT_EQ(first_fit.proof, Proof::kNone);
  first_fit.search_given_up = true;
  static_cast<void>(plan(0));
  const int questions = asked_;
  ASSERT_GT(questions, 1);
  for (const int strikes_at : {1, questions}) EXPECT_EQ(plan(strikes_at), first_fit) << strikes_at;
}

TEST_F(CutOffPlan, IsTheSearchedOneWhenItNeverStrikes) {
  const AgentPlan plan = this->plan(0);
  EXPECT_EQ(plan, plan_agent(data_.catalogue, data_.request("profile-coherent"), {}));
  EXPECT_EQ(plan.passes.size(), 12U);
  EXPECT_FALSE(plan.search_given_up);
}

TEST_F(CutOffPlan, AsksNoMoreOnceItHasStruck) {
  static_cast<void>(plan(1));
  EXPECT_EQ(asked_, 1);
}

TEST(CutOff, IsNotAskedBetweenTheQuestions) {
  // Five registers in a ring of pairs, two passes too few: refuted within a few nodes.
  const AgentCatalogue catalogue = testing::catalogue_of("gfx942", {{"B", 3}},
                                                         {{"A", {"B:1", "B:2"}},
                                                          {"B", {"B:2", "B:3"}},
                                                          {"C", {"B:3", "B:4"}},
                                                          {"D", {"B:4", "B:5"}},
                                                          {"E", {"B:5", "B:1"}}});
  Options options;
  options.give_up = []() -> bool {
    ADD_FAILURE() << "asked";
    return true;
  };
  const AgentPlan plan = plan_agent(catalogue, {{"A", "B", "C", "D", "E"}, {}}, options);
  EXPECT_TRUE(plan.proven_minimal());
  EXPECT_FALSE(plan.search_given_up);
}

TEST(CutOff, OfSearchTimeIsSaidInWords) {
  EXPECT_EQ(given_up_text(), "the search for fewer passes took longer than 10 s and was given up: first-fit plan");
}

TEST(Deadline, TurnsWhenItsTimeHasPassed) {
  EXPECT_TRUE(passed_after(std::chrono::nanoseconds{0})());
  EXPECT_FALSE(passed_after(std::chrono::hours{1})());
}

}  // namespace
}  // namespace multipass::planner
