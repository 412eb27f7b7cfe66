// SPDX-License-Identifier: MIT
//
// The register model against what rocprofiler-sdk and aqlprofile answered for 1,500 requests on gfx942.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "planner/pass_model.hpp"

namespace multipass::planner {
namespace {

using testing::load_verdicts;
using testing::Verdict;
using testing::VerdictData;

class Verdicts : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { data_ = load_verdicts(); }
  static VerdictData data_;
};

VerdictData Verdicts::data_;

TEST_F(Verdicts, TheRuleOfTheTestsIsTheRuleOfTheHardware) {
  ASSERT_EQ(data_.verdicts.size(), 1'500U);
  int safe = 0;
  int unsafe = 0;
  for (const Verdict& verdict : data_.verdicts) {
    const bool works = verdict.status == 0 && verdict.packets == 0;
    ASSERT_EQ(testing::has_room(data_.catalogue, verdict.counters), works)
        << ::testing::PrintToString(verdict.counters);
    safe += works ? 1 : 0;
    unsafe += verdict.status == 0 && verdict.packets != 0 ? 1 : 0;
  }
  EXPECT_EQ(safe, 814);
  EXPECT_EQ(unsafe, 36);  // accepted by the SDK, and the end of the process at the first dispatch
}

TEST_F(Verdicts, ThePassModelAcceptsWhatWorksExceptForClashes) {
  for (const Verdict& verdict : data_.verdicts) {
    const RegisterModel model{data_.catalogue, {verdict.counters.begin(), verdict.counters.end()}};
    const bool works = verdict.status == 0 && verdict.packets == 0;
    const bool clash = testing::has_clash(data_.catalogue, verdict.counters);
    ASSERT_EQ(PassModel{model}.fits(model.cost_of(verdict.counters)), works && !clash)
        << ::testing::PrintToString(verdict.counters);
  }
}

TEST_F(Verdicts, ARequestThatWorksIsOnePassAndAnyOtherMore) {
  for (const Verdict& verdict : data_.verdicts) {
    const AgentPlan plan = plan_agent(data_.catalogue, {verdict.counters, {}}, {});
    ASSERT_NO_FATAL_FAILURE(testing::expect_sound(data_.catalogue, verdict.counters, plan));
    ASSERT_TRUE(plan.unplaceable.empty());
    const bool works = verdict.status == 0 && verdict.packets == 0;
    const bool clash = testing::has_clash(data_.catalogue, verdict.counters);
    bool anything = false;
    for (const std::string& name : verdict.counters) anything |= !data_.catalogue.register_keys.at(name).empty();
    const bool one_pass = works && !clash;
    if (one_pass) {
      ASSERT_EQ(plan.passes.size(), anything ? 1U : 0U) << ::testing::PrintToString(verdict.counters);
    } else {
      ASSERT_GE(plan.passes.size(), 2U) << ::testing::PrintToString(verdict.counters);
    }
    if (one_pass) {
      ASSERT_TRUE(plan.proven_minimal());
    }
  }
}

}  // namespace
}  // namespace multipass::planner
