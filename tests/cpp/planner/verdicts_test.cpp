// SPDX-License-Identifier: MIT
//
// The register model against what rocprofiler-sdk and aqlprofile answered for 1,500 requests on each architecture.
#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>
#include <utility>

#include "fixture.hpp"
#include "planner/pass_model.hpp"

namespace multipass::planner {
namespace {

using test_data::VerdictLine;
using testing::load_verdicts;
using testing::VerdictData;

struct Answers {
  const char* arch;
  int works;
  int refused;
  int fatal;          // accepted by the SDK, and the end of the process at the first dispatch
  int fatal_packets;  // what building the packets of these answered

  friend std::ostream& operator<<(std::ostream& out, const Answers& answers) { return out << answers.arch; }
};

class Verdicts : public ::testing::TestWithParam<Answers> {
 protected:
  Verdicts() : data_(load_verdicts(GetParam().arch)) {}
  VerdictData data_;
};

TEST_P(Verdicts, AreAsManyOfEachKindAsTheFileHas) {
  std::map<std::pair<int, int>, int> seen;
  for (const VerdictLine& verdict : data_.verdicts) ++seen[{verdict.status, verdict.packets}];
  const std::map<std::pair<int, int>, int> expected = {{{0, 0}, GetParam().works},
                                                       {{38, VerdictLine::kNotTried}, GetParam().refused},
                                                       {{0, GetParam().fatal_packets}, GetParam().fatal}};
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(data_.verdicts.size(), 1'500U);
}

TEST_P(Verdicts, TheRuleOfTheTestsIsTheRuleOfTheHardware) {
  for (const VerdictLine& verdict : data_.verdicts) {
    ASSERT_EQ(testing::keys_have_room(data_.advertised, verdict.counters), verdict.accepted())
        << ::testing::PrintToString(verdict.counters);
    ASSERT_EQ(testing::has_room(data_.catalogue, verdict.counters), verdict.works())
        << ::testing::PrintToString(verdict.counters);
  }
}

TEST_P(Verdicts, ThePassModelAcceptsWhatWorksExceptForClashes) {
  for (const VerdictLine& verdict : data_.verdicts) {
    const RegisterModel model{data_.advertised, {verdict.counters.begin(), verdict.counters.end()}};
    const bool clash = testing::has_clash(data_.catalogue, verdict.counters);
    ASSERT_EQ(PassModel{model}.fits(model.cost_of(verdict.counters)), verdict.works() && !clash)
        << ::testing::PrintToString(verdict.counters);
  }
}

TEST_P(Verdicts, ARequestThatWorksIsOnePassAndAnyOtherMore) {
  for (const VerdictLine& verdict : data_.verdicts) {
    const AgentPlan plan = plan_agent(data_.advertised, {verdict.counters, {}}, {});
    ASSERT_NO_FATAL_FAILURE(testing::expect_sound(data_.catalogue, verdict.counters, plan));
    ASSERT_TRUE(plan.unplaceable.empty());
    bool anything = false;
    for (const std::string& name : verdict.counters) anything |= !data_.catalogue.register_keys.at(name).empty();
    const bool one_pass = verdict.works() && !testing::has_clash(data_.catalogue, verdict.counters);
    if (one_pass) {
      ASSERT_EQ(plan.passes.size(), anything ? 1U : 0U) << ::testing::PrintToString(verdict.counters);
      ASSERT_TRUE(plan.proven_minimal());
    } else {
      ASSERT_GE(plan.passes.size(), 2U) << ::testing::PrintToString(verdict.counters);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, Verdicts,
                         ::testing::Values(Answers{"gfx90a", 771, 695, 34, 4096}, Answers{"gfx942", 814, 650, 36, 4096},
                                           Answers{"gfx950", 805, 648, 47, 4096},
                                           Answers{"gfx1100", 927, 554, 19, 4096},
                                           Answers{"gfx1201", 670, 534, 296, -6}),
                         [](const auto& instance) { return std::string{instance.param.arch}; });

}  // namespace
}  // namespace multipass::planner
