// SPDX-License-Identifier: MIT
//
// The offline catalogues of the planner and the simulated devices of one name describe the same counters.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/counters/device_file.hpp"
#include "support.hpp"

namespace multipass_sim {
namespace {

using nlohmann::json;

class CatalogueData : public testing::TestWithParam<const char*> {
 protected:
  CatalogueData() : device_(read_device_file(device_path(GetParam()))) {
    std::ifstream stream(std::string(MULTIPASS_CATALOGUE_DATA) + "/" + GetParam() + ".json");
    catalogue_ = json::parse(stream);
    for (const FileCounter& entry : device_.counters) blocks_[entry.counter.name] = entry.counter.block;
  }

  std::set<std::string> keys_of(const FileCounter& entry) {
    std::set<std::string> keys;
    for (const std::string& key : entry.registers) keys.insert(blocks_[key.substr(0, key.find('@'))] + ":" + key);
    return keys;
  }

  DeviceFile device_;
  json catalogue_;
  std::map<std::string, std::string> blocks_;
};

TEST_P(CatalogueData, HasTheAgentAndSlotsOfTheDevice) {
  EXPECT_EQ(catalogue_.at("schema"), 1);
  EXPECT_EQ(catalogue_.at("agent").at("name"), device_.agent.name);
  std::ifstream stream(device_path(GetParam()));
  EXPECT_EQ(catalogue_.at("agent"), json::parse(stream).at("agent"));
  EXPECT_EQ(catalogue_.at("slots").get<decltype(device_.slots)>(), device_.slots);
}

TEST_P(CatalogueData, HasTheCountersOfTheDevice) {
  const json& counters = catalogue_.at("counters");
  ASSERT_EQ(counters.size(), device_.counters.size());
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const FileCounter& entry = device_.counters[i];
    SCOPED_TRACE(entry.counter.name);
    EXPECT_EQ(counters[i].at("name"), entry.counter.name);
    EXPECT_EQ(counters[i].value("description", ""), entry.counter.description);
    EXPECT_EQ(counters[i].at("block"), entry.counter.block);
    EXPECT_EQ(counters[i].at("is_derived"), entry.counter.is_derived);
    EXPECT_EQ(counters[i].at("is_constant"), entry.counter.is_constant);
    EXPECT_EQ(counters[i].at("instances"), entry.counter.instances());
    EXPECT_EQ(counters[i].at("registers").get<std::set<std::string>>(), keys_of(entry));
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, CatalogueData,
                         testing::Values("gfx1100", "gfx1201", "gfx90a", "gfx942", "gfx950", "tiny"), device_name);

}  // namespace
}  // namespace multipass_sim
