// SPDX-License-Identifier: MIT
#include "catalogue/resolve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "catalogue/build.hpp"

namespace multipass::catalogue {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

AgentCatalogue gpu(std::uint32_t device, std::string arch, const std::vector<std::string>& counters) {
  std::vector<CounterInfo> infos;
  for (const std::string& name : counters) {
    infos.emplace_back().name = name;
    infos.back().block = "SQ";
  }
  infos.emplace_back().name = "num_xcc";
  infos.back().is_constant = true;
  infos.emplace_back().name = "CU_NUM";
  infos.back().is_derived = true;
  infos.back().expression = "num_xcc * 38";
  AgentInfo agent;
  agent.name = std::move(arch);
  agent.device = device;
  return build(std::move(agent), std::move(infos), {{"SQ", 8}});
}

// A token that no GPU has a counter for: what other architectures have is worth a look.
UnknownToken new_name(UnknownToken unknown) {
  unknown.new_name = true;
  return unknown;
}

class Resolve : public testing::Test {
 protected:
  AgentCatalogue first_ = gpu(0, "gfx942", {"SQ_WAVES", "SQ_INSTS", "SQ_ONLY_HERE", "SQ_ACCUM_PREV"});
  AgentCatalogue second_ = gpu(1, "gfx1100", {"SQ_WAVES", "SQ_INSTS"});
  std::vector<const AgentCatalogue*> both_{&first_, &second_};
};

TEST_F(Resolve, ACounterWithoutAQualifierIsWantedOnEveryGpu) {
  const Resolution result = resolve({{"SQ_WAVES", {}, 1}, {"SQ_INSTS", {}, 10}}, both_);
  EXPECT_THAT(result.devices[0].counters, ElementsAre("SQ_WAVES", "SQ_INSTS"));
  EXPECT_THAT(result.devices[1].counters, ElementsAre("SQ_WAVES", "SQ_INSTS"));
  EXPECT_THAT(result.unknown, IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST_F(Resolve, AQualifierChoosesTheGpuWithThatOrdinal) {
  const Resolution result = resolve({{"SQ_WAVES", 1, 1}}, both_);
  EXPECT_THAT(result.devices[0].counters, IsEmpty());
  EXPECT_THAT(result.devices[1].counters, ElementsAre("SQ_WAVES"));
}

TEST_F(Resolve, AnUnknownNameIsReportedWithItsColumnAndTheNearestName) {
  const Resolution result = resolve({{"sq_waves", {}, 7}, {"SQ_WAVE", 1, 16}, {"NOTHING_LIKE_IT", {}, 30}}, both_);
  EXPECT_THAT(result.unknown,
              ElementsAre(new_name({"NOTHING_LIKE_IT", 30, std::nullopt, "not a counter of gfx1100, gfx942"}),
                          new_name({"SQ_WAVE:device=1", 16, "SQ_WAVES:device=1", "not a counter of gfx1100"}),
                          new_name({"sq_waves", 7, "SQ_WAVES", "not a counter of gfx1100, gfx942"})));
  EXPECT_THAT(result.devices[0].counters, IsEmpty());
}

TEST_F(Resolve, ANameKnownOnSomeGpusIsANoteForTheOthers) {
  const Resolution result = resolve({{"SQ_ONLY_HERE", {}, 1}}, both_);
  EXPECT_THAT(result.devices[0].counters, ElementsAre("SQ_ONLY_HERE"));
  EXPECT_THAT(result.devices[1].counters, IsEmpty());
  EXPECT_THAT(result.unknown, IsEmpty());
  EXPECT_THAT(result.notes,
              ElementsAre("SQ_ONLY_HERE is not a counter of GPU 1 (gfx1100): it is collected on other GPUs only"));
}

TEST_F(Resolve, SeveralNamesKnownOnSomeGpusAreOneNoteForEachOther) {
  EXPECT_THAT(resolve({{"SQ_ONLY_HERE", {}, 1}, {"SQ_ACCUM_PREV", {}, 14}}, both_).notes,
              ElementsAre("SQ_ACCUM_PREV, SQ_ONLY_HERE are no counters of GPU 1 (gfx1100): they are collected on other "
                          "GPUs only"));
}

TEST_F(Resolve, ANameThatOnlyAnotherGpuHasIsUnknownAndThatGpuIsNamed) {
  EXPECT_THAT(resolve({{"SQ_ONLY_HERE", 1, 1}}, both_).unknown,
              ElementsAre(UnknownToken{"SQ_ONLY_HERE:device=1", 1, std::nullopt,
                                       "not a counter of gfx1100, but of GPU 0 (gfx942)"}));
}

TEST_F(Resolve, AnOrdinalOutOfRangeIsCollectedNowhere) {
  const Resolution result = resolve({{"SQ_WAVES", 99, 1}, {"SQ_INSTS", 1, 20}}, both_);
  EXPECT_THAT(result.nowhere, ElementsAre(NowhereToken{"SQ_WAVES:device=99", 1, "there are GPUs 0 to 1"}));
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_THAT(result.unknown, IsEmpty());
  EXPECT_THAT(result.devices[1].counters, ElementsAre("SQ_INSTS"));
  EXPECT_THAT(resolve({{"A", 1, 7}}, {&first_}).nowhere,
              ElementsAre(NowhereToken{"A:device=1", 7, "there is only GPU 0"}));
  EXPECT_THAT(resolve({{"A", 0, 1}}, {}).nowhere, ElementsAre(NowhereToken{"A:device=0", 1, "there is no GPU"}));
}

TEST_F(Resolve, WithoutAGpuEveryNameIsUnknown) {
  EXPECT_THAT(resolve({{"SQ_WAVES", {}, 1}}, {}).unknown,
              ElementsAre(UnknownToken{"SQ_WAVES", 1, std::nullopt, "there is no GPU"}));
}

TEST_F(Resolve, ConstantsAreIgnoredByName) {
  const Resolution result = resolve({{"num_xcc", {}, 1}, {"CU_NUM", 0, 9}}, both_);
  const std::string reason = "a constant of the agent, the same for every dispatch";
  EXPECT_THAT(result.ignored, ElementsAre(IgnoredToken{"CU_NUM:device=0", reason}, IgnoredToken{"num_xcc", reason}));
  EXPECT_THAT(result.devices[0].counters, IsEmpty());
  EXPECT_THAT(result.unknown, IsEmpty());
}

TEST_F(Resolve, ATokenCoveredByAnotherIsADuplicateInEitherOrder) {
  for (const std::vector<CounterRequest>& requests :
       {std::vector<CounterRequest>{{"SQ_WAVES", 0, 1}, {"SQ_WAVES", {}, 20}},
        std::vector<CounterRequest>{{"SQ_WAVES", {}, 1}, {"SQ_WAVES", 0, 10}}}) {
    const Resolution result = resolve(requests, both_);
    EXPECT_THAT(result.duplicates, ElementsAre("SQ_WAVES:device=0"));
    EXPECT_THAT(result.devices[0].counters, ElementsAre("SQ_WAVES"));
    EXPECT_THAT(result.devices[1].counters, ElementsAre("SQ_WAVES"));
  }
}

TEST_F(Resolve, ACounterThatReadsZeroIsPlannedWithAWarning) {
  const Resolution result = resolve({{"SQ_ACCUM_PREV", 0, 1}}, both_);
  EXPECT_THAT(result.devices[0].counters, ElementsAre("SQ_ACCUM_PREV"));
  EXPECT_THAT(result.warnings, ElementsAre("SQ_ACCUM_PREV asked for by name takes a register and reads zero "
                                           "(rocprofiler-sdk issue 61)"));
}

TEST_F(Resolve, AGpuWithoutCountersIsLeftOutWithANote) {
  AgentCatalogue unsupported;
  unsupported.agent.name = "gfx1036";
  unsupported.agent.device = 1;
  const Resolution result = resolve({{"SQ_WAVES", {}, 1}}, {&first_, &unsupported});
  EXPECT_THAT(result.devices[0].counters, ElementsAre("SQ_WAVES"));
  EXPECT_THAT(result.devices[1].counters, IsEmpty());
  EXPECT_THAT(result.notes, ElementsAre("GPU 1 (gfx1036) offers no counters: it is left unprofiled"));
  EXPECT_THAT(result.unknown, IsEmpty());
}

TEST_F(Resolve, AGpuWithoutCountersIsNamedForAnUnknownNameOnlyWhereNoOtherWasAsked) {
  AgentCatalogue unsupported;
  unsupported.agent.name = "gfx1036";
  unsupported.agent.device = 1;
  EXPECT_THAT(resolve({{"NOTHING_LIKE_IT", {}, 1}}, {&first_, &unsupported}).unknown,
              ElementsAre(new_name({"NOTHING_LIKE_IT", 1, std::nullopt, "not a counter of gfx942"})));
  EXPECT_THAT(resolve({{"SQ_WAVES", 1, 1}}, {&first_, &unsupported}).unknown,
              ElementsAre(UnknownToken{"SQ_WAVES:device=1", 1, std::nullopt, "there are no counters on gfx1036"}));
}

TEST_F(Resolve, ACounterOfAGroupOnlyIsAskedForOnEveryGpu) {
  const Resolution result = resolve({}, both_, {{"SQ_WAVES", "SQ_INSTS"}});
  for (const DeviceRequest& device : result.devices) {
    EXPECT_THAT(device.counters, ElementsAre("SQ_WAVES", "SQ_INSTS"));
    EXPECT_THAT(device.groups, ElementsAre(ElementsAre("SQ_WAVES", "SQ_INSTS")));
  }
}

TEST_F(Resolve, AGroupHoldsOnlyForGpusThatWantACounterOfIt) {
  const Resolution result = resolve({{"SQ_WAVES", 1, 1}, {"SQ_INSTS", 1, 20}, {"num_xcc", 1, 30}}, both_,
                                    {{"SQ_WAVES", "SQ_INSTS", "num_xcc"}});
  EXPECT_THAT(result.devices[0].groups, IsEmpty());
  EXPECT_THAT(result.devices[0].counters, IsEmpty());
  EXPECT_THAT(result.devices[1].groups, ElementsAre(ElementsAre("SQ_WAVES", "SQ_INSTS")));
}

TEST_F(Resolve, AGroupBringsItsOtherCountersToAGpuThatWantsOne) {
  const Resolution result = resolve({{"SQ_WAVES", 0, 1}, {"SQ_INSTS", 1, 20}}, both_, {{"SQ_WAVES", "SQ_INSTS"}});
  EXPECT_THAT(result.devices[0].counters, ElementsAre("SQ_WAVES", "SQ_INSTS"));
  EXPECT_THAT(result.devices[1].counters, ElementsAre("SQ_INSTS", "SQ_WAVES"));
}

TEST_F(Resolve, WhichGroupsHoldDoesNotDependOnTheirOrder) {
  const std::vector<std::string> near{"SQ_WAVES", "SQ_INSTS"};
  const std::vector<std::string> far{"SQ_INSTS", "SQ_ONLY_HERE"};
  const std::vector<CounterRequest> requests{{"SQ_WAVES", 0, 1}, {"SQ_INSTS", 1, 9}, {"SQ_ONLY_HERE", 9, 20}};
  const Resolution one = resolve(requests, both_, {near, far});
  const Resolution other = resolve(requests, both_, {far, near});
  EXPECT_THAT(one.devices[0].groups, ElementsAre(near));
  EXPECT_THAT(other.devices[0].groups, ElementsAre(near));
}

TEST_F(Resolve, AnUnknownMemberOfAGroupIsUnknownAndStaysInTheGroup) {
  const Resolution result = resolve({{"SQ_WAVES", {}, 1}}, {&first_}, {{"SQ_WAVES", "SQ_INSTZ"}});
  EXPECT_THAT(result.unknown, ElementsAre(new_name({"SQ_INSTZ", 0, "SQ_INSTS", "not a counter of gfx942"})));
  EXPECT_THAT(result.devices[0].groups, ElementsAre(ElementsAre("SQ_WAVES", "SQ_INSTZ")));
  EXPECT_THAT(result.devices[0].counters, ElementsAre("SQ_WAVES"));
}

TEST_F(Resolve, ManyUnknownNamesAreAllNamed) {
  std::vector<CounterRequest> requests;
  for (int i = 0; i < 2'000; ++i) requests.push_back({"SQ_WAVEX" + std::to_string(i), {}, 1});
  EXPECT_THAT(resolve(requests, both_).unknown, SizeIs(2'000));
}

class ResolveSentinels : public Resolve {};

TEST_F(ResolveSentinels, AreSortedCountersOfEachGpu) {
  const SentinelResolution result =
      resolve_sentinels({{"SQ_WAVES", {}, 1}, {"SQ_INSTS", 0, 10}, {"SQ_WAVES", 0, 20}}, both_);
  EXPECT_THAT(result.devices, ElementsAre(ElementsAre("SQ_INSTS", "SQ_WAVES"), ElementsAre("SQ_WAVES")));
  EXPECT_THAT(result.unknown, IsEmpty());
}

TEST_F(ResolveSentinels, ThatLeadNowhereAreToldInOrderOfTheirNames) {
  const SentinelResolution result =
      resolve_sentinels({{"sq_waves", {}, 7}, {"SQ_WAVES", 9, 16}, {"num_xcc", {}, 30}}, both_);
  EXPECT_THAT(result.unknown,
              ElementsAre(UnknownToken{"SQ_WAVES:device=9", 16, std::nullopt, "there are GPUs 0 to 1", true},
                          new_name({"sq_waves", 7, "SQ_WAVES", "not a counter of gfx1100, gfx942", true})));
  EXPECT_THAT(result.ignored, ElementsAre(IgnoredToken{
                                  "num_xcc", "no sentinel: a constant of the agent, the same for every dispatch"}));
}

TEST_F(ResolveSentinels, ThatOneGpuLacksAreANote) {
  const SentinelResolution result = resolve_sentinels({{"SQ_ONLY_HERE", {}, 1}}, both_);
  EXPECT_THAT(result.devices[1], IsEmpty());
  EXPECT_THAT(result.notes, ElementsAre("sentinels: SQ_ONLY_HERE is not a counter of GPU 1 (gfx1100): it is collected "
                                        "on other GPUs only"));
}

TEST_F(ResolveSentinels, LeaveItToTheRequestToTellOfAGpuWithoutCounters) {
  AgentCatalogue bare;
  bare.agent.name = "gfx1036";
  EXPECT_THAT(resolve_sentinels({{"SQ_WAVES", {}, 1}}, {&first_, &bare}).notes, IsEmpty());
}

}  // namespace
}  // namespace multipass::catalogue
