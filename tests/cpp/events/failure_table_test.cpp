// SPDX-License-Identifier: MIT
//
// What becomes of lists that go wrong with ROCPROFSYS_ROCM_EVENTS, from the text to the counters of each GPU: every
// token that can be collected is, and every other is named once, with its column and a hint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "apps/plan/plan_request.hpp"
#include "catalogue/build.hpp"

namespace multipass::apps {
namespace {

using Texts = std::vector<std::string>;

AgentCatalogue gpu(std::uint32_t device, std::string arch, const Texts& counters) {
  std::vector<CounterInfo> infos;
  for (const std::string& name : counters) {
    infos.emplace_back().name = name;
    infos.back().block = name.substr(0, name.find('_'));
  }
  AgentInfo agent;
  agent.name = std::move(arch);
  agent.device = device;
  return catalogue::build(std::move(agent), std::move(infos), {{"SQ", 8}, {"GRBM", 2}, {"TCC", 4}});
}

// A token that is left out: as written, where, the hint, and a part of the reason.
struct Unread {
  std::string token;
  std::uint32_t column;
  std::string hint;
  std::string reason;
};

struct Row {
  const char* about;
  std::string list;
  Texts first;   // what is collected on GPU 0 (gfx942), sorted
  Texts second;  // on GPU 1 (gfx90a)
  std::vector<Unread> unread;
  Texts warnings;
  Texts notes;
  Texts duplicates;

  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.about << ": " << row.list; }
};

Texts collected(const AgentPlan& plan) {
  Texts counters;
  for (const PassPlan& pass : plan.passes) counters.insert(counters.end(), pass.counters.begin(), pass.counters.end());
  std::sort(counters.begin(), counters.end());
  return counters;
}

class FailureTable : public testing::TestWithParam<Row> {};

TEST_P(FailureTable, CollectsWhatItCanAndNamesTheRest) {
  const Row& row = GetParam();
  const PlanDocument plan = plan_request({gpu(0, "gfx942", {"SQ_WAVES", "GRBM_COUNT", "TCC_HIT", "TCC_ONLY_HERE"}),
                                          gpu(1, "gfx90a", {"SQ_WAVES", "GRBM_COUNT", "TCC_HIT"})},
                                         {row.list, {}});
  ASSERT_EQ(plan.agents.size(), 2U);
  EXPECT_EQ(collected(plan.agents[0]), row.first);
  EXPECT_EQ(collected(plan.agents[1]), row.second);
  EXPECT_EQ(plan.warnings, row.warnings);
  EXPECT_EQ(plan.notes, row.notes);
  EXPECT_EQ(plan.duplicates, row.duplicates);
  ASSERT_EQ(plan.unknown.size(), row.unread.size());
  for (std::size_t i = 0; i < row.unread.size(); ++i) {
    EXPECT_EQ(plan.unknown[i].token, row.unread[i].token);
    EXPECT_EQ(plan.unknown[i].column, row.unread[i].column);
    EXPECT_EQ(plan.unknown[i].suggestion.value_or(""), row.unread[i].hint);
    EXPECT_THAT(plan.unknown[i].reason, testing::HasSubstr(row.unread[i].reason));
  }
}

const Texts kWaves{"SQ_WAVES"};
const Texts kBoth{"GRBM_COUNT", "SQ_WAVES"};
const std::string kNumber = "after ':device=' there must be a number and nothing else";
const std::string kLone = "a qualifier without a counter name";
const std::string kNowhere = "not a counter of gfx90a, gfx942";
const std::string kInstances = "no single instance can be chosen: all instances of the counter are collected";

// Each row keeps GRBM_COUNT, which stands in columns 1 to 10, beside the token in question.
Row rejected(const char* about, const std::string& token, const std::string& hint, const std::string& reason) {
  const Texts rest{"GRBM_COUNT"};
  return {about, "GRBM_COUNT," + token, rest, rest, {{token, 12, hint, reason}}, {}, {}, {}};
}

INSTANTIATE_TEST_SUITE_P(
    Unread, FailureTable,
    testing::Values(
        rejected("unknown name", "NO_SUCH_THING", "", kNowhere),
        rejected("a letter wrong", "SQ_WAVEZ", "SQ_WAVES", kNowhere),
        rejected("letters behind the number", "SQ_WAVES:device=0test", "SQ_WAVES:device=0", kNumber),
        rejected("no number", "SQ_WAVES:device=", "", kNumber), rejected("a sign", "SQ_WAVES:device=-0", "", kNumber),
        rejected("two qualifiers", "SQ_WAVES:device=0:device=0", "SQ_WAVES:device=0", kNumber),
        rejected("an index behind", "SQ_WAVES:device=1[0]", "SQ_WAVES:device=1", "an instance index stands"),
        rejected("twenty digits", "SQ_WAVES:device=99999999999999999999", "", "as large as that"),
        rejected("capitals", "SQ_WAVES:DEVICE=0", "SQ_WAVES:device=0", "in lower case"),
        rejected("small letters", "sq_waves", "SQ_WAVES", kNowhere),
        rejected("small letters for one GPU", "sq_waves:device=1", "SQ_WAVES:device=1", "not a counter of gfx90a"),
        rejected("quotes", "\"SQ_WAVES\"", "SQ_WAVES", "quotes are part of the token"),
        rejected("the way of PAPI", "rocm:::SQ_WAVES:device=0", "SQ_WAVES:device=0", "PAPI's 'rocm:::'"),
        rejected("two indices", "TCC_HIT[1][2]", "TCC_HIT", "only one '[number]' may follow a name"),
        rejected("only on the other GPU", "TCC_ONLY_HERE:device=1", "", "but of GPU 0 (gfx942)")));

INSTANTIATE_TEST_SUITE_P(
    Spaces, FailureTable,
    testing::Values(Row{"a lone qualifier",
                        "SQ_WAVES :device=0",
                        kWaves,
                        kWaves,
                        {{":device=0", 10, "SQ_WAVES:device=0", kLone}},
                        {},
                        {},
                        {}},
                    Row{"a qualifier in pieces",
                        "SQ_WAVES : device = 0",
                        kWaves,
                        kWaves,
                        {{": device = 0", 10, "SQ_WAVES:device=0", kLone}},
                        {},
                        {},
                        {}},
                    Row{"empty pieces", ",,SQ_WAVES;;GRBM_COUNT\t\n", kBoth, kBoth, {}, {}, {}, {}},
                    Row{"quotes around the list",
                        "\"SQ_WAVES,GRBM_COUNT\"",
                        {},
                        {},
                        {{"\"SQ_WAVES", 1, "SQ_WAVES", "quotes"}, {"GRBM_COUNT\"", 11, "GRBM_COUNT", "quotes"}},
                        {},
                        {},
                        {}},
                    Row{"nothing", "", {}, {}, {}, {}, {}, {}}));

INSTANTIATE_TEST_SUITE_P(
    Understood, FailureTable,
    testing::Values(Row{"a GPU that is not there",
                        "GRBM_COUNT SQ_WAVES:device=99",
                        {"GRBM_COUNT"},
                        {"GRBM_COUNT"},
                        {},
                        {"SQ_WAVES:device=99 is collected nowhere: there are GPUs 0 to 1"},
                        {},
                        {}},
                    Row{"two instances",
                        "TCC_HIT[0] TCC_HIT[1]",
                        {"TCC_HIT"},
                        {"TCC_HIT"},
                        {},
                        {},
                        {"TCC_HIT[0]: " + kInstances, "TCC_HIT[1]: " + kInstances},
                        {"TCC_HIT"}},
                    Row{"twice",
                        "SQ_WAVES,SQ_WAVES,SQ_WAVES:device=0",
                        kWaves,
                        kWaves,
                        {},
                        {},
                        {},
                        {"SQ_WAVES", "SQ_WAVES:device=0"}},
                    Row{"only on one of the GPUs",
                        "TCC_ONLY_HERE",
                        {"TCC_ONLY_HERE"},
                        {},
                        {},
                        {},
                        {"TCC_ONLY_HERE is not a counter of GPU 1 (gfx90a): it is collected on other GPUs only"},
                        {}}));

}  // namespace
}  // namespace multipass::apps
