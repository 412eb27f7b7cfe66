// SPDX-License-Identifier: MIT
#include "catalogue/build.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace multipass::catalogue {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

CounterInfo base(std::string name, std::string block) {
  CounterInfo info;
  info.name = std::move(name);
  info.block = std::move(block);
  return info;
}

CounterInfo derived(std::string name, std::string expression) {
  CounterInfo info;
  info.name = std::move(name);
  info.expression = std::move(expression);
  info.is_derived = true;
  return info;
}

CounterInfo constant(std::string name) {
  CounterInfo info;
  info.name = std::move(name);
  info.is_constant = true;
  return info;
}

// The registers, as BLOCK:KEY, of a derived counter with this expression on an agent with some counters.
std::vector<std::string> keys_of(const std::string& expression) {
  std::map<std::string, CounterInfo> counters;
  for (const CounterInfo& info :
       {base("HIT", "TCC"), base("MISS", "TCC"), base("WAVES", "SQ"), base("LEVEL", "SQ"), base("GUI", "GRBM"),
        constant("cu_count"), derived("HIT_sum", "reduce(HIT,sum)"), derived("RATIO", "HIT_sum / (HIT_sum + MISS)"),
        derived("LOOP", "LOOP + POOL"), derived("POOL", "LOOP * WAVES"), derived("SELF", "SELF * 2"),
        derived("OCCUPANCY", "accumulate(LEVEL,HIGH_RES)"), derived("TOTAL", expression)})
    counters.emplace(info.name, info);
  std::vector<std::string> texts;
  for (const RegisterKey& key : register_keys(counters.at("TOTAL"), counters))
    texts.push_back(key.block + ':' + key.name);
  return texts;
}

TEST(RegisterKeys, OfABaseCounterAreItsOwnInItsBlock) {
  const std::map<std::string, CounterInfo> counters{{"HIT", base("HIT", "TCC")}};
  EXPECT_THAT(register_keys(counters.at("HIT"), counters), ElementsAre(RegisterKey{"TCC", "HIT"}));
}

TEST(RegisterKeys, OfAConstantAreNone) {
  EXPECT_THAT(register_keys(constant("cu_count"), {}), IsEmpty());
}

TEST(RegisterKeys, OfADerivedCounterAreTheCountersInItsExpressionOnceAndSorted) {
  EXPECT_THAT(keys_of("(WAVES + HIT) / max(MISS, WAVES)"), ElementsAre("SQ:WAVES", "TCC:HIT", "TCC:MISS"));
}

TEST(RegisterKeys, AFunctionIsNoCounterEvenWithACountersName) {
  EXPECT_THAT(keys_of("HIT (MISS)"), ElementsAre("TCC:MISS"));
}

TEST(RegisterKeys, ACounterThatIsMissingCostsAKeyWithoutABlock) {
  EXPECT_THAT(keys_of("MISSING_A + 1"), ElementsAre(":MISSING_A"));
  EXPECT_THAT(keys_of("WAVES + reduce(MISSING_B_sum, sum)"), ElementsAre(":MISSING_B_sum", "SQ:WAVES"));
  EXPECT_THAT(keys_of("accumulate(MissingLevel, HIGH_RES)"), ElementsAre(":MissingLevel"));
}

TEST(RegisterKeys, APropertyOfTheAgentCostsNothingEvenWhereItIsNoCounter) {
  EXPECT_THAT(keys_of("WAVES / cu_num / simd_num / max_waves_per_cu"), ElementsAre("SQ:WAVES"));
  EXPECT_THAT(keys_of("se_num * 4"), IsEmpty());
}

TEST(RegisterKeys, DimensionsFlagsAndOperatorsAreNoCounters) {
  EXPECT_THAT(keys_of("reduce(select(HIT,[DIMENSION_XCC=[0],DIMENSION_SHADER_ENGINE=[0:3]]),avr)"),
              ElementsAre("TCC:HIT"));
  EXPECT_THAT(keys_of("accumulate(accumulate(LEVEL, LOW_RES), HIGH_RES) + accumulate(LEVEL, NONE)"),
              ElementsAre("SQ:LEVEL", "SQ:LEVEL@HIGH_RES"));
}

TEST(RegisterKeys, ConstantsNumbersAndUnknownWordsCostNothing) {
  EXPECT_THAT(keys_of("100 * WAVES / cu_count + 1e5 + 2.5HIT - DIMENSION_XCC"), ElementsAre("SQ:WAVES"));
  EXPECT_THAT(keys_of("cu_count * 4"), IsEmpty());
}

TEST(RegisterKeys, ASelectionOrReductionDoesNotChangeTheRegisters) {
  EXPECT_THAT(keys_of("reduce(select(HIT,[DIMENSION_XCC=[0:3]]),sum,[DIMENSION_XCC])"), ElementsAre("TCC:HIT"));
}

TEST(RegisterKeys, NestedDerivedCountersAreFollowed) {
  EXPECT_THAT(keys_of("RATIO * WAVES"), ElementsAre("SQ:WAVES", "TCC:HIT", "TCC:MISS"));
}

TEST(RegisterKeys, ACycleIsReadOnce) {
  EXPECT_THAT(keys_of("LOOP"), ElementsAre("SQ:WAVES"));
}

TEST(RegisterKeys, OfWhatIsMadeOfItselfAloneNobodyCanTell) {
  EXPECT_THAT(keys_of("SELF + 1"), ElementsAre(":TOTAL"));
  EXPECT_THAT(keys_of("SELF + cu_count"), IsEmpty());
}

TEST(RegisterKeys, AnAccumulationIsAKeyOfItsOwn) {
  EXPECT_THAT(keys_of("accumulate(LEVEL, HIGH_RES) / WAVES"), ElementsAre("SQ:LEVEL@HIGH_RES", "SQ:WAVES"));
  EXPECT_THAT(keys_of("accumulate ( LEVEL , LOW_RES ) + LEVEL"), ElementsAre("SQ:LEVEL", "SQ:LEVEL@LOW_RES"));
  EXPECT_THAT(keys_of("reduce(accumulate(LEVEL,HIGH_RES),sum)/reduce(GUI,max)"),
              ElementsAre("GRBM:GUI", "SQ:LEVEL@HIGH_RES"));
}

TEST(RegisterKeys, AnAccumulationWithoutAFlagIsThePlainCounter) {
  EXPECT_THAT(keys_of("accumulate(LEVEL, NONE)"), ElementsAre("SQ:LEVEL"));
  EXPECT_THAT(keys_of("accumulate(LEVEL)"), ElementsAre("SQ:LEVEL"));
}

TEST(RegisterKeys, AnAccumulationIsFollowedThroughDerivedCounters) {
  EXPECT_THAT(keys_of("OCCUPANCY + HIT"), ElementsAre("SQ:LEVEL@HIGH_RES", "TCC:HIT"));
  EXPECT_THAT(keys_of("accumulate(HIT_sum, LOW_RES)"), ElementsAre("TCC:HIT@LOW_RES"));
}

TEST(RegisterKeys, ABrokenExpressionIsReadAsFarAsItGoes) {
  EXPECT_THAT(keys_of("accumulate(LEVEL, HIGH_RES"), ElementsAre("SQ:LEVEL@HIGH_RES"));
  EXPECT_THAT(keys_of("accumulate("), ElementsAre(":TOTAL")) << "nothing can be told";
  EXPECT_THAT(keys_of("((HIT"), ElementsAre("TCC:HIT"));
}

TEST(RegisterKeys, ACounterWhoseCostIsUnknownCostsAKeyWithoutABlock) {
  EXPECT_THAT(keys_of(""), ElementsAre(":TOTAL"));
  EXPECT_THAT(register_keys(base("ODD", ""), {}), ElementsAre(RegisterKey{"", "ODD"}));
}

TEST(Build, KeepsTheFirstOfTwoCountersWithOneName) {
  const AgentCatalogue catalogue =
      build({}, {base("HIT", "TCC"), base("HIT", "SQ"), derived("SUM", "HIT")}, {{"TCC", 4}});
  EXPECT_THAT(catalogue.counters, SizeIs(2));
  EXPECT_EQ(catalogue.counters.at("HIT").block, "TCC");
  EXPECT_THAT(catalogue.register_keys.at("SUM"), ElementsAre(RegisterKey{"TCC", "HIT"}));
  EXPECT_EQ(catalogue.slots.at("TCC"), 4U);
}

}  // namespace
}  // namespace multipass::catalogue
