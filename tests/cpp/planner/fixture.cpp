// SPDX-License-Identifier: MIT
#include "fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace multipass::planner::testing {
namespace {

using Json = nlohmann::json;

Json load(const std::string& name) {
  return Json::parse(std::ifstream{std::string{MULTIPASS_TEST_DATA} + "/packing/" + name + ".json"});
}

std::set<RegisterKey> keys_of(const AgentCatalogue& catalogue, const std::vector<std::string>& counters) {
  std::set<RegisterKey> keys;
  for (const std::string& counter : counters)
    keys.insert(catalogue.register_keys.at(counter).begin(), catalogue.register_keys.at(counter).end());
  return keys;
}

bool within_slots(const AgentCatalogue& catalogue, const std::map<std::string, std::uint32_t>& used) {
  for (const auto& [block, count] : used)
    if (!catalogue.slots.contains(block) || count > catalogue.slots.at(block)) return false;
  return true;
}

bool all_fit(const AgentCatalogue& catalogue, const std::vector<std::vector<std::string>>& parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const auto& part) { return fits_one_pass(catalogue, part); });
}

// Puts items[next...] into parts in every way; the best number of parts so far is a bound.
void partition(const AgentCatalogue& catalogue, const std::vector<std::vector<std::string>>& items, std::size_t next,
               std::vector<std::vector<std::string>>& parts, std::size_t& best) {
  if (parts.size() >= best || !all_fit(catalogue, parts)) return;
  if (next == items.size()) {
    best = parts.size();
    return;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t before = parts[i].size();
    parts[i].insert(parts[i].end(), items[next].begin(), items[next].end());
    partition(catalogue, items, next + 1, parts, best);
    parts[i].resize(before);
  }
  parts.push_back(items[next]);
  partition(catalogue, items, next + 1, parts, best);
  parts.pop_back();
}

}  // namespace

AgentCatalogue catalogue_of(const std::string& arch, const std::map<std::string, std::uint32_t>& slots,
                            const CounterKeys& counters) {
  AgentCatalogue catalogue;
  catalogue.agent.name = arch;
  catalogue.slots = slots;
  for (const auto& [name, keys] : counters) {
    catalogue.counters[name].name = name;
    std::set<RegisterKey> registers;
    for (const std::string& key : keys) registers.insert({key.substr(0, key.find(':')), key.substr(key.find(':') + 1)});
    catalogue.register_keys[name] = {registers.begin(), registers.end()};
  }
  return catalogue;
}

const Request& PackingData::request(const std::string& id) const {
  for (const PackingRequest& candidate : requests)
    if (candidate.id == id) return candidate.request;
  throw std::out_of_range("no request " + id);
}

PackingData load_packing(const std::string& arch) {
  const Json json = load(arch);
  PackingData data;
  data.catalogue = catalogue_of(arch, json.at("slots"), json.at("counters").get<CounterKeys>());
  for (const Json& request : json.at("requests"))
    data.requests.push_back({request.at("id"), {request.at("counters"), request.at("groups")}});
  return data;
}

std::vector<MinimalSet> load_minimal_sets(const std::string& arch) {
  const Json json = Json::parse(std::ifstream{std::string{MULTIPASS_TEST_DATA} + "/minimal-sets/" + arch + ".json"});
  const auto names = json.at("names").get<std::vector<std::string>>();
  std::vector<MinimalSet> sets;
  for (const Json& request : json.at("requests")) {
    MinimalSet& set = sets.emplace_back();
    set.id = request.at("id");
    set.minimum = request.at("minimum");
    for (const Json& index : request.at("counters")) set.counters.push_back(names.at(index.get<std::size_t>()));
  }
  return sets;
}

VerdictData load_verdicts(const std::string& arch) {
  const Json packing = load(arch);
  test_data::VerdictFile file = test_data::read_verdict_file(arch);
  auto counters = packing.at("counters").get<CounterKeys>();
  // Not in the packing data: the two accumulators, a register of SQ each, and the constants of the agent.
  for (const std::string& name : file.names) {
    if (counters.contains(name)) continue;
    counters[name] = name.starts_with("SQ_ACCUM_PREV") ? std::vector{"SQ:" + name} : std::vector<std::string>{};
  }
  auto slots = packing.at("slots").get<std::map<std::string, std::uint32_t>>();
  VerdictData data;
  data.catalogue = catalogue_of(arch, slots, counters);
  if (arch == "gfx1201") slots["SQ"] = 16;  // ROCm/rocm-systems @1b1610fc; the ninth ends the process
  data.advertised = catalogue_of(arch, slots, counters);
  data.verdicts = std::move(file.lines);
  return data;
}

std::map<std::string, std::uint32_t> registers_needed(const AgentCatalogue& catalogue,
                                                      const std::vector<std::string>& counters) {
  const std::set<RegisterKey> keys = keys_of(catalogue, counters);
  std::map<std::string, std::uint32_t> needed;
  std::map<RegisterKey, std::uint32_t> accumulations;
  for (const RegisterKey& key : keys) {
    ++needed[key.block];
    if (const std::size_t at = key.name.find('@'); at != std::string::npos)
      ++accumulations[{key.block, key.name.substr(0, at)}];
  }
  for (const auto& [plain, count] : accumulations) needed[plain.block] += count - (keys.contains(plain) ? 1 : 0);
  return needed;
}

bool keys_have_room(const AgentCatalogue& catalogue, const std::vector<std::string>& counters) {
  std::map<std::string, std::uint32_t> used;
  for (const RegisterKey& key : keys_of(catalogue, counters)) ++used[key.block];
  return within_slots(catalogue, used);
}

bool has_clash(const AgentCatalogue& catalogue, const std::vector<std::string>& counters) {
  std::map<RegisterKey, std::set<std::string>> flags;
  for (const std::string& counter : counters)
    for (const RegisterKey& key : catalogue.register_keys.at(counter))
      if (const std::size_t at = key.name.find('@'); at != std::string::npos)
        flags[{key.block, key.name.substr(0, at)}].insert(key.name.substr(at));
  return std::any_of(flags.begin(), flags.end(), [](const auto& entry) { return entry.second.size() > 1; });
}

bool has_room(const AgentCatalogue& catalogue, const std::vector<std::string>& counters) {
  return within_slots(catalogue, registers_needed(catalogue, counters));
}

bool fits_one_pass(const AgentCatalogue& catalogue, const std::vector<std::string>& counters) {
  return has_room(catalogue, counters) && !has_clash(catalogue, counters);
}

std::size_t optimum(const AgentCatalogue& catalogue, const std::vector<std::string>& counters) {
  std::vector<std::vector<std::string>> items;
  for (const std::string& counter : counters) items.push_back({counter});
  return optimum_of_groups(catalogue, items);
}

std::size_t optimum_of_groups(const AgentCatalogue& catalogue, const std::vector<std::vector<std::string>>& groups) {
  std::vector<std::vector<std::string>> parts;
  std::size_t best = groups.size() + 1;
  partition(catalogue, groups, 0, parts, best);
  return best;
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> planned_counters(const AgentPlan& plan) {
  std::vector<std::string> names;
  for (const PassPlan& pass : plan.passes) names.insert(names.end(), pass.counters.begin(), pass.counters.end());
  return sorted(std::move(names));
}

void expect_sound(const AgentCatalogue& catalogue, const std::vector<std::string>& asked, const AgentPlan& plan) {
  std::set<std::string> expected;
  for (const std::string& name : asked)
    if (!catalogue.counters.contains(name) || !catalogue.register_keys.at(name).empty()) expected.insert(name);
  std::vector<std::string> accounted = planned_counters(plan);
  for (const UnplaceableCounter& counter : plan.unplaceable) accounted.push_back(counter.counter);
  EXPECT_EQ(sorted(accounted), std::vector<std::string>(expected.begin(), expected.end()));
  EXPECT_LE(plan.lower_bound, plan.passes.size());
  EXPECT_EQ(plan.proof == Proof::kBound, plan.lower_bound == plan.passes.size());  // kSearch: the bound is lower
  for (const PassPlan& pass : plan.passes) {
    EXPECT_FALSE(pass.counters.empty());
    EXPECT_TRUE(std::is_sorted(pass.counters.begin(), pass.counters.end()));
    EXPECT_TRUE(fits_one_pass(catalogue, pass.counters)) << ::testing::PrintToString(pass.counters);
    EXPECT_EQ(pass.registers, registers_needed(catalogue, pass.counters));
    for (const auto& [block, registers] : pass.registers) EXPECT_EQ(pass.capacity.at(block), catalogue.slots.at(block));
  }
}

}  // namespace multipass::planner::testing
