// SPDX-License-Identifier: MIT
//
// What the program prints with --probe: the lines, and what they hold when the SDK has none of it. The program itself
// is run in tests/e2e/test_doctor.py.
#include "apps/counters/probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace multipass::apps {
namespace {

using ::testing::EndsWith;
using Json = nlohmann::json;

ProbedAgent agent(AgentType type, std::uint32_t device) {
  ProbedAgent probed;
  probed.info.type = type;
  probed.info.device = device;
  return probed;
}

TEST(ProbeJson, IsOneLineForEachStage) {
  for (const std::string& text : {probe_json(ProbedSdk{}), probe_json(ProbedServices{})}) {
    EXPECT_THAT(text, EndsWith("}\n"));
    EXPECT_EQ(text.find('\n'), text.size() - 1);
  }
  EXPECT_EQ(Json::parse(probe_json(ProbedSdk{})).at("stage"), "sdk");
  EXPECT_EQ(Json::parse(probe_json(ProbedServices{})).at("stage"), "services");
}

TEST(ProbeJson, NamesTheSdkAndWhatItHas) {
  ProbedSdk sdk;
  sdk.identity.version = "1.4.1";
  sdk.identity.library = "/opt/x.so";
  sdk.identity.replay_kind = 25;
  sdk.features = {{"NONE", "KERNEL_REPLAY"}, true};
  sdk.copies = {{"libamd_comgr", {"/a", "/b"}}};
  const Json json = Json::parse(probe_json(sdk));
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_EQ(json.at("sdk").at("version"), "1.4.1");
  EXPECT_EQ(json.at("sdk").at("kernel_replay"), true);
  EXPECT_EQ(json.at("sdk").at("set_agents"), true);
  EXPECT_EQ(json.at("sdk").at("kinds"), (Json{"NONE", "KERNEL_REPLAY"}));
  EXPECT_EQ(json.at("copies"), (Json{{{"library", "libamd_comgr"}, {"paths", {"/a", "/b"}}}}));
}

TEST(ProbeJson, GivesOrdinalsToGpusAlone) {
  ProbedSdk sdk;
  sdk.agents = {agent(AgentType::kCpu, 0), agent(AgentType::kGpu, 3)};
  sdk.agents[1].refused = "no";
  const Json agents = Json::parse(probe_json(sdk)).at("agents");
  EXPECT_EQ(agents[0].at("device"), nullptr);
  EXPECT_EQ(agents[1].at("device"), 3);
  EXPECT_EQ(agents[1].at("refused"), "no");
}

TEST(ProbeJson, ReplacesTextThatIsNotUtf8) {
  ProbedServices services;
  services.counting = "\xff";
  EXPECT_EQ(Json::parse(probe_json(services)).at("counting"), "\xef\xbf\xbd");
}

}  // namespace
}  // namespace multipass::apps
