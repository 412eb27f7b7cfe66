// SPDX-License-Identifier: MIT
//
// Broken device files: the message names the file, the place and the value.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

#include "sim/counters/device_file.hpp"
#include "support.hpp"
#include "temporary_device.hpp"

namespace multipass_sim {
namespace {

using nlohmann::json;

// What loading says of `text`, without the path; "" when it loads.
std::string complaint(const std::string& text) {
  const TemporaryDevice file(text);
  try {
    (void)DeviceModel::load(file.path());
  } catch (const std::runtime_error& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(file.path())) << message;
    return message.substr(std::min(message.size(), file.path().size()));
  }
  return "";
}

// tiny.json with one change: the value at a JSON pointer replaced or added.
std::string complaint_after(const std::string& pointer, const json& value) {
  json document = tiny_json();
  document[json::json_pointer(pointer)] = value;
  return complaint(document.dump());
}

std::string expression_complaint(const std::string& expression) {
  return complaint_after("/counters/17/expression", expression);  // TCC_HIT_sum
}

using testing::HasSubstr;

TEST(BadFile, TheUnchangedFileLoads) {
  EXPECT_EQ(complaint(tiny_json().dump()), "");
}

TEST(BadFile, MissingOrNoJson) {
  EXPECT_THROW((void)DeviceModel::load("/nonexistent/x.json"), std::runtime_error);
  EXPECT_THAT(complaint("{\"schema\": 1,"), HasSubstr("not JSON"));
  EXPECT_THAT(complaint("[]"), HasSubstr("expected an object, found an array"));
  EXPECT_THAT(complaint(""), HasSubstr("not JSON"));
}

TEST(BadFile, UnknownSchema) {
  EXPECT_THAT(complaint_after("/schema", 2), HasSubstr("schema 2 is not known"));
}

TEST(BadFile, UnknownMembers) {
  EXPECT_THAT(complaint_after("/colour", 1), HasSubstr("unknown member \"colour\""));
  EXPECT_THAT(complaint_after("/agent/colour", 1), HasSubstr(": agent: unknown member \"colour\""));
  EXPECT_THAT(complaint_after("/counters/2/colour", 1),
              HasSubstr(": counters[2] \"SQ_WAVES\": unknown member \"colour\""));
}

TEST(BadFile, MissingMember) {
  json document = tiny_json();
  document["agent"].erase("cu_count");
  EXPECT_THAT(complaint(document.dump()), HasSubstr(": agent: member \"cu_count\" is missing"));
}

TEST(BadFile, WrongType) {
  EXPECT_THAT(complaint_after("/agent/cu_count", -1),
              HasSubstr("\"cu_count\": expected an integer up to 4294967295, found -1"));
  EXPECT_THAT(complaint_after("/counters/2/name", 7), HasSubstr(": counters[2]: \"name\": expected text, found 7"));
  EXPECT_THAT(complaint_after("/counters/2/id", 65536), HasSubstr("found 65536"));
  EXPECT_THAT(complaint_after("/counters", 1), HasSubstr("\"counters\": expected a list"));
}

TEST(BadFile, Duplicates) {
  EXPECT_THAT(complaint_after("/counters/3/name", "SQ_WAVES"),
              HasSubstr("counters[3] \"SQ_WAVES\": this name is there twice"));
  EXPECT_THAT(complaint_after("/counters/3/id", 2), HasSubstr("id 2 is that of \"SQ_WAVES\""));
}

TEST(BadFile, KindOfACounterMustBeClear) {
  EXPECT_THAT(complaint_after("/counters/2/constant", 1), HasSubstr("\"SQ_WAVES\": exactly one of \"block\", "));
  EXPECT_THAT(complaint_after("/counters/2/registers", {"SQ_WAVES"}), HasSubstr("exactly one of"));
  EXPECT_THAT(complaint_after("/counters/2/expression", "1"), HasSubstr("exactly one of"));
  EXPECT_THAT(complaint_after("/counters/21/registers", json::array()), HasSubstr("\"simd_count\": exactly one of"));
  EXPECT_THAT(complaint_after("/counters/23", {{"id", 23}, {"name", "Neither"}}),
              HasSubstr("counters[23] \"Neither\": exactly one of"));
}

TEST(BadFile, AnExpressionNeedsItsRegisters) {
  EXPECT_THAT(complaint_after("/counters/23", {{"id", 23}, {"name", "Free"}, {"expression", "1"}}),
              HasSubstr("counters[23] \"Free\": member \"registers\" is missing"));
  EXPECT_THAT(expression_complaint(""), HasSubstr("\"expression\" is empty: leave it out for the generic function"));
}

TEST(BadFile, RegistersWithoutAnExpressionMustBeThere) {
  const auto complaint_of = [](const json& registers) {
    return complaint_after("/counters/23", {{"id", 23}, {"name", "Mystery"}, {"registers", registers}});
  };
  EXPECT_EQ(complaint_of({"TCC_HIT", "SQ_LEVEL_WAVES@LOW_RES"}), "");
  EXPECT_THAT(complaint_of(json::array()), HasSubstr("\"Mystery\": \"registers\" is empty"));
  EXPECT_THAT(complaint_of({"TCC_HOT"}), HasSubstr("\"Mystery\": register \"TCC_HOT\" is not a base counter"));
  EXPECT_THAT(complaint_of({"TCC_HIT@MIDDLE_RES"}), HasSubstr("register \"TCC_HIT@MIDDLE_RES\" is not"));
  EXPECT_THAT(complaint_of({"TCC_HIT@"}), HasSubstr("register \"TCC_HIT@\" is not"));
  EXPECT_THAT(complaint_of({"TCC_HIT_sum"}), HasSubstr("register \"TCC_HIT_sum\" is not a base counter"));
  EXPECT_THAT(complaint_of({"simd_count"}), HasSubstr("register \"simd_count\" is not a base counter"));
  EXPECT_THAT(complaint_of({7}), HasSubstr("\"registers\": expected text, found 7"));
}

TEST(BadFile, ATotalIsForBaseCountersOnly) {
  EXPECT_THAT(complaint_after("/counters/17/total", "waves"), HasSubstr("\"TCC_HIT_sum\": unknown member \"total\""));
}

TEST(BadFile, BlocksShapesAndDimensions) {
  EXPECT_THAT(complaint_after("/counters/2/block", "XY"), HasSubstr("block \"XY\" has no slots"));
  EXPECT_THAT(complaint_after("/counters/2/shape", "cube"), HasSubstr("unknown shape \"cube\""));
  EXPECT_THAT(complaint_after("/shapes/l2/0/0", "LANE"), HasSubstr(": shapes.l2: unknown dimension \"LANE\""));
  EXPECT_THAT(complaint_after("/shapes/l2/0/1", 65), HasSubstr("size 65 is not in 1..64"));
  EXPECT_THAT(complaint_after("/shapes/l2/0/1", 0), HasSubstr("size 0 is not in 1..64"));
  EXPECT_THAT(complaint_after("/shapes/sq/1/0", "INSTANCE"), HasSubstr("DIMENSION_INSTANCE twice"));
}

TEST(BadFile, AConstantThatTheAgentContradicts) {
  EXPECT_THAT(complaint_after("/counters/21/constant", 9),
              HasSubstr("\"simd_count\": \"constant\" is 9, but the agent has 8"));
}

TEST(BadFile, TotalsKnowOnlyTheActivity) {
  EXPECT_THAT(complaint_after("/counters/2/total", "waves + wavs"),
              HasSubstr("counters[2] \"SQ_WAVES\": total column 9: unknown activity member \"wavs\""));
  EXPECT_THAT(complaint_after("/counters/2/total", "0.5 * waves"),
              HasSubstr("total column 1: a total is made of integers"));
  EXPECT_THAT(complaint_after("/counters/2/total", "reduce(waves, sum)"), HasSubstr("total column 1"));
  EXPECT_THAT(complaint_after("/counters/2/total", "waves +"),
              HasSubstr("total column 8: expected a value, found end"));
}

TEST(BadFile, ExpressionsNameCounterAndColumn) {
  EXPECT_THAT(expression_complaint("1 + reduce(TCC_HOT, sum)"),
              HasSubstr("counters[17] \"TCC_HIT_sum\": expression column 12: unknown name \"TCC_HOT\""));
  EXPECT_THAT(expression_complaint("reduce(TCC_HIT, mean)"),
              HasSubstr("expression column 17: expected sum, max, min or avr"));
  EXPECT_THAT(expression_complaint("reduce(accumulate(SQ_WAVES_sum, LOW_RES), sum)"),
              HasSubstr("column 8: accumulate of \"SQ_WAVES_sum\", which is not a base counter"));
}

TEST(BadFile, InstancesMustAgree) {
  EXPECT_THAT(expression_complaint("TCC_HIT"), HasSubstr("the expression has 4 instances, the counter has 1"));
  EXPECT_THAT(expression_complaint("reduce(TCC_HIT + SQ_WAVES, sum)"),
              HasSubstr("column 16: operands of 4 and 2 instances"));
}

TEST(BadFile, RegistersMustBeThoseOfTheExpression) {
  EXPECT_THAT(expression_complaint("reduce(TCC_MISS, sum)"),
              HasSubstr("\"TCC_HIT_sum\": the expression does not use register \"TCC_HIT\""));
  EXPECT_THAT(expression_complaint("reduce(TCC_HIT + TCC_MISS, sum)"), HasSubstr("\"registers\" lacks \"TCC_MISS\""));
  EXPECT_THAT(expression_complaint("reduce(TCC_HIT, sum) + reduce(accumulate(TCC_HIT, LOW_RES), sum)"),
              HasSubstr("\"registers\" lacks \"TCC_HIT@LOW_RES\""));
}

TEST(BadFile, RecursionIsNamed) {
  EXPECT_THAT(expression_complaint("TCC_HIT_sum"), HasSubstr("recursion: TCC_HIT_sum -> TCC_HIT_sum"));
  EXPECT_THAT(expression_complaint("L2HitPercent"), HasSubstr("recursion: TCC_HIT_sum -> L2HitPercent -> TCC_HIT_sum"));
}

TEST(BadFile, NestingOfDerivedCountersIsBounded) {
  json document = tiny_json();
  for (int i = 0; i < 100; ++i) {
    document["counters"].push_back({{"id", 1000 + i},
                                    {"name", "D" + std::to_string(i)},
                                    {"registers", json::array()},
                                    {"expression", i == 99 ? "1" : "D" + std::to_string(i + 1)}});
  }
  EXPECT_THAT(complaint(document.dump()), HasSubstr("nested more than 32 deep"));
}

TEST(BadFile, RealSlotsAreOfKnownBlocksAndNoMoreThanTheSlots) {
  EXPECT_EQ(complaint_after("/real_slots", {{"SQ", 1}}), "");
  EXPECT_THAT(complaint_after("/real_slots", {{"SQ", 3}}),
              HasSubstr(": real_slots: \"SQ\" is 3, more than its 2 slots"));
  EXPECT_THAT(complaint_after("/real_slots", {{"XY", 1}}), HasSubstr(": real_slots: block \"XY\" has no slots"));
  EXPECT_THAT(complaint_after("/real_slots", 1), HasSubstr(": real_slots: expected an object, found 1"));
}

TEST(BadFile, ADeviceThatCannotBeCountedOnHasNoCounters) {
  EXPECT_EQ(complaint_after("/countable", true), "");
  EXPECT_THAT(complaint_after("/countable", "no"), HasSubstr("\"countable\": expected true or false, found \"no\""));
  json document = tiny_json();
  document["countable"] = false;
  EXPECT_THAT(complaint(document.dump()), HasSubstr("unknown member \"counters\""));
  for (const char* member : {"counters", "shapes", "slots"}) document.erase(member);
  EXPECT_EQ(complaint(document.dump()), "");
}

TEST(BadFile, AnyChangedByteLoadsOrIsComplainedOf) {
  std::ifstream stream(device_path("tiny"));
  const std::string good((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  const std::string replacements = "\"{}[],:0a-+*/()\\\x01\xff ";
  std::mt19937 random(942);
  std::size_t complaints = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    text[random() % text.size()] = replacements[random() % replacements.size()];
    if (random() % 8 == 0) text.resize(random() % text.size());
    if (!complaint(text).empty()) ++complaints;
  }
  EXPECT_GT(complaints, 1000U);
}

}  // namespace
}  // namespace multipass_sim
