// SPDX-License-Identifier: MIT
//
// devices/gfx942.json against what the SDK answers for gfx942 (tests/data/sim/gfx942-counters.txt).
#include <algorithm>
#include <fstream>
#include <map>
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

std::vector<Fact> read_facts() {
  std::ifstream stream(std::string(MULTIPASS_TEST_DATA) + "/sim/gfx942-counters.txt");
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

TEST(Gfx942Facts, HasExactlyTheCountersOfTheSdk) {
  std::set<std::string> expected, found;
  for (const Fact& fact : read_facts()) expected.insert(fact.name);
  for (const Counter& counter : gfx942().counters()) found.insert(counter.name);
  EXPECT_EQ(expected.size(), 455U);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(gfx942().counters().size(), 455U);
}

TEST(Gfx942Facts, EveryCounterHasTheKindBlockAndDimensionsOfTheSdk) {
  for (const Fact& fact : read_facts()) {
    SCOPED_TRACE(fact.name);
    const Counter* counter = gfx942().find(fact.name);
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
TEST(Gfx942Facts, EveryCounterCostsTheRegistersOfTheSdk) {
  std::map<std::string, std::set<std::string>> registers;
  for (const FileCounter& entry : read_device_file(device_path("gfx942")).counters) {
    registers[entry.counter.name] = {entry.registers.begin(), entry.registers.end()};
  }
  for (const Fact& fact : read_facts()) EXPECT_EQ(registers[fact.name], fact.registers) << fact.name;
}

TEST(Gfx942Facts, DerivedCountersUseTheConstantsOfTheSdk) {
  std::size_t seen = 0;
  for (const Fact& fact : read_facts()) {
    if (fact.kind != "derived") continue;
    std::set<std::string> constants;
    collect_constants(parse_expression(gfx942().find(fact.name)->expression), gfx942(), constants);
    EXPECT_EQ(constants, fact.constants) << fact.name;
    seen += fact.constants.size();
  }
  EXPECT_GT(seen, 15U);
}

TEST(Gfx942Facts, AgentIsTheDescribedTopology) {
  const AgentProperties& agent = gfx942().agent();
  EXPECT_EQ(agent.name, "gfx942");
  EXPECT_EQ(agent.cu_count, 304U);
  EXPECT_EQ(agent.simd_count, 1216U);
  EXPECT_EQ(agent.simd_per_cu, 4U);
  EXPECT_EQ(agent.num_xcc, 8U);
  EXPECT_EQ(agent.num_shader_banks, 32U);
  EXPECT_EQ(agent.wave_front_size, 64U);
  EXPECT_EQ(agent.max_waves_per_cu, 32U);
  EXPECT_EQ(agent.gfx_target_version, 90402U);
}

TEST(DeviceIds, AreUniqueOverAllDevicesAndZeroIsACounterOfTiny) {
  std::set<std::uint32_t> ids;
  for (const DeviceModel* model : {&gfx942(), &tiny()}) {
    for (const Counter& counter : model->counters()) {
      EXPECT_LE(counter.id, 0xffffU);
      EXPECT_TRUE(ids.insert(counter.id).second) << counter.name;
      EXPECT_EQ(model->find(counter.id), &counter);
    }
  }
  EXPECT_EQ(gfx942().counters().front().id, 0x0aa0U);
  EXPECT_EQ(gfx942().find(std::uint32_t{0}), nullptr);
  EXPECT_NE(tiny().find(std::uint32_t{0}), nullptr);
}

}  // namespace
}  // namespace multipass_sim
