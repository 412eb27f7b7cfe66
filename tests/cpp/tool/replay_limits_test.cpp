// SPDX-License-Identifier: MIT
#include "tool/replay_limits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "environment_guard.hpp"
#include "model/names.hpp"
#include "tool/settings.hpp"

namespace multipass::tool {
namespace {

using nlohmann::json;

std::vector<std::string> names_of(const SafetyReasons& lifted) {
  std::vector<std::string> names;
  for (const DeclineReason reason : kSafetyReasons)
    if (lifted.has(reason)) names.emplace_back(name_of(reason));
  return names;
}

// As the file has it; "error": it is refused.
json read(const std::string& variable, const std::string& text) {
  if (variable == "MAX_REPLAYS") {
    const auto number = parse_max_replays(text);
    return number ? json(*number) : json("error");
  }
  if (variable == "HOST_MEMORY") {
    const auto bytes = parse_host_memory(text);
    return bytes ? json(*bytes) : json("error");
  }
  if (variable == "UNSAFE") {
    const auto lifted = parse_unsafe(text);
    return lifted ? json(names_of(*lifted)) : json("error");
  }
  const auto budget = parse_replay_budget(text);
  if (!budget) return "error";
  return {{"seconds", static_cast<double>(budget->ns) / 1e9}, {"share", budget->share}};
}

TEST(ReplayLimits, AreReadAsTheWrapperReadsThem) {
  std::ifstream file(std::string(MULTIPASS_TEST_DATA) + "/replay_limits.json");
  const json cases = json::parse(file).at("cases");
  ASSERT_GT(cases.size(), 100U);
  for (const json& each : cases) {
    const json expected = each.contains("error") ? json("error") : each.at("value");
    EXPECT_EQ(read(each.at("variable"), each.at("text")), expected) << each;
  }
}

TEST(ReplayLimits, ATextThatIsRefusedIsNamedWithItsVariableAndWhatIsAllowed) {
  const ScopedVariable events("ROCPROFSYS_MULTIPASS_EVENTS", "A");
  for (const auto& [name, text, message] :
       {std::tuple{"REPLAY_BUDGET", "90",
                   "'90' is not understood (allowed: a duration (500ms, 90s, 5m, 1h), a share of the "
                   "wall time so far (10%), both with a comma, none)"},
        std::tuple{"HOST_MEMORY", "64G", "'64G' is not understood (allowed: a size (512MB, 64GB, 64GiB))"},
        std::tuple{"UNSAFE", "budget,managed",
                   "'managed' is not understood (allowed: virtual_memory, managed_memory, "
                   "pool_memory, fine_grained_memory, pinned_memory, exported_memory, imported_memory, "
                   "copy_in_flight, collectives, host_memory, window_time, budget, all)"}}) {
    const ScopedVariable variable((std::string("ROCPROFSYS_MULTIPASS_") + name).c_str(), text);
    EXPECT_EQ(read_settings().message(), std::string("ROCPROFSYS_MULTIPASS_") + name + ": " + message);
  }
}

TEST(ReplayLimits, AFileWithWhatCannotBeIsRefused) {
  for (const char* member : {R"("unsafe": ["managed"])", R"("replay_budget": {"seconds": -1, "share": 0})",
                             R"("replay_budget": {"seconds": 1, "share": 1.5})", R"("replay_budget": {"seconds": 1})",
                             R"("host_memory": "64GB")"}) {
    const auto handed =
        parse_handover(std::string(R"({"schema": 1, "events": "A", "output": "/o", )") + member + "}", "f.json");
    EXPECT_FALSE(handed) << member;
  }
  const auto unset = parse_handover(R"({"schema": 1, "events": "A", "output": "/o", "replay_budget": null})", "f.json");
  ASSERT_TRUE(unset) << unset.message();
  EXPECT_EQ(unset->config.limits.budget, std::nullopt);
}

}  // namespace
}  // namespace multipass::tool
