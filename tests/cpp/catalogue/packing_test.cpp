// SPDX-License-Identifier: MIT
//
// The catalogues of the project against tests/data/packing: what counters cost, as measured with rocprofiler-sdk.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catalogue/json.hpp"

namespace multipass::catalogue {
namespace {

using Json = nlohmann::json;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}

std::set<std::string> texts_of(const std::vector<RegisterKey>& keys) {
  std::set<std::string> texts;
  for (const RegisterKey& key : keys) texts.insert(key.block + ':' + key.name);
  return texts;
}

class AgainstPacking : public testing::TestWithParam<const char*> {
 protected:
  AgainstPacking() : packing_(Json::parse(text_of(std::string{MULTIPASS_TEST_DATA} + "/packing/" + file()))) {
    Result<AgentCatalogue> read = from_json(text_of(std::string{MULTIPASS_CATALOGUE_DATA} + "/" + file()), file());
    EXPECT_TRUE(read) << read.message();
    if (read) catalogue_ = *std::move(read);
  }

  static std::string file() { return std::string{GetParam()} + ".json"; }

  Json packing_;
  AgentCatalogue catalogue_;
};

TEST_P(AgainstPacking, EveryCounterCostsTheSameRegisters) {
  for (const auto& [name, counter] : catalogue_.counters) {
    if (counter.is_constant || name.starts_with("SQ_ACCUM_PREV")) continue;  // not in that data
    ASSERT_TRUE(packing_.at("counters").contains(name)) << name;
    EXPECT_EQ(texts_of(catalogue_.register_keys.at(name)),
              packing_.at("counters").at(name).get<std::set<std::string>>())
        << name;
  }
}

// Counters without registers are in no request. Those of "profile" only are defined by rocprofiler-compute, not the
// SDK.
TEST_P(AgainstPacking, TheCountersAreThoseOfTheRequestForAllAndTheFreeOnes) {
  std::set<std::string> expected;
  for (const Json& request : packing_.at("requests"))
    if (request.at("id") == "all") expected = request.at("counters").get<std::set<std::string>>();
  EXPECT_GE(expected.size(), 50U);
  for (const auto& [name, keys] : packing_.at("counters").items())
    if (keys.empty()) expected.insert(name);
  std::set<std::string> there;
  for (const auto& [name, counter] : catalogue_.counters)
    if (!counter.is_constant && !name.starts_with("SQ_ACCUM_PREV")) there.insert(name);
  EXPECT_EQ(there, expected);
}

TEST_P(AgainstPacking, ACounterIsABaseCounterWhenItIsItsOwnRegister) {
  for (const auto& [name, counter] : catalogue_.counters) {
    const bool is_own = texts_of(catalogue_.register_keys.at(name)) == std::set{counter.block + ':' + name};
    EXPECT_EQ(is_own, !counter.is_derived && !counter.is_constant) << name;
    EXPECT_EQ(counter.block.empty(), !is_own) << name;
  }
}

TEST_P(AgainstPacking, BlocksHaveTheSameSlots) {
  auto slots = packing_.at("slots").get<std::map<std::string, std::uint32_t>>();
  // The SDK advertises more than there are; the planner knows that (planner/overrides.cpp).
  if (std::string{GetParam()} == "gfx1201") slots["SQ"] = 16;
  for (const auto& [block, count] : catalogue_.slots) EXPECT_EQ(count, slots.at(block)) << block;
}

INSTANTIATE_TEST_SUITE_P(Shipped, AgainstPacking,
                         testing::Values("gfx1030", "gfx1100", "gfx1201", "gfx908", "gfx90a", "gfx942", "gfx950"),
                         [](const auto& instance) { return std::string{instance.param}; });

struct Paper {
  const char* arch;
  std::uint32_t wave_front_size;
};

class OnPaper : public testing::TestWithParam<Paper> {};

TEST_P(OnPaper, NothingIsClaimedThatIsNotKnown) {
  const std::string file = std::string{GetParam().arch} + ".json";
  const Result<AgentCatalogue> catalogue = from_json(text_of(std::string{MULTIPASS_CATALOGUE_DATA} + "/" + file), file);
  ASSERT_TRUE(catalogue) << catalogue.message();
  AgentInfo known;
  known.name = GetParam().arch;
  known.vendor_name = "AMD";
  known.wave_front_size = GetParam().wave_front_size;
  EXPECT_EQ(catalogue->agent, known);
  for (const auto& [name, counter] : catalogue->counters)
    EXPECT_EQ(counter.instances, counter.is_constant ? 1U : 0U) << name;
}

INSTANTIATE_TEST_SUITE_P(Shipped, OnPaper, testing::Values(Paper{"gfx908", 64}, Paper{"gfx1030", 32}),
                         [](const auto& instance) { return std::string{instance.param.arch}; });

}  // namespace
}  // namespace multipass::catalogue
