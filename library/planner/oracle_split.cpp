// SPDX-License-Identifier: MIT
#include "planner/oracle_split.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "planner/pass_model.hpp"

namespace multipass::planner {
namespace {

// A trial costs about 0.1 ms in the SDK. When more are needed than this, the SDK and the model have little in common,
// and every further item gets a pass of its own.
constexpr std::size_t kMostTrials = 20'000;

bool accepts_with(const Items& items, AskedOracle& oracle, const std::vector<ItemId>& pass, ItemId id) {
  std::vector<ItemId> tried = pass;
  tried.push_back(id);
  return oracle.accepts(counters_of(items, tried));
}

// Keeps in `pass` what the oracle takes, item by item; returns the rest.
std::vector<ItemId> shrink(const Items& items, AskedOracle& oracle, std::vector<ItemId>& pass) {
  std::vector<ItemId> kept;
  std::vector<ItemId> left;
  for (const ItemId id : pass) (accepts_with(items, oracle, kept, id) ? kept : left).push_back(id);
  pass = std::move(kept);
  return left;
}

void place(const Items& items, AskedOracle& oracle, Packing& passes, ItemId id) {
  for (std::vector<ItemId>& pass : passes) {
    if (oracle.asked() >= kMostTrials) break;
    if (!model_of(items, pass).fits(items.all[id].cost) || !accepts_with(items, oracle, pass, id)) continue;
    pass.push_back(id);
    return;
  }
  passes.push_back({id});
}

}  // namespace

bool AskedOracle::accepts(const std::vector<std::string>& counters) {
  const auto known = answers_.find(counters);
  if (known != answers_.end()) return known->second;
  return answers_.emplace(counters, oracle_(counters)).first->second;
}

std::vector<std::string> counters_of(const Items& items, const std::vector<ItemId>& pass) {
  std::set<std::string> counters;
  for (const ItemId id : pass) counters.insert(items.all[id].counters.begin(), items.all[id].counters.end());
  return {counters.begin(), counters.end()};
}

bool find_refusals(const Items& items, const Packing& passes, AskedOracle& oracle, Refusals& refusals) {
  bool found = false;
  for (const std::vector<ItemId>& pass : passes) {
    if (oracle.accepts(counters_of(items, pass))) continue;
    for (const ItemId id : pass) {
      const Item& item = items.all[id];
      if (oracle.accepts(item.counters)) continue;
      found = true;
      bool member = false;
      for (const std::string& counter : item.counters)
        if (!oracle.accepts({counter})) {
          refusals.counters.insert(counter);
          member = true;
        }
      if (!member) refusals.groups.insert(item.counters);
    }
  }
  return found;
}

std::vector<std::vector<std::string>> refused_passes(const Items& items, const Packing& passes, AskedOracle& oracle) {
  std::vector<std::vector<std::string>> refused;
  for (const std::vector<ItemId>& pass : passes) {
    std::vector<std::string> counters = counters_of(items, pass);
    if (!oracle.accepts(counters)) refused.push_back(std::move(counters));
  }
  std::sort(refused.begin(), refused.end());
  return refused;
}

Packing split_refused(const Items& items, Packing passes, AskedOracle& oracle) {
  std::vector<ItemId> left;
  for (std::vector<ItemId>& pass : passes) {
    if (oracle.accepts(counters_of(items, pass))) continue;
    for (const ItemId id : shrink(items, oracle, pass)) left.push_back(id);
  }
  for (const ItemId id : left) place(items, oracle, passes, id);
  return passes;
}

}  // namespace multipass::planner
