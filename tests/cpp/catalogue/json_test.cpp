// SPDX-License-Identifier: MIT
#include "catalogue/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include "catalogue/build.hpp"

namespace multipass::catalogue {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

const std::string kSmall = R"json({"schema": 1, "source": "made up", "agent": {"name": "gfx942", "cu_count": 304},
 "slots": {"TCC": 4, "SQ": 8}, "counters": [
 {"name": "TCC_HIT", "block": "TCC", "instances": 128, "description": "Hits", "registers": ["TCC:TCC_HIT"]},
 {"name": "OCC", "is_derived": true, "expression": "accumulate(LEVEL,HIGH_RES)"},
 {"name": "LEVEL", "block": "SQ"},
 {"name": "xcc", "is_constant": true, "registers": []}]})json";

AgentCatalogue read(const std::string& text) {
  Result<AgentCatalogue> result = from_json(text, "test.json");
  EXPECT_TRUE(result) << result.message();
  return result ? *std::move(result) : AgentCatalogue{};
}

std::string failure(const std::string& text) {
  const Result<AgentCatalogue> result = from_json(text, "test.json");
  EXPECT_FALSE(result) << text.substr(0, 1000);
  return result.message();
}

// kSmall with one part put in the place of another.
std::string with(const std::string& part, const std::string& replacement) {
  std::string text = kSmall;
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), replacement);
}

CounterInfo counter(const std::string& name, const std::string& block, const std::string& description = {}) {
  CounterInfo info;
  info.name = name;
  info.block = block;
  info.description = description;
  return info;
}

AgentInfo agent_named(const std::string& name) {
  AgentInfo agent;
  agent.name = name;
  return agent;
}

AgentInfo full_agent() {
  AgentInfo agent = agent_named("gfx942");
  agent.index = AgentIndex{2};
  agent.device = 1;
  agent.node_id = 3;
  agent.logical_node_id = -1;
  agent.logical_node_type_id = 4;
  agent.vendor_name = "AMD";
  agent.product_name = "Instinct \"x\"";
  agent.model_name = "m\n";
  agent.device_id = 29857;
  agent.uuid = "00112233445566778899aabbccddeeff";
  agent.cu_count = 304;
  agent.simd_count = 1216;
  agent.simd_per_cu = 4;
  agent.wave_front_size = 64;
  agent.num_xcc = 8;
  agent.num_shader_banks = 32;
  agent.max_waves_per_simd = 8;
  agent.max_engine_clk_fcompute = 2100;
  agent.local_mem_size = std::numeric_limits<std::uint64_t>::max();
  return agent;
}

AgentCatalogue full_catalogue() {
  CounterInfo hit = counter("HIT", "TCC", "Hits");
  hit.instances = 128;
  CounterInfo occupancy = counter("OCC", "");
  occupancy.expression = "accumulate(HIT, LOW_RES)";
  occupancy.is_derived = true;
  CounterInfo constant = counter("cu_count", "");
  constant.is_constant = true;
  return build(full_agent(), {hit, occupancy, constant}, {{"TCC", 4}, {"SQ", 8}});
}

TEST(CatalogueJson, GivesCountersWithTheirRegisters) {
  const AgentCatalogue catalogue = read(kSmall);
  EXPECT_EQ(catalogue.agent.name, "gfx942");
  EXPECT_EQ(catalogue.agent.cu_count, 304U);
  EXPECT_EQ(catalogue.slots.at("SQ"), 8U);
  EXPECT_THAT(catalogue.counters, SizeIs(4));
  EXPECT_EQ(catalogue.counters.at("TCC_HIT").instances, 128U);
  EXPECT_EQ(catalogue.counters.at("TCC_HIT").description, "Hits");
  EXPECT_THAT(catalogue.register_keys.at("TCC_HIT"), ElementsAre(RegisterKey{"TCC", "TCC_HIT"}));
  EXPECT_TRUE(catalogue.register_keys.at("xcc").empty());
}

TEST(CatalogueJson, RegistersThatAreNotGivenFollowFromTheExpression) {
  EXPECT_THAT(read(kSmall).register_keys.at("OCC"), ElementsAre(RegisterKey{"SQ", "LEVEL@HIGH_RES"}));
}

TEST(CatalogueJson, IsReadBackAsItWasWritten) {
  const AgentCatalogue written = full_catalogue();
  const AgentCatalogue again = read(to_json(written, "a live SDK"));
  EXPECT_EQ(again.agent, written.agent);
  EXPECT_EQ(again.counters, written.counters);
  EXPECT_EQ(again.register_keys, written.register_keys);
  EXPECT_EQ(again.slots, written.slots);
}

TEST(CatalogueJson, HasOneCounterPerLineAndNamesItsSource) {
  const std::string text = to_json(full_catalogue(), "a live SDK");
  EXPECT_THAT(text, HasSubstr("\n\"source\": \"a live SDK\",\n"));
  EXPECT_THAT(text, HasSubstr("\n{\"name\":\"HIT\",\"block\":\"TCC\",\"is_derived\":false,\"is_constant\":false,"
                              "\"instances\":128,\"description\":\"Hits\",\"registers\":[\"TCC:HIT\"]},\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11);
}

TEST(CatalogueJson, ABlockWithoutKnownSlotsIsWrittenAsOneWithNone) {
  EXPECT_EQ(read(to_json(build(agent_named("gfx0"), {counter("A", "NEW")}, {}))).slots.at("NEW"), 0U);
}

TEST(CatalogueJson, ACounterOfUnknownCostStaysOne) {
  const AgentCatalogue again = read(to_json(build(agent_named("gfx0"), {counter("A", "")}, {})));
  EXPECT_THAT(again.register_keys.at("A"), ElementsAre(RegisterKey{"", "A"}));
}

TEST(CatalogueJson, TextThatIsNotUtf8IsWrittenWithReplacements) {
  const AgentCatalogue again = read(to_json(build(agent_named("gfx0"), {counter("A", "SQ", "\xff!")}, {})));
  EXPECT_EQ(again.counters.at("A").description, "\xef\xbf\xbd!");
}

TEST(CatalogueJson, AMistakeIsReportedWithFileAndPlace) {
  EXPECT_THAT(failure("{\"schema\": 1,"), StartsWith("test.json: not valid JSON: "));
  EXPECT_THAT(failure("{\"schema\": 1,"), HasSubstr("line 1"));
  EXPECT_EQ(failure("[]"), "test.json: document: must be an object");
  EXPECT_EQ(failure(with("\"schema\": 1", "\"schema\": 2")), "test.json: schema: must be 1");
  EXPECT_EQ(failure(with("\"slots\"", "\"slot\"")), "test.json: document: \"slots\" is missing");
  EXPECT_EQ(failure(with("{\"TCC\": 4, \"SQ\": 8}", "[]")), "test.json: slots: must be an object");
  EXPECT_EQ(failure(with("304", "-1")), "test.json: agent.cu_count: must be a whole number from 0 to 4294967295");
  EXPECT_EQ(failure(with("\"TCC\": 4", "\"TCC\": 4.5")),
            "test.json: slots.TCC: must be a whole number from 0 to 4294967295");
  EXPECT_EQ(failure(with("\"name\": \"gfx942\"", "\"name\": 942")), "test.json: agent.name: must be a text");
  EXPECT_EQ(failure(with("\"name\": \"gfx942\"", "\"type\": \"npu\", \"name\": \"x\"")),
            "test.json: agent.type: must be \"gpu\" or \"cpu\"");
  EXPECT_EQ(failure(with("\"Hits\"", "1")), "test.json: counters[0].description: must be a text");
  EXPECT_EQ(failure(with("\"is_derived\": true", "\"is_derived\": 1")),
            "test.json: counters[1].is_derived: must be true or false");
  EXPECT_EQ(failure(with("\"LEVEL\", ", "\"OCC\", ")), "test.json: counters[2].name: \"OCC\" is there twice");
  EXPECT_EQ(failure(with("{\"name\": \"LEVEL\"", "{\"nom\": \"LEVEL\"")),
            "test.json: counters[2]: \"name\" is missing");
  EXPECT_EQ(failure(with("TCC:TCC_HIT", "TCC_HIT")),
            "test.json: counters[0].registers[0]: \"TCC_HIT\" must be BLOCK:COUNTER or BLOCK:COUNTER@FLAG");
  EXPECT_EQ(failure(with("TCC:TCC_HIT", "GL2C:TCC_HIT")),
            "test.json: counters[0].registers[0]: block GL2C is not in \"slots\"");
  EXPECT_EQ(failure(with("\"registers\": []", "\"registers\": {}")),
            "test.json: counters[3].registers: must be a list");
}

TEST(CatalogueJson, APlanOrAListOfCountersIsNoCatalogue) {
  EXPECT_EQ(
      failure(R"({"schema": 1, "agents": []})"),
      "test.json: document: is a plan or a list of counters, not a catalogue as 'counters --save FILE' writes it");
}

TEST(CatalogueJson, ADamagedTextIsAnErrorAndNothingWorse) {
  std::mt19937 random{11};
  int refused = 0;
  for (int round = 0; round < 5'000; ++round) {
    std::string text = kSmall;
    for (int i = 0; i < 3; ++i) text[random() % text.size()] = static_cast<char>(random() % 256);
    const Result<AgentCatalogue> result = from_json(text, "test.json");
    if (result) continue;
    ++refused;
    ASSERT_THAT(result.message(), StartsWith("test.json: "));
  }
  EXPECT_GT(refused, 1'000);
  EXPECT_THAT(failure(std::string(200'000, '[')), StartsWith("test.json: not valid JSON"));
}

class CatalogueFile : public testing::TestWithParam<const char*> {};

TEST_P(CatalogueFile, OfTheProjectIsReadAndNamesOnlyBlocksWithSlots) {
  std::ifstream file{std::string{MULTIPASS_CATALOGUE_DATA} + "/" + GetParam() + ".json"};
  std::ostringstream text;
  text << file.rdbuf();
  const AgentCatalogue catalogue = read(text.str());
  EXPECT_EQ(catalogue.agent.name, GetParam());
  EXPECT_FALSE(catalogue.counters.empty());
  for (const auto& [name, keys] : catalogue.register_keys)
    for (const RegisterKey& key : keys) EXPECT_GT(catalogue.slots.at(key.block), 0U) << name;
}

INSTANTIATE_TEST_SUITE_P(Shipped, CatalogueFile,
                         testing::Values("gfx1030", "gfx1100", "gfx1201", "gfx908", "gfx90a", "gfx942", "gfx950",
                                         "tiny"));

}  // namespace
}  // namespace multipass::catalogue
