// SPDX-License-Identifier: MIT
#include "metrics/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "metrics/identifiers.hpp"

namespace multipass::metrics {
namespace {

using planner::testing::load_packing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> names_of(const std::vector<Metric>& metrics) {
  std::vector<std::string> names;
  for (const Metric& metric : metrics) names.push_back(metric.name);
  return names;
}

const Metric& metric_named(const std::vector<Metric>& metrics, const std::string& name) {
  for (const Metric& metric : metrics)
    if (metric.name == name) return metric;
  throw std::runtime_error("no metric " + name);
}

TEST(CountersIn, AreTheNamesWithACapitalSortedAndOnce) {
  EXPECT_THAT(counters_in("400 * SQ_WAVES / (GRBM_COUNT*cu_count) + max(SQ_WAVES, 2e3) - num_xcc_X"),
              ElementsAre("GRBM_COUNT", "SQ_WAVES"));
}

TEST(CountersIn, AreNoneInATextWithoutNames) {
  EXPECT_THAT(counters_in(""), IsEmpty());
  EXPECT_THAT(counters_in(" 1 + (2) "), IsEmpty());
}

TEST(CheckNames, KeepsTheOrderOfTheDataAndEachNameOnce) {
  const SetNames names = check_names({"cache", "memory", "cache"});
  EXPECT_THAT(names.known, ElementsAre("memory", "cache"));
  EXPECT_THAT(names.problems, IsEmpty());
}

TEST(CheckNames, NamesTheNearestOfAnUnknownSetAndThoseThereAre) {
  const SetNames names = check_names({"memroy", "cache"});
  EXPECT_THAT(names.known, ElementsAre("cache"));
  EXPECT_THAT(names.problems,
              ElementsAre("'memroy' is not a set of metrics; did you mean memory? there are memory, cache, "
                          "occupancy, compute, stall, lds"));
}

TEST(Expand, GivesTheFormulaOfTheArchitecture) {
  const Expansion on_942 = expand({"memory"}, load_packing("gfx942").catalogue);
  const Metric& read = metric_named(on_942.metrics, "read_bytes");
  EXPECT_EQ(read.set, "memory");
  EXPECT_EQ(read.unit, "B");
  EXPECT_EQ(read.formula,
            "32 * TCC_EA0_RDREQ_32B_sum + 64 * (TCC_EA0_RDREQ_sum - TCC_EA0_RDREQ_32B_sum - TCC_BUBBLE_sum) + 128 * "
            "TCC_BUBBLE_sum");
  EXPECT_THAT(read.counters, ElementsAre("TCC_BUBBLE_sum", "TCC_EA0_RDREQ_32B_sum", "TCC_EA0_RDREQ_sum"));
  const Expansion on_90a = expand({"memory"}, load_packing("gfx90a").catalogue);
  EXPECT_THAT(metric_named(on_90a.metrics, "read_bytes").counters,
              ElementsAre("TCC_EA_RDREQ_32B_sum", "TCC_EA_RDREQ_sum"));
}

TEST(Expand, HasOnlyMetricsOfTheSetsAskedFor) {
  const Expansion expansion = expand({"stall"}, load_packing("gfx1201").catalogue);
  EXPECT_THAT(names_of(expansion.metrics), ElementsAre("wait_share", "issue_wait_share"));
  EXPECT_THAT(expansion.warnings, IsEmpty());
}

TEST(Expand, TakesAnArchitectureThatIsDefinedAsAnotherForThat) {
  AgentCatalogue catalogue = load_packing("gfx1100").catalogue;
  const Expansion as_itself = expand({"memory"}, catalogue);
  catalogue.agent.name = "gfx1102";
  EXPECT_EQ(expand({"memory"}, catalogue).metrics, as_itself.metrics);
}

TEST(Expand, NamesTheGpuThatASetHasNoMetricFor) {
  AgentCatalogue catalogue = load_packing("gfx1201").catalogue;
  catalogue.agent.device = 3;
  const Expansion expansion = expand({"occupancy", "stall"}, catalogue);
  EXPECT_THAT(names_of(expansion.metrics), ElementsAre("wait_share", "issue_wait_share"));
  EXPECT_THAT(expansion.warnings, ElementsAre("set occupancy has no metric for GPU 3 (gfx1201)"));
}

TEST(Expand, LeavesOutAMetricWhoseCounterTheSdkDoesNotList) {
  AgentCatalogue catalogue = load_packing("gfx942").catalogue;
  catalogue.counters.erase("SQ_BUSY_CU_CYCLES");
  const Expansion expansion = expand({"occupancy"}, catalogue);
  EXPECT_THAT(names_of(expansion.metrics), ElementsAre("waves_per_cu", "occupancy", "wave_life"));
  EXPECT_THAT(
      expansion.warnings,
      ElementsAre("metric waves_per_active_cu is left out on GPU 0 (gfx942): its SDK does not list SQ_BUSY_CU_CYCLES"));
}

TEST(Expand, IsSilentAboutAGpuWithoutCounters) {
  AgentCatalogue catalogue;
  catalogue.agent.name = "gfx942";
  const Expansion expansion = expand({"memory"}, catalogue);
  EXPECT_THAT(expansion.metrics, IsEmpty());
  EXPECT_THAT(expansion.warnings, IsEmpty());
}

TEST(AddTo, WantsEachCounterOnceAndAGroupForEachMetricOfSeveral) {
  catalogue::DeviceRequest request{{"B"}, {}};
  add_to(request, {{"one", "s", "", "A / B", {"A", "B"}}, {"two", "s", "", "2 * A", {"A"}}});
  EXPECT_THAT(request.counters, ElementsAre("B", "A"));
  EXPECT_THAT(request.groups, ElementsAre(std::vector<std::string>{"A", "B"}));
}

TEST(Place, IsTheFirstPassWithAllCounters) {
  AgentPlan plan;
  plan.passes = {{{"A", "C"}, {}, {}, {}}, {{"A", "B"}, {}, {}, {}}, {{"A", "B", "C"}, {}, {}, {}}};
  const std::vector<PlannedMetric> placed =
      place({{"split", "s", "", "B / C", {"B", "C"}}, {"ratio", "s", "", "A / B", {"A", "B"}}}, plan);
  ASSERT_EQ(placed.size(), 2U);
  EXPECT_EQ(placed[0].pass, 2U);
  EXPECT_EQ(placed[1].pass, 1U);
}

TEST(Place, IsNoPassThatHasACounterToCompareItByOnly) {
  AgentPlan plan;
  plan.passes = {{{"A", "B"}, {"B"}, {}, {}}, {{"A", "B"}, {"A"}, {}, {}}, {{"A", "B", "C"}, {"C"}, {}, {}}};
  const std::vector<PlannedMetric> placed =
      place({{"ratio", "s", "", "A / B", {"A", "B"}}, {"b", "s", "", "B", {"B"}}}, plan);
  ASSERT_EQ(placed.size(), 2U);
  EXPECT_EQ(placed[0].pass, 2U);
  EXPECT_EQ(placed[1].pass, 1U);
}

TEST(Place, IsNowhereWhereNoPassHasAllCounters) {
  AgentPlan plan;
  plan.passes = {{{"A"}, {}, {}, {}}, {{"B"}, {}, {}, {}}};
  const std::vector<PlannedMetric> placed = place({{"ratio", "s", "", "A / B", {"A", "B"}}}, plan);
  ASSERT_EQ(placed.size(), 1U);
  EXPECT_EQ(placed[0].pass, std::nullopt);
}

const std::vector<Metric> kRatios{{"ratio", "s", "", "A / B", {"A", "B"}},
                                  {"share", "t", "", "B / (A + B)", {"A", "B"}},
                                  {"one", "s", "", "2 * C", {"C"}}};
constexpr const char* kTooWide = "they need 3 TCC registers, a pass has 2; they are planned singly";

TEST(TextOfUnplaceable, OfAGroupSaysThatItIsNotInOnePassAndWhatHelps) {
  EXPECT_EQ(text_of_unplaceable({"A,D", kTooWide, "TCC", 3, 2}, kRatios),
            "A,D are not in one pass: they need 3 TCC registers, a pass has 2; they are planned singly; a group with "
            "fewer TCC counters fits");
  EXPECT_EQ(text_of_unplaceable({"A,D", "the SDK refuses them together on x; they are planned singly", "", 0, 0}, {}),
            "A,D are not in one pass: the SDK refuses them together on x; they are planned singly");
}

TEST(TextOfUnplaceable, NamesTheMetricsThatAreLostAndTheirSets) {
  EXPECT_EQ(text_of_unplaceable({"A,B", kTooWide, "TCC", 3, 2}, kRatios),
            "A,B are not in one pass: they need 3 TCC registers, a pass has 2; they are planned singly; the metrics "
            "ratio of set s, share of set t are lost");
  EXPECT_EQ(text_of_unplaceable({"C", "the SDK refuses it", "", 0, 0}, kRatios),
            "C is not collected: the SDK refuses it; the metric one of set s is lost");
  EXPECT_EQ(text_of_unplaceable({"D", "not a counter of x", "", 0, 0}, kRatios),
            "D is not collected: not a counter of x");
}

}  // namespace
}  // namespace multipass::metrics
