// SPDX-License-Identifier: MIT
//
// devices/<arch>.json against what the SDK answers for that architecture (tests/data/sim/<arch>-counters.txt).
#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "sim/counters/device_file.hpp"
#include "sim/counters/expression.hpp"
#include "support.hpp"

namespace multipass_sim {
namespace {

struct Fact {
  std::string name, block, kind, dimensions;
  std::uint64_t instances = 0;
  std::set<std::string> registers, constants;
};

std::set<std::string> split(const std::string& text) {
  std::set<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    if (part != "-") parts.insert(part);
  }
  return parts;
}

std::vector<Fact> read_facts(const std::string& arch) {
  std::ifstream stream(std::string(MULTIPASS_TEST_DATA) + "/sim/" + arch + "-counters.txt");
  std::vector<Fact> facts;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line.front() == '#') continue;
    Fact fact;
    std::string registers, constants;
    std::istringstream words(line);
    words >> fact.name >> fact.block >> fact.kind >> fact.instances >> fact.dimensions >> registers >> constants;
    EXPECT_FALSE(words.fail()) << line;
    if (fact.block == "-") fact.block.clear();
    fact.registers = split(registers);
    fact.constants = split(constants);
    facts.push_back(fact);
  }
  return facts;
}

std::string dimensions_text(const Counter& counter) {
  std::string text;
  for (const Dimension& dimension : counter.dimensions) {
    text += (text.empty() ? "" : ",") + dimension.name + "=" + std::to_string(dimension.size);
  }
  return text;
}

// The agent constants that an expression comes down to.
void collect_constants(const Expression& node, const DeviceModel& model, std::set<std::string>& constants) {
  if (node.kind == Expression::Kind::kName) {
    const Counter* counter = model.find(node.name);
    ASSERT_NE(counter, nullptr) << node.name;
    if (counter->is_constant) constants.insert(counter->name);
    if (counter->is_derived) collect_constants(parse_expression(counter->expression), model, constants);
  }
  for (const Expression& operand : node.operands) collect_constants(operand, model, constants);
}

// The formula as the file has it; "" also for a derived counter that reads the generic function.
std::string formula_of(const DeviceFile& file, const std::string& name) {
  const auto found =
      std::ranges::find(file.counters, name, [](const FileCounter& entry) { return entry.counter.name; });
  return found == file.counters.end() ? "" : found->counter.expression;
}

class Facts : public testing::TestWithParam<const char*> {
 protected:
  Facts() : model_(device(GetParam())), facts_(read_facts(GetParam())) {}

  const DeviceModel& model_;
  std::vector<Fact> facts_;
};

TEST_P(Facts, HasExactlyTheCountersOfTheSdk) {
  std::set<std::string> expected, found;
  for (const Fact& fact : facts_) expected.insert(fact.name);
  for (const Counter& counter : model_.counters()) found.insert(counter.name);
  EXPECT_EQ(expected.size(), facts_.size());
  EXPECT_EQ(found, expected);
  EXPECT_EQ(model_.counters().size(), facts_.size());
}

TEST_P(Facts, EveryCounterHasTheKindBlockAndDimensionsOfTheSdk) {
  for (const Fact& fact : facts_) {
    SCOPED_TRACE(fact.name);
    const Counter* counter = model_.find(fact.name);
    ASSERT_NE(counter, nullptr);
    EXPECT_EQ(counter->block, fact.block);
    EXPECT_EQ(counter->instances(), fact.instances);
    EXPECT_EQ(dimensions_text(*counter), fact.dimensions);
    EXPECT_EQ(counter->is_derived, fact.kind == "derived");
    EXPECT_EQ(counter->is_constant, fact.kind == "constant");
    EXPECT_EQ(counter->expression.empty(), fact.kind != "derived");
  }
}

// That the expression uses what "registers" says is checked when the file is loaded (bad_file_test.cpp).
TEST_P(Facts, EveryCounterCostsTheRegistersOfTheSdk) {
  std::map<std::string, std::set<std::string>> registers;
  for (const FileCounter& entry : read_device_file(device_path(GetParam())).counters) {
    registers[entry.counter.name] = {entry.registers.begin(), entry.registers.end()};
  }
  for (const Fact& fact : facts_) EXPECT_EQ(registers[fact.name], fact.registers) << fact.name;
}

TEST_P(Facts, DerivedCountersUseTheConstantsOfTheSdk) {
  const DeviceFile file = read_device_file(device_path(GetParam()));
  std::size_t seen = 0;
  for (const Fact& fact : facts_) {
    if (fact.kind != "derived" || formula_of(file, fact.name).empty()) continue;
    std::set<std::string> constants;
    collect_constants(parse_expression(model_.find(fact.name)->expression), model_, constants);
    EXPECT_EQ(constants, fact.constants) << fact.name;
    seen += fact.constants.size();
  }
  EXPECT_GE(seen, 2U);  // those of CU_NUM, which every architecture has
}

TEST_P(Facts, SlotsAreThoseOfThePackingData) {
  std::ifstream stream(std::string(MULTIPASS_TEST_DATA) + "/packing/" + GetParam() + ".json");
  const auto expected = nlohmann::json::parse(stream).at("slots").get<std::map<std::string, std::uint32_t>>();
  std::set<std::string> blocks;
  for (const Fact& fact : facts_) blocks.insert(fact.block);
  blocks.erase("");
  const auto slots = read_device_file(device_path(GetParam())).real_slots;
  for (const std::string& block : blocks) EXPECT_EQ(slots.at(block), expected.at(block)) << block;
  EXPECT_EQ(slots.size(), blocks.size());
}

INSTANTIATE_TEST_SUITE_P(Shipped, Facts, testing::Values("gfx1100", "gfx1201", "gfx90a", "gfx942", "gfx950"),
                         device_name);

struct Topology {
  const char* name;
  std::size_t counters;
  std::uint32_t first_id, gfx_target_version, num_xcc, num_shader_banks, cu_count, cu_per_engine, simd_count,
      wave_front_size;
};

// As described to the SDK, but for the waves of gfx1100 and gfx1201: HIP runs kernels of these in waves of 32 lanes.
class Agents : public testing::TestWithParam<Topology> {};

TEST_P(Agents, AreTheDescribedTopologies) {
  const Topology& expected = GetParam();
  const DeviceModel& model = device(expected.name);
  const AgentProperties& agent = model.agent();
  EXPECT_EQ(model.counters().size(), expected.counters);
  EXPECT_EQ(agent.name, expected.name);
  EXPECT_EQ(agent.gfx_target_version, expected.gfx_target_version);
  EXPECT_EQ(agent.num_xcc, expected.num_xcc);
  EXPECT_EQ(agent.num_shader_banks, expected.num_shader_banks);
  EXPECT_EQ(agent.cu_count, expected.cu_count);
  EXPECT_EQ(agent.cu_per_engine, expected.cu_per_engine);
  EXPECT_EQ(agent.simd_count, expected.simd_count);
  EXPECT_EQ(agent.simd_per_cu, 4U);
  EXPECT_EQ(agent.wave_front_size, expected.wave_front_size);
  EXPECT_EQ(agent.max_waves_per_cu, 32U);
}

TEST_P(Agents, NumberTheirCountersInOrderFromTheirFirstId) {
  std::uint32_t next = GetParam().first_id;
  for (const Counter& counter : device(GetParam().name).counters()) EXPECT_EQ(counter.id, next++) << counter.name;
}

INSTANTIATE_TEST_SUITE_P(Shipped, Agents,
                         testing::Values(Topology{"gfx90a", 509, 4096, 90010, 1, 8, 104, 13, 416, 64},
                                         Topology{"gfx942", 455, 2720, 90402, 8, 32, 304, 9, 1216, 64},
                                         Topology{"gfx950", 664, 5120, 90500, 8, 32, 256, 8, 1024, 64},
                                         Topology{"gfx1100", 116, 6144, 110000, 1, 6, 48, 8, 192, 32},
                                         Topology{"gfx1201", 94, 7168, 120001, 1, 4, 32, 8, 128, 32}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(DeviceIds, AreUniqueOverAllDevicesAndZeroIsACounterOfTiny) {
  std::set<std::uint32_t> ids;
  for (const char* name : {"gfx1100", "gfx1201", "gfx90a", "gfx942", "gfx950", "tiny"}) {
    for (const Counter& counter : device(name).counters()) {
      EXPECT_LE(counter.id, 0xffffU);
      EXPECT_TRUE(ids.insert(counter.id).second) << counter.name;
      EXPECT_EQ(device(name).find(counter.id), &counter);
    }
  }
  EXPECT_EQ(gfx942().find(std::uint32_t{0}), nullptr);
  EXPECT_NE(tiny().find(std::uint32_t{0}), nullptr);
}

}  // namespace
}  // namespace multipass_sim
