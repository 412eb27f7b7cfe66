// SPDX-License-Identifier: MIT
#include "metrics/panels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catalogue/accumulations.hpp"
#include "catalogue/json.hpp"
#include "fixture.hpp"
#include "planner/plan_agent.hpp"

namespace multipass::metrics {
namespace {

using planner::testing::has_room;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// As the SDK of the project's catalogues lists it, with definitions.
AgentCatalogue gpu_of(const std::string& architecture, std::uint32_t device = 0) {
  const std::string path = std::string{MULTIPASS_CATALOGUE_DATA} + "/" + architecture + ".json";
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  Result<AgentCatalogue> read = catalogue::from_json(text.str(), path);
  if (!read) throw std::runtime_error(read.message());
  AgentCatalogue gpu = *std::move(read);
  catalogue::add_accumulations(gpu);
  gpu.agent.device = device;
  return gpu;
}

std::vector<std::string> counters_of(const PanelExpansion& panels, const std::string& name) {
  for (const Metric& metric : panels.metrics)
    if (metric.name == name) return metric.counters;
  throw std::runtime_error("no metric " + name);
}

AgentPlan plan_of(const AgentCatalogue& gpu, const PanelExpansion& panels) {
  catalogue::DeviceRequest wanted;
  add_panels(wanted, panels);
  return planner::plan_agent(gpu, {wanted.counters, wanted.groups, {true, {}}, wanted.loose_groups}, {});
}

TEST(ParsePanels, TakesNumbersAndAll) {
  EXPECT_THAT(*parse_panels("17, 2 7,2"), ElementsAre(2, 7, 17));
  EXPECT_EQ(*parse_panels(" all "), panel_numbers());
  EXPECT_THAT(panel_numbers(), ElementsAre(2, 3, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 18));
}

TEST(ParsePanels, RefusesAnythingElse) {
  const std::string there = "give all, or some of 2, 3, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 18, with commas";
  for (const char* text : {"4", "02", "+2", "-2", "4.1", "2x", "99999999999", "x"})
    EXPECT_EQ(parse_panels(text).message(), "'" + std::string{text} + "' is no panel: " + there);
  for (const char* text : {"7.2", "7.2.1", "7."})
    EXPECT_EQ(parse_panels(text).message(), "'" + std::string{text} + "' is no panel: panels are whole, give 7");
  EXPECT_EQ(parse_panels("2,all").message(), "'all' stands alone: leave out the others, or it");
  EXPECT_EQ(parse_panels(" , ").message(), "it is empty: give all, or panels by number");
}

TEST(KnownPanels, AreSortedAndTheOthersNamed) {
  std::vector<std::string> problems;
  EXPECT_THAT(known_panels({17, 4, 2, 17}, problems), ElementsAre(2, 17));
  EXPECT_THAT(problems, ElementsAre(StartsWith("'4' is no panel: give all, or some of 2, 3, 5,")));
}

class OccupancyOfPanel7 : public ::testing::TestWithParam<const char*> {};

TEST_P(OccupancyOfPanel7, IsOfOneAccumulationAndTheClock) {
  const PanelExpansion panels = expand_panels({7}, gpu_of(GetParam()));
  EXPECT_THAT(counters_of(panels, "7.2 Wavefront Occupancy"), ElementsAre("GRBM_GUI_ACTIVE", "SQ_LEVEL_WAVES_ACCUM"));
  EXPECT_EQ(panels.metrics.front().set, "panel 7");
  EXPECT_TRUE(panels.metrics.front().of_panel());
  EXPECT_THAT(panels.lost, IsEmpty());
  EXPECT_THAT(panels.split, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Architectures, OccupancyOfPanel7, ::testing::Values("gfx90a", "gfx942"));

TEST(ExpandPanels, TakesTheCountersOfTheArchitecture) {
  EXPECT_THAT(counters_of(expand_panels({2}, gpu_of("gfx90a")), "2.1 L2-Fabric Read BW"),
              ElementsAre("TCC_EA_RDREQ_32B_sum", "TCC_EA_RDREQ_sum"));
  EXPECT_THAT(counters_of(expand_panels({2}, gpu_of("gfx942")), "2.1 L2-Fabric Read BW"),
              ElementsAre("TCC_BUBBLE_sum", "TCC_EA0_RDREQ_32B_sum", "TCC_EA0_RDREQ_sum"));
}

TEST(ExpandPanels, LosesMetricsOfCountersThatTheSdkDoesNotList) {
  const PanelExpansion all = expand_panels(panel_numbers(), gpu_of("gfx942"));
  EXPECT_THAT(all.lost,
              ElementsAre(LostMetric{"3.1 VL1 Lat", {"TCP_TCP_LATENCY_sum"}},
                          LostMetric{"3.1 sL1D Lat", {"SQC_DCACHE_INFLIGHT_LEVEL_ACCUM"}},
                          LostMetric{"15.1 Sequencer \u2192 TA Address Stall", {"SQ_VMEM_TA_ADDR_FIFO_FULL"}},
                          LostMetric{"15.1 Sequencer \u2192 TA Command Stall", {"SQ_VMEM_TA_CMD_FIFO_FULL"}},
                          LostMetric{"15.1 Sequencer \u2192 TA Data Stall", {"SQ_VMEM_WR_TA_DATA_FIFO_FULL"}}));
  EXPECT_EQ(all.metrics.size(), 348U);
  const PanelExpansion older = expand_panels({17}, gpu_of("gfx90a"));
  EXPECT_THAT(older.lost,
              ElementsAre(LostMetric{"17.2 Write and Atomic BW", {"TCC_EA0_WRREQ_64B_sum", "TCC_EA0_WRREQ_sum"}}));
}

TEST(ExpandPanels, WantsNoOtherCounterForTheSakeOfALostMetric) {
  // In panel 3 only "VL1 Lat" needs it, whose other counter gfx942 does not have.
  const std::string other = "TCP_TA_TCP_STATE_READ_sum";
  for (const auto& [architecture, times] : {std::pair{"gfx90a", 1}, std::pair{"gfx942", 0}}) {
    catalogue::DeviceRequest wanted;
    add_panels(wanted, expand_panels({3}, gpu_of(architecture)));
    EXPECT_EQ(std::count(wanted.counters.begin(), wanted.counters.end(), other), times) << architecture;
    EXPECT_THAT(wanted.loose_groups, Contains(Contains(other)).Times(times)) << architecture;
  }
}

TEST(ExpandPanels, WantsTheBaseCountersOfChannels) {
  const PanelExpansion panels = expand_panels({18}, gpu_of("gfx942"));
  EXPECT_THAT(counters_of(panels, "18.4 per channel"), ElementsAre("TCC_ATOMIC", "TCC_READ", "TCC_WRITE"));
  EXPECT_THAT(panels.split, ElementsAre(18));
}

TEST(ExpandPanels, WantsWavesAndCyclesWhereAMetricIsNormalised) {
  const AgentCatalogue gpu = gpu_of("gfx942");
  catalogue::DeviceRequest mix;
  add_panels(mix, expand_panels({10}, gpu));
  EXPECT_THAT(mix.counters, AllOf(Contains("SQ_WAVES"), Contains("GRBM_GUI_ACTIVE")));
  for (const std::vector<std::string>& group : mix.loose_groups) EXPECT_THAT(group, Not(Contains("SQ_WAVES")));
  catalogue::DeviceRequest processor;
  add_panels(processor, expand_panels({5}, gpu));
  EXPECT_THAT(processor.counters, AllOf(Not(Contains("SQ_WAVES")), Not(Contains("GRBM_GUI_ACTIVE"))));
}

TEST(ExpandPanels, GivesNothingForOtherArchitecturesAndWithoutCounters) {
  const PanelExpansion other = expand_panels({2}, gpu_of("gfx1100"));
  EXPECT_FALSE(other.known);
  EXPECT_THAT(other.metrics, IsEmpty());
  EXPECT_TRUE(expand_panels({}, gpu_of("gfx1100")).known);
  EXPECT_TRUE(expand_panels({2}, {}).known);
}

struct Figures {
  const char* architecture;
  std::size_t passes;               // of all panels together
  std::vector<std::size_t> single;  // of each alone

  friend void PrintTo(const Figures& figures, std::ostream* out) { *out << figures.architecture; }
};

class AllPanels : public ::testing::TestWithParam<Figures> {};

TEST_P(AllPanels, AreReadInTheFewestPassesEachMetricInOneThatHasRoom) {
  const AgentCatalogue gpu = gpu_of(GetParam().architecture);
  const PanelExpansion all = expand_panels(panel_numbers(), gpu);
  const AgentPlan plan = plan_of(gpu, all);
  EXPECT_THAT(plan.unplaceable, IsEmpty());
  EXPECT_EQ(plan.passes.size(), GetParam().passes);
  EXPECT_TRUE(plan.proven_minimal());
  std::vector<std::string> spread;
  for (const PlannedMetric& planned : place(all.metrics, plan)) {
    EXPECT_EQ(planned.pass.has_value(), has_room(gpu, planned.metric.counters)) << planned.metric.name;
    if (!planned.pass) spread.push_back(planned.metric.name);
  }
  EXPECT_THAT(spread, ElementsAre("2.1 VALU FLOPs", "2.1 vL1D Cache Hit Rate", "3.1 VL1 Hit", "11.1 VALU FLOPs",
                                  "11.2 IPC (Issued)", "11.3 FLOPs (Total)", "15.4 Read Instructions", "16.1 Hit rate",
                                  "16.3 Cache Hit Rate", "16.3 Cache Hits"));
}

TEST_P(AllPanels, AreReadOneByOneInTheFewestPasses) {
  const AgentCatalogue gpu = gpu_of(GetParam().architecture);
  std::vector<std::size_t> passes;
  for (const std::uint32_t panel : panel_numbers()) {
    const AgentPlan plan = plan_of(gpu, expand_panels({panel}, gpu));
    EXPECT_EQ(plan.proof, Proof::kBound) << panel;
    passes.push_back(plan.passes.size());
  }
  EXPECT_EQ(passes, GetParam().single);
}

INSTANTIATE_TEST_SUITE_P(Architectures, AllPanels,
                         ::testing::Values(Figures{"gfx90a", 12, {6, 5, 7, 3, 2, 4, 6, 2, 2, 2, 8, 11, 9, 4}},
                                           Figures{"gfx942", 12, {6, 4, 7, 3, 2, 4, 6, 2, 2, 2, 8, 9, 9, 4}}));

TEST(AllPanels, TakeNoLongerThanAnEffortOfAThousand) {
  const AgentCatalogue gpu = gpu_of("gfx942");
  catalogue::DeviceRequest wanted;
  add_panels(wanted, expand_panels(panel_numbers(), gpu));
  planner::Options options;
  options.effort = 1000;
  const AgentPlan plan = planner::plan_agent(gpu, {wanted.counters, {}, {true, {}}, wanted.loose_groups}, options);
  EXPECT_EQ(plan.passes.size(), 12U);
  EXPECT_TRUE(plan.proven_minimal());
}

TEST(PanelWarnings, AreOneForGpusThatLackTheSame) {
  const AgentCatalogue first = gpu_of("gfx942", 0);
  const AgentCatalogue second = gpu_of("gfx90a", 1);
  const AgentCatalogue third = gpu_of("gfx942", 2);
  const AgentCatalogue other = gpu_of("gfx1100", 3);
  const std::vector<std::uint32_t> panels{15, 17, 18};
  std::vector<PanelExpansion> expansions;
  for (const AgentCatalogue* gpu : {&first, &second, &third, &other}) expansions.push_back(expand_panels(panels, *gpu));
  const std::vector<GpuPanels> gpus{{&first.agent, &expansions[0]},
                                    {&second.agent, &expansions[1]},
                                    {&third.agent, &expansions[2]},
                                    {&other.agent, &expansions[3]}};
  EXPECT_THAT(
      panel_warnings(gpus, false),
      ElementsAre(
          "GPU 0 (gfx942), GPU 2 (gfx942): 3 metrics of rocprofiler-compute's panels are left out: the SDK does "
          "not list a counter of each: 15.1 Sequencer \u2192 TA Address Stall (SQ_VMEM_TA_ADDR_FIFO_FULL), 15.1 "
          "Sequencer \u2192 TA Command Stall (SQ_VMEM_TA_CMD_FIFO_FULL), 15.1 Sequencer \u2192 TA Data Stall "
          "(SQ_VMEM_WR_TA_DATA_FIFO_FULL)",
          AllOf(StartsWith("GPU 1 (gfx90a): 4 metrics of"), HasSubstr("17.2 Write and Atomic BW")),
          "no panel is collected on GPU 3 (gfx1100): panels are known for gfx90a and gfx942 only",
          "the channel tables of panel 18 will be empty: what single channels count is recorded with "
          "'--instances keep' only"));
  EXPECT_THAT(panel_warnings(gpus, true), Each(Not(HasSubstr("channel"))));
  EXPECT_THAT(panel_warnings({}, false), IsEmpty());
}

TEST(PanelWarnings, NameNoMoreMetricsThanCanBeRead) {
  AgentCatalogue gpu = gpu_of("gfx942");
  std::erase_if(gpu.counters, [](const auto& counter) { return counter.first.starts_with("SQ"); });
  const PanelExpansion panels = expand_panels({10}, gpu);
  const std::vector<std::string> texts = panel_warnings({{&gpu.agent, &panels}}, false);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_THAT(texts[0], AllOf(StartsWith("GPU 0 (gfx942): 29 metrics"), HasSubstr(" and 17 more")));
}

TEST(PlannedPanels, TellWhichMetricsAreInSeveralPasses) {
  const AgentCatalogue gpu = gpu_of("gfx942");
  const PanelExpansion panels = expand_panels({2, 7}, gpu);
  const AgentPlan plan = plan_of(gpu, panels);
  const std::vector<PlannedPanels> planned{{&gpu.agent, &plan, &panels.metrics}};
  EXPECT_THAT(spread_notes(planned),
              ElementsAre("GPU 0 (gfx942): 2 metrics of rocprofiler-compute's panels have counters that no pass takes "
                          "together: 2.1 VALU FLOPs, 2.1 vL1D Cache Hit Rate; they are computed of what several passes "
                          "read"));
  EXPECT_THAT(unplanned_warnings(planned), IsEmpty());
}

TEST(PlannedPanels, TellWhichMetricsLackACounterWithoutAPlace) {
  AgentCatalogue gpu = gpu_of("gfx942");
  gpu.slots["GRBM"] = 0;
  const PanelExpansion panels = expand_panels({7}, gpu);
  const AgentPlan plan = plan_of(gpu, panels);
  const std::vector<PlannedPanels> planned{{&gpu.agent, &plan, &panels.metrics}};
  EXPECT_THAT(unplanned_warnings(planned),
              ElementsAre("GPU 0 (gfx942): 2 metrics of rocprofiler-compute's panels are lost with counters that have "
                          "no place: 7.2 Kernel Time (Cycles), 7.2 Wavefront Occupancy"));
  EXPECT_THAT(spread_notes(planned), IsEmpty());
  // Each of them is told of once.
  for (const UnplaceableCounter& counter : plan.unplaceable)
    EXPECT_THAT(text_of_unplaceable(counter, panels.metrics), Not(HasSubstr("lost")));
}

}  // namespace
}  // namespace multipass::metrics
