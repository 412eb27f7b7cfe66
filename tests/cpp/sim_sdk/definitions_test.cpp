// SPDX-License-Identifier: MIT
//
// Derived counters that a tool defines itself: rocprofiler_load_counter_definition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "counting_fixture.hpp"
#include "isolated.hpp"
#include "services.hpp"
#include "test_tool.hpp"

namespace sim_sdk_test {
namespace {

using testing::HasSubstr;

rocprofiler_status_t load(const std::string& text,
                          rocprofiler_counter_flag_t flags = ROCPROFILER_COUNTER_FLAG_APPEND_DEFINITION) {
  return rocprofiler_load_counter_definition(text.c_str(), text.size(), flags);
}

std::string document(const std::string& counters) {
  return R"({"rocprofiler-sdk": {"counters-schema-version": 1, "counters": [)" + counters + "]}}";
}

std::string entry(const std::string& name, const std::string& expression, const std::string& architecture = "tiny") {
  return R"({"name": ")" + name + R"(", "description": "of a test", "properties": [], "definitions": [)" +
         R"({"architectures": [")" + architecture + R"("], "expression": ")" + expression + R"("}]})";
}

std::string definition(const std::string& name, const std::string& expression,
                       const std::string& architecture = "tiny") {
  return document(entry(name, expression, architecture));
}

std::vector<std::uint64_t> ids_of(std::size_t agent) {
  std::vector<std::uint64_t> ids;
  EXPECT_EQ(rocprofiler_iterate_agent_supported_counters(
                agents().at(agent).id,
                [](auto, rocprofiler_counter_id_t* counters, std::size_t count, void* data) {
                  for (std::size_t i = 0; i < count; ++i) {
                    static_cast<std::vector<std::uint64_t>*>(data)->push_back(counters[i].handle);
                  }
                  return ROCPROFILER_STATUS_SUCCESS;
                },
                &ids),
            0);
  return ids;
}

rocprofiler_counter_info_v1_t info_of(std::uint64_t id) {
  rocprofiler_counter_info_v1_t info{};
  EXPECT_EQ(rocprofiler_query_counter_info({id}, ROCPROFILER_COUNTER_INFO_VERSION_1, &info), 0);
  return info;
}

bool has(std::size_t agent, const std::string& name) {
  const std::vector<std::uint64_t> ids = ids_of(agent);
  return std::ranges::any_of(ids, [&](std::uint64_t id) { return name == info_of(id).name; });
}

// Each test decides before the SDK starts which GPUs there are.
void with(const char* devices, const std::function<void()>& body) {
  const Outcome outcome = isolated([&] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", devices, 1);
    body();
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(CounterDefinitions, CanOnlyBeLoadedBeforeTheFirstIsRead) {
  with("tiny", [] {
    EXPECT_EQ(load(definition("Early", "SQ_WAVES_sum")), 0);
    EXPECT_EQ(agents().size(), 2U);
    EXPECT_EQ(load(definition("Late", "SQ_WAVES_sum")), 0) << "agents are no counters";
    EXPECT_NE(counter("SQ_WAVES").handle, 0U);
    EXPECT_EQ(load(definition("TooLate", "SQ_WAVES_sum")), ROCPROFILER_STATUS_ERROR);
    EXPECT_TRUE(has(1, "Late"));
    EXPECT_FALSE(has(1, "Early")) << "the second text takes the place of the first";
    EXPECT_FALSE(has(1, "TooLate"));
  });
}

TEST(CounterDefinitions, AreClosedByAConfigurationToo) {
  with("tiny", [] {
    rocprofiler_counter_config_id_t config{0};
    EXPECT_EQ(rocprofiler_create_counter_config(first_gpu(), nullptr, 0, &config), 0);
    EXPECT_EQ(load(definition("TooLate", "SQ_WAVES_sum")), ROCPROFILER_STATUS_ERROR);
  });
}

TEST(CounterDefinitions, AreListedAsDerivedCountersAfterTheDevicesOwn) {
  with("tiny", [] {
    ASSERT_EQ(load(definition("WavesPerSimd", "reduce(SQ_WAVES, max) / simd_count")), 0);
    const std::vector<std::uint64_t> ids = ids_of(1);
    ASSERT_EQ(ids.size(), 24U);
    EXPECT_EQ(ids.back(), 23U);
    const auto info = info_of(23);
    EXPECT_STREQ(info.name, "WavesPerSimd");
    EXPECT_STREQ(info.description, "of a test");
    EXPECT_STREQ(info.block, "");
    EXPECT_STREQ(info.expression, "reduce(SQ_WAVES, max) / simd_count");
    EXPECT_EQ(info.is_derived, 1U);
    EXPECT_EQ(info.is_constant, 0U);
    EXPECT_EQ(info.dimensions_instances_count, 1U);
  });
}

TEST(CounterDefinitions, HaveTheInstancesOfTheirExpression) {
  with("tiny", [] {
    ASSERT_EQ(load(definition("Requests", "TCC_HIT + TCC_MISS")), 0);
    const auto info = info_of(23);
    ASSERT_EQ(info.dimensions_count, 1U);
    EXPECT_STREQ(info.dimensions[0]->name, "DIMENSION_INSTANCE");
    EXPECT_EQ(info.dimensions_instances_count, 4U);
  });
}

TEST(CounterDefinitions, ReadTheirExpressionInADispatch) {
  std::atomic<int> records{0};
  with("tiny", [&] {
    ASSERT_EQ(load(document(entry("Outer", "3 * Inner + simd_per_cu") + "," + entry("Inner", "SQ_WAVES_sum / 2"))), 0);
    CountingFixture tool;
    tool.services.record = [&](const CountingData&, auto* values, std::size_t count, auto) {
      EXPECT_DOUBLE_EQ(sum_of(values, count, "Outer"), 3 * 5 / 2.0 + 2);
      EXPECT_EQ(count, 1U);
      ++records;
    };
    tool.start({"Outer"});
    tool.launch(5);
    tool.runtime.synchronize();
    EXPECT_EQ(rocprofiler_stop_context(tool.context), 0);
    EXPECT_EQ(records, 1);
    end_tool();
  });
}

TEST(CounterDefinitions, CostTheRegistersOfTheirExpression) {
  with("tiny", [] {
    const std::string three = "reduce(SQ_WAVES, sum) + reduce(SQ_ITEMS, sum) + reduce(SQ_IFETCH, sum)";
    ASSERT_EQ(load(document(entry("Two", "SQ_WAVES + SQ_ITEMS") + "," + entry("Three", three))), 0);
    const auto create = [](std::vector<rocprofiler_counter_id_t> ids) {
      rocprofiler_counter_config_id_t config{0};
      return rocprofiler_create_counter_config(first_gpu(), ids.data(), ids.size(), &config);
    };
    const auto two = counter("Two");
    EXPECT_EQ(create({two, counter("SQ_ITEMS")}), 0) << "a register counts once";
    EXPECT_EQ(create({two, counter("SQ_IFETCH")}), ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT);
    EXPECT_EQ(create({counter("Three")}), ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT);
  });
}

TEST(CounterDefinitions, BelongToTheArchitecturesThatTheyName) {
  with("gfx942,tiny,gfx1100,tiny,gfx1036", [] {
    ASSERT_EQ(load(document(entry("Mine", "SQ_WAVES_sum") + "," + entry("Cdna", "reduce(SQ_WAVES, sum)", "gfx942") +
                            "," + entry("None", "WHATEVER", "gfx1036\", \"gfx7"))),
              0);
    EXPECT_TRUE(has(1, "Cdna"));
    EXPECT_FALSE(has(1, "Mine"));
    EXPECT_TRUE(has(2, "Mine"));
    EXPECT_FALSE(has(2, "Cdna"));
    EXPECT_EQ(ids_of(3).size(), 116U) << "untouched";
    EXPECT_EQ(ids_of(4), ids_of(2)) << "one architecture, one set of ids";
    std::vector<std::uint64_t> all = ids_of(1);
    for (const std::size_t agent : {2, 3}) {
      const std::vector<std::uint64_t> ids = ids_of(agent);
      all.insert(all.end(), ids.begin(), ids.end());
    }
    std::ranges::sort(all);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end()) << "ids of different architectures differ";
    EXPECT_EQ(all.size(), 456U + 24 + 116);
  });
}

TEST(CounterDefinitions, NeedATextAndTheFlagThatAppends) {
  with("tiny", [] {
    constexpr auto kAppend = ROCPROFILER_COUNTER_FLAG_APPEND_DEFINITION;
    EXPECT_EQ(rocprofiler_load_counter_definition(nullptr, 5, kAppend), ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(rocprofiler_load_counter_definition("{}", 0, kAppend), ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(load(definition("Only", "SQ_WAVES_sum"), ROCPROFILER_COUNTER_FLAG_NONE),
              ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED);
    EXPECT_FALSE(has(1, "Only"));
  });
}

struct Fault {
  std::string text;
  std::string said;
};

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all{
      {"rocprofiler-sdk:\n  counters: []\n", "counter definitions: not YAML in the flow style that is also JSON"},
      {"[]", "counter definitions: expected an object, found an array"},
      {R"({"rocprofiler": {}})", "counter definitions: member \"rocprofiler-sdk\" is missing"},
      {R"({"rocprofiler-sdk": {"counters-schema-version": 2, "counters": []}})",
       "\"counters-schema-version\" is 2, this library reads 1"},
      {document(""), "rocprofiler-sdk: \"counters\": expected a list with entries"},
      {document(R"({"name": "A", "definitions": []})"), "counters[0] \"A\": member \"description\" is missing"},
      {document(R"({"name": "A", "description": "", "definitions": [], "unit": "s"})"),
       "\"definitions\": expected a list"},
      {document(R"({"name": "A", "description": "", "definitions": [{"architectures": ["tiny"], "block": "SQ",
        "event": 4}]})"),
       "counters[0] \"A\": definitions[0]: \"block\" and \"event\" define a base counter"},
      {document(R"({"name": "A", "description": "", "definitions": [{"architectures": [7], "expression": "1"}]})"),
       "definitions[0]: \"architectures\": expected text, found 7"},
      {definition("A", "SQ_WAVES +", "gfx7"), "counters[0] \"A\": definitions[0]: expression column 11: "},
      {document(entry("A", "1") + "," + entry("B\\nb", "2 * SQ_WAVE")),
       "counters[1] \"B?b\": definitions[0]: expression column 5: unknown name \"SQ_WAVE\"\n"},
      {definition("A", "A + 1"), "recursion: A -> A"},
      {definition("A", "SQ_WAVES + TCC_HIT"), "operands of 2 and 4 instances: reduce one of them first"},
      {definition("SQ_WAVES", "1"), "tiny already has a counter of this name"},
      {document(entry("A", "1") + "," + entry("A", "2")), "counters[1] \"A\": definitions[0]: tiny already has a"},
  };
  return all;
}

TEST(CounterDefinitions, WithAFaultSayPlaceAndFaultInOneLineAndChangeNothing) {
  for (const Fault& fault : faults()) {
    SCOPED_TRACE(fault.text);
    const Outcome outcome = isolated([&] {
      setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "tiny", 1);
      EXPECT_EQ(load(fault.text), ROCPROFILER_STATUS_ERROR);
      EXPECT_EQ(ids_of(1).size(), 23U);
    });
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.error, HasSubstr(fault.said));
    EXPECT_EQ(std::ranges::count(outcome.error, '\n'), 1) << outcome.error;
  }
}

TEST(CounterDefinitions, WithAFaultLeaveTheTextBeforeThemInPlace) {
  const Outcome outcome = isolated([] {
    setenv("ROCPROFSYS_MULTIPASS_SIMULATE", "tiny", 1);
    EXPECT_EQ(load(definition("Good", "SQ_WAVES_sum")), 0);
    EXPECT_EQ(load(definition("Bad", "NOTHING")), ROCPROFILER_STATUS_ERROR);
    EXPECT_TRUE(has(1, "Good"));
    EXPECT_FALSE(has(1, "Bad"));
  });
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

}  // namespace
}  // namespace sim_sdk_test
